//! `[mobile_ip]`: how mobiles are reached.

use base::Duration;
use settings::{Bytes, Flag, Label, OfTime, Word, section, words};

use super::{Detection, Overlap};

section! {
    /// `[mobile_ip]`: mobile IPv6 over the network of `[[wired]]`, which may then have any
    /// topology: packets take the path of minimum delay, or a `[[route]]`.
    pub struct MobileIp {
        /// With a mobility anchor point (RFC 5380), or with the home agent alone (RFC 6275).
        pub kind: Reach as Word<Reach> = Reach::Hierarchical;
        /// The node of the fixed host, the other end of the mobiles' flows.
        pub correspondent: String as Label = "CN".to_owned();
        /// The node of the home agent. An access point there is the mobiles' home.
        pub home_agent: String as Label = "HA".to_owned();
        /// The node of the mobility anchor point.
        pub map: String as Label = "MAP".to_owned();
        /// Whether the fixed host and mobiles send to the care-of address itself, after return
        /// routability (RFC 6275 §5.2.5), instead of through the home agent.
        pub route_optimization: bool as Flag = false;
        /// Whether what a mobile sends while it is away goes through a tunnel to the home agent
        /// (RFC 6275 §11.3.1, RFC 3024), or from the home address straight to its destination, as
        /// in mobile IPv4 (RFC 5944 §4.2.1) and ns-2. Route optimization needs the tunnel.
        pub reverse_tunnel: bool as Flag = true;
        /// Whether a new address may be used before it is known that nobody else has it.
        pub duplicate_address_detection: Detection as Word<Detection> = Detection::Standard;
        /// How long a mobile waits for objections to a new address (`RetransTimer`). Default: RFC
        /// 4861 §10.
        pub dad_time: Duration as OfTime<1> = Duration::from_secs(1);
        /// What an anchor does if a mobile has two local addresses. Default: RFC 5380 keeps the
        /// last.
        pub two_addresses: Overlap as Word<Overlap> = Overlap::Newest;
        /// Tunnels from the old access router to the new one (RFC 5568).
        pub fast_handovers: bool as Flag = false;
        /// Whether a mobile asks for a router advertisement when its link has come up (RFC 4861
        /// §6.3.7), or waits for the next.
        pub solicits: bool as Flag = true;
        /// From one router advertisement to the next, always the same: no less than
        /// `MinRtrAdvInterval` may be (RFC 6275 §7.5). Default: a choice.
        pub advertisement_interval: Duration as OfTime<30_000_000> = Duration::from_secs(1);
        /// The longest wait before a router answers a solicitation. Default: none; RFC 4861 §10 has
        /// 0.5 s, which RFC 6275 §7.5 lets an access router shorten.
        pub answer_delay: Duration as OfTime = Duration::ZERO;
        /// For how long the old access router forwards packets, with `fast_handovers`. Default: a
        /// choice.
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
    only_with(reverse_tunnel: route_optimization is ["false"])
    only_with(forward_time: fast_handovers is ["true"])
    only_with(dad_time: duplicate_address_detection is ["standard"])
    only_with(answer_delay: solicits is ["true"])
}

words! {
    /// Which agents are told where a mobile is.
    pub enum Reach {
        /// The home agent (RFC 6275).
        Plain = "mipv6",
        /// A mobility anchor point, and the home agent where that is (RFC 5380).
        Hierarchical = "hmipv6",
    }
}

impl MobileIp {
    /// The keys that name a node for a task which is in use, each with its node.
    pub fn tasks(&self) -> Vec<(&'static str, &str)> {
        let map = (self.kind == Reach::Hierarchical).then_some(("map", self.map.as_str()));
        let always = [
            ("correspondent", self.correspondent.as_str()),
            ("home_agent", self.home_agent.as_str()),
        ];
        always.into_iter().chain(map).collect()
    }
}
