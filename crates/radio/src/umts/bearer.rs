//! A UMTS bearer as one machine.

use base::{Direction, Duration, Rate, Time};
use observe::{Context, Observe};

use super::conditions::{ConditionChange, End, Timeline};
use super::lane::Lane;
use super::power::PowerState;
use super::rlc::{Entity, Health, PeerChannel, Traffic};
use super::{BlockErrorRate, ChannelState, DchConfig};
use crate::{Counters, EnergyUse, Output, PowerModel, RateReport, Sdu};

/// A bearer of both directions over a dedicated channel, from PDCP to PDCP.
///
/// Time passes in ticks: each direction has its grid of TTIs, which starts at time 0. On a tick the
/// blocks of the TTIs that begin are sent first, from the state before the tick; then those of the
/// TTIs that end are received and SDUs delivered. So what arrives on a tick, by radio or by
/// [`Bearer::handle_input`], misses the TTI that begins there. There are no ticks while there is
/// nothing to send, to receive or to wait for.
///
/// A channel may change at any time; a TTI has the state at its beginning, and what is on the air
/// arrives as it was sent.
#[derive(Debug)]
pub struct Bearer<T> {
    machine: u32,
    downlink: Lane<T>,
    uplink: Lane<T>,
    /// The end that sends downlink.
    network: Entity,
    /// The end that sends uplink.
    mobile: Entity,
    /// What the mobile's radio draws.
    power: PowerModel<1>,
    /// The changes that its configuration contains.
    timeline: Timeline,
    /// The last tick.
    ticked: Option<Time>,
    /// The next tick, or the next change while anything goes on.
    next: Option<Time>,
    /// Reports made last, of either direction.
    told: [Option<RateReport>; 2],
}

impl<T: Sdu> Bearer<T> {
    /// A bearer that reports facts as machine number `machine`. Its random streams come from `seed`
    /// and the names `name/downlink` and `name/uplink`.
    pub fn new(machine: u32, config: &DchConfig, seed: u64, name: &str) -> Self {
        let (start, timeline) = Timeline::new(config, Time::ZERO);
        let (down, up) = (&config.downlink, &config.uplink);
        let [down_peer, up_peer] = [(down, start.downlink), (up, start.uplink)]
            .map(|(channel, state)| PeerChannel { tti: channel.tti, blocks: state.blocks });
        let lane = |direction, state| Lane::new(direction, config, state, seed, name);
        Self {
            machine,
            downlink: lane(Direction::Downlink, start.downlink),
            uplink: lane(Direction::Uplink, start.uplink),
            network: Entity::new(&config.rlc, down_peer, up_peer),
            mobile: Entity::new(&config.rlc, up_peer, down_peer),
            power: config.power,
            timeline,
            ticked: None,
            next: None,
            told: [None; 2],
        }
    }

