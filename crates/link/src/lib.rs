//! Wired links: rate, delay and the queue ahead of them.

mod pipe;

pub use pipe::{Config, Counters, Load, Pipe};
