//! Which peers a mobile updates: the MAP first, then the home agent (RFC 5380 §6.1), then
//! correspondents.

use base::Duration;
use observe::{Context, MobilityFact, Observe};

use super::super::registration::{Action, Event, Registration, State, Target};
use super::super::{
    Acknowledgement, Address, Authority, Extent, Message, Outgoing, Role, Status, Update,
};
use super::{Mobile, Network, Overlap, Regional};

impl Mobile {
    /// Updates all peers that are out of date.
    pub(super) fn inform(&mut self, cx: &mut Context<'_, impl Observe>) {
        let Some(current) = self.current() else { return };
        if self.config.access[current].network == Network::Home {
            self.to_map.apply(Event::Forgotten);
            self.leave(cx);
            return self.leave_correspondents(cx);
        }
        let local = self.local(current);
        if let Some(regional) = self.regional(current) {
            self.want(cx, Role::Map, local);
            if self.to_map.state == State::Refused {
                self.want(cx, Role::HomeAgent, local);
            } else if self.to_map.state.is_live() {
                let target = Target { care_of: regional.care_of, extent: Extent::Only };
                self.want(cx, Role::HomeAgent, target);
            }
        } else {
            self.to_map.apply(Event::Forgotten);
            self.want(cx, Role::HomeAgent, local);
        }
        self.want_correspondents(cx);
    }

    /// The MAP that can be used at an access router.
    fn regional(&self, index: usize) -> Option<Regional> {
        self.config.regional.filter(|regional| self.attachments[index].map == Some(regional.map))
    }

    /// The local address, and whether another one stays valid.
    fn local(&self, current: usize) -> Target {
        let map = self.attachments[current].map;
        let is_other = |index: usize| {
            index != current
                && self.attachments[index].state.is_usable()
                && self.attachments[index].map == map
                && self.config.access[index].network == Network::Foreign
        };
        let extent = match self.config.overlap {
            Overlap::Both if (0..self.attachments.len()).any(is_other) => Extent::Beside,
            Overlap::Both | Overlap::Newest => Extent::Only,
        };
        Target { care_of: self.config.access[current].care_of, extent }
    }

    /// Whether the agents know of the link through which it sends.
    pub(super) fn is_registered(&self, current: usize) -> bool {
        let access = self.config.access[current];
        match (access.network, self.regional(current)) {
            (Network::Home, _) => self.to_home.state == State::Absent,
            (Network::Foreign, Some(regional)) if self.to_map.state != State::Refused => {
                self.to_map.is_bound_to(access.care_of)
                    && self.to_home.is_bound_to(regional.care_of)
            }
            (Network::Foreign, _) => self.to_home.is_bound_to(access.care_of),
        }
    }

    const fn registration(&mut self, role: Role) -> &mut Registration {
        match role {
            Role::HomeAgent => &mut self.to_home,
            Role::Map => &mut self.to_map,
        }
    }

    fn want(&mut self, cx: &mut Context<'_, impl Observe>, role: Role, target: Target) {
        let registration = self.registration(role);
        let is_sought = match registration.state {
            State::First | State::Bound | State::Renewing | State::Refused => true,
            State::Absent | State::Leaving => false,
        };
        if is_sought && registration.target == Some(target) {
            return;
        }
        let action = registration.apply(Event::Wanted);
        registration.target = Some(target);
        self.act_on_update(cx, role, action);
    }

    /// Back at home (RFC 6275 §11.5.5).
    fn leave(&mut self, cx: &mut Context<'_, impl Observe>) {
        if self.to_home.state != State::Leaving {
            let action = self.to_home.apply(Event::Unwanted);
            self.act_on_update(cx, Role::HomeAgent, action);
        }
    }

    fn act_on_update(&mut self, cx: &mut Context<'_, impl Observe>, role: Role, action: Action) {
        match action {
            Action::None => {}
            Action::Send | Action::SendAgain => self.send_update(cx, role, action),
            Action::GiveUp => {
                let agent = self.agent(role).0;
                self.outbox.tell(cx, MobilityFact::GivenUp { agent });
            }
        }
    }

    fn agent(&self, role: Role) -> Address {
        match (role, self.config.regional) {
            (Role::Map, Some(regional)) => regional.map,
            (Role::Map, None) | (Role::HomeAgent, _) => self.config.home_agent,
        }
    }

    /// The address that an agent is to bind.
    fn bound_at(&self, role: Role) -> Address {
        match (role, self.config.regional) {
            (Role::Map, Some(regional)) => regional.care_of,
            (Role::Map, None) | (Role::HomeAgent, _) => self.config.home,
        }
    }

    fn send_update(&mut self, cx: &mut Context<'_, impl Observe>, role: Role, action: Action) {
        let (home, destination) = (self.bound_at(role), self.agent(role));
        let config = self.config.registration;
        let registration = self.registration(role);
        let (sequence, attempt) = registration.sending(cx.now, action);
        let leaving = Target { care_of: home, extent: Extent::Only };
        let sought = registration.target.filter(|_| registration.state != State::Leaving);
        let lifetime = if sought.is_some() { config.lifetime } else { Duration::ZERO };
        let Target { care_of, extent } = sought.unwrap_or(leaving);
        let authority = Authority::Agent;
        let update = Update { home, care_of, sequence, lifetime, extent, authority };
        let message = Message::BindingUpdate(update);
        let outgoing = Outgoing { source: care_of, destination, message };
        self.outbox.send_again(cx, outgoing, attempt);
    }

    pub(super) fn acknowledged(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        from: Address,
        answer: &Acknowledgement,
    ) {
        let regional = self.config.regional.filter(|r| (r.map, r.care_of) == (from, answer.home));
        let role = if regional.is_some() {
            Role::Map
        } else if (from, answer.home) == (self.config.home_agent, self.config.home) {
            Role::HomeAgent
        } else {
            return self.correspondent_acknowledged(cx, from, answer);
        };
        let config = self.config.registration;
        let registration = self.registration(role);
        let action = match answer.status {
            Status::Accepted => {
                if registration.accepted(answer.sequence, answer.lifetime, &config) {
                    self.registered(cx, role);
                }
                None
            }
            Status::OutOfWindow => registration.outdated(answer.sequence),
            // Agents ask for no tokens.
            Status::Duplicate | Status::HomeTokenExpired | Status::CareOfTokenExpired => {
                registration.refused(answer.sequence)
            }
        };
        self.act_on_update(cx, role, action.unwrap_or(Action::None));
    }

    /// An agent has accepted: the mobile's peers are notified if the path has changed.
    fn registered(&mut self, cx: &mut Context<'_, impl Observe>, role: Role) {
        let home = self.bound_at(role);
        if let Some(care_of) = self.registration(role).newly_registered(home) {
            let (agent, care_of) = (self.agent(role).0, care_of.0);
            self.outbox.tell(cx, MobilityFact::Registered { agent, care_of });
            self.has_moved = true;
        }
    }

    /// Does what is due at an agent. True if anything was due.
    pub(super) fn do_update(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        for role in [Role::Map, Role::HomeAgent] {
            if let Some(event) = self.registration(role).due(cx.now) {
                let action = self.registration(role).apply(event);
                self.act_on_update(cx, role, action);
                return true;
            }
        }
        false
    }
}
