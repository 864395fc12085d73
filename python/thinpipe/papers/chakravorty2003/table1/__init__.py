"""Table I of the paper as a measured matrix."""
