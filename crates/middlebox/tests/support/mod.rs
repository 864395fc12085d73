//! A network around a box, in virtual time: endpoints on either side, paths that delay, lose and
//! stall between them and the box, and a log of what passed. Equal seeds, equal logs.
#![allow(unreachable_pub, reason = "tests share it")]

mod aggregating;
mod laws;
mod losses;
mod network;
mod passing;
mod path;
mod pattern;
pub mod random;
mod segments;
mod shared;

pub(crate) use aggregating::aggregating;
pub use laws::{
    a_repeated_syn_takes_no_window_back, clocks_are_somebodys, edges_never_move_back,
    edges_never_move_back_either_way, fins_are_acknowledged_by_their_receiver,
    nothing_unreceived_is_acknowledged,
};
pub use losses::{LossPattern, Losses};
pub use network::{FIRST_MOBILE, Network, Opening, Passage, PeerId, Way, fixed, mobile, modern};
pub use passing::{Gone, Passing};
pub use path::{Outage, OutageFate, Path};
pub use pattern::Pattern;
pub use segments::{UP, WINDOW, down, packet, up};
pub use shared::Shared;
