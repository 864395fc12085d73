//! A scenario under real programs, and the other machine for tests of it.
//!
//! An [`Emulator`] is the world of a scenario, with packets of the kernel in place of endpoints. An
//! [`Emulation`] joins it with its [`NetnsSetup`], what is made in the system for it, and with the
//! [`Record`] of what became of all packets. A [`Peer`] is one TCP endpoint on a wire that, if told
//! so, loses, repeats and disorders.

mod application;
mod capture;
mod emulation;
mod emulator;
mod impairment;
mod netns;
mod packet_ledger;
mod peer;
mod record;
mod recorder;
mod report;

pub use application::{Application, Close, Pause};
pub use capture::Captures;
pub use emulation::{Emulation, EmulationConfig};
pub use emulator::Emulator;
pub use impairment::{Counters, ImpairedWire, Impairments};
pub use netns::{NetnsSetup, Side, become_root_of_own_namespaces};
pub use packet_ledger::{Reading, Traffic};
pub use peer::{Ends, Opening, Peer};
pub use record::{DirectionRecord, Directions, Dropped, Lateness, Moment, Percentiles, Record};
pub use recorder::Recording;
pub use report::Report;
