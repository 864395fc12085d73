//! The RRC of one UE as a machine.

use std::collections::VecDeque;

use base::{Direction, Duration, Rate, Time};
use observe::{RrcEvent, RrcState};

use super::state::{Illegal, Procedure, next};
use super::traffic::Traffic;
use super::{
    Action, Activity, AfterDch, Channels, Dedicated, FirstChannel, Input, Rest, RrcConfig,
};
use crate::umts::channels::spreading::SpreadingTable;

/// The RRC of one UE, both ends of it.
///
/// It takes what comes from above, what RLC sends and what the radio does, and answers which
/// channels carry the UE's bearer. Signalling takes time and is never lost. After each `handle_…`
/// it is polled until it says `None`; [`Action::Admit`] wants [`Input::Admitted`] or
/// [`Input::Refused`], at once or later.
#[derive(Clone, Debug)]
pub struct Entity {
    config: RrcConfig,
    /// The channels of a direction in which no flow asks for a rate.
    usual: Dedicated,
    spreading: SpreadingTable,
    state: RrcState,
    running: Option<Running>,
    /// Admitted, and not yet in use or in use.
    dedicated: Option<Dedicated>,
    /// The channels of the last [`Action::Use`].
    channels: Channels,
    downlink: Traffic,
    uplink: Traffic,
    /// Since when there has been no activity.
    quiet_since: Time,
    /// Since when there has been no cell.
    lost_since: Option<Time>,
    /// After a refusal: when the next trigger counts.
    patience: Time,
    /// Updates in a row without data.
    updates: u32,
    actions: VecDeque<Action>,
}

/// A procedure under way.
#[derive(Clone, Copy, Debug)]
struct Running {
    procedure: Procedure,
    /// How long it takes, once admitted.
    delay: Duration,
    /// When it ends; `None` while admission control decides.
    due: Option<Time>,
    /// Where an update without data leads back to.
    back: Option<RrcState>,
}

impl Entity {
    /// An entity that begins at time 0 in its initial state, and asks for `usual` channels in a
    /// direction in which no flow asks for a rate.
    pub fn new(config: RrcConfig, usual: Dedicated, spreading: SpreadingTable) -> Self {
        // One that begins on dedicated channels asks for them at once.
        let at_once = config.initial == RrcState::CellDch;
        let state = if at_once { RrcState::CellFach } else { config.initial };
        let mut entity = Self {
            config,
            usual,
            spreading,
            state,
            running: None,
            dedicated: None,
            channels: Channels::None,
            downlink: Traffic::default(),
            uplink: Traffic::default(),
            quiet_since: Time::ZERO,
            lost_since: None,
            patience: Time::ZERO,
            updates: 0,
            actions: VecDeque::new(),
        };
        if at_once {
            entity.begin(Time::ZERO, Procedure::DchSetup, Duration::ZERO, None);
        }
        entity.say_channels();
        entity
    }

    /// A flow of this UE asks for `rate` in `direction`, on top of the others.
    pub(crate) fn add_flow(&mut self, direction: Direction, rate: Rate) {
        self.traffic(direction).asked += rate.as_bps();
    }

    /// A flow that asked for `rate` in `direction` is over.
    ///
    /// # Panics
    /// If no such flow was added.
    #[cfg(test)]
    fn remove_flow(&mut self, direction: Direction, rate: Rate) {
        let asked = &mut self.traffic(direction).asked;
        *asked = asked.checked_sub(rate.as_bps()).expect("a flow that ends was added");
    }

    /// The state.
    pub(crate) const fn state(&self) -> RrcState {
        self.state
    }

    /// What is under way and takes time.
    pub(crate) fn procedure(&self) -> Option<Procedure> {
        self.running.map(|running| running.procedure)
    }

    /// What carries the bearer.
    #[cfg(test)]
    const fn channels(&self) -> Channels {
        self.channels
    }

