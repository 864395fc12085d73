//! Quality at the receiver of a call: the frames that its de-jitter buffer plays, and their rating
//! by the E-model.

use base::{Duration, Time};
use scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;
use world::{Application, Rating, Voip, mos};

/// A call in one direction, as its receiver hears it (ITU-T G.107). What the de-jitter buffer was
/// to play by the end of the run counts.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Call")]
pub struct CallSummary {
    /// Transmission rating factor R, from 0 to 100; 0 also where it would be below, or nothing was
    /// heard. `null` if nothing was to be played yet.
    pub r_factor: Option<f64>,
    /// Mean opinion score of a conversation, from 1 to 4.5, by R.
    pub mos: Option<f64>,
    /// One way from mouth to ear: voice of a packet, look-ahead, network and de-jitter buffer.
    pub mouth_to_ear_s: Option<f64>,
    /// From the departure of a frame until it is played: network and de-jitter buffer.
    pub playout_delay_s: Option<f64>,
    /// Frames played.
    pub played: u64,
    /// Frames that came after they were to be played.
    pub late: u64,
    /// Frames that the network dropped.
    pub lost: u64,
    /// Frames sent that were not to be played by the end of the run.
    pub pending: u64,
    /// Late frames over those that were to be played.
    pub late_share: Option<f64>,
    /// Lost frames over those that were to be played.
    pub lost_share: Option<f64>,
    /// Mean length of runs of late and lost frames over what it is where each is missing by itself
    /// (`BurstR`); `null` if none is missing.
    pub burst_ratio: Option<f64>,
}

/// Calls together. `null` stands where none was rated.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Calls")]
pub struct CallsSummary {
    /// Directions of calls that were rated.
    pub count: u32,
    /// The mean of their opinion scores.
    pub mos_mean: Option<f64>,
    /// The lowest of their opinion scores.
    pub mos_min: Option<f64>,
    /// The mean of their R.
    pub r_factor_mean: Option<f64>,
    /// The lowest of their R.
    pub r_factor_min: Option<f64>,
    /// Frames missing, late or lost, over those that were to be played, of all of them.
    pub missing_share: Option<f64>,
}

/// Fate of a frame of a call in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// Still on its way.
    UnderWay,
    /// Arrived, with the time.
    Arrived(Time),
    /// Dropped.
    Lost,
}

/// Frames that were to be played with one playout delay, in order.
#[derive(Clone, Default, Debug)]
struct Heard {
    is_missing: Vec<bool>,
    missing: usize,
    /// Runs of missing ones.
    runs: usize,
}

/// Rating of one playout delay, as the E-model gives it: R may be below zero.
#[derive(Clone, Copy, Debug)]
struct Rated {
    r: f64,
    delay: Duration,
    due: usize,
    burst_ratio: Option<f64>,
}

impl CallSummary {
    /// Of a call that was carried elsewhere, by the keys of `group` in `scenario`: frames took
    /// these times from sender to receiver; `None` were lost. `None` without a call in that group.
    pub fn of_delays(
        scenario: &Scenario,
        group: &str,
        delays: &[Option<Duration>],
    ) -> Option<Self> {
        let has_calls = |each: &&scenario::Flow| each.application == Application::Voip;
        let found = scenario.groups().filter(has_calls).find(|each| each.name == group)?;
        let voip = found.applications.voip;
        let sent = |frame| Time::ZERO + voip.interval * frame as u64;
        let fate = |(frame, delay): (usize, &Option<Duration>)| {
            delay.map_or(Fate::Lost, |delay| Fate::Arrived(sent(frame) + delay))
        };
        let fates: Vec<_> = delays.iter().enumerate().map(fate).collect();
        // After the last arrival nothing is under way.
        let slowest = delays.iter().flatten().max().copied().unwrap_or(Duration::ZERO);
        Some(Self::of(&voip, Time::ZERO, &fates, sent(delays.len()) + slowest))
    }

    /// Of a call whose first frame was sent at `started`, and whose frames had these `fates` when
    /// the run came to its `end`.
    pub(crate) fn of(voip: &Voip, started: Time, fates: &[Fate], end: Time) -> Self {
        let call = Call { voip, started, fates, end, rating: voip.rating() };
        let delays = call.delays();
        let Some(&(fastest, _)) = delays.last() else { return call.unheard() };
        let rated = match voip.buffer {
            Some(depth) => call.fixed(fastest + depth),
            None => call.best(&delays),
        };
        call.summary(rated)
    }
}

/// A call that is rated.
struct Call<'a> {
    voip: &'a Voip,
    started: Time,
    fates: &'a [Fate],
    end: Time,
    rating: Rating,
}

