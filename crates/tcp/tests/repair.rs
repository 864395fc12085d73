//! Laws of loss recovery, for every recovery with every congestion control, whatever is lost, and
//! lost again when it is sent again.

use base::{Duration, Time};
use cc::{Algorithm, CongestionControl};
use proptest::prelude::*;
use proptest::sample::select;
use tcp::{
    Config, Nagle, Pacing, RecoveryKind, RecoveryRules, Reports, SackRule, SpuriousTimeouts,
};

use crate::draw::config;
use crate::flight::{Book, Cause, LONGEST, Law, Outstanding, Plan, SHORTEST, plan, run};

const RENO: Option<CongestionControl> = Some(CongestionControl::Shipped(Algorithm::Reno));

const DUPLICATE_THRESHOLD: u32 = 3;

/// A sender that paces itself holds a segment back for a round trip, and this long beyond at most.
const PATIENCE: Duration = Duration::from_secs(1);

/// Nothing else than losses and the window decides what leaves.
fn plain() -> impl Strategy<Value = Config> {
    config().prop_map(|config| Config {
        mss: config.mss.max(100),
        window: config.window.max(4),
        spurious_timeouts: SpuriousTimeouts::Unseen,
        slow_start_restart: false,
        nagle: Nagle::Off,
        recover_guard: config.recover_guard || config.recovery_kind().needs_sack(),
        // ns-2's own two wait for the timer where their texts repair: they are held against ns-2.
        sack_rule: SackRule::Rfc6675,
        repair: RecoveryRules::default(),
        ..config
    })
}

/// True if what the window allows leaves at once.
fn is_unpaced(config: &Config) -> bool {
    config.pace().0 == Pacing::Off && !is_rated(config)
}

/// True if its congestion control names a rate.
fn is_rated(config: &Config) -> bool {
    [Algorithm::Bbr, Algorithm::Wtcp, Algorithm::Prague]
        .into_iter()
        .any(|rated| config.algorithm() == rated.into())
}

/// The same, with Reno in the place of what names a rate, which may be below a segment a timeout;
/// and paced by the smoothed round trip, if at all: the smallest may be the one sample that a lost
/// acknowledgement has made longer than any timeout.
fn quick(config: Config) -> Config {
    let config = Config { pacing: config.pace().0, spacing: Pacing::Off, ..config };
    if is_rated(&config) { Config { congestion_control: RENO, ..config } } else { config }
}

/// The same, with Reno in the place of what names a rate.
fn unpaced(config: Config) -> Config {
    let config = Config { pacing: Pacing::Off, spacing: Pacing::Off, ..config };
    if is_unpaced(&config) { config } else { Config { congestion_control: RENO, ..config } }
}

/// The recovery where the peer may not select.
fn recovery(plan: &Plan) -> RecoveryKind {
    let kind = plan.config.recovery_kind();
    if kind.needs_sack() && !plan.sack { RecoveryKind::NewReno } else { kind }
}

/// What the text of a recovery says of the segments in a [`Book`], and nothing of how it is done.
struct Text {
    kind: RecoveryKind,
    guard: bool,
    mss: u64,
    duplicates: u32,
    /// What had been sent when the recovery began that is under way.
    recovering: Option<u64>,
    /// What had been sent at the last loss: no other is found before it is acknowledged.
    point: Option<u64>,
    /// The turn of the last loss, and whether it was a timeout.
    since: u32,
    timed_out: bool,
    /// The segment that is to be sent again now.
    owed: Option<u64>,
}

impl Text {
    fn new(plan: &Plan) -> Self {
        Self {
            kind: recovery(plan),
            guard: plan.config.recover_guard,
            mss: u64::from(plan.config.mss),
            duplicates: 0,
            recovering: None,
            point: None,
            since: 0,
            timed_out: false,
            owed: None,
        }
    }

    /// True if duplicates are counted, and not selections.
    fn counts(&self) -> bool {
        match self.kind {
            RecoveryKind::Sack | RecoveryKind::Fack | RecoveryKind::Rack => false,
            RecoveryKind::Tahoe
            | RecoveryKind::Reno
            | RecoveryKind::NewReno
            | RecoveryKind::Vegas => true,
        }
    }

    fn read(&mut self, cause: Cause, max: u64, book: &Book) {
        match cause {
            Cause::Write | Cause::Timer => {}
            Cause::Timeout => {
                // ns-2's Tahoe goes on counting.
                if self.kind != RecoveryKind::Tahoe {
                    self.duplicates = 0;
                }
                (self.recovering, self.owed) = (None, None);
                self.point = Some(max);
                (self.since, self.timed_out) = (book.turn, true);
            }
            Cause::Ack { advances, selects } => self.acknowledged(advances, selects, max, book),
        }
    }

