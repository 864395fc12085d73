//! Bearers whose base station decides for every slot who sends.

mod facts;
mod laws;
pub(crate) mod support;