    /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue is full.
    /// It misses a TTI that begins at `now`.
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        direction: Direction,
        sdu: T,
    ) -> Result<(), T> {
        let now = cx.now;
        self.handle_timeout(cx);
        let anticipation = self.lane(direction).anticipation();
        let coming = anticipation.and_then(|ahead| self.timeline.blocks_at(now + ahead, direction));
        let lane = self.lane_mut(direction);
        lane.push(now, sdu, coming)?;
        let tick = Time::earlier(lane.first_room(lane.grid.after(now)), self.timeline.next());
        self.next = Time::earlier(self.next, tick);
        Ok(())
    }

    /// Does what is due by now, tick by tick.
    #[inline]
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some(tick) = self.next.filter(|tick| *tick <= cx.now) {
            self.tick(tick, cx.observe);
        }
        if self.timeline.is_due(cx.now) {
            self.apply_changes(cx.now);
        }
    }

    /// From the TTI that begins at `now`, if it has not begun, or from the next, the channel of
    /// `direction` is in `state`. What was due before `now` must have been handled.
    pub fn set_channel(&mut self, now: Time, direction: Direction, state: ChannelState) {
        let last = self.last_moment(now);
        self.set_state(self.lane(direction).grid.after(last), direction, state);
        self.next = self.next_tick(last);
    }

    /// From `now` on its channels are what `config` says, as [`Self::set_channel`] has it. What was
    /// due before `now` must have been handled.
    pub fn reconfigure(&mut self, now: Time, config: &DchConfig) {
        let (state, timeline) = Timeline::new(config, now);
        self.timeline = timeline;
        for direction in Direction::BOTH {
            self.set_channel(now, direction, state.of(direction));
        }
    }

    /// A hard handover with relocation: both ends of the link control are established anew (TS
    /// 25.322 §9.7.7), and what is on the air is lost. In acknowledged mode every SDU not yet
    /// delivered is sent again from its first byte, and none is delivered twice (TS 25.323 §5.4);
    /// else what has been sent in part is discarded. What was due before `now` must have been
    /// handled.
    pub fn relocate(&mut self, now: Time) {
        self.restart(now);
        self.next = self.next_tick(self.last_moment(now));
    }

    /// The next SDU that has been delivered or given up. To be called after each `handle_…` until
    /// it says `None`.
    #[must_use]
    #[inline]
    pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        let lanes = [&mut self.downlink, &mut self.uplink];
        let lane = lanes.into_iter().find(|lane| lane.sdus.has_outcome())?;
        Some((lane.direction, lane.poll_output()?))
    }

    /// The next tick. It changes with each `handle_…`.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// The SDUs of `direction` between entry and exit, oldest first.
    pub fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        self.lane(direction).held()
    }

    /// The bytes of `direction` that wait for transmission or retransmission: the RLC buffer
    /// occupancy of a traffic volume measurement (TS 25.321 §9.1, TS 25.331 §14.4).
    pub fn buffer_occupancy(&self, direction: Direction) -> u64 {
        let (lane, sender) = self.end(direction);
        let waiting = lane.queued_bytes() + lane.sdus.unsent_bytes();
        waiting + u64::from(sender.to_send_again()) * u64::from(lane.payload)
    }

    /// When there will be something to send in `direction`, `now` at the earliest, whether or not
    /// its channel has room.
    pub(super) fn next_demand(&self, now: Time, direction: Direction) -> Option<Time> {
        let (lane, sender) = self.end(direction);
        let peer = direction.of(&self.uplink, &self.downlink);
        sender.poll_timeout(now, &lane.sdus, &peer.sdus)
    }

    /// What the channel of `direction` is like now.
    pub fn channel(&self, direction: Direction) -> ChannelState {
        self.lane(direction).state
    }

    /// What the downlink can carry, link control included, if that has changed since the last
    /// report.
    #[must_use]
    pub fn poll_report(&mut self) -> Option<RateReport> {
        self.report(Direction::Downlink)
    }

    /// Rate of the uplink, as [`Self::poll_report`] tells that of the downlink.
    #[must_use]
    pub fn poll_uplink_report(&mut self) -> Option<RateReport> {
        self.report(Direction::Uplink)
    }

    fn report(&mut self, direction: Direction) -> Option<RateReport> {
        let report = RateReport { rate: self.rate(direction) };
        let before = self.told[direction as usize].replace(report);
        (before != Some(report)).then_some(report)
    }

    fn rate(&self, direction: Direction) -> Option<Rate> {
        let Lane { state, payload, grid, .. } = self.lane(direction);
        let bits = state.blocks.mean() * f64::from(*payload) * 8.0 / grid.tti.as_secs_f64();
        let is_heard = state.tbler != BlockErrorRate::LOST;
        (is_heard && !state.blocks.is_none()).then(|| Rate::from_bps(bits.max(1.0).round() as u64))
    }

    /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
    pub fn counters(&self, direction: Direction) -> Counters {
        let (lane, sender) = self.end(direction);
        Counters { resets: sender.resets(), ..lane.counters() }
    }

    /// The sum over SDUs of `direction` of the time that each has waited by `now`, from hand-in to
    /// the end of its first transmission; over `now` it is the mean length of the queue.
    pub fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.lane(direction).waited(now)
    }

    /// What the mobile's radio has used by `now` if it was on these channels since the start.
    pub fn energy(&self, now: Time) -> Option<EnergyUse> {
        let bytes = Direction::BOTH.map(|direction| self.counters(direction).bytes_sent);
        let (state, time) = (PowerState::CellDch.name(), now.saturating_since(Time::ZERO));
        Some(EnergyUse::of_one(state, &self.power, time, bytes))
    }

    /// How many blocks the whole TTIs of `span` have room for in `direction`.
    pub fn capacity(&self, direction: Direction, span: Duration) -> u64 {
        let lane = self.lane(direction);
        let coming = self.timeline.pending().iter().map(|change| (change.at, change.of(direction)));
        lane.room_until(span.whole(lane.grid.tti), coming)
    }

    /// Which share of those blocks has been sent, with those of the TTI that begins as `span` ends.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        let span = span + self.lane(direction).grid.tti;
        self.counters(direction).share_of(self.capacity(direction, span))
    }

    /// What happens at `now`. Kept apart from the question whether it is due, which every SDU asks.
    #[inline(never)]
    fn tick(&mut self, now: Time, observe: &mut impl Observe) {
        if self.timeline.is_due(now) {
            self.apply_changes(now);
        }
        let is_down = self.downlink.grid.advance(now);
        let is_up = self.uplink.grid.advance(now);
        if is_down {
            let health = self.downlink.fill(now, &mut self.network, &mut self.uplink.sdus);
            self.downlink.send(self.machine, observe);
            self.apply_health(now, health, Direction::Downlink);
        }
        if is_up {
            let health = self.uplink.fill(now, &mut self.mobile, &mut self.downlink.sdus);
            self.uplink.send(self.machine, observe);
            self.apply_health(now, health, Direction::Uplink);
        }
        if is_down {
            self.downlink.receive(now, &mut self.mobile, &mut self.uplink.sdus);
        }
        if is_up {
            self.uplink.receive(now, &mut self.network, &mut self.downlink.sdus);
        }
        self.top_up(now);
        self.ticked = Some(now);
        self.next = self.next_tick(now);
    }

    /// The link control never lacks an SDU to send while one waits ahead of it.
    fn top_up(&mut self, now: Time) {
        self.downlink.top_up(now, 1);
        self.uplink.top_up(now, 1);
    }

    /// After an unrecoverable error both ends are established anew at once; what was on the air is
    /// lost. (Signalling for this is not modelled.)
    fn apply_health(&mut self, now: Time, health: Health, direction: Direction) {
        if health == Health::Well {
            return;
        }
        self.lane_mut(direction).counters.unrecoverable_errors += 1;
        let (down, up) = (&mut self.downlink, &mut self.uplink);
        for lane in [&mut *down, &mut *up] {
            lane.silence(now);
        }
        self.network.establish(now, &mut Traffic { own: &mut down.sdus, peer: &mut up.sdus });
        self.mobile.establish(now, &mut Traffic { own: &mut up.sdus, peer: &mut down.sdus });
    }

    /// Re-establishes both ends at the new place.
    fn restart(&mut self, now: Time) {
        let (down, up) = (&mut self.downlink, &mut self.uplink);
        for lane in [&mut *down, &mut *up] {
            lane.silence(now);
            lane.counters.relocations += 1;
        }
        self.network.relocate(now, &mut Traffic { own: &mut down.sdus, peer: &mut up.sdus });
        self.mobile.relocate(now, &mut Traffic { own: &mut up.sdus, peer: &mut down.sdus });
        down.wait_again();
        up.wait_again();
        self.top_up(now);
    }

    /// Applies the configured changes up to `now`.
    #[cold]
    fn apply_changes(&mut self, now: Time) {
        while let Some(change) = self.timeline.take(now) {
            let ConditionChange { at, downlink, uplink, end } = change;
            if end == End::Relocation {
                self.restart(at);
            }
            self.set_state(at, Direction::Downlink, downlink);
            self.set_state(at, Direction::Uplink, uplink);
        }
    }

    /// The TTIs of `direction` that begin at or after `from` have `state`.
    fn set_state(&mut self, from: Time, direction: Direction, state: ChannelState) {
        let lane = self.lane_mut(direction);
        lane.set_state(from, state);
        let peer = PeerChannel { tti: lane.grid.tti, blocks: state.blocks };
        direction.of(&mut self.mobile, &mut self.network).set_peer(peer);
    }

    /// The last instant that is fully processed when something comes at `now`: `now` itself if its
    /// tick is over.
    fn last_moment(&self, now: Time) -> Time {
        debug_assert!(self.next.is_none_or(|next| next >= now), "handled up to now");
        if self.ticked == Some(now) {
            now
        } else {
            Time::from_nanos(now.as_nanos().saturating_sub(1))
        }
    }

    fn next_tick(&self, now: Time) -> Option<Time> {
        let (down, up) = (&self.downlink, &self.uplink);
        let tick = Time::earlier(
            down.next_tick(now, &self.network, &up.sdus),
            up.next_tick(now, &self.mobile, &down.sdus),
        );
        let is_asleep = tick.is_none() && down.sdus.is_settled() && up.sdus.is_settled();
        if is_asleep { None } else { Time::earlier(tick, self.timeline.next()) }
    }

    fn lane(&self, direction: Direction) -> &Lane<T> {
        direction.of(&self.downlink, &self.uplink)
    }

    fn lane_mut(&mut self, direction: Direction) -> &mut Lane<T> {
        direction.of(&mut self.downlink, &mut self.uplink)
    }

    /// The end where `direction` begins.
    fn end(&self, direction: Direction) -> (&Lane<T>, &Entity) {
        direction.of((&self.downlink, &self.network), (&self.uplink, &self.mobile))
    }
}