    fn acknowledged(&mut self, advances: bool, selects: bool, max: u64, book: &Book) {
        let una = book.una;
        if advances {
            (self.duplicates, self.owed) = (0, None);
            if self.recovering.is_some_and(|point| una >= point) {
                self.recovering = None;
            } else if self.recovering.is_some() && self.kind == RecoveryKind::NewReno {
                // RFC 6582 §3.2 step 3, the partial acknowledgement.
                self.owed = Some(una);
            }
        }
        let duplicate = match self.kind {
            // RFC 6675 §5: "regardless of its status as a cumulative acknowledgment".
            RecoveryKind::Sack | RecoveryKind::Fack => selects,
            _ => !advances && una < max,
        };
        self.duplicates += u32::from(duplicate);
        let enough = match self.kind {
            RecoveryKind::Rack => false,
            RecoveryKind::Sack | RecoveryKind::Fack => {
                let oldest = book.segments.front().filter(|oldest| !oldest.selected);
                self.duplicates >= DUPLICATE_THRESHOLD
                    || oldest.is_some_and(|oldest| self.is_lost(oldest, book))
            }
            _ => duplicate && self.duplicates == DUPLICATE_THRESHOLD,
        };
        let allowed = una < max && self.recovering.is_none() && self.allows(una);
        let first = if self.is_repeated(book) { self.another(book) } else { Some(una) };
        if let Some(first) = first.filter(|_| enough && allowed) {
            self.enter(first, max, book);
        }
    }

    /// True if the oldest had been sent again, and may still arrive, where a scoreboard says so:
    /// fewer than three segments that were sent later have. What left just now had not.
    fn is_repeated(&self, book: &Book) -> bool {
        let selective = matches!(self.kind, RecoveryKind::Sack | RecoveryKind::Fack);
        book.segments.front().filter(|_| selective).is_some_and(|oldest| {
            let later = |it: &&Outstanding| it.selected && it.at > oldest.at;
            let arrived = book.segments.iter().filter(later).count();
            let repeated = oldest.transmissions > 1 && oldest.turn < book.turn;
            repeated && arrived < DUPLICATE_THRESHOLD as usize
        })
    }

    /// The first segment beside the oldest that is lost, and had been sent once; with fack all that
    /// is missing below snd.fack.
    fn another(&self, book: &Book) -> Option<u64> {
        let recovering = Some(book.max);
        let text = Self { recovering, ..*self };
        let once = |it: &&Outstanding| it.transmissions - u32::from(it.turn == book.turn) <= 1;
        let mut rest = book.missing().filter(|it| it.offset > book.una).filter(once);
        rest.find(|segment| text.is_lost(segment, book)).map(|lost| lost.offset)
    }

    /// A loss is found: its `first` segment goes again at once, be it the oldest or, where that
    /// has, another.
    fn enter(&mut self, first: u64, max: u64, book: &Book) {
        self.owed = Some(first);
        (self.since, self.timed_out) = (book.turn, false);
        self.point = (self.kind != RecoveryKind::Vegas).then_some(max);
        self.recovering = match self.kind {
            RecoveryKind::Tahoe | RecoveryKind::Reno | RecoveryKind::Vegas => None,
            RecoveryKind::NewReno
            | RecoveryKind::Sack
            | RecoveryKind::Fack
            | RecoveryKind::Rack => Some(max),
        };
    }

    /// RFC 6675 §5.1: `HighACK` has reached `RecoveryPoint`. Without selections RFC 6582 §3.2 step
    /// 2 asks for more.
    fn allows(&self, una: u64) -> bool {
        let Some(point) = self.point.filter(|_| self.guard) else { return true };
        match self.kind {
            RecoveryKind::Sack | RecoveryKind::Fack => una >= point,
            _ => una > point,
        }
    }

    /// RFC 6675 §4, `IsLost`; Mathis and Mahdavi 1996 §2.2, and below snd.fack once recovery is on.
    fn is_lost(&self, segment: &Outstanding, book: &Book) -> bool {
        let above = || book.segments.iter().filter(|above| above.offset >= segment.end);
        let selected = || above().filter(|above| above.selected);
        match self.kind {
            RecoveryKind::Sack => {
                let bytes: u64 = selected().map(|above| above.end - above.offset).sum();
                let mut ends = 0;
                let runs = selected()
                    .filter(|above| std::mem::replace(&mut ends, above.end) != above.offset);
                bytes > u64::from(DUPLICATE_THRESHOLD - 1) * self.mss
                    || runs.count() >= DUPLICATE_THRESHOLD as usize
            }
            RecoveryKind::Fack => {
                let missing = u64::from(DUPLICATE_THRESHOLD) * self.mss;
                let patience = if self.recovering.is_some() { 0 } else { missing };
                selected().any(|above| above.end > segment.offset + patience)
            }
            _ => false,
        }
    }

