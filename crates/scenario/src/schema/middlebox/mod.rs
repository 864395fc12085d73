//! `[middlebox]`: a box between wire and radio that helps TCP.

mod atcp;
mod delayed_dupacks;
mod fda;
mod m_tcp;
mod snoop;
mod split;
mod w_tcp;

pub(crate) use atcp::Estimator;
pub use atcp::{AtcpClass, AtcpKeys};
pub use delayed_dupacks::DelayedDupacksKeys;
pub use fda::FdaKeys;
pub use m_tcp::MTcpKeys;
pub use snoop::SnoopKeys;
pub use split::Split;
pub use w_tcp::WTcpKeys;

use settings::{Always, Label, Or, Word, as_key, section, words};

section! {
    /// `[middlebox]`: a box that all packets pass, at a node between the hosts.
    pub struct Middlebox {
        /// The scheme. The keys of the others do nothing.
        pub kind: MiddleboxKind as Word<MiddleboxKind> = MiddleboxKind::None;
        /// The node where it stands, one of `[[wired]]`. Default: the last before [link] or
        /// [radio].
        pub at: Option<String> as Or<as_key::Last, Label> = None;
        /// The senders of i-tcp and split towards the mobile. What is not given here is as in
        /// [tcp], but the congestion control and the loss recovery are those of the kind: reno of
        /// i-tcp, cubic of split. Its `min_mss` is that of atcp, too.
        pub tcp: tcp::Config as Always<tcp::Config> = tcp::Config::default();
        /// The sockets of i-tcp and split.
        pub split: Split as Always<Split> = Split::default();
        /// The aggregating proxy.
        pub atcp: AtcpKeys as Always<AtcpKeys> = AtcpKeys::default();
        /// Repairs at the border, of snoop and fda-like.
        pub snoop: SnoopKeys as Always<SnoopKeys> = SnoopKeys::default();
        /// The flow control of fda-like.
        pub fda: FdaKeys as Always<FdaKeys> = FdaKeys::default();
        /// Duplicate acknowledgements that wait.
        pub delayed_dupacks: DelayedDupacksKeys as Always<DelayedDupacksKeys> =
            DelayedDupacksKeys::default();
        /// Senders that are stopped.
        pub m_tcp: MTcpKeys as Always<MTcpKeys> = MTcpKeys::default();
        /// A buffer with a window of its own.
        pub w_tcp: WTcpKeys as Always<WTcpKeys> = WTcpKeys::default();
    }
}

words! {
    /// A scheme.
    pub enum MiddleboxKind {
        /// There is no box.
        None = "none",
        /// Chakravorty et al. 2003: all connections of a mobile as one aggregate.
        Atcp = "atcp",
        /// Balakrishnan et al. 1995: losses of the radio are repaired at the border.
        Snoop = "snoop",
        /// Snoop, and flow control in the manner of Hu and Yeung 2001.
        FdaLike = "fda-like",
        /// Vaidya et al. 2002: duplicate acknowledgements wait for the radio's own repairs.
        DelayedDupacks = "delayed-dupacks",
        /// Brown and Singh 1997: senders are stopped while their mobile is silent.
        MTcp = "m-tcp",
        /// Ratnam and Matta 1998: a buffer at the border, with a window of its own.
        WTcp = "w-tcp",
        /// Bakre and Badrinath 1995: a TCP of its own for each leg.
        ITcp = "i-tcp",
        /// The same as proxies of today have it.
        Split = "split",
    }
}
