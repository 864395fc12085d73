//! Messages between agents.

use base::{Duration, Time};

use super::{Address, Sequence, size};

/// A message of mobility, as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// A mobile asks for an advertisement (RFC 4861 §4.1).
    RouterSolicitation,
    /// An access router advertises itself (RFC 4861 §4.2).
    RouterAdvertisement {
        /// Its number.
        router: u32,
        /// The MAP that can be used there (RFC 5380 §4).
        map: Option<Address>,
    },
    /// Asks whether anybody has this address (RFC 4862 §5.4.2).
    NeighborSolicitation {
        /// The address.
        target: Address,
    },
    /// Somebody has it (RFC 4862 §5.4.4).
    NeighborAdvertisement {
        /// The address.
        target: Address,
    },
    /// A mobile binds an address to another, or withdraws that (RFC 6275 §6.1.7).
    BindingUpdate(Update),
    /// The answer (RFC 6275 §6.1.8).
    BindingAcknowledgement(Acknowledgement),
    /// A correspondent has no binding for a packet's home address option (RFC 6275 §6.1.9).
    BindingError,
    /// A mobile asks a correspondent for a token, through its home agent (RFC 6275 §6.1.3).
    HomeTestInit {
        /// Identifies the answer.
        cookie: u32,
    },
    /// The same directly (RFC 6275 §6.1.4).
    CareOfTestInit {
        /// Identifies the answer.
        cookie: u32,
    },
    /// A token, through the home agent (RFC 6275 §6.1.5).
    HomeTest {
        /// Of the request.
        cookie: u32,
        /// When it was made; represents nonce and token.
        nonce: Time,
    },
    /// The same directly (RFC 6275 §6.1.6).
    CareOfTest {
        /// Of the request.
        cookie: u32,
        /// When it was made; represents nonce and token.
        nonce: Time,
    },
    /// A mobile asks its access router about the next one: `RtSolPr` (RFC 5568 §6.1.1).
    ProxySolicitation {
        /// The next access router.
        next: u32,
    },
    /// The answer: `PrRtAdv` (RFC 5568 §6.1.2).
    ProxyAdvertisement {
        /// The next access router.
        next: u32,
    },
    /// A mobile has its old access router forward its packets to the new one: FBU (RFC 5568
    /// §6.2.2).
    FastUpdate(Fast),
    /// The answer: `FBack` (RFC 5568 §6.2.3).
    FastAcknowledgement {
        /// Of the update.
        sequence: Sequence,
        /// Whether the router forwards them.
        answer: Answer,
    },
    /// An access router announces a mobile to the next one: HI (RFC 5568 §6.2.1.1).
    HandoverInitiate(Fast),
    /// The answer: `HAck` (RFC 5568 §6.2.1.2).
    HandoverAcknowledge {
        /// The mobile's home address.
        home: Address,
        /// Of the request.
        sequence: Sequence,
        /// Whether the mobile may come with its new address.
        answer: Answer,
    },
    /// A mobile announces itself to its new access router: UNA (RFC 5568 §6.3).
    Attached {
        /// Its home address; represents its link-layer address.
        home: Address,
    },
}

/// A binding update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// The address that is bound: home address, or `RCoA` at a MAP.
    pub home: Address,
    /// What it is bound to. The home address itself withdraws the binding.
    pub care_of: Address,
    /// Of this update.
    pub sequence: Sequence,
    /// For how long; zero withdraws the binding.
    pub lifetime: Duration,
    /// What happens to another care-of address.
    pub extent: Extent,
    /// What authorizes it.
    pub authority: Authority,
}

impl Update {
    /// Whether the binding is to end (RFC 6275 §9.5.1).
    pub fn is_withdrawal(&self) -> bool {
        self.lifetime == Duration::ZERO || self.care_of == self.home
    }
}

/// What happens to another care-of address that is already bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The new one replaces it (RFC 5380 §2: a MAP has one `LCoA` per mobile).
    Only,
    /// Both are valid (as with RFC 5648), if the agent supports that.
    Beside,
}

/// What authorizes a mobile's update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authority {
    /// A security association with the agent.
    Agent,
    /// Return routability at a correspondent: the mobile can be reached at both addresses, or, to
    /// withdraw a binding, at home (RFC 6275 §5.2).
    Tokens {
        /// From a home test.
        home: Time,
        /// From a care-of test.
        care_of: Option<Time>,
    },
}

