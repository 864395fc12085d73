//! Radio resource control (TS 25.331) of one UE, the UE's part and the network's as one machine.
//!
//! * `state`: the transition table, every state × event;
//! * `entity`: the machine that follows it: timers, procedures that take time, the spreading
//!   factors to ask for.
//!
//! Simplifications are listed in `docs/models/umts-rrc.md`.

mod config;
mod entity;
mod interface;
mod state;
mod traffic;

pub use config::{Activity, AfterDch, FirstChannel, Inactivity, Rest, RrcConfig, TrafficVolume};
pub use entity::Entity;
pub use interface::{Action, Channels, Dedicated, Input};
pub(super) use state::Procedure;
