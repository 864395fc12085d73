//! LTE: a cell in which the base station decides for every subframe who sends.

mod keys;
mod lte_m;
mod tables;

pub(crate) use keys::Adaptive;
pub use keys::LteKeys;
pub use lte_m::Duplex;
pub use tables::Category;
