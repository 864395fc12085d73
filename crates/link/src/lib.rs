//! Wired links: rate, delay and the queue ahead of them.
