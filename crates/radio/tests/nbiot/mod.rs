//! NB-IoT.

mod facts;
mod laws;
mod load;
mod support;
