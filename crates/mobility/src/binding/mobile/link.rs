//! Links of a mobile, and its addresses there.

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::super::attachment::{Action, Detection, Event, State, next};
use super::super::{Address, Message, Outgoing};
use super::{Mobile, Network};

/// From one router solicitation to the next: `RTR_SOLICITATION_INTERVAL` (RFC 4861 §10).
const SOLICITATION_INTERVAL: Duration = Duration::from_secs(4);

/// How many there are: `MAX_RTR_SOLICITATIONS` (RFC 4861 §10).
const SOLICITATIONS_MAX: u32 = 3;

/// A mobile at one access router.
#[derive(Debug)]
pub(super) struct Attachment {
    pub(super) state: State,
    /// The MAP that the router advertised last.
    pub(super) map: Option<Address>,
    /// The rank of its address in the order in which addresses became preferred.
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
    pub(super) fn link_up(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let attachment = &mut self.attachments[index];
        if attachment.state == State::Down {
            attachment.solicited = 0;
            self.attach(cx, index);
        } else if attachment.state.is_usable() && self.current() != Some(index) {
            self.prefer(cx, index);
        }
    }

    pub(super) fn link_down(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        self.change(cx, index, Event::Down);
        self.detached(index);
    }

    /// An advertisement came. There are many: only changes are reported.
    pub(super) fn advertised(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        router: u32,
        map: Option<Address>,
    ) {
        let index = router as usize;
        let Some(attachment) = self.attachments.get_mut(index) else { return };
        let is_news = attachment.map != map || attachment.state == State::Seeking;
        if !is_news || attachment.state == State::Down {
            return;
        }
        attachment.map = map;
        self.outbox.tell(cx, MobilityFact::Advertised { router });
        let detection = match self.config.access[index].network {
            Network::Home => Detection::Off,
            Network::Foreign => self.config.detection,
        };
        self.change(cx, index, Event::Advertised(detection));
        self.settle(cx);
    }

    /// Somebody has the address `target`.
    pub(super) fn objected(&mut self, cx: &mut Context<'_, impl Observe>, target: Address) {
        let found = self.config.access.iter().position(|access| access.care_of == target);
        if let Some(index) = found {
            self.change(cx, index, Event::Conflict);
        }
    }

    /// Does what is due of the links. True if anything was due.
    pub(super) fn do_link(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        let is_due = |attachment: &Attachment| attachment.due.is_some_and(|at| at <= cx.now);
        let Some(index) = self.attachments.iter().position(is_due) else { return false };
        let event = match self.attachments[index].state {
            State::Seeking => Event::Unanswered,
            State::Down
            | State::Tentative
            | State::Optimistic
            | State::Usable
            | State::Duplicate => Event::Verified,
        };
        self.change(cx, index, event);
        true
    }

    pub(super) fn change(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        index: usize,
        event: Event,
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
        self.act(cx, index, transition.action);
    }

    fn act(&mut self, cx: &mut Context<'_, impl Observe>, index: usize, action: Action) {
        let address = self.config.access[index].care_of.0;
        match action {
            Action::None => {}
            Action::Seek => self.solicit(cx, index),
            Action::Probe => self.probe(cx, index),
            Action::ProbeAndUse => {
                self.probe(cx, index);
                self.begin_use(cx, index);
            }
            Action::Use => self.begin_use(cx, index),
            Action::Reject => self.outbox.tell(cx, MobilityFact::Duplicate { address }),
            Action::Remove => self.outbox.tell(cx, MobilityFact::Removed { address }),
            Action::Withdraw => {
                self.outbox.tell(cx, MobilityFact::Duplicate { address });
                self.outbox.tell(cx, MobilityFact::Removed { address });
            }
        }
    }

    /// RFC 4861 §6.3.7, without the random delay that mobiles may leave out.
    fn solicit(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let attachment = &mut self.attachments[index];
        if !self.config.solicits || attachment.solicited >= SOLICITATIONS_MAX {
            return;
        }
        attachment.solicited += 1;
        attachment.due = Some(cx.now + SOLICITATION_INTERVAL);
        let attempt = attachment.solicited;
        let message = self.to_router(index, Message::RouterSolicitation);
        self.outbox.send_again(cx, message, attempt);
    }

    fn probe(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let target = self.config.access[index].care_of;
        self.outbox.tell(cx, MobilityFact::Tentative { address: target.0 });
        self.attachments[index].due = Some(cx.now + self.config.retransmit_timer);
        let message = self.to_router(index, Message::NeighborSolicitation { target });
        self.outbox.send(cx, message);
    }

    fn begin_use(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let address = self.config.access[index].care_of.0;
        self.outbox.tell(cx, MobilityFact::Usable { address });
        self.prefer(cx, index);
    }

    /// Sends through that link from now on.
    fn prefer(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        self.preferred += 1;
        self.attachments[index].since = self.preferred;
        self.say_attached(cx, index);
    }

    /// A message on one link. The router's address represents its multicast groups on the link, and
    /// the mobile's its link-local and the unspecified address.
    pub(super) fn to_router(&self, index: usize, message: Message) -> Outgoing {
        let access = &self.config.access[index];
        Outgoing { source: access.care_of, destination: access.router, message }
    }
}
