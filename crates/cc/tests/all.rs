//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod bbr;
mod careful_resume;
mod copa;
mod cubic;
mod dctcp;
mod harness;
mod laws;
mod prague;
mod reno;
mod tahoe;
mod vegas;
mod westwood;
mod wtcp;
