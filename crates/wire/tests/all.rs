//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod arrivals;
mod corpus;
mod fragments;
mod headers;
mod icmp;
mod ipv6;
mod offload;
mod support;
mod tshark;
mod udp;
mod wire;
