//! What the hot path costs: instructions and cache misses, which are the same on a busy machine and
//! on a quiet one.
//!
//! `cargo run --release -p costs` prints what each of the works costs beside the figure in the
//! tree; with `--write` it replaces the figures. A test holds them.

pub mod gateway;

mod counts;
mod figures;
mod queue;
mod works;

pub use counts::{Counts, Error, count, reason_to_skip};
pub use figures::{FILE, Figures, PROFILE, Tree, change, differences, read, rustc, write};
pub use works::{WORKS, Work};
