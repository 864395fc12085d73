//! Boxes between wire and radio that help TCP: the schemes of Chakravorty et al. 2003 and of those
//! that it is compared with, as machines without sockets.
//!
//! A [`Middlebox`] stands where all packets of some mobiles pass. It is told the time and handed
//! TCP packets from either [`Leg`]; it hands out packets for either leg and one deadline. What
//! segments carry is a parameter, as in `tcp`: the same box works on lengths and on bytes. What is
//! not TCP is no business of a box and goes around it.

mod address;
mod atcp;
mod counters;
mod delayed_dupacks;
mod exposure;
mod fda;
mod follow;
mod half_open;
mod i_tcp;
mod ip_fields;
mod limits;
mod m_tcp;
mod machine;
mod map;
mod mobiles;
mod packet;
mod per_flow_split;
mod radio_rtt;
mod segment_cache;
mod sender_clock;
mod snoop;
mod split;
mod w_tcp;

pub use address::{Address, Leg};
pub use atcp::{Atcp, AtcpConfig, Class, Estimation, FlowControl, Fraction, Kind};
pub use counters::{Bypasses, Counters, Repairs};
pub use delayed_dupacks::{DelayedDupacks, DelayedDupacksConfig};
pub use exposure::Exposure;
pub use fda::{FdaLike, FdaLikeConfig};
pub use follow::{Agreed, Follow, Following, Load, Port, Verdict};
pub use i_tcp::Itcp;
pub use ip_fields::IpFields;
pub use limits::{Admission, Bypass, Limits, Reserve, Usage};
pub use m_tcp::{MTcp, MTcpConfig};
pub use machine::{Managed, Middlebox, PmtuHandler, RadioReport, Watch};
pub use packet::{Connection, Packet};
pub use per_flow_split::PerFlowSplit;
pub use snoop::{Snoop, SnoopConfig};
pub use split::{
    BothWays, FlowId, Journal, Numbers, PerFlow, RadioLeg, SocketBuffers, SplitConfig, Splitter,
    Terms, Uplink,
};
pub use w_tcp::{WTcp, WTcpConfig};
