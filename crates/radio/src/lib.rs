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
//! * [`lte`]: LTE cells, in which the base station decides for every subframe who sends: keys and
//!   tables of the machine of [`scheduled`].
//!
//! * [`nbiot`]: NB-IoT carriers, whose mobiles repeat what they say and sleep most of the time.
//!
//! * [`nr`]: NR cells, whose slots are shorter and may be of one direction, over the same.
//!
//! * [`wlan`]: access points and stations of a network like 802.11b.
//!
//! They are made of `kit`, of the shared [`channel`], and of [`rlc36`], link control of LTE and
//! NR.
//!
//! A bearer carries anything that knows its size ([`Sdu`]). It knows no IP: how headers are
//! compressed is up to the SDU ([`HeaderCompression`]).

mod cells;
pub mod channel;
pub mod gprs;
pub mod hspa;
mod keys;
mod kit;
pub mod lte;
pub mod nbiot;
pub mod nr;
mod registry;
pub mod rlc36;
pub mod satellite;
pub mod scheduled;
#[cfg(test)]
mod testing;
pub mod umts;
pub mod wlan;

pub use keys::{Keys, Queues, RadioContext};
pub use kit::{Counters, EdrxKeys, EnergyUse, HeaderCompression, Output, PsmKeys, Sdu, StateUse};
pub(crate) use kit::{Meter, PowerModel, RateReport};
pub use registry::{Cell, Radio};
