//! The windows that senders see (§IV.D): enough data for the radio, a fair share from each sender,
//! and no more than a budget.
//!
//! The window w of a flow covers what its sender may have under way and what waits here: its right
//! edge is what was *sent over the radio* plus w. (§IV.D takes `t_k` to be the times at which the
//! flow's packets are sent over the radio. Counted from what has arrived instead, w would have to
//! be rate × wired round-trip time, some 80 bytes in a usual case, and no window of whole segments
//! is that small.)
//!
//! Equation (1) is used in units of the flow's fair share φ, its tickets ÷ those of all busy
//! flows:
//!
//! dw/dt = φ·(c − f(q)·σ), f(q) = a·q − b, σ = (s ÷ S) ÷ φ
//!
//! where s is the flow's sending rate and S that of the aggregate. The sum over all flows is
//! dw/dt = c − f(q), whatever their number and tickets: q settles at (b + c) ÷ a, and as fast with
//! 32 flows as with one. As printed (s in bytes/s, φ = 1) q would grow with the number of flows.
//! The paper's average of 1/Δt has no bound in a burst. Here s and S are bytes over the same
//! time, and only their ratio counts: of the last packets, the flow's bytes ÷ the aggregate's.
//!
//! *Start phase.* A new flow starts with C = max(MSS, `w_init` ÷ n) of n connections, and each
//! packet from its sender adds C, up to `w_init`, until it has sent [`START`] packets at its fair
//! share or above: one packet has no rate. (As printed the first flow of an aggregate leaves on its
//! first packet, since it alone is the average; and `goto normal` uses an `f_q` that was never
//! set.)
//!
//! *Edges* never move back, and in a stall they do not move at all: that, not a smaller edge, is w
//! = 0. They move by whole segments and lie a *nudge*, a small part of a segment, beyond a whole
//! number of them, so that a sender of full segments never sees a window of zero, and yet cannot
//! send. No w is below a segment and a nudge: with more flows than the queue has segments, each
//! holds one, and the queue is as long as there are flows.
//!
//! *Nudges.* A sender that waits for more than a nudge sends that too when its persist timer runs
//! out (RFC 9293 §3.8.6.2.1), and would then see a window of zero. It is given further nudges, each
//! smaller than the last: until its next whole segment no more than a segment in total, and for all
//! flows together no more than the budget has room for. They are bytes of w like all others: after
//! nudges the next whole segment comes later. (A receiver should not open its window by so little,
//! §3.8.6.2.2. Here it keeps senders from backing off, costs one small packet per retransmission
//! timeout on the wire, and nothing on the radio, where segments are coalesced while they wait.
//! While less than a segment waits, each nudge would become a packet of its own, so none is given.)
//!
//! *Zero windows* occur outside stalls once nudges are used up. A window scaled by 10 is announced
//! in units of 1024 bytes, so that a segment is one nudge, and senders whose persist timer is
//! shorter than a segment's time (Linux: 200 ms) see 20 to 40 zero windows in 100 kB at 40 kbit/s.
//! They cost nothing: whole segments are announced at once, and the radio has (b + c) ÷ a to send
//! meanwhile.
//!
//! *Budget.* What is held and what has been allowed never exceed it. An eighth is kept for what
//! SYNs promise before their connections are established, and a sixteenth for nudges. Beyond its
//! first segment a flow may take half of what is left; flows that get nothing wait in a queue.

use base::Time;

use super::config::AtcpConfig;

/// Packets over which rates are averaged (§IV.D: α; "for GPRS links, the averaging window can be
/// small").
const SPAN: f64 = 8.0;

/// What counts as the fair share: averages never quite get there.
const PARITY: f64 = 0.9;

/// Packets at the fair share that end the start phase.
const START: u32 = 2;

/// The part of the budget that SYNs may promise.
const SYN_SHARE: u64 = 8;

/// The part of the budget that is reserved for nudges.
const NUDGE_SHARE: u64 = 16;

/// Nudges in a segment, or in what is left of it.
const NUDGES: u64 = 128;

/// Nudges of each connection in what is left of the budget.
const ROUNDS: u64 = 8;

/// How many connections may be half-open at once.
const SYNS: u64 = 64;

/// What a SYN may promise of `budget`, in bytes: little, so that many at once stay within it. The
/// first acknowledgement after the handshake moves the edge to where it belongs.
pub(super) const fn syn_window(budget: u64) -> u64 {
    budget / SYN_SHARE / SYNS
}

/// What an aggregate holds, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// What waits to be sent (`Queue_Occupancy`).
    pub(super) queued: u64,
    /// What was written and is not acknowledged.
    pub(super) held: u64,
    /// The maximum of that.
    pub(super) held_max: u64,
    /// What senders may send beyond that.
    pub(super) credit: u64,
    /// Everything sent so far, without retransmissions.
    pub(super) sent: u64,
    /// Connections.
    pub(super) connections: u32,
    /// The tickets of those with something held.
    pub(super) tickets: u64,
}

