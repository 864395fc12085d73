//! RACK: what is lost, judged by time (RFC 8985 §6).

use std::cmp::Ordering;
use std::collections::VecDeque;

use base::{Duration, Seq, Time};
use cc::LossKind;

use super::tail_probe::TailProbe;
use super::{AckInfo, DUPLICATE_THRESHOLD, Recovery, RecoveryAction, RepairOrder};
use crate::Config;
use crate::scoreboard::{Scoreboard, SegmentStatus, Sent};
use crate::timestamps::clock;

/// A segment is lost if one sent after it arrived, and a round-trip time and the reordering
/// window have passed since it was sent itself, be it for the first time or again. Segments that
/// were sent again and lost again are found like any other.
///
/// Transmissions wait in the order of their times, so that an acknowledgement looks at those only
/// whose time is up. The reordering timer runs until the first of those that are still undecided is
/// due; RFC 8985 §6.2 step 5 waits for the last and checks all of them then.
#[derive(Debug, Default)]
pub(crate) struct Rack {
    /// Every transmission since the oldest that may be in the network. Those of segments that
    /// have arrived, are lost or were sent again are dropped when they come to the front.
    queue: VecDeque<Transmission>,
    /// RACK.segment: the transmission sent last of those that arrived.
    newest: Transmission,
    /// RACK.rtt: the round-trip time of the segment that arrived last.
    rtt: Duration,
    minimum: MinimumRtt,
    smoothed: Option<Duration>,
    order: Arrivals,
    window: ReorderingWindow,
    phase: Option<Phase>,
    /// When the reordering timer runs out.
    deadline: Option<Time>,
    limited_transmit: bool,
    pub(crate) tail: TailProbe,
}

/// One sending of one segment: `RACK.xmit_ts` and `RACK.end_seq`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Transmission {
    at: Time,
    end: u64,
}

/// A recovery: until everything is acknowledged that had been sent when a loss was found.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Fast { point: u64 },
    Timeout { point: u64 },
}

/// Whether segments arrive in another order than they were sent in (RFC 8985 §6.2 step 3).
#[derive(Debug, Default)]
struct Arrivals {
    /// RACK.fack: the end of the highest segment that arrived, up to the last acknowledgement.
    highest: u64,
    /// The same with the present one.
    highest_now: u64,
    /// `RACK.reordering_seen`.
    reordered: bool,
}

/// RFC 8985 §6.2 step 4: how many quarters of the minimum round-trip time a segment may be late.
#[derive(Debug)]
struct ReorderingWindow {
    /// `RACK.reo_wnd_mult`.
    quarters: u64,
    /// `RACK.reo_wnd_persist`: recoveries without duplicate reports until it shrinks again.
    recoveries_left: u32,
    /// `RACK.dsack_round`: no report counts before this is acknowledged.
    round: Option<u64>,
}

/// RFC 8985 §6.2 step 4: recoveries that a larger reordering window lasts.
const PERSISTENCE: u32 = 16;

impl Rack {
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        let limited_transmit = config.has_limited_transmit();
        Box::new(Self { limited_transmit, ..Self::default() })
    }

    /// RFC 8985 §6.2 step 4: the peer reports something that arrived twice (RFC 2883).
    pub(crate) fn on_duplicate_report(&mut self, una: u64, nxt: u64) {
        let window = &mut self.window;
        window.round = window.round.filter(|&round| una < round);
        if window.round.is_none() {
            window.round = Some(nxt);
            window.quarters += 1;
            window.recoveries_left = PERSISTENCE;
        }
    }

    /// The smoothed round-trip time is this.
    pub(crate) const fn set_smoothed(&mut self, smoothed: Option<Duration>) {
        self.smoothed = smoothed;
    }

    /// An acknowledgement brought something new.
    fn on_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.order.highest = self.order.highest_now;
        let over = self.phase.is_some_and(|phase| ack.una >= phase.point());
        if over {
            self.phase = None;
            self.window.end_recovery();
        }
        self.detect(ack.now, ack.max, ack.mss, board)
    }

    /// RFC 8985 §6.2 step 5.
    pub(crate) fn detect(
        &mut self,
        now: Time,
        max: u64,
        mss: u64,
        board: &mut Scoreboard,
    ) -> RecoveryAction {
        let mut patience = None;
        let mut found = false;
        self.deadline = None;
        while let Some(&sent) = self.queue.front() {
            if sent.flies(board) {
                // The usual case: nothing in flight is older than what arrived.
                if !self.is_overtaken(sent) {
                    break;
                }
                let wait =
                    *patience.get_or_insert_with(|| self.rtt + self.reordering_window(mss, board));
                if sent.at + wait > now {
                    self.deadline = Some(sent.at + wait);
                    break;
                }
                board.lose_ending_at(sent.end);
                found = true;
            }
            self.queue.pop_front();
        }
        if !found || self.phase.is_some() {
            return RecoveryAction::Wait;
        }
        self.phase = Some(Phase::Fast { point: max });
        RecoveryAction::Retransmit(LossKind::DuplicateAcks)
    }

    /// True if `sent`, the oldest transmission in the queue, left before the newest that arrived
    /// (RFC 8985 §6.2, `RACK_sent_after`). Of two in one instant the order of their numbers tells
    /// where both are new; a repeat may have left behind larger ones, which are not in the queue
    /// then.
    fn is_overtaken(&self, sent: Transmission) -> bool {
        let now = self.queue.iter().take_while(|other| other.at == sent.at);
        match sent.at.cmp(&self.newest.at) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                sent.end < self.newest.end && now.skip(1).any(|it| *it == self.newest)
            }
        }
    }

    /// Every segment in the network is judged anew.
    fn look_at_all(&mut self, board: &Scoreboard) {
        self.queue.clear();
        self.queue.extend(board.flying().map(Transmission::of));
        self.queue.make_contiguous().sort_unstable();
    }

    /// True if the reordering timer has run out.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// True while losses are repaired, however they were found.
    pub(crate) const fn is_repairing(&self) -> bool {
        self.phase.is_some()
    }

    /// RFC 8985 §6.2 step 4: `RACK_update_reo_wnd`. While no reordering was ever seen, three
    /// segments above it count as a loss at once, as they do by RFC 6675 §4.
    fn reordering_window(&self, mss: u64, board: &Scoreboard) -> Duration {
        if !self.order.reordered {
            let most = u64::from(DUPLICATE_THRESHOLD - 1) * mss;
            if self.phase.is_some() || board.selected_bytes() > most {
                return Duration::ZERO;
            }
        }
        // Over a path of days, thousands of reports would be more than the clock holds.
        let quarters = self.minimum.get().as_nanos().saturating_mul(self.window.quarters);
        let window = Duration::from_nanos(quarters / 4);
        self.smoothed.map_or(window, |smoothed| window.min(smoothed))
    }
}

