//! The words that every other crate uses.
//!
//! * [`Time`] and [`Duration`]: nanoseconds, given from outside and never read from a clock;
//! * [`Rate`] and [`Transmitter`]: bits per second, with the remainder kept;
//! * [`Power`], [`Energy`] and [`EnergyPerBit`]: in whole numbers, so that sums are exact;
//! * [`Schedule`]: a value that changes at given times;
//! * [`Seq`]: 32-bit sequence numbers that wrap (RFC 9293 §3.4);
//! * [`Stream`] and [`Philox`]: chance, one named stream per source of it;
//! * [`Agenda`]: who wakes next;
//! * [`TcpHeader`]: a TCP header as a value; [`UdpDatagram`], one of UDP; [`Ecn`], the IP header's
//!   word on congestion;
//! * [`Direction`]: downlink or uplink;
//! * [`words!`]: an enum whose values have names, [`listed!`] one whose values can be listed.

mod agenda;
mod direction;
mod ecn;
mod energy;
pub mod float;
mod header;
mod probability;
mod random;
mod rate;
mod schedule;
mod seq;
mod time;
mod udp;
mod words;

pub use agenda::Agenda;
pub use direction::Direction;
pub use ecn::Ecn;
pub use energy::{Energy, EnergyPerBit, Power};
pub use header::{EcnBytes, EcnOrder, Flags, Options, SackBlocks, TcpHeader, Timestamps};
pub use probability::Probability;
pub use random::{Philox, Stream};
pub use rate::{Rate, Transmitter};
pub use schedule::Schedule;
pub use seq::Seq;
pub use time::{Duration, Time};
pub use udp::UdpDatagram;
pub use words::{Words, names};
