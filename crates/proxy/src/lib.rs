//! A proxy without its operating system: IP packets in, IP packets out, boxes between.
//!
//! A [`Gateway`] is handed every packet that policy routing diverts. TCP of the mobiles that its
//! configuration names goes through the box of their profile; all else leaves as it came.

mod boxes;
mod config;
mod gateway;
mod histogram;
mod hosts;
mod journal_places;
mod merged;
mod openings;
mod passing;
mod prefixes;
mod reasons;
mod records;
mod served;
mod shares;
mod snapshot;
mod stats;
mod view;

pub use config::{
    Config, Control, Diverted, Interfaces, Log, LogLevel, MOST_WORKERS, Metrics, Never, OnFailure,
    Profile, Routing, TunKeys,
};
pub use gateway::Gateway;
pub use histogram::Histogram;
pub use hosts::addresses;
pub use merged::{busiest, merged};
pub use records::{FlowEnd, FlowRecord};
pub use snapshot::{
    ClassStats, Connections, EchoStats, Flows, Fragments, LegStats, Mobile, ProfileStats, Reason,
    Snapshot, Syns, Volume,
};
