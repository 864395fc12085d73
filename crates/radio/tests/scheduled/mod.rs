//! Bearers whose base station decides for every slot who sends.

mod bearers;
mod capacity;
mod facts;
mod journey;
mod laws;
mod lte_m;
pub(crate) mod several;
mod sleep;
pub(crate) mod support;
