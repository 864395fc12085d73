//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod applications;
mod corpus;
mod datagrams;
mod header_compression;
mod laws;
mod middlebox;
mod open;
mod tunnels;
