"""The table that RFC 9743 (BCP 133) wants of a new congestion control, from simulations."""
