//! NR, the radio of 5G: a cell in which the base station decides for every slot who sends, where
//! slots are as short as subcarriers are wide, and may be of one direction.

mod keys;
mod pattern;
mod tables;

pub use keys::{NrKeys, Tdd};
pub use pattern::Pattern;
pub use tables::{McsTable, Spacing};
