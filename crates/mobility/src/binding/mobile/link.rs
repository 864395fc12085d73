//! Links of a mobile, and its addresses there.

use base::Time;
use observe::{MobilityFact, Observe};

use super::super::attachment::{Action, Detection, Event, State, next};
use super::super::{Address, Message, Outgoing};
use super::{Mobile, Network};

/// A mobile at one access router.
#[derive(Debug)]
pub(super) struct Attachment {
    pub(super) state: State,
    /// The MAP that the router advertised last.
    pub(super) map: Option<Address>,
    /// The place of its address in the order in which addresses became the preferred one.
    pub(super) since: u64,
    /// When the next solicitation, or the end of duplicate address detection, is due.
    pub(super) due: Option<Time>,
    /// Solicitations so far.
    solicited: u32,
}

impl Attachment {
    pub(super) const fn new() -> Self {
        Self { state: State::Down, map: None, since: 0, due: None, solicited: 0 }
    }
}

impl Mobile {
    pub(super) fn link_up(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        let attachment = &mut self.attachments[index];
        if attachment.state == State::Down {
            attachment.solicited = 0;
            self.attach(now, index, observe);
        } else if attachment.state.is_usable() && self.current() != Some(index) {
            self.prefer(now, index, observe);
        }
    }

    pub(super) fn link_down(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        self.change(now, index, Event::Down, observe);
        self.detached(index);
    }

    /// An advertisement came. There are many: only what it changes is told.
    pub(super) fn advertised(
        &mut self,
        now: Time,
        router: u32,
        map: Option<Address>,
        observe: &mut impl Observe,
    ) {
        let index = router as usize;
        let Some(attachment) = self.attachments.get_mut(index) else { return };
        let is_news = attachment.map != map || attachment.state == State::Seeking;
        if !is_news || attachment.state == State::Down {
            return;
        }
        attachment.map = map;
        self.outbox.tell(now, MobilityFact::Advertised { router }, observe);
        let detection = match self.config.access[index].network {
            Network::Home => Detection::Off,
            Network::Foreign => self.config.detection,
        };
        self.change(now, index, Event::Advertised(detection), observe);
        self.settle(now, observe);
    }

    /// Somebody has the address `target`.
    pub(super) fn objected(&mut self, now: Time, target: Address, observe: &mut impl Observe) {
        let found = self.config.access.iter().position(|access| access.care_of == target);
        if let Some(index) = found {
            self.change(now, index, Event::Conflict, observe);
        }
    }

    /// Does what is due of the links. True if something was.
    pub(super) fn do_link(&mut self, now: Time, observe: &mut impl Observe) -> bool {
        let is_due = |attachment: &Attachment| attachment.due.is_some_and(|at| at <= now);
        let Some(index) = self.attachments.iter().position(is_due) else { return false };
        let event = match self.attachments[index].state {
            State::Seeking => Event::Unanswered,
            State::Down
            | State::Tentative
            | State::Optimistic
            | State::Usable
            | State::Duplicate => Event::Verified,
        };
        self.change(now, index, event, observe);
        true
    }

    pub(super) fn change(
        &mut self,
        now: Time,
        index: usize,
        event: Event,
        observe: &mut impl Observe,
    ) {
        let attachment = &mut self.attachments[index];
        let transition = next(attachment.state, event);
        let is_timer = match event {
            Event::Unanswered | Event::Verified => true,
            Event::Up
            | Event::UpPrepared
            | Event::Down
            | Event::Advertised(_)
            | Event::Conflict => false,
        };
        if is_timer || transition.to != attachment.state {
            attachment.due = None;
        }
        attachment.state = transition.to;
        self.act(now, index, transition.action, observe);
    }

    fn act(&mut self, now: Time, index: usize, action: Action, observe: &mut impl Observe) {
        let address = self.config.access[index].care_of.0;
        match action {
            Action::None => {}
            Action::Seek => self.solicit(now, index, observe),
            Action::Probe => self.probe(now, index, observe),
            Action::ProbeAndUse => {
                self.probe(now, index, observe);
                self.begin_use(now, index, observe);
            }
            Action::Use => self.begin_use(now, index, observe),
            Action::Reject => self.outbox.tell(now, MobilityFact::Duplicate { address }, observe),
            Action::Remove => self.outbox.tell(now, MobilityFact::Removed { address }, observe),
            Action::Withdraw => {
                self.outbox.tell(now, MobilityFact::Duplicate { address }, observe);
                self.outbox.tell(now, MobilityFact::Removed { address }, observe);
            }
        }
    }

    /// RFC 4861 §6.3.7, without the random delay that mobiles may leave out.
    fn solicit(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        let Some(solicitation) = self.config.solicitation else { return };
        let attachment = &mut self.attachments[index];
        if attachment.solicited >= solicitation.attempts {
            return;
        }
        attachment.solicited += 1;
        attachment.due = Some(now + solicitation.interval);
        let attempt = attachment.solicited;
        let message = self.to_router(index, Message::RouterSolicitation);
        self.outbox.send_again(now, message, attempt, observe);
    }

    fn probe(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        let target = self.config.access[index].care_of;
        self.outbox.tell(now, MobilityFact::Tentative { address: target.0 }, observe);
        self.attachments[index].due = Some(now + self.config.retransmit_timer);
        let message = self.to_router(index, Message::NeighborSolicitation { target });
        self.outbox.send(now, message, observe);
    }

    fn begin_use(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        let address = self.config.access[index].care_of.0;
        self.outbox.tell(now, MobilityFact::Usable { address }, observe);
        self.prefer(now, index, observe);
    }

    /// Sends by that link from now on.
    fn prefer(&mut self, now: Time, index: usize, observe: &mut impl Observe) {
        self.preferred += 1;
        self.attachments[index].since = self.preferred;
        self.say_attached(now, index, observe);
    }

    /// A message on one link. The router's address stands for the multicast groups that it is in
    /// there, and the mobile's for its link-local and for the unspecified one.
    pub(super) fn to_router(&self, index: usize, message: Message) -> Outgoing {
        let access = &self.config.access[index];
        Outgoing { source: access.care_of, destination: access.router, message }
    }
}
