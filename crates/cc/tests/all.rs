//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod bbr;
mod cubic;
mod harness;
mod laws;
mod reno;
mod tahoe;
mod vegas;
mod westwood;
mod wtcp;
