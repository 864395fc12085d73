//! UMTS: a bearer over dedicated channels.
//!
//! ```text
//!   Bearer ─ pdcp ─ rlc (acknowledged mode) ─ mac (dedicated) ─ phy (block errors)
//! ```
//!
//! The specifications are those of release 99 and later: PDCP TS 25.323, RLC TS 25.322, MAC
//! TS 25.321, transport channels TS 25.302.
//!
//! What is modelled in a simplified way:
//! * Processing takes no time, but what ends on a tick misses the TTI that begins there.
//! * A sender knows when a status report was built: it subtracts the fixed delay of the channel.
//! * Status reports are not piggybacked on data PDUs; each takes a block.
//! * A window-based poll is set when the threshold is crossed and when the window closes, not on
//!   every PDU in between.
//! * The poll timer runs until everything before the poll is acknowledged, also where the
//!   standard would stop it on a negative acknowledgement of the last PDU.
//! * The estimated PDU counter triggers reports; it does not hold back others.
//! * Periodic status reports pause while the peer waits for nothing, so that an idle bearer
//!   sleeps.
//! * With windows above 2048 PDUs, old duplicates are never taken for new PDUs.
//! * After an unrecoverable error both ends are established anew at once, without signalling.
//! * Header compression uses full and compressed TCP headers only; contexts heal with the full
//!   headers of TCP's own retransmissions. A comparison stands in for the TCP checksum.

mod admission;
mod backlog;
mod bearer;
mod blocks;
mod buffer;
pub mod cell;
pub mod channels;
mod conditions;
mod config;
pub(crate) mod contents;
mod dch;
mod flow_queues;
mod grid;
pub mod handover;
pub mod interference;
mod keys;
mod lane;
pub(crate) mod mac;
mod multiplexer;
pub(crate) mod pdcp;
mod phy;
pub(crate) mod power;
pub mod rlc;
pub mod rrc;

pub use admission::AdmissionLimits;
pub use backlog::{Limit, Scope};
pub use bearer::Bearer;
pub use blocks::Blocks;
pub use buffer::{BufferManager, Service};
pub use conditions::{BlockErrorRate, ChannelState, Coverage, Dpcch, End, Interruption};
pub use config::{Channel, DchConfig};
pub use dch::DchKeys;
pub use keys::Profile;
pub(crate) use keys::UmtsKeys;
pub use pdcp::PdcpConfig;
pub use power::{CellPower, DchPower};

pub use crate::{Counters, Output};
