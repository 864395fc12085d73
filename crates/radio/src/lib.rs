//! Radio bearers.
//!
//! * [`umts`]: a dedicated channel of UMTS: PDCP, RLC, MAC and PHY of both directions as one
//!   machine, advanced one transmission time interval (TTI) at a time.
//!
//! * [`hspa`]: HSDPA and HSUPA: a `NodeB` decides for every TTI who gets it, with hybrid ARQ
//!   under the link control of [`umts`].
//!
//! * [`gprs`]: GPRS and EDGE: RLC/MAC over time slots, from the gateway to the mobile, one block
//!   period at a time.
//!
//! * [`satellite`]: a satellite in a low orbit or a geostationary one, between a gateway and a
//!   terminal.
//!
//! * [`lte`]: LTE cells, in which the base station decides for every subframe who sends, over what
//!   [`scheduled`] has.
//!
//! * [`nbiot`]: NB-IoT carriers, whose mobiles repeat what they say and sleep most of the time.
//!
//! * [`nr`]: NR cells, whose slots are shorter and may be of one direction, over the same.
//!
//! * [`paging`]: when a mobile of LTE, NR or NB-IoT without a connection listens.
//!
//! * [`wlan`]: access points and stations of a network like 802.11b.
//!
//! A bearer carries anything that knows its size ([`Sdu`]). It knows no IP: how headers are
//! compressed is up to the SDU ([`HeaderCompression`]).

mod cells;
mod counters;
mod decibel;
pub mod gprs;
pub mod hspa;
mod intake;
mod kinds;
pub mod lte;
pub mod nbiot;
pub mod nr;
mod output;
pub mod paging;
mod power;
pub mod satellite;
pub mod scheduled;
mod sdu;
#[cfg(test)]
mod testing;
pub mod umts;
pub mod wlan;

pub use cells::Cell;
pub use counters::Counters;
pub use kinds::{Bearer, Keys, Queues, Radio, RadioContext};
pub use output::{DownlinkReport, Output};
pub use power::{EnergyUse, Meter, PowerModel, StateUse};
pub use sdu::{HeaderCompression, Sdu};
