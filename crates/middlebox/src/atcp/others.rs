//! Packets that are not TCP share a mobile's pipe: each flow waits in a lane of its own
//! (`lanes.rs`), lanes take turns with connections (`schedule.rs`) for the room in the one window,
//! and echo requests tell what has left the pipe (`pipe.rs`) where no segment does (`echoes.rs`).

use base::{Duration, Rate, Time};
use observe::MiddleboxFact;
use tcp::Payload;

use super::aggregate::{Aggregate, Context, NO_MSS};
use super::config::{AtcpConfig, Estimation, PACKET, Role};
use super::echoes::ECHO_BYTES;
use super::lanes::Exit;
use super::recent_rtt::RecentRtt;
use super::schedule::Turn;
use crate::radio_rtt::RadioRtt;
use crate::{Address, Aside, Opaque};

impl Aggregate {
    /// A packet waits for its turn.
    pub(super) fn wait<P: Payload>(&mut self, packet: &Opaque, cx: &mut Context<'_, P>) {
        let (mobile, released, watch) = (self.mobile, &mut *cx.released, &mut *cx.watch);
        let mut exit = Exit { mobile, released, watch };
        let lane = self.lanes.push(cx.now, cx.config, packet, &mut exit);
        if let Some(stride) = self.lanes.stride(lane) {
            self.schedule.join(Turn::Lane(lane), stride);
        }
    }

    /// Lets a packet of `lane`, whose turn it is, go if there is room for it, or finds that there
    /// is none. False if it has to wait.
    pub(super) fn send_lane<P: Payload>(&mut self, lane: u32, cx: &mut Context<'_, P>) -> bool {
        let (now, config, turn) = (cx.now, cx.config, Turn::Lane(lane));
        let Some(priority) = self.lanes.stride(lane).map(|stride| stride.share.priority) else {
            return false;
        };
        if let Some((bytes, is_sparse)) = self.lanes.first(lane) {
            let defers = self.deference.holds(now, priority).is_some();
            // Of connections that stall nothing is known.
            let is_stalled = self.recovery.is_stalled();
            let in_flight = if is_stalled { self.pipe.in_flight } else { self.in_flight() };
            // Segments may wait for a delayed acknowledgement; a call does not wait with them.
            let cwnd = self.cwnd(config);
            let most = if is_sparse { cwnd + cwnd / SPARSE_SHARE } else { cwnd };
            let fits = in_flight + bytes <= most || !is_stalled && self.fits(now, bytes, config);
            if (!fits || defers) && in_flight > 0 {
                return false;
            }
        }
        let (mobile, released, watch) = (self.mobile, &mut *cx.released, &mut *cx.watch);
        let sent = self.lanes.pop(now, lane, &mut Exit { mobile, released, watch });
        if let Some(stride) = self.lanes.stride(lane) {
            match sent {
                Some(bytes) => self.schedule.serve(turn, stride, bytes, 1),
                None => self.schedule.skip(turn, stride),
            }
        }
        if let Some(bytes) = sent {
            let pipe = self.estimator.pipe(config, self.packet());
            self.pipe.enter(now, self.unacked.take_position(), bytes, pipe);
            self.ask(lane, bytes, cx);
            self.shaper.sent(now, config.shaping, bytes);
            self.deference.sent(now, config, priority, bytes);
        }
        true
    }