impl Recovery for Rack {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.on_ack(ack, board)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.on_ack(ack, board)
    }

    /// RFC 8985 §6.3: the oldest is lost, and what was sent more than a round trip ago.
    fn on_timeout(&mut self, now: Time, max: u64, mss: u64, board: &mut Scoreboard) {
        let wait = self.rtt + self.reordering_window(mss, board);
        if let Some(end) = board.oldest().map(Sent::end) {
            board.lose_ending_at(end);
        }
        while let Some(&sent) = self.queue.front() {
            if sent.flies(board) {
                if sent.at + wait > now {
                    break;
                }
                board.lose_ending_at(sent.end);
            }
            self.queue.pop_front();
        }
        self.phase = Some(Phase::Timeout { point: max });
        self.rest();
    }

    /// Congestion control knows of losses up to `max` already.
    fn on_cut(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.phase = Some(Phase::Timeout { point: max });
        self.rest();
    }

    /// What was considered lost is in the network after all.
    fn on_undo(&mut self, board: &Scoreboard) {
        self.phase = None;
        self.look_at_all(board);
    }

    /// RFC 8985 §6.2 steps 1 to 3: a segment arrived. If it was sent more than once, `echo` may
    /// show that an earlier transmission arrived (RFC 3522), and so may too short a time.
    fn on_arrival(&mut self, now: Time, segment: &Sent, echo: Option<u32>) {
        let once = segment.transmissions == 1;
        let rtt = now.saturating_since(segment.last_at);
        if once {
            self.minimum.sample(now, rtt);
            self.order.reordered |= segment.end() < self.order.highest;
        }
        self.order.highest_now = self.order.highest_now.max(segment.end());
        let older = |echo| Seq::new(echo).before(Seq::new(clock(segment.last_at)));
        if !once && (echo.is_some_and(older) || rtt < self.minimum.get()) {
            return;
        }
        self.tail.on_round_trip();
        self.rtt = rtt;
        self.newest = self.newest.max(Transmission::of(segment));
    }

    fn on_departure(&mut self, segment: &Sent, _: u64) {
        self.queue.push_back(Transmission::of(segment));
    }

    fn on_reneging(&mut self, board: &Scoreboard) {
        self.look_at_all(board);
    }

    /// Both timers stop.
    fn rest(&mut self) {
        self.deadline = None;
        self.tail.cancel();
    }

    /// When a timer is due: the reordering timer or the probe's.
    fn deadline(&self) -> Option<Time> {
        Time::earlier(self.deadline, self.tail.deadline())
    }

    fn order(&self, board: &Scoreboard) -> RepairOrder {
        // Before a loss is established, only Limited Transmit lets selections release new data.
        let held = !self.limited_transmit && self.phase.is_none();
        let arrived = if held { board.selected_bytes() } else { 0 };
        RepairOrder::Lost { pipe: board.pipe() + arrived }
    }

    /// True in fast recovery.
    fn is_recovering(&self) -> bool {
        matches!(self.phase, Some(Phase::Fast { .. }))
    }

    fn counts_selections(&self) -> bool {
        true
    }

    fn rack(&mut self) -> Option<&mut Rack> {
        Some(self)
    }
}

