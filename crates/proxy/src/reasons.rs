//! Why packets go around the boxes, or end.

use middlebox::Bypass as Refusal;

use crate::Reason;

/// A table of reasons with a counter each.
macro_rules! reasons {
    (
        $(#[$about:meta])*
        $kind:ident, $tally:ident { $($(#[$doc:meta])* $name:ident = $text:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $kind {
            $($(#[$doc])* $name,)*
        }

        /// How many there were for each reason.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $tally([u64; [$($text),*].len()]);

        impl $tally {
            pub(crate) const fn add(&mut self, reason: $kind) {
                self.0[reason as usize] += 1;
            }

            pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> {
                let named = [$($text),*].into_iter().zip(self.0);
                named.map(|(reason, packets)| Reason { reason: reason.into(), packets })
            }
        }
    };
}

reasons! {
    /// Why a packet passes untouched.
    Bypass, Bypasses {
        /// No IP packet, or not a whole one.
        NotIp = "not_ip",
        /// Neither TCP nor ICMP.
        OtherProtocol = "other_protocol",
        /// An ICMP message.
        Icmp = "icmp",
        /// A TCP header that makes no sense.
        NotTcp = "not_tcp",
        /// A wrong checksum: its receiver drops it.
        Checksum = "checksum",
        /// A piece of a datagram that is not put together.
        Fragment = "fragment",
        /// None of its ends is a mobile of a profile.
        NoMobile = "no_mobile",
        /// A new connection with a host that is never served.
        NeverHost = "never_host",
        /// A new connection with a port that is never served.
        NeverPort = "never_port",
        /// A new connection that wants TCP options or IP extensions that are not known here.
        Option = "option",
        /// A new connection with data in its SYN (RFC 7413).
        DataOnSyn = "data_on_syn",
        /// A new connection while none are taken.
        Draining = "draining",
        /// A connection that no box takes part in.
        UnknownFlow = "unknown_flow",
        /// A new connection beyond `limits.flows`.
        LimitFlows = "limit_flows",
        /// A new connection beyond `limits.flows_per_mobile`.
        LimitFlowsPerMobile = "limit_flows_per_mobile",
        /// A new connection beyond `limits.opening`.
        LimitOpening = "limit_opening",
        /// A new connection beyond `limits.opening_per_mobile`.
        LimitOpeningPerMobile = "limit_opening_per_mobile",
        /// A new connection that could come to hold more than is left of `limits.bytes`.
        LimitBytes = "limit_bytes",
        /// A new connection whose handshake is none that a box could take part in.
        Handshake = "handshake",
    }
}

/// Why a box lets pass what it was shown.
impl From<Refusal> for Bypass {
    fn from(reason: Refusal) -> Self {
        match reason {
            Refusal::Flows => Self::LimitFlows,
            Refusal::FlowsPerMobile => Self::LimitFlowsPerMobile,
            Refusal::Opening => Self::LimitOpening,
            Refusal::OpeningPerMobile => Self::LimitOpeningPerMobile,
            Refusal::Bytes => Self::LimitBytes,
            Refusal::Draining => Self::Draining,
            Refusal::Handshake => Self::Handshake,
            Refusal::Left => Self::Option,
        }
    }
}

reasons! {
    /// Why a packet goes no further.
    Drop, Drops {
        /// A piece that contradicts others of its datagram.
        Fragment = "fragment",
        /// No IP packet can carry it, or a leg is too narrow for its headers.
        TooLong = "too_long",
    }
}

reasons! {
    /// What was done with an ICMP message.
    Icmp, IcmpTally {
        /// It told a box how large packets may be.
        PathMtu = "path_mtu",
        /// It is an error about a connection of a box, and passed.
        Error = "error",
        /// It passed.
        Other = "other",
    }
}
