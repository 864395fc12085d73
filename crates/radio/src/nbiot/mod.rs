//! NB-IoT: a carrier of one resource block, whose mobiles send or receive, never both, and repeat
//! what they say until it is understood.
//!
//! * `cell`: the machine, from event to event; `schedule`: who is next on the carrier.
//! * `mobile`, `lane`: a mobile, and one direction of its bearer; `stage`: what a mobile does.
//! * `carrier`, `search_space`: what is taken of the carrier, and where a mobile looks for
//!   messages.
//! * `tables`, `format`: sizes of transport blocks, how long they last and what they need.

mod access;
mod carrier;
mod cell;
mod config;
mod format;
mod keys;
mod lane;
mod mobile;
mod power;
mod schedule;
mod search_space;
mod stage;
mod tables;

pub use cell::NbIotCell;
pub use config::NbIotConfig;
pub use keys::{Interval, NbIotKeys, Step};
pub use power::PowerState;
pub use tables::{Category, Tones};
