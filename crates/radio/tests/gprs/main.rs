//! GPRS bearers: the facts of paper 004 about the link, and laws.

mod facts;
mod laws;
mod support;
