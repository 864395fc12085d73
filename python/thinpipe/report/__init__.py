"""Reports and tables as self-contained HTML."""
