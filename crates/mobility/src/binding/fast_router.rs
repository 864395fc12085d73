//! The fast handovers of an access router (RFC 5568 §4), as the old one and as the new one.

use std::collections::{BTreeMap, VecDeque};

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::backoff::{Backoff, Patience};
use super::forwarding::{Action, Event, Forwarding};
use super::outbox::Outbox;
use super::{
    Address, AgentRequest, Answer, Fast, Header, Message, Outer, Outgoing, PacketAction, Sequence,
    Transition, Wrap, holding,
};

/// The configuration of an access router's fast handovers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FastRouterConfig {
    /// The other access routers it knows.
    pub neighbors: Vec<Neighbor>,
    /// For how long it forwards packets.
    pub forward: Duration,
}

/// For how long packets are held for a mobile that does not arrive, and for how long a late
/// announcement of one that arrived is ignored: `PROXY_ND_LIFETIME` (RFC 5568 §9).
const HOLD: Duration = Duration::from_millis(1_500);

/// Another access router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbor {
    /// Its number.
    pub router: u32,
    /// Its address.
    pub address: Address,
}

/// Fast handovers at one access router.
#[derive(Debug)]
pub(super) struct FastRouter {
    config: FastRouterConfig,
    address: Address,
    /// Mobiles that leave, by home address.
    leaving: BTreeMap<Address, Forwarding>,
    /// Mobiles that arrive or arrived, by home address, and until when the entry is kept.
    coming: BTreeMap<Address, (holding::State, Time)>,
    sequence: Sequence,
    requests: VecDeque<AgentRequest>,
    outbox: Outbox,
}

impl FastRouter {
    pub(super) fn new(machine: u32, address: Address, config: FastRouterConfig) -> Self {
        Self {
            config,
            address,
            leaving: BTreeMap::new(),
            coming: BTreeMap::new(),
            sequence: Sequence(0),
            requests: VecDeque::new(),
            outbox: Outbox::new(machine),
        }
    }

    /// Forwards what is for a mobile that left. What another router has forwarded goes no further,
    /// or two routers could forward it back and forth.
    pub(super) fn look(&self, now: Time, header: &Header) -> PacketAction {
        let is_own = header.source == self.address;
        if self.leaving.is_empty() || is_own || self.is_neighbor(header.source) {
            return PacketAction::Pass;
        }
        let onward = self.leaving.values().find_map(|f| f.onward(now, header.destination));
        onward.map_or(PacketAction::Pass, |destination| {
            PacketAction::Wrap(Outer { source: self.address, destination, wrap: Wrap::Tunnel })
        })
    }

    fn is_neighbor(&self, address: Address) -> bool {
        self.config.neighbors.iter().any(|neighbor| neighbor.address == address)
    }

    fn neighbor(&self, router: u32) -> Option<Address> {
        let found = self.config.neighbors.iter().find(|neighbor| neighbor.router == router);
        found.map(|neighbor| neighbor.address)
    }

    /// A mobile asks about the next router. It does not answer about an unknown one.
    pub(super) fn asked(&mut self, cx: &mut Context<'_, impl Observe>, next: u32, from: Address) {
        if self.neighbor(next).is_some() {
            let message = Message::ProxyAdvertisement { next };
            let answer = Outgoing { source: self.address, destination: from, message };
            self.outbox.send(cx, answer);
        }
    }

    /// A mobile that leaves, or has left, asks for its packets.
    pub(super) fn updated(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        fast: Fast,
        source: Address,
    ) {
        self.apply_coming(cx.now, fast.home, holding::Event::Left);
        let slot = self.leaving.entry(fast.home).or_insert(Forwarding::new(fast, source));
        let is_same = (slot.fast.old, slot.fast.new) == (fast.old, fast.new);
        let before = slot.fast.old;
        (slot.fast, slot.source) = (fast, source);
        let action = slot.apply(if is_same { Event::UpdateAgain } else { Event::Update });
        self.act(cx, fast.home, before, action);
    }

    /// Carries out an action; `old` is the address that was forwarded before.
    fn act(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        home: Address,
        old: Address,
        action: Action,
    ) {
        match action {
            Action::None => {}
            Action::Initiate | Action::InitiateAgain => {
                self.initiate(cx, home, action);
            }
            Action::Forward => {
                self.forward(cx, home);
                self.answer(cx, home, Answer::Accepted);
            }
            Action::Confirm => self.answer(cx, home, Answer::Accepted),
            Action::Decline => self.answer(cx, home, Answer::Refused),
            Action::Stop => self.outbox.tell(cx, MobilityFact::Unbound { home: old.0 }),
            Action::StopAndInitiate => {
                self.outbox.tell(cx, MobilityFact::Unbound { home: old.0 });
                self.initiate(cx, home, action);
            }
        }
    }

