//! NR, over the machine that LTE has too.

mod facts;
mod laws;