    /// Takes in what happened.
    ///
    /// # Errors
    /// If it cannot happen in this state. Nothing has changed then.
    pub fn handle_input(&mut self, now: Time, input: Input) -> Result<(), Illegal> {
        self.handle_timeout(now);
        match input {
            Input::Arrived { direction, waiting } => {
                self.quiet_since = now;
                self.updates = 0;
                self.measure(now, direction, waiting);
            }
            Input::Sent { direction, waiting } => {
                if self.config.activity == Activity::Pdu {
                    self.quiet_since = now;
                }
                self.measure(now, direction, waiting);
            }
            Input::Admitted(dedicated) => self.admitted(now, dedicated),
            Input::Refused => self.refused(now)?,
            Input::CellReselected => self.apply(now, RrcEvent::CellReselected)?,
            Input::UraReselected => self.apply(now, RrcEvent::UraReselected)?,
            Input::RadioLinkFailure => self.apply(now, RrcEvent::RadioLinkFailure)?,
            Input::Release => self.apply(now, RrcEvent::Released)?,
            Input::CoverageLost => self.lose_coverage(now),
            Input::CoverageFound => self.find_coverage(now)?,
        }
        self.handle_traffic(now);
        self.say_channels();
        self.handle_timeout(now);
        Ok(())
    }

