//! Packet data convergence (TS 25.323): a header on each SDU, and header compression.

mod config;
mod convergence;

pub use config::PdcpConfig;
pub(crate) use convergence::Convergence;