/// A binding acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acknowledgement {
    /// The address that was to be bound.
    pub home: Address,
    /// Of the update; the last one accepted if that was out of the window (RFC 6275 §9.5.1).
    pub sequence: Sequence,
    /// The status of the update.
    pub status: Status,
    /// For how long the binding holds.
    pub lifetime: Duration,
    /// Where the mobile is.
    pub location: Location,
    /// Who acknowledges.
    pub by: Peer,
}

/// The status of an update (RFC 6275 §6.1.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// 0: accepted.
    Accepted,
    /// 134: somebody else has the address.
    Duplicate,
    /// 135: the sequence number is not newer than the last one.
    OutOfWindow,
    /// 136: the home token is too old.
    HomeTokenExpired,
    /// 137: the care-of token is too old.
    CareOfTokenExpired,
}

/// Where a mobile is, which determines how it is addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// At its home address.
    Home,
    /// At a care-of address: with a routing header.
    Away,
}

/// Who holds a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// A home agent or a MAP.
    Agent,
    /// A correspondent.
    Correspondent,
}

/// The subject of a fast handover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fast {
    /// The mobile's home address; represents its link-layer address.
    pub home: Address,
    /// Its old care-of address.
    pub old: Address,
    /// Its new one.
    pub new: Address,
    /// The next access router.
    pub next: u32,
    /// Of this message.
    pub sequence: Sequence,
    /// From which link it is announced.
    pub mode: Mode,
}

/// From which link a mobile announces that it changes (RFC 5568 §3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// From the old one, before the change: packets may have to be held.
    Predictive,
    /// From the new one, after the change.
    Reactive,
}

/// Yes or no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Accepted.
    Accepted,
    /// Refused.
    Refused,
}

impl Message {
    /// The name of the message that confirms a binding to a mobile.
    pub const BINDING_ACKNOWLEDGEMENT: &'static str = "binding acknowledgement";

    /// Its name in facts.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RouterSolicitation => "router solicitation",
            Self::RouterAdvertisement { .. } => "router advertisement",
            Self::NeighborSolicitation { .. } => "neighbour solicitation",
            Self::NeighborAdvertisement { .. } => "neighbour advertisement",
            Self::BindingUpdate(_) => "binding update",
            Self::BindingAcknowledgement(_) => Self::BINDING_ACKNOWLEDGEMENT,
            Self::BindingError => "binding error",
            Self::HomeTestInit { .. } => "home test init",
            Self::CareOfTestInit { .. } => "care-of test init",
            Self::HomeTest { .. } => "home test",
            Self::CareOfTest { .. } => "care-of test",
            Self::ProxySolicitation { .. } => "proxy router solicitation",
            Self::ProxyAdvertisement { .. } => "proxy router advertisement",
            Self::FastUpdate(_) => "fast binding update",
            Self::FastAcknowledgement { .. } => "fast binding acknowledgement",
            Self::HandoverInitiate(_) => "handover initiate",
            Self::HandoverAcknowledge { .. } => "handover acknowledge",
            Self::Attached { .. } => "unsolicited neighbour advertisement",
        }
    }

    /// Whether a mobile sends it to a correspondent: a test init or a binding update.
    pub(super) const fn is_for_correspondent(&self) -> bool {
        matches!(
            self,
            Self::HomeTestInit { .. } | Self::CareOfTestInit { .. } | Self::BindingUpdate(_)
        )
    }

    /// Its size at the IP layer in bytes, IPv6 header included, with its routing header and home
    /// address option: these need no [`Wrap`](super::Wrap). `IPsec` is left out.
    pub const fn bytes(&self) -> u32 {
        match self {
            Self::RouterSolicitation => size::ROUTER_SOLICITATION,
            Self::RouterAdvertisement { map: None, .. } => size::ROUTER_ADVERTISEMENT,
            Self::RouterAdvertisement { map: Some(_), .. } => size::ROUTER_ADVERTISEMENT_WITH_MAP,
            Self::NeighborSolicitation { .. } => size::NEIGHBOR_SOLICITATION,
            Self::NeighborAdvertisement { .. } | Self::Attached { .. } => {
                size::NEIGHBOR_ADVERTISEMENT
            }
            Self::BindingUpdate(update) => update.bytes(),
            Self::BindingAcknowledgement(acknowledgement) => acknowledgement.bytes(),
            Self::BindingError => size::BINDING_ERROR,
            Self::HomeTestInit { .. } | Self::CareOfTestInit { .. } => size::TEST_INIT,
            Self::HomeTest { .. } | Self::CareOfTest { .. } => size::TEST,
            Self::ProxySolicitation { .. } => size::PROXY_SOLICITATION,
            Self::ProxyAdvertisement { .. } => size::PROXY_ADVERTISEMENT,
            Self::FastUpdate(Fast { mode: Mode::Predictive, .. }) => size::FAST_UPDATE,
            Self::FastUpdate(Fast { mode: Mode::Reactive, .. }) => size::FAST_UPDATE_AFTERWARDS,
            Self::FastAcknowledgement { .. } => size::FAST_ACKNOWLEDGEMENT,
            Self::HandoverInitiate(_) => size::HANDOVER_INITIATE,
            Self::HandoverAcknowledge { .. } => size::HANDOVER_ACKNOWLEDGE,
        }
    }
}