    /// In a stall of its connections the mobile may still be there for the others: they go on at
    /// the rate that is known.
    pub(super) fn send_lanes_in_stall<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        while self.recovery.is_stalled()
            && let Some(Turn::Lane(lane)) = self.schedule.first_lane()
            && self.send_lane(lane, cx)
        {}
    }

    /// Bytes were let go that nobody acknowledges: unless segments tell soon what has left the
    /// pipe, an echo request follows them.
    fn ask<P: Payload>(&mut self, lane: u32, bytes: u64, cx: &mut Context<'_, P>) {
        let (now, config) = (cx.now, cx.config);
        if !config.echo {
            return;
        }
        let ends = match config.role {
            Role::Network => self.lanes.ends(),
            Role::Subscriber => self.lanes.ends_of(lane),
        };
        let Some(latest) = ends else { return };
        self.ask_another(now, latest);
        let is_blind = !self.is_told_by_segments();
        let (window, together) = (self.cwnd(config), self.lanes.waiting + self.pipe.in_flight);
        if !self.echoes.is_due(now, bytes, window, together, is_blind) {
            return;
        }
        let position = self.unacked.take_position();
        let number = self.echoes.send(now, position);
        let Some(nearest) = &mut self.nearest else {
            return self.send_echo(latest, number, position, cx);
        };
        let asked = nearest.asked(latest);
        let trial = nearest.is_trial_due(now, latest).then(|| {
            let trial = self.echoes.number();
            nearest.try_beside(now, latest, [trial, number]);
            trial
        });
        self.send_echo(asked, number, position, cx);
        if let Some(trial) = trial {
            let position = self.unacked.take_position();
            self.send_echo(latest, trial, position, cx);
        }
    }

    /// An echo request goes into the pipe at `position`.
    fn send_echo<P: Payload>(
        &mut self,
        ends: [Address; 2],
        number: u32,
        position: u64,
        cx: &mut Context<'_, P>,
    ) {
        let pipe = self.estimator.pipe(cx.config, self.packet());
        self.pipe.enter(cx.now, position, ECHO_BYTES, pipe);
        cx.released.push_back(Aside::Echo(ends, number));
        (cx.watch)(MiddleboxFact::EchoSent { mobile: self.mobile });
    }

    /// Of a subscriber: the host that is asked does not answer, and the latest is another. What was
    /// measured of the way to the former says nothing of the way to this.
    fn ask_another(&mut self, now: Time, latest: [Address; 2]) {
        if self.echoes.is_silent(now)
            && let Some(nearest) = self.nearest.as_mut().filter(|nearest| nearest.is_other(latest))
        {
            nearest.replace(latest);
            self.echoes.ask_another();
            (self.round_trip, self.recent_rtt) = (RadioRtt::default(), RecentRtt::default());
        }
    }

    /// Bytes by which a subscriber's window is less than its pipe carries until a host answers what
    /// follows a full packet. The answer tells what has left the pipe, and is late by the way
    /// beyond the radio, which is no part of it. What is estimated from answers has that already.
    pub(super) fn beyond(&self, config: &AtcpConfig) -> u64 {
        match (config.role, config.estimator) {
            (Role::Network, _) | (Role::Subscriber, Estimation::Westwood) => 0,
            (Role::Subscriber, Estimation::Static | Estimation::Radio) => {
                let (rate, _) = self.estimator.pipe(config, self.packet());
                let least = self.round_trip.smallest.unwrap_or(Duration::ZERO);
                let told = (rate * least.as_secs_f64()) as u64 + self.packet();
                told.saturating_sub(self.estimator.clamp)
            }
        }
    }

    /// The mobile answered an echo request.
    pub(super) fn handle_echo<P: Payload>(&mut self, number: u32, cx: &mut Context<'_, P>) {
        let (now, config) = (cx.now, cx.config);
        let limited = self.in_flight() + self.packet() > self.cwnd(config);
        let is_pending = |number| self.echoes.is_pending(number);
        let about = self.nearest.as_mut().map_or(Some(number), |it| it.heard(number, is_pending));
        let Some(number) = about else { return };
        let Some(answered) = self.echoes.answer(now, number) else { return };
        let rtt = now - answered.at;
        (cx.watch)(MiddleboxFact::EchoAnswered { mobile: self.mobile, rtt });
        self.round_trip.sample(rtt);
        self.recent_rtt.sample(now, rtt, self.round_trip.smoothed().unwrap_or(rtt));
        let bytes = self.pipe.leave_below(answered.position + 1);
        self.freed_at = now;
        self.estimate(now, config, bytes, limited);
    }

    /// Passage of time: packets that were let go leave the pipe when theirs is over.
    pub(super) fn expire_others(&mut self, now: Time, config: &AtcpConfig) {
        self.echoes.expire(now, self.patience(now, config));
        let time = self.time_in_pipe(config).map(|usual| usual.max(self.waited(now)));
        if self.pipe.expire(now, time) {
            self.freed_at = now;
        }
    }

    /// Time for which answers that have not come have been on their way at least.
    fn waited(&self, now: Time) -> Duration {
        let echo = self.echoes.oldest().map(|pending| now - pending.at);
        let oldest = self.unacked.oldest().filter(|_| self.is_told_by_segments());
        let segment = oldest.map(|slot| {
            now.saturating_since(self.unacked.get(slot).at).saturating_sub(DELAYED_ACK)
        });
        echo.max(segment).unwrap_or(Duration::ZERO)
    }

    /// Time that an answer to an echo request may take. Of a mobile that has not answered yet
    /// nothing else is expected.
    fn patience(&self, now: Time, config: &AtcpConfig) -> Duration {
        let least = match config.role {
            _ if self.echoes.is_trusted(now) => config.min_rto,
            Role::Network => config.round_trip * 2,
            Role::Subscriber => FIRST_TIMEOUT,
        };
        self.round_trip.own_timeout().unwrap_or(Duration::ZERO).max(least)
    }

    /// Time at which the next packet will have left the pipe; `None` if only an answer can tell.
    pub(super) fn others_due(&self, now: Time, config: &AtcpConfig) -> Option<Time> {
        let given_up = self.echoes.oldest().map(|pending| pending.at + self.patience(now, config));
        let due = self.pipe.due(self.time_in_pipe(config)).filter(|&due| due > now);
        Time::earlier(due, given_up)
    }

    /// Time that packets are in the pipe now, while answers tell it. A host that a subscriber talks
    /// to may be any, and is not waited for before it has answered once.
    fn time_in_pipe(&self, config: &AtcpConfig) -> Option<Duration> {
        let is_known = config.role == Role::Network || self.round_trip.smoothed().is_some();
        let is_told = self.is_told_by_segments() || is_known && self.echoes.oldest().is_some();
        is_told.then(|| self.recent_rtt.least().unwrap_or(config.round_trip))
    }

    /// Bytes of a full packet.
    pub(super) fn packet(&self) -> u64 {
        self.mss.max(self.lanes.largest)
    }

    /// The radio reports its rate. Reports are rare: before the first connection the window has to
    /// do for what may come later.
    pub(super) fn handle_report(&mut self, rate: Option<Rate>, config: &AtcpConfig) {
        let most = if self.mss == NO_MSS { PACKET } else { 0 };
        self.estimator.on_report(rate, config, self.packet().max(most));
    }

    /// True if segments in flight will tell what has left the pipe.
    fn is_told_by_segments(&self) -> bool {
        self.unacked.oldest().is_some() && !self.recovery.is_stalled()
    }
}

/// Sparse lanes may together fill a quarter of the window beyond it.
const SPARSE_SHARE: u64 = 4;

/// Time that any host may take for its first answer (RFC 6298 §2.1).
const FIRST_TIMEOUT: Duration = Duration::from_secs(1);

/// Longest time for which a mobile holds an acknowledgement back (Linux: `TCP_DELACK_MAX`).
const DELAYED_ACK: Duration = Duration::from_millis(200);