impl Call<'_> {
    /// Delay of a frame, if it arrived.
    fn delay(&self, frame: usize) -> Option<Duration> {
        let sent = self.started + self.voip.interval * frame as u64;
        match self.fates[frame] {
            Fate::Arrived(at) => Some(at.saturating_since(sent)),
            Fate::UnderWay | Fate::Lost => None,
        }
    }

    /// Delays of the frames that arrived, with their numbers, the slowest first.
    fn delays(&self) -> Vec<(Duration, usize)> {
        let frames = 0..self.fates.len();
        let mut delays: Vec<_> =
            frames.filter_map(|frame| self.delay(frame).map(|delay| (delay, frame))).collect();
        delays.sort_unstable_by(|one, other| other.cmp(one));
        delays
    }

    /// Number of frames that were to be played by the end, each `delay` after it was sent.
    fn due(&self, delay: Duration) -> usize {
        if self.started + delay > self.end {
            return 0;
        }
        let span = self.end.saturating_since(self.started + delay);
        self.fates.len().min(span.whole(self.voip.interval) as usize + 1)
    }

    /// Rating at a playout delay.
    fn fixed(&self, delay: Duration) -> Option<Rated> {
        let mut heard = Heard::default();
        self.extend(&mut heard, delay);
        self.rate(&heard, delay)
    }

    /// Rating at the best playout delay, of those at which one frame more is in time. From the
    /// longest on, each step loses frames; a rating that none of the rest can reach any more ends
    /// the search.
    fn best(&self, slowest_first: &[(Duration, usize)]) -> Option<Rated> {
        let (fastest, _) = *slowest_first.last()?;
        let most = self.rating.unimpaired(self.voip.delay_at_ends() + fastest);
        let (mut heard, mut best) = (Heard::default(), None::<Rated>);
        let mut rest = slowest_first;
        while let Some(&(delay, _)) = rest.first() {
            self.extend(&mut heard, delay);
            best = self
                .rate(&heard, delay)
                .into_iter()
                .chain(best)
                .reduce(|new, old| if new.r > old.r { new } else { old });
            let same = rest.iter().take_while(|(other, _)| *other == delay).count();
            for &(_, frame) in &rest[..same] {
                heard.lose(frame);
            }
            rest = &rest[same..];
            // Those that were missing still are, whatever else becomes due.
            let least = heard.missing as f64 / self.fates.len() as f64;
            if best.is_some_and(|best| most - self.rating.equipment(least, 1.0) < best.r) {
                break;
            }
        }
        best
    }

    /// Adds the frames that are due as well at a playout delay that is not longer than the last.
    fn extend(&self, heard: &mut Heard, delay: Duration) {
        for frame in heard.is_missing.len()..self.due(delay) {
            heard.push(self.delay(frame).is_none_or(|took| took > delay));
        }
    }

    fn rate(&self, heard: &Heard, delay: Duration) -> Option<Rated> {
        let due = heard.is_missing.len();
        if due == 0 {
            return None;
        }
        let loss = heard.missing as f64 / due as f64;
        // Of random losses a run has 1 / (1 - loss) on average (G.107 §7.5).
        let run = (heard.runs > 0).then(|| heard.missing as f64 / heard.runs as f64);
        let burst_ratio = run.map(|run| run * (1.0 - loss));
        let mouth_to_ear = self.voip.delay_at_ends() + delay;
        let r = if heard.missing == due {
            f64::NEG_INFINITY
        } else {
            self.rating.r_factor(mouth_to_ear, loss, burst_ratio.unwrap_or(1.0))
        };
        Some(Rated { r, delay, due, burst_ratio })
    }

    /// The numbers of a call of which no frame arrived: those that were dropped would not have been
    /// heard at any time.
    fn unheard(&self) -> CallSummary {
        let lost = self.fates.iter().filter(|fate| **fate == Fate::Lost).count();
        let r_factor = (lost > 0).then_some(0.0);
        CallSummary {
            r_factor,
            mos: r_factor.map(mos),
            lost: lost as u64,
            lost_share: r_factor.map(|_| 1.0),
            late_share: r_factor,
            pending: (self.fates.len() - lost) as u64,
            ..self.summary(None)
        }
    }

    /// The numbers of what was heard as `rated`.
    fn summary(&self, rated: Option<Rated>) -> CallSummary {
        let sent = self.fates.len();
        let due = rated.map_or(0, |rated| rated.due);
        let lost = self.fates[..due].iter().filter(|fate| **fate == Fate::Lost).count() as u64;
        let in_time = |frame: &usize| {
            let took = self.delay(*frame).zip(rated);
            took.is_some_and(|(took, rated)| took <= rated.delay)
        };
        let played = (0..due).filter(in_time).count() as u64;
        let late = due as u64 - lost - played;
        let share = |frames: u64| (due > 0).then(|| frames as f64 / due as f64);
        let r_factor = rated.map(|rated| rated.r.clamp(0.0, 100.0));
        let delay = rated.map(|rated| rated.delay);
        CallSummary {
            r_factor,
            mos: r_factor.map(mos),
            mouth_to_ear_s: delay.map(|delay| (self.voip.delay_at_ends() + delay).as_secs_f64()),
            playout_delay_s: delay.map(Duration::as_secs_f64),
            played,
            late,
            lost,
            pending: (sent - due) as u64,
            late_share: share(late),
            lost_share: share(lost),
            burst_ratio: rated.and_then(|rated| rated.burst_ratio),
        }
    }
}