impl Update {
    /// Its acknowledgement to `to`, with a lifetime of at most `lifetime_max`.
    pub(super) fn acknowledgement(
        &self,
        result: UpdateResult,
        to: Address,
        lifetime_max: Duration,
        by: Peer,
    ) -> Message {
        let asked = if self.is_withdrawal() { Duration::ZERO } else { self.lifetime };
        Message::BindingAcknowledgement(Acknowledgement {
            home: self.home,
            sequence: result.sequence,
            status: result.status,
            lifetime: asked.min(lifetime_max),
            location: if to == self.home { Location::Home } else { Location::Away },
            by,
        })
    }

    /// It is accepted.
    pub(super) const fn accepted(&self) -> UpdateResult {
        self.judged(Status::Accepted)
    }

    /// The result of it with this status.
    pub(super) const fn judged(&self, status: Status) -> UpdateResult {
        UpdateResult { status, sequence: self.sequence }
    }

    const fn bytes(&self) -> u32 {
        let is_at_home = self.care_of.0 == self.home.0;
        match (self.authority, is_at_home) {
            (Authority::Agent, false) => size::UPDATE_TO_AGENT,
            (Authority::Agent, true) => size::UPDATE_FROM_HOME,
            (Authority::Tokens { .. }, false) => size::UPDATE_TO_CORRESPONDENT,
            (Authority::Tokens { .. }, true) => size::UPDATE_TO_CORRESPONDENT_FROM_HOME,
        }
    }
}

/// The result of an update: the status and sequence number to acknowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UpdateResult {
    pub(super) status: Status,
    pub(super) sequence: Sequence,
}

impl UpdateResult {
    /// The update is older than the last number, `sequence`.
    pub(super) const fn older_than(sequence: Sequence) -> Self {
        Self { status: Status::OutOfWindow, sequence }
    }
}

impl Acknowledgement {
    const fn bytes(&self) -> u32 {
        let body = match self.by {
            Peer::Agent => size::ACKNOWLEDGEMENT,
            Peer::Correspondent => size::AUTHORIZED_ACKNOWLEDGEMENT,
        };
        match self.location {
            Location::Home => body,
            Location::Away => body + size::ROUTING,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Address = Address(1);
    const AWAY: Address = Address(2);

    fn update(care_of: Address, authority: Authority) -> Update {
        let (sequence, extent) = (Sequence(7), Extent::Only);
        let lifetime = Duration::from_secs(60);
        Update { home: HOME, care_of, sequence, lifetime, extent, authority }
    }

    #[test]
    fn sizes_tell_home_from_away_and_agents_from_correspondents() {
        let check = |message: Message, bytes| assert_eq!(message.bytes(), bytes, "{message:?}");
        let token = Some(Time::ZERO);
        let tokens = Authority::Tokens { home: Time::ZERO, care_of: token };
        check(Message::BindingUpdate(update(AWAY, Authority::Agent)), 96);
        check(Message::BindingUpdate(update(HOME, Authority::Agent)), 56);
        check(Message::BindingUpdate(update(AWAY, tokens)), 96);
        check(Message::BindingUpdate(update(HOME, tokens)), 72);
        let answer = |to, by| {
            let update = update(AWAY, Authority::Agent);
            update.acknowledgement(update.accepted(), to, update.lifetime, by)
        };
        check(answer(AWAY, Peer::Agent), 80);
        check(answer(HOME, Peer::Agent), 56);
        check(answer(AWAY, Peer::Correspondent), 96);
        check(answer(HOME, Peer::Correspondent), 72);
        check(Message::RouterAdvertisement { router: 1, map: None }, 104);
        check(Message::RouterAdvertisement { router: 1, map: Some(HOME) }, 128);
    }

    #[test]
    fn a_withdrawal_has_no_lifetime_or_no_care_of_address() {
        let kept = update(AWAY, Authority::Agent);
        assert!(!kept.is_withdrawal());
        assert!(update(HOME, Authority::Agent).is_withdrawal());
        assert!(Update { lifetime: Duration::ZERO, ..kept }.is_withdrawal());
    }
}
