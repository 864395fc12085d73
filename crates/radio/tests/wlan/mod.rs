//! A network of access points and stations.

mod contention;
mod exact;
mod laws;
mod support;