    fn initiate(&mut self, cx: &mut Context<'_, impl Observe>, home: Address, action: Action) {
        let Some(slot) = self.leaving.get_mut(&home) else { return };
        let known = self.config.neighbors.iter().find(|other| other.router == slot.fast.next);
        let last = slot.backoff.filter(|_| action == Action::InitiateAgain);
        if last.is_none() {
            self.sequence = self.sequence.next();
            slot.asked = self.sequence;
        }
        let backoff = Backoff::after(last, cx.now, Patience::FAST);
        slot.backoff = Some(backoff);
        // An unknown router never answers: the mobile is refused in the end.
        let Some(known) = known else { return };
        let message = Message::HandoverInitiate(Fast { sequence: slot.asked, ..slot.fast });
        let question = Outgoing { source: self.address, destination: known.address, message };
        self.outbox.send_again(cx, question, backoff.attempt);
    }

    fn forward(&mut self, cx: &mut Context<'_, impl Observe>, home: Address) {
        let Some(slot) = self.leaving.get_mut(&home) else { return };
        slot.until = Some(cx.now + self.config.forward);
        let (home, care_of) = (slot.fast.old.0, slot.fast.new.0);
        self.outbox.tell(cx, MobilityFact::Bound { home, care_of });
    }

    /// On both links if the mobile asked from the old one (RFC 5568 §6.2.3).
    fn answer(&mut self, cx: &mut Context<'_, impl Observe>, home: Address, answer: Answer) {
        let Some(slot) = self.leaving.get(&home) else { return };
        let sequence = slot.fast.sequence;
        let message = Message::FastAcknowledgement { sequence, answer };
        let elsewhere = (slot.source != slot.fast.new).then_some(slot.fast.new);
        for destination in [Some(slot.source), elsewhere].into_iter().flatten() {
            self.outbox.send(cx, Outgoing { source: self.address, destination, message });
        }
    }

    /// The next router has answered.
    pub(super) fn answered(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        (home, sequence, answer): (Address, Sequence, Answer),
    ) {
        let Some(slot) = self.leaving.get_mut(&home) else { return };
        if slot.asked != sequence {
            return;
        }
        let old = slot.fast.old;
        let action = slot.apply(match answer {
            Answer::Accepted => Event::Accepted,
            Answer::Refused => Event::Refused,
        });
        self.act(cx, home, old, action);
    }

    /// The old router of a mobile announces it; `answer` says whether its new address is accepted.
    pub(super) fn announced(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        fast: Fast,
        (from, answer): (Address, Answer),
    ) {
        if answer == Answer::Accepted {
            self.returned(cx, fast.home);
            self.apply_coming(cx.now, fast.home, holding::Event::Announced(fast.mode));
        }
        let (home, sequence) = (fast.home, fast.sequence);
        let message = Message::HandoverAcknowledge { home, sequence, answer };
        let reply = Outgoing { source: self.address, destination: from, message };
        self.outbox.send(cx, reply);
    }

    /// A mobile is there.
    pub(super) fn arrived(&mut self, cx: &mut Context<'_, impl Observe>, home: Address) {
        self.returned(cx, home);
        self.apply_coming(cx.now, home, holding::Event::Arrived);
    }

    /// Stops forwarding for a mobile that is, or arrives, here.
    fn returned(&mut self, cx: &mut Context<'_, impl Observe>, home: Address) {
        let Some(slot) = self.leaving.get_mut(&home) else { return };
        let old = slot.fast.old;
        let action = slot.apply(Event::Returned);
        self.act(cx, home, old, action);
        self.leaving.remove(&home);
    }

    fn apply_coming(&mut self, now: Time, mobile: Address, event: holding::Event) {
        let before = self.coming.get(&mobile).copied();
        let before = before.map_or(holding::State::Absent, |(state, _)| state);
        let Transition { to, action } = holding::next(before, event);
        if to == holding::State::Absent {
            self.coming.remove(&mobile);
        } else if to != before || event == holding::Event::Arrived {
            self.coming.insert(mobile, (to, now + HOLD));
        }
        match action {
            holding::Action::None => {}
            holding::Action::Hold => self.requests.push_back(AgentRequest::Hold { mobile }),
            holding::Action::Release => self.requests.push_back(AgentRequest::Release { mobile }),
        }
    }

    pub(super) fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some((home, event)) =
            self.leaving.iter().find_map(|(home, f)| Some((*home, f.due(cx.now)?)))
        {
            let Some(slot) = self.leaving.get_mut(&home) else { return };
            let old = slot.fast.old;
            let action = slot.apply(event);
            self.act(cx, home, old, action);
        }
        self.leaving.retain(|_, f| f.deadline().is_some());
        while let Some(mobile) =
            self.coming.iter().find_map(|(home, (_, until))| (*until <= cx.now).then_some(*home))
        {
            self.apply_coming(cx.now, mobile, holding::Event::Over);
        }
    }

    pub(super) fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop()
    }

    pub(super) fn poll_request(&mut self) -> Option<AgentRequest> {
        self.requests.pop_front()
    }

    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let leaving = self.leaving.values().filter_map(Forwarding::deadline).min();
        Time::earlier(leaving, self.coming.values().map(|(_, until)| *until).min())
    }
}
