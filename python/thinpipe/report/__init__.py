"""Pages and tables for people: HTML that needs nothing but a browser."""
