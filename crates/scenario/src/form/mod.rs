//! Forms that go with scenarios alone.

mod ends;
mod file;
mod network;

pub(crate) use ends::Ends;
pub use file::CaptureFile;
pub(crate) use network::{AddressPrefix, InterfaceName, Listen, Several, SocketPath};