impl Heard {
    fn push(&mut self, is_missing: bool) {
        let begins = is_missing && self.is_missing.last() != Some(&true);
        self.missing += usize::from(is_missing);
        self.runs += usize::from(begins);
        self.is_missing.push(is_missing);
    }

    /// A frame comes too late that did not, if it is due.
    fn lose(&mut self, frame: usize) {
        if frame >= self.is_missing.len() {
            return;
        }
        let beside = |at: usize| usize::from(self.is_missing.get(at) == Some(&true));
        let beside = frame.checked_sub(1).map_or(0, beside) + beside(frame + 1);
        self.is_missing[frame] = true;
        self.missing += 1;
        self.runs = self.runs + 1 - beside;
    }
}

impl CallsSummary {
    /// Of `calls`, if there are any.
    pub(crate) fn of<'a>(calls: impl Iterator<Item = &'a CallSummary>) -> Option<Self> {
        let calls: Vec<_> = calls.collect();
        if calls.is_empty() {
            return None;
        }
        let sum = |of: fn(&CallSummary) -> u64| calls.iter().map(|call| of(call)).sum::<u64>();
        let (missing, played) = (sum(|call| call.late + call.lost), sum(|call| call.played));
        let scores: Vec<_> = calls.iter().filter_map(|call| call.mos).collect();
        let factors: Vec<_> = calls.iter().filter_map(|call| call.r_factor).collect();
        Some(Self {
            count: scores.len() as u32,
            mos_mean: mean(&scores),
            mos_min: scores.iter().copied().reduce(f64::min),
            r_factor_mean: mean(&factors),
            r_factor_min: factors.iter().copied().reduce(f64::min),
            missing_share: (missing + played > 0)
                .then(|| missing as f64 / (missing + played) as f64),
        })
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STARTED: Time = Time::from_nanos(1_000_000_000);

    fn after(frame: usize, millis: u64) -> Fate {
        let sent = STARTED + Duration::from_millis(20 * frame as u64);
        Fate::Arrived(sent + Duration::from_millis(millis))
    }

    /// Frames that took so many ms; `None` were lost.
    fn fates(took: &[Option<u64>]) -> Vec<Fate> {
        let fate = |(frame, took): (usize, &Option<u64>)| {
            took.map_or(Fate::Lost, |took| after(frame, took))
        };
        took.iter().enumerate().map(fate).collect()
    }

    fn voip(buffer: Option<u64>) -> Voip {
        Voip { buffer: buffer.map(Duration::from_millis), ..Voip::default() }
    }

    fn long_after() -> Time {
        STARTED + Duration::from_secs(1_000_000)
    }

    fn rated(buffer: Option<u64>, fates: &[Fate], end: Time) -> CallSummary {
        CallSummary::of(&voip(buffer), STARTED, fates, end)
    }

    /// The best that any playout delay would give, one after the other, in full.
    fn by_trial(fates: &[Fate], end: Time) -> Option<f64> {
        let voip = voip(None);
        let call = Call { voip: &voip, started: STARTED, fates, end, rating: voip.rating() };
        let rated = call.delays().into_iter().filter_map(|(delay, _)| call.fixed(delay));
        rated.map(|rated| rated.r).reduce(f64::max)
    }

    #[test]
    fn a_fixed_buffer_plays_what_is_not_later_than_it_allows() {
        let fates =
            fates(&[Some(100), None, Some(131), Some(90), Some(130), None, None, Some(200)]);
        let of = rated(Some(40), &fates, long_after());
        assert_eq!((of.played, of.late, of.lost, of.pending), (3, 2, 3, 0));
        assert_eq!(of.playout_delay_s, Some(0.13));
        // 20 ms of voice in a packet, then what network and buffer take.
        assert_eq!(of.mouth_to_ear_s, Some(0.15));
        // Two runs of five in all, where random ones would have 1 / (3/8) each.
        assert_eq!(of.burst_ratio, Some(2.5 * 3.0 / 8.0));
        let expect =
            voip(None).rating().r_factor(Duration::from_millis(150), 5.0 / 8.0, 2.5 * 0.375);
        assert_eq!(of.r_factor, Some(expect));
        assert_eq!(of.mos, Some(mos(expect)));
    }

    #[test]
    fn the_best_buffer_gives_up_the_few_that_are_slow() {
        let mut took = vec![Some(50); 1000];
        took[500] = Some(2000);
        let of = rated(None, &fates(&took), long_after());
        assert_eq!((of.playout_delay_s, of.late), (Some(0.05), 1));
        assert_eq!(of.burst_ratio, Some(0.999));
        let slow: Vec<_> = (0..1000).map(|frame| Some(50 + frame % 2 * 10)).collect();
        let of = rated(None, &fates(&slow), long_after());
        assert_eq!((of.playout_delay_s, of.late, of.burst_ratio), (Some(0.06), 0, None));
    }

    /// Frames under way are late once they are due, and not judged before.
    #[test]
    fn only_what_is_due_is_judged() {
        let mut fates = fates(&[Some(100); 10]);
        fates[4] = Fate::UnderWay;
        fates[9] = Fate::UnderWay;
        let end = |millis| STARTED + Duration::from_millis(millis);
        let of = rated(None, &fates, end(9 * 20 + 99));
        assert_eq!((of.played, of.late, of.lost, of.pending), (8, 1, 0, 1));
        let of = rated(None, &fates, end(9 * 20 + 100));
        assert_eq!((of.played, of.late, of.lost, of.pending), (8, 2, 0, 0));
        let of = rated(Some(300), &fates, end(250));
        assert_eq!((of.r_factor, of.pending, of.lost_share), (None, 10, None));
    }

    #[test]
    fn a_call_that_nobody_hears_is_rated_lowest() {
        let of = rated(None, &fates(&[None, None]), long_after());
        assert_eq!((of.r_factor, of.mos, of.lost), (Some(0.0), Some(1.0), 2));
        assert_eq!((of.mouth_to_ear_s, of.lost_share), (None, Some(1.0)));
        let of = rated(None, &[], long_after());
        assert_eq!((of.r_factor, of.mos), (None, None));
    }

    fn frames() -> impl Strategy<Value = Vec<Fate>> {
        let took = prop_oneof![
            4 => (50_u64..90).prop_map(Some),
            1 => (50_u64..3000).prop_map(Some),
            1 => Just(None),
        ];
        prop::collection::vec((took, any::<bool>()), 1..120).prop_map(|frames| {
            let fate = |(frame, (took, is_lost)): (usize, (Option<u64>, bool))| match took {
                Some(took) => after(frame, took),
                None if is_lost => Fate::Lost,
                None => Fate::UnderWay,
            };
            frames.into_iter().enumerate().map(fate).collect()
        })
    }

    proptest! {
        /// Every frame sent is one of them, with any buffer, at any time.
        #[test]
        fn frames_are_played_late_lost_or_pending(
            fates in frames(),
            buffer in prop::option::of(0_u64..500),
            ran in 0_u64..6000,
        ) {
            let of = rated(buffer, &fates, STARTED + Duration::from_millis(ran));
            let sum = of.played + of.late + of.lost + of.pending;
            prop_assert_eq!(sum, fates.len() as u64);
        }

        /// No buffer of a fixed depth is rated higher than the best, which is found by less work.
        #[test]
        fn the_best_buffer_is_the_best(
            fates in frames(),
            depth in 0_u64..3000,
            ran in 0_u64..6000,
        ) {
            let end = STARTED + Duration::from_millis(ran);
            let before = |fate: &Fate| match *fate {
                Fate::Arrived(at) if at > end => Fate::UnderWay,
                fate => fate,
            };
            let fates: Vec<_> = fates.iter().map(before).collect();
            let best = rated(None, &fates, end).r_factor;
            if let Some(trial) = by_trial(&fates, end) {
                prop_assert_eq!(best, Some(trial.clamp(0.0, 100.0)));
                let fixed = rated(Some(depth), &fates, long_after()).r_factor;
                let best = rated(None, &fates, long_after()).r_factor;
                prop_assert!(fixed <= best, "{fixed:?}, {best:?}");
            }
        }

        /// A network that takes longer for all frames is rated no higher.
        #[test]
        fn a_slower_network_is_rated_no_higher(fates in frames(), more in 0_u64..500) {
            let slower = |fate: &Fate| match *fate {
                Fate::Arrived(at) => Fate::Arrived(at + Duration::from_millis(more)),
                fate => fate,
            };
            let later: Vec<_> = fates.iter().map(slower).collect();
            for buffer in [None, Some(20)] {
                let [one, other] = [&fates, &later].map(|of| rated(buffer, of, long_after()));
                prop_assert!(other.r_factor <= one.r_factor, "{one:?}, {other:?}");
            }
        }
    }
}
