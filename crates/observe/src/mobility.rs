//! What a measurement sees of mobiles that move through a network.

/// Something happened in the mobility agent of a node. Addresses and access routers go by their
/// numbers in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MobilityFact {
    /// A mobile's link changed: it can be heard by access router `router` now.
    LinkUp {
        /// The access router.
        router: u32,
    },
    /// It no longer can.
    LinkDown {
        /// The access router.
        router: u32,
    },
    /// It is about to change to that one.
    LinkFading {
        /// The next access router.
        next: u32,
    },
    /// A mobile heard a router advertisement.
    Advertised {
        /// The access router.
        router: u32,
    },
    /// A mobile, or an agent for it, asks whether somebody has an address already (RFC 4862 §5.4).
    Tentative {
        /// The address.
        address: u32,
    },
    /// An address can be used from now on.
    Usable {
        /// The address.
        address: u32,
    },
    /// An address turned out to be somebody else's.
    Duplicate {
        /// The address.
        address: u32,
    },
    /// An address is used no longer.
    Removed {
        /// The address.
        address: u32,
    },
    /// A mobile sent a message of mobility, for the `attempt`th time from 1.
    Sent {
        /// What, by its name.
        message: &'static str,
        /// To whom.
        to: u32,
        /// For which time.
        attempt: u32,
    },
    /// It received one.
    Received {
        /// What, by its name.
        message: &'static str,
        /// From whom.
        from: u32,
    },
    /// An agent or a correspondent binds `home` to `care_of` from now on.
    Bound {
        /// The address by which the mobile is known.
        home: u32,
        /// The one by which it is reached.
        care_of: u32,
    },
    /// A binding has ended: its lifetime ran out, or the mobile took it back.
    Unbound {
        /// The address by which the mobile was known.
        home: u32,
    },
    /// A mobile learnt that `agent` reaches it by another address than before.
    Registered {
        /// The agent.
        agent: u32,
        /// The address by which the mobile is reached; the home address once it is home.
        care_of: u32,
    },
    /// A mobile gave up having an agent bind its address.
    GivenUp {
        /// The agent.
        agent: u32,
    },
}

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// An access router, by its number among them.
    Router(u32),
    /// An address or its node, by its number in the network.
    Address(u32),
}

impl MobilityFact {
    /// The names of all kinds, in the order of their numbers.
    pub const NAMES: [&'static str; 14] = [
        "link_up",
        "link_down",
        "link_fading",
        "advertised",
        "tentative",
        "usable",
        "duplicate",
        "removed",
        "sent",
        "received",
        "bound",
        "unbound",
        "given_up",
        "registered",
    ];

    /// Its kind, by its number.
    pub const fn code(&self) -> u8 {
        match self {
            Self::LinkUp { .. } => 0,
            Self::LinkDown { .. } => 1,
            Self::LinkFading { .. } => 2,
            Self::Advertised { .. } => 3,
            Self::Tentative { .. } => 4,
            Self::Usable { .. } => 5,
            Self::Duplicate { .. } => 6,
            Self::Removed { .. } => 7,
            Self::Sent { .. } => 8,
            Self::Received { .. } => 9,
            Self::Bound { .. } => 10,
            Self::Unbound { .. } => 11,
            Self::GivenUp { .. } => 12,
            Self::Registered { .. } => 13,
        }
    }

    /// What it is about: an access router, an address, or who is at the other end of a message.
    pub const fn subject(&self) -> Subject {
        match *self {
            Self::LinkUp { router } | Self::LinkDown { router } | Self::Advertised { router } => {
                Subject::Router(router)
            }
            Self::LinkFading { next } => Subject::Router(next),
            Self::Tentative { address }
            | Self::Usable { address }
            | Self::Duplicate { address }
            | Self::Removed { address } => Subject::Address(address),
            Self::Sent { to, .. } => Subject::Address(to),
            Self::Received { from, .. } => Subject::Address(from),
            Self::Bound { home, .. } | Self::Unbound { home } => Subject::Address(home),
            Self::GivenUp { agent } | Self::Registered { agent, .. } => Subject::Address(agent),
        }
    }

    /// The address by which a mobile is reached from now on.
    pub const fn care_of(&self) -> Option<u32> {
        if let Self::Bound { care_of, .. } | Self::Registered { care_of, .. } = *self {
            Some(care_of)
        } else {
            None
        }
    }

    /// The name of the message that it is about.
    pub const fn message(&self) -> Option<&'static str> {
        if let Self::Sent { message, .. } | Self::Received { message, .. } = *self {
            Some(message)
        } else {
            None
        }
    }
}
