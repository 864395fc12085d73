//! NB-IoT.

mod facts;
mod laws;
mod support;
