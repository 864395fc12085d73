//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod any_packets;
mod changes;
mod config;
mod corners;
mod corpus;
mod crumbs;
mod floods;
mod laws;
mod limits;
mod others;
mod runs;
mod stats;
mod subscriber;
mod support;
mod transfers;
