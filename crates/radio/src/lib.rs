//! Radio bearers.
//!
//! * [`umts`]: a dedicated channel of UMTS: PDCP, RLC, MAC and PHY of both directions as one
//!   machine, advanced one transmission time interval (TTI) at a time.
//!
//! A bearer carries anything that knows its size ([`Sdu`]). It knows no IP: header compression
//! works on a view of the headers that the SDU gives.

mod sdu;
pub mod umts;

pub use sdu::Sdu;
