//! A scenario under real programs.
//!
//! An [`Emulator`] is the world of a scenario, with packets of the kernel in place of endpoints. An
//! [`Emulation`] joins it with its [`NetnsSetup`], what is made in the system for it, and with the
//! [`Record`] of what became of all packets.

mod emulation;
mod emulator;
mod long_queues;
mod netns;
mod packet_ledger;
mod record;
mod recorder;

pub use emulation::{Emulation, EmulationConfig};
pub use emulator::Emulator;
pub use netns::{NetnsSetup, Side, enter_own_namespaces};
pub use packet_ledger::{Reader, Reading, Traffic};
pub use record::{DirectionRecord, Directions, Dropped, Lateness, Moment, Percentiles, Record};
pub use recorder::Recording;
