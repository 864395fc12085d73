//! Radio link control of LTE (TS 36.322) and of NR (TS 38.322), and PDCP where that puts SDUs in
//! order.
//!
//! The SDUs of a direction form one stream of bytes. A PDU carries a stretch of it, so that
//! sequence numbers and segment offsets are positions in the stream; what their headers cost is a
//! length per PDU and one per SDU.

mod config;
mod dtch;
mod ranges;
mod receiver;
mod reordering;
mod sdus;
mod status;
mod transmitter;

pub use config::{Mode, RlcMode};
pub(crate) use config::{Numbered, Rlc36Config};
pub(crate) use dtch::{Dtch, DtchConfig, OverDtch, SentBlock};
pub(crate) use ranges::Range;
pub(crate) use receiver::Receiver;
pub(crate) use reordering::Reordering;
pub(crate) use sdus::Sdus;
pub(crate) use status::Status;
pub(crate) use transmitter::{Contents, Label, Transmitter};
