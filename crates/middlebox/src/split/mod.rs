//! Connections in two halves.

mod arrivals;
mod both_ways;
mod closed_flows;
mod config;
mod directions;
mod endings;
mod flow;
mod handshake;
mod journal;
mod machine;
mod opening;
mod per_flow;
mod radio_leg;
mod relay;
mod rewrite;
mod rounds;
mod sockets;
mod toward_host;
mod uplink;

pub use both_ways::BothWays;
pub use config::{Journal, LargePackets, SplitConfig, Uplink};
pub use machine::Splitter;
pub use per_flow::PerFlow;
pub use radio_leg::{FlowId, Numbers, RadioLeg, Terms};
pub use relay::Relay;
pub use sockets::SocketBuffers;