impl Totals {
    pub(super) const fn committed(&self) -> u64 {
        self.held + self.credit
    }

    /// What may still be granted of `budget`, by whole segments or by nudges.
    pub(super) const fn left(&self, budget: u64, edge_move: EdgeMove) -> u64 {
        let kept = match edge_move {
            EdgeMove::Segment => budget / NUDGE_SHARE,
            EdgeMove::Nudge => 0,
        };
        (budget - budget / SYN_SHARE).saturating_sub(kept + self.committed())
    }
}

/// The window of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// w in bytes.
    size: f64,
    phase: Phase,
    /// The offset that was announced to the sender.
    pub(super) edge: u64,
    /// Bytes by which nudges have moved it since the last whole segment.
    nudges: u32,
    /// Averages: bytes of a packet, and bytes of the aggregate from one packet to the next.
    own: f64,
    all: f64,
    /// [`Totals::sent`] and the time at the last packet.
    sent: u64,
    at: Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Packets sent at the fair share or above so far.
    Start(u32),
    Normal,
}

/// The progress of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Offsets: what was sent over the radio, what has arrived from the sender.
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) mss: u64,
    /// The smallest window above zero that can be announced to its sender.
    pub(super) unit: u64,
}

/// What a new edge comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grant {
    /// It moves here.
    Edge(u64),
    /// It would move if the budget allowed.
    Short,
    /// The window has no more to give.
    Enough,
}

/// By how much an edge moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EdgeMove {
    Segment,
    Nudge,
}

impl Window {
    /// Of a new flow whose sender may already send `promised` bytes.
    pub(super) fn new(
        now: Time,
        config: &AtcpConfig,
        totals: &Totals,
        mss: u64,
        promised: u64,
    ) -> Self {
        let size = first_window(config, totals, mss);
        let (phase, edge, sent) = (Phase::Start(0), promised, totals.sent);
        Self { size, phase, edge, nudges: 0, own: 0.0, all: 0.0, sent, at: now }
    }

    /// Packets of so many `bytes` came from the sender.
    pub(super) fn on_arrival(
        &mut self,
        config: &AtcpConfig,
        totals: &Totals,
        bytes: u64,
        mss: u64,
    ) {
        if let Phase::Start(_) = self.phase {
            let most = config.initial_window().max(self.size);
            let packets = bytes.div_ceil(mss) as f64;
            self.size = (self.size + packets * first_window(config, totals, mss)).min(most);
        }
    }

    /// The flow was idle: that time counts neither for growth nor for its rate.
    pub(super) const fn resume(&mut self, now: Time, totals: &Totals) {
        self.at = now;
        self.sent = totals.sent;
    }

    /// A packet of `bytes` was sent over the radio, with `tickets` of those in `totals`.
    ///
    /// The queue counts as it was before: behind a fast wire the next packet takes the place of
    /// this one at once, and the paper samples it when a packet has come.
    pub(super) fn on_sent(
        &mut self,
        now: Time,
        config: &AtcpConfig,
        totals: &Totals,
        tickets: u32,
        bytes: u64,
        mss: u64,
    ) {
        let between = (totals.sent - self.sent) as f64;
        if self.all > 0.0 {
            self.own += (bytes as f64 - self.own) / SPAN;
            self.all += (between - self.all) / SPAN;
        } else {
            (self.own, self.all) = (bytes as f64, between);
        }
        let fair = f64::from(tickets) / totals.tickets.max(u64::from(tickets)) as f64;
        let relative = self.own / self.all.max(self.own) / fair;
        let elapsed = now.saturating_since(self.at).min(config.round_trip).as_secs_f64();
        match self.phase {
            Phase::Start(fast) if fast + 1 >= START && relative >= PARITY => {
                self.phase = Phase::Normal;
            }
            Phase::Start(fast) if relative >= PARITY => self.phase = Phase::Start(fast + 1),
            Phase::Start(_) => {}
            Phase::Normal => {
                let cost = config.a * (totals.queued + bytes) as f64 - config.b;
                self.size += fair * (config.growth() - cost * relative) * elapsed;
            }
        }
        let most = config.initial_window().max(config.budget as f64 / 2.0).max(mss as f64);
        self.size = self.size.clamp(mss as f64, most);
        (self.at, self.sent) = (now, totals.sent);
    }

