//! Congestion controllers: facts in, window out.
