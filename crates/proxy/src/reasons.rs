//! Why packets bypass the boxes, or are dropped.

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
        /// Not an IP packet, or not a complete one.
        NotIp = "not_ip",
        /// Neither TCP nor ICMP.
        OtherProtocol = "other_protocol",
        /// An ICMP message.
        Icmp = "icmp",
        /// An invalid TCP header.
        NotTcp = "not_tcp",
        /// A wrong checksum: its receiver drops it.
        Checksum = "checksum",
        /// A fragment of a datagram that is not reassembled.
        Fragment = "fragment",
        /// None of its ends is a mobile of a profile.
        NoMobile = "no_mobile",
        /// A new connection with a host that is never served.
        NeverHost = "never_host",
        /// A new connection with a port that is never served.
        NeverPort = "never_port",
        /// A new connection that wants TCP options or IP extensions that are not known here.
        Option = "option",
        /// A new connection with data on its SYN (RFC 7413).
        DataOnSyn = "data_on_syn",
        /// A new connection while none are taken.
        Draining = "draining",
        /// TCP of a subscriber, whose box takes part in no connection.
        Subscriber = "subscriber",
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
        /// A packet that is to wait for its turn, beyond `limits.others`.
        LimitOthers = "limit_others",
        /// A new connection with a handshake that a box must not intercept.
        Handshake = "handshake",
    }
}

/// Why a box hands back a new connection.
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
    /// Why a packet is dropped.
    Drop, Drops {
        /// A fragment that contradicts others of its datagram.
        Fragment = "fragment",
        /// It fits no IP packet, or the MTU of a leg is too small for its headers.
        TooLong = "too_long",
        /// Too long a wait for its turn (`others = "scheduled"`).
        Late = "late",
        /// Place in the longest lane of a mobile, whose budget was used up.
        Crowded = "crowded",
    }
}

reasons! {
    /// What was done with an ICMP message.
    Icmp, IcmpTally {
        /// It told a box how large packets may be.
        PathMtu = "path_mtu",
        /// It is an error about a connection of a box, and passed.
        Error = "error",
        /// Answer of a mobile to an echo request of a box.
        Echo = "echo",
        /// It passed.
        Other = "other",
    }
}
