//! GPRS bearers: the facts of Chakravorty et al. 2003 about the link, and laws.

mod facts;
mod laws;
mod support;
