//! GPRS and EDGE: a bearer from the gateway to one mobile.
//!
//! ```text
//!   gateway ─ core network ─ queue ─ LLC frames ─ RLC (selective repeat) ─ MAC (TBFs) ─ mobile
//! ```
//!
//! The specifications are TS 44.060 (RLC/MAC), TS 45.002 and 45.003 (slots and coding), TS 44.064
//! and 44.065 (LLC and SNDCP), TS 48.018 (the queue ahead of the base station).
//!
//! What is modelled in a simplified way:
//! * A block period is 20 ms, the mean of the 52-multiframe's.
//! * The slots are this mobile's alone: no contention, as Chakravorty et al. 2003 found.
//! * RLC is in acknowledged, LLC in unacknowledged mode. A length indicator always takes a byte.
//! * A sender knows when a report was built. Messages of the set-up take blocks, but none is lost.
//! * Uplink the network grants blocks whenever the mobile has some, and asks for none otherwise.
//! * Both ends know at once what an outage of more than `keep` loses.
//! * EDGE: neither incremental redundancy nor resegmentation; a block keeps its scheme.

mod adaptation;
mod air;
mod arq;
mod bearer;
mod coding;
mod config;
mod core;
mod keys;
mod lane;
mod outages;
mod packets;
mod paging;
mod tbf;

pub use air::{Errors, Quality, State};
pub use bearer::GprsBearer;
pub use coding::CodingScheme;
pub use config::{Gap, GapKind, GprsConfig};
pub use keys::{Gprs, GprsKeys, RadioBursts};