    /// Where the right edge may be now; `left` bytes of the budget are not committed.
    pub(super) fn grant(&self, at: &Position, left: u64) -> Grant {
        let &Position { sent, received, mss, .. } = at;
        let least = mss + at.nudge();
        let wanted = sent + (self.size as u64).max(least);
        let base = self.edge.max(received);
        let first = received + least;
        let affordable = (base + left).min(first.max(base + left / 2));
        if let Some(edge) = self.moved(at.whole(wanted.min(affordable)), received, mss) {
            return Grant::Edge(edge);
        }
        match self.moved(at.whole(wanted), received, mss) {
            Some(_) => Grant::Short,
            None => Grant::Enough,
        }
    }

    /// The right edge after a nudge, for a sender that has reached it and gets no whole segment;
    /// `connections` share `left` uncommitted bytes of the budget.
    pub(super) fn nudge(&self, at: &Position, left: u64, connections: u32) -> Option<u64> {
        let part = at.mss.saturating_sub(u64::from(self.nudges));
        let fair = left / ROUNDS / u64::from(connections.max(1));
        let bytes = (part / NUDGES).min(fair).max(at.unit);
        let reached = self.edge < at.received + at.unit;
        (reached && bytes <= part && bytes <= left).then_some(at.received + bytes)
    }

    /// The right edge moves to `edge` by whole segments, or by a nudge.
    pub(super) fn move_to(&mut self, edge: u64, edge_move: EdgeMove) {
        self.nudges = match edge_move {
            EdgeMove::Segment => 0,
            EdgeMove::Nudge => self.nudges + (edge - self.edge) as u32,
        };
        self.edge = edge;
    }

    /// The new edge, if it is worth announcing (RFC 9293 §3.8.6.2.2): a segment more, or a segment
    /// where there was less.
    fn moved(&self, edge: u64, received: u64, mss: u64) -> Option<u64> {
        let further = edge >= self.edge + mss;
        let opens = self.edge < received + mss && edge >= received + mss;
        (further || opens).then_some(edge)
    }
}

impl Position {
    /// How far edges lie beyond whole segments.
    fn nudge(&self) -> u64 {
        (self.mss / NUDGES).max(self.unit)
    }

    /// The last offset up to `edge` that lies a nudge beyond whole segments from what has arrived.
    fn whole(&self, edge: u64) -> u64 {
        let first = self.received + self.nudge();
        if edge < first { self.received } else { first + (edge - first) / self.mss * self.mss }
    }
}

/// §IV.D: C = max(MSS, `w_init` ÷ n).
fn first_window(config: &AtcpConfig, totals: &Totals, mss: u64) -> f64 {
    (config.initial_window() / f64::from(totals.connections.max(1))).max(mss as f64)
}

#[cfg(test)]
mod tests {
    use base::Duration;

    use super::*;
    use crate::atcp::tests::config;

    const MSS: u64 = 1_000;

    fn window(size: f64, edge: u64) -> Window {
        let (phase, at) = (Phase::Normal, Time::ZERO);
        Window { size, phase, edge, nudges: 0, own: 0.0, all: 0.0, sent: 0, at }
    }

    #[test]
    fn edges_move_by_segments_and_end_a_sliver_beyond() {
        let check = |size: f64, edge, sent, received, left, expect| {
            let at = Position { sent, received, mss: MSS, unit: 1 };
            assert_eq!(window(size, edge).grant(&at, left), expect, "{size} {edge} {at:?} {left}");
        };
        // The first: 5000 bytes, of which 4000 and a nudge can be announced.
        check(5_000.0, 0, 0, 0, 50_000, Grant::Edge(4_007));
        check(5_000.0, 4_007, 0, 0, 50_000, Grant::Enough);
        // A segment was sent over the radio.
        check(5_000.0, 4_007, 1_000, 4_000, 50_000, Grant::Edge(5_007));
        // Not quite: silence.
        check(5_000.0, 4_007, 5, 4_000, 50_000, Grant::Enough);
        // A shrunken window moves nothing back.
        check(2_000.0, 4_007, 1_000, 4_000, 50_000, Grant::Enough);
        check(0.0, 4_007, 4_000, 4_000, 50_000, Grant::Edge(5_007));
        // Short segments leave less than a segment: whole ones are allowed again.
        check(0.0, 1_007, 600, 600, 50_000, Grant::Edge(1_607));
        // The budget: half of the rest, but a first segment.
        check(9_000.0, 0, 0, 0, 8_000, Grant::Edge(3_007));
        check(9_000.0, 0, 0, 0, 1_600, Grant::Edge(1_007));
        check(9_000.0, 0, 0, 0, 1_006, Grant::Short);
        check(9_000.0, 4_007, 1_000, 4_000, 0, Grant::Short);
        // What was promised beyond what is wanted.
        check(0.0, 60_000, 0, 0, 50_000, Grant::Enough);
    }

