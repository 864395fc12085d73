//! HSDPA and HSUPA.

mod facts;
mod laws;
mod support;
