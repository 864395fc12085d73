//! Forms that go with scenarios alone.

mod ends;
mod file;
mod network;

pub(crate) use ends::Ends;
pub use file::{CaptureFile, TraceFile};
pub(crate) use network::{AddressPrefix, InterfaceName, Listen, Several, SocketPath};
