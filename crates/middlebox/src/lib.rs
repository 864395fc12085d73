//! Boxes between wire and radio that help TCP: the schemes of Chakravorty et al. 2003 and of those
//! that it is compared with, as machines without sockets.
//!
//! A [`Middlebox`] stands where all packets of some mobiles pass. It is given the time and TCP
//! packets from either [`Leg`]; it returns packets for either leg and one deadline. What segments
//! carry is a parameter, as in `tcp`: the same box works on lengths and on bytes. Packets other
//! than TCP go around it, or wait in it for their turn, as [`Opaque`].

mod address;
mod atcp;
mod counters;
mod delayed_dupacks;
mod due;
mod exposure;
mod fda;
mod follow;
mod half_open;
mod i_tcp;
mod ip_fields;
mod keeper;
mod limits;
mod m_tcp;
mod machine;
mod map;
mod mobiles;
mod opaque;
mod packet;
mod per_flow_split;
mod radio_link;
mod radio_rtt;
mod scheme;
mod segment_cache;
mod sender_clock;
mod side;
mod snoop;
mod split;
mod syn;
mod table;
mod w_tcp;

pub use address::{Address, Leg};
pub use atcp::{Atcp, AtcpConfig, AtcpKeys, Class, Estimation, Others, Role};
pub use counters::{Bypasses, Counters, Repairs};
pub use delayed_dupacks::{DelayedDupacks, DelayedDupacksConfig, DelayedDupacksKeys};
pub use exposure::Exposure;
pub use fda::{FdaLike, FdaLikeKeys, FlowControl};
pub use follow::{Agreed, Disposition, Follow, Following, Load, Port};
pub use i_tcp::{Itcp, ItcpKeys, Routers};
pub use ip_fields::IpFields;
pub use keeper::Keeper;
pub use limits::{Admission, Bypass, MiddleboxLimits, Reserve, Usage};
pub use m_tcp::{MTcp, MTcpConfig, MTcpKeys};
pub use machine::{Managed, Middlebox, PmtuHandler, RadioReport};
pub use opaque::{Aside, Opaque, Reception, Release};
pub use packet::{Connection, Packet};
pub use per_flow_split::{PerFlowSplit, SplitKeys};
pub use radio_link::RadioLink;
pub use scheme::{SchemeKeys, Setup};
pub use snoop::{Snoop, SnoopConfig, SnoopKeys};
pub use split::{
    BothWays, FlowId, Journal, LargePackets, Numbers, PerFlow, RadioLeg, Relay, SocketBuffers,
    SplitConfig, Splitter, Terms, Uplink,
};
pub use w_tcp::{WTcp, WTcpConfig, WTcpKeys};

scheme::schemes! {
    /// Chakravorty et al. 2003: all connections of a mobile as one aggregate.
    Atcp(AtcpKeys) = "atcp",
    /// Balakrishnan et al. 1995: losses of the radio are repaired at the border.
    Snoop(SnoopKeys) = "snoop",
    /// Snoop, and flow control in the manner of Hu and Yeung 2001.
    FdaLike(FdaLikeKeys) = "fda-like",
    /// Vaidya et al. 2002: duplicate acknowledgements wait for the radio's own repairs.
    DelayedDupacks(DelayedDupacksKeys) = "delayed-dupacks",
    /// Brown and Singh 1997: senders are stopped while their mobile is silent.
    MTcp(MTcpKeys) = "m-tcp",
    /// Ratnam and Matta 1998: a buffer at the border, with a window of its own.
    WTcp(WTcpKeys) = "w-tcp",
    /// Bakre and Badrinath 1995: a TCP of its own for each leg.
    ITcp(ItcpKeys) = "i-tcp",
    /// The same as proxies of today have it.
    Split(SplitKeys) = "split",
}