    #[test]
    fn slivers_are_for_who_has_reached_the_edge() {
        let check = |edge, received, unit, left, connections, expect: Option<u64>| {
            let at = Position { sent: 0, received, mss: MSS, unit };
            let nudge = window(0.0, edge).nudge(&at, left, connections);
            assert_eq!(nudge, expect, "{edge} {at:?} {left} {connections}");
        };
        check(4_000, 4_000, 1, 50_000, 4, Some(4_007));
        check(4_000, 3_999, 1, 50_000, 4, None);
        // Less than a unit cannot be announced.
        check(4_000, 3_900, 128, 50_000, 4, Some(4_028));
        check(4_000, 3_872, 128, 50_000, 4, None);
        // What the budget has left is for all.
        check(4_000, 4_000, 1, 400, 10, Some(4_005));
        check(4_000, 4_000, 1, 5, 10, Some(4_001));
        check(4_000, 4_000, 1, 0, 10, None);
        check(4_000, 4_000, 128, 127, 10, None);
    }

    #[test]
    fn slivers_shrink_and_come_to_no_more_than_a_segment() {
        let check = |unit, least| {
            let mut window = window(0.0, 4_000);
            let (mut received, mut last, mut given) = (4_000, MSS, 0);
            let at = |received| Position { sent: 0, received, mss: MSS, unit };
            while let Some(edge) = window.nudge(&at(received), 50_000, 1) {
                assert!(edge - received <= last && edge - received >= unit, "{edge} {unit}");
                (last, given) = (edge - received, given + 1);
                window.move_to(edge, EdgeMove::Nudge);
                received = edge;
            }
            assert!(received <= 4_000 + MSS && given >= least, "{received}, {given} slivers");
            window.move_to(received + 2 * MSS, EdgeMove::Segment);
            assert_eq!(window.nudges, 0);
        };
        check(1, 50);
        check(128, 7);
    }

    #[test]
    fn a_new_flow_starts_with_its_part_and_at_least_a_segment() {
        let config = config();
        let whole = config.initial_window();
        let check = |connections, expect: f64| {
            let totals = Totals { connections, ..Totals::default() };
            let window = Window::new(Time::ZERO, &config, &totals, MSS, 0);
            assert!((window.size - expect).abs() < 1.0, "{connections}: {}", window.size);
        };
        check(1, whole);
        check(4, whole / 4.0);
        check(100, 1_000.0);
    }

    #[test]
    fn the_start_phase_adds_and_ends_at_the_fair_share() {
        let config = config();
        let mut totals = Totals { connections: 10, tickets: 2, ..Totals::default() };
        let mut window = Window::new(Time::ZERO, &config, &totals, MSS, 0);
        let first = window.size;
        window.on_arrival(&config, &totals, MSS, MSS);
        assert!((window.size - 2.0 * first).abs() < 1.0);
        window.on_arrival(&config, &totals, 2 * MSS, MSS);
        assert!((window.size - 4.0 * first).abs() < 1.0, "two packets at once");
        (0..50).for_each(|_| window.on_arrival(&config, &totals, MSS, MSS));
        assert!((window.size - config.initial_window()).abs() < 1.0);
        let mut phases = Vec::new();
        for packets in [9; 2].into_iter().chain([1; 20]) {
            totals.sent += packets * MSS;
            window.on_sent(Time::ZERO, &config, &totals, 1, MSS, MSS);
            phases.push(window.phase);
        }
        assert_eq!(phases[0], Phase::Start(0), "a ninth is not a half");
        assert_eq!(phases.last(), Some(&Phase::Normal));
    }

    /// Equation (1), one step of a second at a time.
    #[test]
    fn the_window_follows_the_queue() {
        let (a, b, c) = (0.5, 1_000.0, Some(2_000.0));
        let config = AtcpConfig { a, b, c, round_trip: Duration::from_secs(2), ..config() };
        let check = |queued, tickets: u64, seconds, expect: f64| {
            let queued = queued - MSS;
            let totals = Totals { queued, sent: tickets * MSS, tickets, ..Totals::default() };
            let mut window = window(20_000.0, 0);
            let now = Time::ZERO + Duration::from_secs(seconds);
            window.on_sent(now, &config, &totals, 1, MSS, MSS);
            let change = window.size - 20_000.0;
            assert!((change - expect).abs() < 1e-6, "{queued} {tickets} {seconds}: {change}");
        };
        // (1000 + 2000) ÷ 0.5.
        check(6_000, 1, 1, 0.0);
        check(6_000, 4, 1, 0.0);
        check(4_000, 1, 1, 1_000.0);
        check(8_000, 1, 1, -1_000.0);
        check(8_000, 4, 1, -250.0);
        // No more than a round trip at a time.
        check(8_000, 1, 9, -2_000.0);
    }
}
