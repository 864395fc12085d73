//! The shared channel of a cell whose base station decides who sends.
//!
//! * `quality`: how good the radio of a mobile is over time, and what link adaptation makes of it;
//!   `blockage`: what stands in its way; `curve`: how often blocks err.
//! * `drive`: how good it was along a drive.
//! * `sizes`, `rank`, `frame`: how much a block carries, over how many layers, and which slots are
//!   of which direction.
//! * `keys`: what is asked of every such cell.
//! * `harq`, `flights`: blocks in flight; `scheduler`: the choice between mobiles.

mod blockage;
pub(crate) mod curve;
mod drive;
pub(crate) mod flights;
mod frame;
pub(crate) mod harq;
mod keys;
mod quality;
mod rank;
pub(crate) mod scheduler;
mod sizes;

pub use blockage::Blockage;
pub use drive::Drive;
pub(crate) use frame::{Frame, Part};
pub(crate) use keys::{Alike, UeKeys, drives, put};
pub use keys::{Driven, Mobiles, Reception, UplinkPower};
pub use quality::Fading;
pub(crate) use quality::{Quality, Radio, UeConfig};
pub(crate) use rank::Scheme;
pub use scheduler::Policy;
pub(crate) use sizes::Sizes;