impl Transmission {
    const fn of(segment: &Sent) -> Self {
        Self { at: segment.last_at, end: segment.end() }
    }

    /// True if it is the last one of its segment, and that is in the network.
    fn flies(self, board: &Scoreboard) -> bool {
        board.ending_at(self.end).is_some_and(|segment| {
            segment.status == SegmentStatus::InFlight && segment.last_at == self.at
        })
    }
}

impl Phase {
    const fn point(self) -> u64 {
        match self {
            Self::Fast { point } | Self::Timeout { point } => point,
        }
    }
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { quarters: 1, recoveries_left: 0, round: None }
    }
}

impl ReorderingWindow {
    const fn end_recovery(&mut self) {
        self.recoveries_left = self.recoveries_left.saturating_sub(1);
        if self.recoveries_left == 0 {
            self.quarters = 1;
        }
    }
}

/// The minimum round-trip time of the last five to ten minutes (RFC 8985 §6.2 step 1 asks for a
/// minimum over a window, so that a longer path is noticed).
#[derive(Debug, Default)]
struct MinimumRtt {
    /// The minimum of this window of time, and of the last.
    least: [Option<Duration>; 2],
    since: Time,
}

impl MinimumRtt {
    const WINDOW: Duration = Duration::from_secs(300);

    fn sample(&mut self, now: Time, rtt: Duration) {
        if now.saturating_since(self.since) >= Self::WINDOW {
            self.least = [None, self.least[0]];
            self.since = now;
        }
        let least = &mut self.least[0];
        *least = Some(least.map_or(rtt, |least| least.min(rtt)));
    }

    /// Zero before the first sample.
    fn get(&self) -> Duration {
        self.least.into_iter().flatten().min().unwrap_or(Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_longer_path_is_noticed_after_five_to_ten_minutes() {
        let mut minimum = MinimumRtt::default();
        let mut check = |seconds: u64, rtt: u64, expect: u64| {
            minimum.sample(at(seconds * 1_000), Duration::from_millis(rtt));
            assert_eq!(minimum.get(), Duration::from_millis(expect), "{seconds} s");
        };
        check(0, 30, 30);
        check(10, 20, 20);
        check(299, 90, 20);
        check(300, 80, 20);
        check(599, 70, 20);
        check(600, 90, 70);
        check(900, 95, 90);
    }

    /// RFC 8985 §6.2 step 4: one more for each round that sees a report, until 16 recoveries
    /// without have passed.
    #[test]
    fn reports_of_duplicates_widen_the_window_for_sixteen_recoveries() {
        let mut rack = Rack { limited_transmit: true, ..Rack::default() };
        let mut check = |una, nxt, expect| {
            rack.on_duplicate_report(una, nxt);
            assert_eq!(rack.window.quarters, expect, "{una}");
        };
        check(0, 5, 2);
        check(4, 9, 2);
        check(5, 9, 3);
        for _ in 0..15 {
            rack.window.end_recovery();
            assert_eq!(rack.window.quarters, 3);
        }
        rack.window.end_recovery();
        assert_eq!(rack.window.quarters, 1);
    }

    /// However many reports have come, and however long the path is.
    #[test]
    fn a_segment_may_be_a_smoothed_round_trip_late_at_most() {
        let month = Duration::from_secs(30 * 86_400);
        let mut rack = Rack { smoothed: Some(month * 3), ..Rack::default() };
        rack.minimum.sample(Time::ZERO, month * 2);
        rack.order.reordered = true;
        let board = Scoreboard::default();
        assert_eq!(rack.reordering_window(1_000, &board), month / 2);
        for round in 0..10_000 {
            rack.on_duplicate_report(round, round + 1);
        }
        assert_eq!(rack.reordering_window(1_000, &board), month * 3);
    }

    /// Of two transmissions of a segment the queue keeps the last; the other is dropped.
    #[test]
    fn a_segment_sent_again_is_judged_by_its_last_transmission() {
        let mut rack = Rack { limited_transmit: true, ..Rack::default() };
        let mut board = Scoreboard::of_lengths(&[10; 3]);
        board.iter().for_each(|segment| rack.on_departure(segment, 10));
        let again = board.sent_again(at(50), 0, 10);
        rack.on_departure(&again, 10);
        board.select(20, 30, |segment| rack.on_arrival(at(100), segment, None));
        rack.detect(at(125), 30, 10, &mut board);
        let fates: Vec<_> = [0, 10, 20].iter().map(|&offset| board.at(offset).status).collect();
        assert_eq!(fates, [SegmentStatus::InFlight, SegmentStatus::Lost, SegmentStatus::Selected]);
        assert_eq!(rack.queue, [Transmission { at: at(50), end: 10 }]);
    }
}
