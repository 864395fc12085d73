//! Bearers whose base station decides for every slot who sends.

mod facts;
mod laws;
mod lte_m;
mod sleep;
pub(crate) mod support;
