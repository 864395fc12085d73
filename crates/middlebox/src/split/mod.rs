//! Connections in two halves.

mod arrivals;
mod config;
mod endings;
mod flow;
mod handshake;
mod machine;
mod mobiles;
mod per_flow;
mod radio_leg;
mod rewrite;
mod rounds;
mod side;
mod table;
mod toward_host;

pub use config::SplitConfig;
pub use machine::Splitter;
pub use per_flow::{PerFlow, SocketBuffers};
pub use radio_leg::{FlowId, Numbers, RadioLeg, Terms};