    /// Does what is due at or before `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(due) = self.poll_timeout().filter(|due| *due <= now) {
            self.expire(due);
            self.handle_traffic(due);
            self.say_channels();
        }
    }

    /// The next thing to do, until `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// When [`Entity::handle_timeout`] must be called at the latest.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let procedure = self.running.and_then(|running| running.due);
        let timers = [procedure, self.service_ends(), self.quiet_ends(), self.volume_triggers()];
        timers.into_iter().flatten().min()
    }

    /// The channels to ask for: in each direction the highest spreading factor that carries the
    /// sum of the flows' rates; factor 4 where none does.
    fn demand(&self) -> Dedicated {
        let Self { downlink, uplink, spreading, usual, .. } = *self;
        Dedicated {
            downlink: downlink.demand(Direction::Downlink, spreading).unwrap_or(usual.downlink),
            uplink: uplink.demand(Direction::Uplink, spreading).unwrap_or(usual.uplink),
        }
    }

    fn expire(&mut self, now: Time) {
        let is_due = |time: Option<Time>| time.is_some_and(|time| time <= now);
        let applied = if is_due(self.running.and_then(|running| running.due)) {
            self.finish(now)
        } else if is_due(self.service_ends()) {
            self.apply(now, RrcEvent::OutOfService)
        } else if is_due(self.quiet_ends()) {
            let event = self.after_quiet();
            self.quiet_since = now;
            self.apply(now, event)
        } else {
            Ok(())
        };
        applied.expect("timers run only in states that know them");
    }

    /// The procedure that is due ends.
    fn finish(&mut self, now: Time) -> Result<(), Illegal> {
        let Some(Running { procedure, back, .. }) = self.running.take() else {
            return Ok(());
        };
        let event = match procedure {
            Procedure::Paging => RrcEvent::Paged,
            Procedure::ConnectionSetup if self.dedicated.is_some() => RrcEvent::ConnectedOnDch,
            Procedure::ConnectionSetup => RrcEvent::ConnectedOnFach,
            Procedure::DchSetup => RrcEvent::DchOpened,
            Procedure::DchRelease => RrcEvent::SentToFach,
            Procedure::Update => RrcEvent::UpdateConfirmed,
        };
        self.apply(now, event)?;
        match back.filter(|_| self.downlink.waiting + self.uplink.waiting == 0) {
            None | Some(RrcState::Idle | RrcState::CellDch | RrcState::CellFach) => Ok(()),
            Some(RrcState::CellPch) if self.config.updates_before_ura != Some(self.updates) => {
                self.apply(now, RrcEvent::SentToCellPch)
            }
            Some(RrcState::CellPch | RrcState::UraPch) => self.apply(now, RrcEvent::SentToUraPch),
        }
    }

    /// Looks `event` up in the table and carries out the transition.
    fn apply(&mut self, now: Time, event: RrcEvent) -> Result<(), Illegal> {
        let from = self.state;
        let transition = next(from, event)?;
        let moved = transition.to != from;
        if moved || transition.start.is_some() {
            let back = self.way_back(event);
            self.stop();
            self.move_to(now, transition.to, event);
            if let Some(procedure) = transition.start {
                self.begin(now, procedure, self.delay_of(procedure), back);
            }
        }
        Ok(())
    }

    fn move_to(&mut self, now: Time, to: RrcState, event: RrcEvent) {
        let from = std::mem::replace(&mut self.state, to);
        if from == to {
            return;
        }
        if to != RrcState::CellDch {
            self.dedicated = None;
        }
        if !is_mobility(event) {
            self.quiet_since = now;
        }
        if event == RrcEvent::RadioLinkFailure {
            self.lost_since = self.lost_since.map(|_| now);
        }
        for traffic in [&mut self.downlink, &mut self.uplink] {
            traffic.above_since = traffic.above_since.map(|_| now);
        }
        self.actions.push_back(Action::Changed { from, to, event });
    }

    /// Where an update that `event` begins leads back to, if there is no data.
    fn way_back(&mut self, event: RrcEvent) -> Option<RrcState> {
        if !matches!(event, RrcEvent::CellReselected | RrcEvent::UraReselected) {
            return None;
        }
        self.updates += 1;
        match self.state {
            RrcState::CellPch | RrcState::UraPch => Some(self.state),
            RrcState::CellFach => self.running.and_then(|running| running.back),
            RrcState::Idle | RrcState::CellDch => None,
        }
    }

    /// Ends the procedure under way without its event.
    fn stop(&mut self) {
        if self.running.take().is_none() || self.state == RrcState::CellDch {
            return;
        }
        self.actions.extend(self.dedicated.take().map(Action::Cancel));
    }

    fn begin(&mut self, now: Time, procedure: Procedure, delay: Duration, back: Option<RrcState>) {
        if self.lost_since.is_some() && self.state != RrcState::CellDch {
            return;
        }
        let first = self.config.first_channel;
        let asks = match procedure {
            Procedure::ConnectionSetup => first == FirstChannel::Dedicated,
            Procedure::DchSetup => true,
            Procedure::Paging | Procedure::DchRelease | Procedure::Update => false,
        };
        let due = (!asks).then_some(now + delay);
        self.running = Some(Running { procedure, delay, due, back });
        if asks {
            self.actions.push_back(Action::Admit(self.demand()));
        }
    }

    const fn delay_of(&self, procedure: Procedure) -> Duration {
        match procedure {
            Procedure::Paging => self.config.paging_delay,
            Procedure::ConnectionSetup => self.config.setup_delay,
            Procedure::DchSetup => self.config.dch_delay,
            Procedure::DchRelease => self.config.release_delay,
            Procedure::Update => self.config.update_delay,
        }
    }

    /// The procedure that waits for admission control.
    fn asking(&mut self) -> Option<&mut Running> {
        self.running.as_mut().filter(|running| running.due.is_none())
    }

    fn admitted(&mut self, now: Time, dedicated: Dedicated) {
        match self.asking() {
            Some(running) => {
                running.due = Some(now + running.delay);
                self.dedicated = Some(dedicated);
            }
            None => self.actions.push_back(Action::Cancel(dedicated)),
        }
    }

    /// A new connection gets the shared channels in place of dedicated ones; one that has them
    /// stays there.
    fn refused(&mut self, now: Time) -> Result<(), Illegal> {
        let Some(running) = self.asking() else {
            return Ok(());
        };
        match running.procedure {
            Procedure::ConnectionSetup => running.due = Some(now + running.delay),
            Procedure::Paging | Procedure::DchSetup | Procedure::DchRelease | Procedure::Update => {
                self.running = None;
            }
        }
        self.patience = now + self.config.traffic_volume.pending_time;
        self.apply(now, RrcEvent::Refused)
    }

    fn lose_coverage(&mut self, now: Time) {
        self.lost_since.get_or_insert(now);
        if self.state != RrcState::CellDch {
            self.stop();
        }
    }

    /// §8.3.1.2: a UE that re-enters the service area updates its cell.
    fn find_coverage(&mut self, now: Time) -> Result<(), Illegal> {
        if self.lost_since.take().is_none() {
            return Ok(());
        }
        match self.state {
            RrcState::Idle | RrcState::CellDch => Ok(()),
            RrcState::CellFach | RrcState::CellPch | RrcState::UraPch => {
                self.apply(now, RrcEvent::CellReselected)
            }
        }
    }

    fn measure(&mut self, now: Time, direction: Direction, waiting: u64) {
        let volume = &self.config.traffic_volume;
        let threshold = direction.of(volume.downlink, volume.uplink);
        let traffic = self.traffic(direction);
        traffic.waiting = waiting;
        let since = traffic.above_since.unwrap_or(now);
        traffic.above_since = (waiting > threshold).then_some(since);
    }

    /// Requests what the waiting traffic needs.
    fn handle_traffic(&mut self, now: Time) {
        if self.lost_since.is_some() {
            return;
        }
        let (down, up) = (self.downlink.waiting > 0, self.uplink.waiting > 0);
        let free = self.running.is_none();
        let paging = self.running.is_some_and(|now| now.procedure == Procedure::Paging);
        let event = match self.state {
            RrcState::Idle | RrcState::CellPch | RrcState::UraPch if up && (free || paging) => {
                RrcEvent::UplinkData
            }
            RrcState::Idle | RrcState::CellPch | RrcState::UraPch if down && free => {
                RrcEvent::DownlinkData
            }
            RrcState::CellFach if self.volume_triggers().is_some_and(|time| time <= now) => {
                RrcEvent::TrafficVolume
            }
            RrcState::Idle
            | RrcState::CellDch
            | RrcState::CellFach
            | RrcState::CellPch
            | RrcState::UraPch => return,
        };
        self.apply(now, event).expect("traffic is legal in every state");
    }

    /// When the traffic volume triggers a request for dedicated channels.
    fn volume_triggers(&self) -> Option<Time> {
        let idle = self.running.is_none() && self.lost_since.is_none();
        if self.state != RrcState::CellFach || !idle {
            return None;
        }
        let since = [self.downlink.above_since, self.uplink.above_since];
        let since = since.into_iter().flatten().min()?;
        Some((since + self.config.traffic_volume.time_to_trigger).max(self.patience))
    }

    /// When the inactivity timer of the state runs out.
    fn quiet_ends(&self) -> Option<Time> {
        let limits = &self.config.inactivity;
        let limit = match self.state {
            RrcState::Idle => None,
            RrcState::CellDch => limits.dch,
            RrcState::CellFach => limits.fach,
            RrcState::CellPch | RrcState::UraPch => limits.pch,
        };
        let idle = self.running.is_none() && self.lost_since.is_none();
        limit.filter(|_| idle || self.waits_in_dch()).map(|limit| self.quiet_since + limit)
    }

    /// On dedicated channels inactivity counts with or without coverage.
    fn waits_in_dch(&self) -> bool {
        self.state == RrcState::CellDch && self.running.is_none()
    }

    /// What inactivity leads to.
    const fn after_quiet(&self) -> RrcEvent {
        match (self.state, self.config.after_dch, self.config.rest) {
            (RrcState::CellDch, AfterDch::Release, _) | (RrcState::CellFach, _, Rest::Release) => {
                RrcEvent::Released
            }
            (RrcState::CellFach, _, Rest::UraPch) => RrcEvent::SentToUraPch,
            (RrcState::CellDch, AfterDch::Shared, _)
            | (RrcState::CellFach, _, Rest::CellPch)
            | (RrcState::Idle | RrcState::CellPch | RrcState::UraPch, _, _) => RrcEvent::Inactivity,
        }
    }

    /// When a UE without a cell gives its connection up.
    fn service_ends(&self) -> Option<Time> {
        let connected = match self.state {
            RrcState::Idle | RrcState::CellDch => false,
            RrcState::CellFach | RrcState::CellPch | RrcState::UraPch => true,
        };
        self.lost_since.filter(|_| connected).map(|since| since + self.config.out_of_service)
    }

    /// Reports what carries the bearer, if that changed.
    fn say_channels(&mut self) {
        let updating = self.running.is_some_and(|now| now.procedure == Procedure::Update);
        let channels = match self.state {
            RrcState::Idle | RrcState::CellPch | RrcState::UraPch => Channels::None,
            RrcState::CellFach if updating || self.lost_since.is_some() => Channels::None,
            RrcState::CellFach => Channels::Shared,
            RrcState::CellDch => self.dedicated.map_or(Channels::None, Channels::Dedicated),
        };
        if channels != self.channels {
            self.channels = channels;
            self.actions.push_back(Action::Use(channels));
        }
    }

    fn traffic(&mut self, direction: Direction) -> &mut Traffic {
        direction.of(&mut self.downlink, &mut self.uplink)
    }
}

/// True for what only moves a UE from cell to cell: it is no activity.
const fn is_mobility(event: RrcEvent) -> bool {
    matches!(
        event,
        RrcEvent::CellReselected
            | RrcEvent::UraReselected
            | RrcEvent::UpdateConfirmed
            | RrcEvent::SentToCellPch
            | RrcEvent::SentToUraPch
    )
}

#[cfg(test)]
mod tests;