    /// What is lost and was not sent again since.
    fn waiting(&self, book: &Book, now: Time) -> Vec<Outstanding> {
        let stale = |segment: &&Outstanding| segment.turn < self.since;
        let of_timeout = self.timed_out && self.point.is_some_and(|point| book.una < point);
        let below = |segment: &&Outstanding| Some(segment.offset) < self.point;
        match self.kind {
            // RFC 8985 §6.2 step 5, with the largest reordering window that step 4 allows.
            RecoveryKind::Rack => book
                .missing()
                .filter(|segment| segment.at < book.newest && segment.at + LONGEST * 2 <= now)
                .copied()
                .collect(),
            _ if of_timeout => book.missing().filter(stale).filter(below).copied().collect(),
            RecoveryKind::Sack | RecoveryKind::Fack if self.recovering.is_some() && self.guard => {
                // What was sent again is in the network, though RFC 6675's HighRxt would let the
                // next recovery send it once more.
                let lost = |segment: &&Outstanding| self.is_lost(segment, book);
                let once = |segment: &&Outstanding| segment.transmissions == 1;
                book.missing().filter(lost).filter(once).copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// RFC 6675 §4, `SetPipe`: what is in the network.
    fn pipe(&self, book: &Book, now: Time) -> u64 {
        let waiting = self.waiting(book, now);
        let flies =
            |segment: &&Outstanding| waiting.iter().all(|lost| lost.offset != segment.offset);
        let all = book.segments.iter();
        all.filter(|segment| !segment.selected)
            .filter(flies)
            .map(|segment| segment.end - segment.offset)
            .sum()
    }

    /// What may be sent again, and the window has room for it.
    fn may_go(&self, book: &Book, now: Time) -> Option<u64> {
        if let Some(owed) = self.owed {
            return Some(owed);
        }
        let next = self.waiting(book, now).first()?.offset;
        let pipe = self.pipe(book, now);
        (pipe == 0 || pipe + self.mss <= book.cwnd).then_some(next)
    }
}

/// What may be sent again leaves at once, or, where the sender paces itself, before the timer runs
/// out.
struct NothingWaits {
    text: Text,
    at_once: bool,
    /// Since when something may go.
    since: Option<Time>,
    late: bool,
}

impl Law for NothingWaits {
    fn before_timer(&mut self, now: Time, book: &Book) {
        let long = self.since.is_some_and(|since| since + PATIENCE + book.longest <= now);
        self.late = (self.at_once || long) && self.text.may_go(book, now).is_some();
    }

    fn after(&mut self, now: Time, cause: Cause, max: u64, book: &Book) {
        assert!(
            cause != Cause::Timeout || !self.late,
            "it waited for the timer at {now:?}: {book:?}"
        );
        self.text.read(cause, max, book);
        let sent = |owed: &mut u64| {
            let again = |segment: &Outstanding| segment.transmissions > 1;
            book.has_left(*owed)
                || matches!(self.text.kind, RecoveryKind::Vegas)
                    && book.segments.front().is_some_and(again)
        };
        self.text.owed.take_if(sent);
        let waits = self.text.may_go(book, now);
        self.since = waits.and(self.since.or(Some(now)));
        assert!(
            !self.at_once || waits.is_none(),
            "{waits:?} waits at {now:?}, {cause:?}: {book:?}"
        );
    }
}

/// An acknowledgement that comes again, or selects more, releases no more than it tells to have
/// left the network.
struct OneForOne {
    text: Text,
    /// Duplicates since something new was acknowledged, and what left since.
    duplicates: usize,
    left: usize,
}

impl Law for OneForOne {
    fn before_timer(&mut self, _now: Time, _book: &Book) {}

    fn after(&mut self, now: Time, cause: Cause, max: u64, book: &Book) {
        self.text.read(cause, max, book);
        let owed = self.text.owed.take();
        let Cause::Ack { advances: false, .. } = cause else {
            (self.duplicates, self.left) = (0, 0);
            return;
        };
        // Vegas looks at its fine timer on each of them, and ns-2's counts three at once then.
        let vegas = matches!(self.text.kind, RecoveryKind::Vegas);
        let owed = owed.or(vegas.then_some(book.una));
        let again = owed.is_some_and(|owed| book.has_left(owed));
        let left = book.left.len() - usize::from(again);
        self.duplicates += 1;
        self.left += left;
        match self.text.kind {
            // It starts over with what congestion control leaves of the window.
            RecoveryKind::Tahoe if owed.is_some() => self.left = 0,
            // Where the fast retransmit halves less than what duplicates tell of (RFC 5681 §3.2
            // step 3), the window has room for more at once, but for no more than they told of, and
            // the second segment of the least ssthresh (equation 4).
            _ if self.text.counts() => {
                let told = self.duplicates + if vegas { DUPLICATE_THRESHOLD as usize } else { 1 };
                let most = if again { told } else { 1 };
                let fits = left <= most && self.left <= told;
                assert!(fits, "{left} left at {now:?}: {book:?}");
            }
            // RFC 6675 §5, C: one that selects several segments, or finds one lost, makes room for
            // as many. Of RACK it is known that what left after the newest arrival is not lost.
            kind => {
                let after_newest = |segment: &&Outstanding| {
                    segment.at > book.newest_perhaps && segment.turn >= self.text.since
                };
                let pipe = if kind == RecoveryKind::Rack {
                    let flying = book.missing().filter(after_newest);
                    flying.map(|segment| segment.end - segment.offset).sum()
                } else {
                    self.text.pipe(book, now)
                };
                let least = usize::from(kind == RecoveryKind::Rack);
                let fits = left <= least || pipe <= book.cwnd;
                assert!(fits, "{left} left, {pipe} in flight at {now:?}: {book:?}");
            }
        }
    }
}

/// The windows that a sender had, and when, up to its first timeout, which may be spurious: what is
/// sent again is lost again and again.
#[derive(Default)]
struct Windows {
    seen: Vec<(Time, u64)>,
    timed_out: bool,
}

impl Law for Windows {
    fn before_timer(&mut self, _now: Time, _book: &Book) {}

    fn after(&mut self, now: Time, cause: Cause, _max: u64, book: &Book) {
        let before = self.seen.last().map_or(0, |&(_, window)| window);
        self.timed_out |= cause == Cause::Timeout;
        if self.timed_out || before == book.cwnd {
            return;
        }
        let idle = Cause::Ack { advances: false, selects: false };
        assert!(cause != idle || book.cwnd < before, "{before} restored at {now:?}: {book:?}");
        self.seen.push((now, book.cwnd));
    }
}

/// baseRTT is a round trip of the path.
struct BaseOfThePath;

impl Law for BaseOfThePath {
    fn before_timer(&mut self, _now: Time, _book: &Book) {}

    fn after(&mut self, now: Time, _cause: Cause, _max: u64, book: &Book) {
        let is_none_shorter = book.least_base.is_none_or(|base| base >= SHORTEST);
        assert!(is_none_shorter, "{:?} at {now:?}", book.least_base);
    }
}

/// Recoveries with a scoreboard that look for spurious losses, over a path that loses segments and
/// does nothing else.
fn doubtful() -> impl Strategy<Value = Plan> {
    let kinds = select(&[RecoveryKind::Sack, RecoveryKind::Fack, RecoveryKind::Rack][..]);
    let detection = select(&[SpuriousTimeouts::FRto, SpuriousTimeouts::Eifel][..]);
    let config = (plain().prop_map(unpaced), kinds, detection).prop_map(
        |(config, kind, spurious_timeouts)| Config {
            recovery: Some(kind),
            spurious_timeouts,
            sack: Some(true),
            ..config
        },
    );
    plan(config).prop_map(Plan::in_order)
}

proptest! {
    #![proptest_config(ProptestConfig {
        // `PROPTEST_CASES` may ask for more.
        cases: ProptestConfig::default().cases.max(5_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_timer_runs_out_for_what_may_be_sent_again(
        plan in plan(plain().prop_map(quick)),
    ) {
        let at_once = is_unpaced(&plan.config) && recovery(&plan) != RecoveryKind::Rack;
        run(&plan, &mut NothingWaits { text: Text::new(&plan), at_once, since: None, late: false });
    }

    #[test]
    fn a_duplicate_releases_one_segment(
        plan in plan(plain().prop_map(unpaced)).prop_map(Plan::evenly),
    ) {
        run(&plan, &mut OneForOne { text: Text::new(&plan), duplicates: 0, left: 0 });
    }

    /// Whatever is lost or late, Vegas's baseRTT is no shorter than the path, unless ns-2's habit
    /// is asked for.
    #[test]
    fn the_base_is_no_shorter_than_the_path(plan in plan(plain())) {
        let congestion_control = Some(Algorithm::Vegas.into());
        let plan = plan.with(|config| config.congestion_control = congestion_control);
        run(&plan, &mut BaseOfThePath);
    }

    /// What is lost is no spurious loss: reports of what arrives twice (RFC 2883) take no reduction
    /// back, and change no window but by RACK's patience (RFC 8985 §6.2 step 4).
    #[test]
    fn reports_of_duplicates_undo_no_genuine_loss(plan in doubtful()) {
        let windows = |reports| {
            let mut windows = Windows::default();
            run(&plan.reporting(reports), &mut windows);
            windows.seen
        };
        let [without, with] = [Reports::Blocks, Reports::BlocksAndDuplicates].map(windows);
        if recovery(&plan) != RecoveryKind::Rack {
            prop_assert_eq!(without, with);
        }
    }
}
