//! Packet data convergence (TS 25.323): a header on each SDU, and header compression.

mod config;
mod convergence;
pub mod rfc2507;

pub use config::PdcpConfig;
pub(crate) use convergence::Convergence;
pub use rfc2507::Headers;
