//! What a measurement sees of a running world: the facts that machines report as they happen.
//!
//! [`Observe`] takes them; each layer has its own kind of fact.

mod application;
mod block;
mod cell;
mod middlebox;
mod mobility;
mod observe;
mod packet;
mod power;
mod ratio;
mod rrc;
mod tcp;

pub use application::{ConnectionFact, EchoFact};
pub use block::{BlockFact, BlockKind};
pub use cell::{CodeEvent, CodeFact, CommonFact, HandoverEvent, HandoverFact, PageFact, RrcFact};
pub use middlebox::{MiddleboxFact, Release, RepairReason};
pub use mobility::{MobilityFact, Subject};
pub use observe::{BoxContext, Context, Observe};
pub use packet::{DropReason, PacketEvent, PacketFact};
pub use power::PowerFact;
pub use ratio::RatioFact;
pub use rrc::{RrcEvent, RrcState};
pub use tcp::{Closing, RttSample, SendLimit, TcpFact};
