//! `[mobile_ip]`, `[ftp]` and `[wan]`: an IPv6 network through which mobiles move.

use base::Duration;

use super::AccessPoint;
use settings::{Bytes, Flag, Label, Nothing, OfTime, Off, Or, Word, section, words};

section! {
    /// `[mobile_ip]`: mobile IPv6 over the network of `[[wired]]`, which may then have any shape:
    /// packets take the way of the least delay, or that of a `[[route]]`.
    pub struct MobileIp {
        /// With a mobility anchor point (RFC 5380), or with the home agent alone (RFC 6275).
        pub kind: MobileIpKind as Word<MobileIpKind> = MobileIpKind::Hierarchical;
        /// The node of the fixed host, which flows come from or go to.
        pub correspondent: String as Label = "CN".to_owned();
        /// The node of the home agent. An access point there is the mobiles' home.
        pub home_agent: String as Label = "HA".to_owned();
        /// The node of the mobility anchor point.
        pub map: String as Label = "MAP".to_owned();
        /// Whether the fixed host and mobiles send to the care-of address itself, after return
        /// routability (RFC 6275 §5.2.5), instead of by way of the home agent.
        pub route_optimization: bool as Flag = false;
        /// Whether a new address may be used before it is known that nobody else has it.
        pub duplicate_address_detection: DadName as Word<DadName> = DadName::Standard;
        /// How long a mobile waits for whoever has its address (`RetransTimer`). Default: RFC 4861
        /// §10.
        pub dad_time: Duration as OfTime<1> = Duration::from_secs(1);
        /// What an anchor does with a mobile that has two local addresses. Default: RFC 5380 keeps
        /// the last.
        pub two_addresses: TwoAddresses as Word<TwoAddresses> = TwoAddresses::KeepLast;
        /// Tunnels from the router before to the one after (RFC 5568).
        pub fast_handovers: bool as Flag = false;
        /// Whether a mobile asks for a router advertisement when its link has come up (RFC 4861
        /// §6.3.7), or waits for the next.
        pub solicits: bool as Flag = true;
        /// From one router advertisement to the next, always the same: no less than
        /// `MinRtrAdvInterval` may be (RFC 6275 §7.5). Default: a choice.
        pub advertisement_interval: Duration as OfTime<30_000_000> = Duration::from_secs(1);
        /// The longest wait before a router answers who asks for an advertisement. Default: none;
        /// RFC 4861 §10 has 0.5 s, which RFC 6275 §7.5 lets an access router shorten.
        pub answer_delay: Duration as OfTime = Duration::ZERO;
        /// For how long the access router before sends packets on, with `fast_handovers`. Default:
        /// a choice.
        pub forward_time: Duration as OfTime<1> = Duration::from_secs(10);
        /// How long a binding lasts that is not renewed: from 4 s to 65,535 times that, as a
        /// binding update can say (RFC 6275 §6.1.7); in between it is not rounded to 4 s. Default:
        /// `MAX_RR_BINDING_LIFETIME` of RFC 6275 §12, for all bindings.
        pub lifetime: Duration as OfTime<4_000_000_000, 262_140_000_000_000> =
            Duration::from_secs(420);
        /// The largest packet in bytes that links take, tunnels' headers included (RFC 2473 §7).
        /// Default: Ethernet.
        pub mtu: u32 as Bytes<u32, 1_280, 65_535> = 1_500;
    }
}

impl MobileIp {
    /// Whether the link of an access point is the mobiles' home.
    pub(crate) fn is_home(&self, point: &AccessPoint) -> bool {
        point.name == self.home_agent
    }
}

words! {
    /// Who is told where a mobile is.
    pub enum MobileIpKind {
        /// The home agent (RFC 6275).
        Plain = "mipv6",
        /// A mobility anchor point, and the home agent where that is (RFC 5380).
        Hierarchical = "hmipv6",
    }
}

words! {
    /// Duplicate address detection.
    pub enum DadName {
        /// None.
        Off = "off",
        /// A new address waits for it (RFC 4862).
        Standard = "standard",
        /// It is used meanwhile (RFC 4429).
        Optimistic = "optimistic",
    }
}

words! {
    /// What an anchor does with two local addresses.
    pub enum TwoAddresses {
        /// Sends to the one that was told of last.
        KeepLast = "keep-last",
        /// Sends to both.
        Bicast = "bicast",
    }
}

section! {
    /// `[ftp]`: the packets of a file transfer, as `yew2012` sets them.
    pub struct Ftp {
        /// Bytes of data in each, in the place of `tcp.mss`.
        pub packet_size: Option<u32> as Or<Nothing, Bytes<u32, 1, 65_495>> = None;
        /// Those with more bytes of data are cut at the source (RFC 8200 §4.5), as ns-2 does in
        /// `yew2012` above 1000 B. Only with `[mobile_ip]`.
        pub cap: Option<u32> as Or<Off, Bytes<u32, 8, 65_495>> = None;
    }
}

section! {
    /// `[wan]`: the wired link called `wan`.
    pub struct Wan {
        /// Twice its delay, in the place of `wired.wan.delay`.
        pub rtt: Option<Duration> as Or<Nothing, OfTime> = None;
    }
}
