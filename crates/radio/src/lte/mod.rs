//! LTE: a cell in which the base station decides for every subframe who sends.

mod keys;
mod tables;

pub use keys::LteKeys;
pub(crate) use keys::{Adaptive, Step};
pub use tables::Category;
