//! Which access point a mobile uses, by the signal level of each.
//!
//! ```text
//!   levels at each measurement ─> Handover ─> LinkChange: up, down, about to change
//! ```
//!
//! Decisions only. The levels come from the caller, which knows the radio. States and events are
//! one table, [`State::after`].

use std::collections::VecDeque;

use base::{Duration, Time};
use settings::words;

/// How a mobile changes its access point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// One radio or two.
    pub mode: Mode,
    /// By how much the signal of another must be stronger, in dB. Below zero a mobile joins the
    /// next while the old one is still stronger, which makes sense only if it keeps both: then it
    /// goes back only if the old one becomes stronger by as much.
    pub hysteresis_db: f64,
    /// For how long that must hold; checked when levels are measured.
    pub time_to_trigger: Duration,
    /// From the decision to the new link: scanning, authentication, association (L2 delay). 802.11b
    /// cards take 60 to 400 ms (Mishra, Shin and Arbaugh 2003).
    pub switch_time: Duration,
    /// How long before the change it is announced ([`LinkChange::Fading`], as the L2 trigger of RFC
    /// 5568 §3.1); `None` for not at all.
    pub anticipation: Option<Duration>,
}

words! {
    /// What happens to the old link when a mobile changes its access point.
    pub enum Mode {
        /// It stays until it is out of range; the new one begins when the switch time has passed.
        MakeBeforeBreak = "make-before-break",
        /// It ends, then the switch time passes, then the new one begins.
        BreakBeforeMake = "break-before-make",
    }
}

/// A change for the users of the link. Access points go by their numbers, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkChange {
    /// The mobile can use that one. Repeated if one of two becomes the stronger again.
    Up {
        /// The access point.
        access_point: u32,
    },
    /// It no longer can.
    Down {
        /// The access point.
        access_point: u32,
    },
    /// It is about to change to that one. It may not happen, if that is no longer heard.
    Fading {
        /// The access point.
        next: u32,
    },
}

/// The state of a mobile's links.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It hears nobody.
    Nowhere,
    /// It has no link and is about to have one.
    Between {
        /// To this one.
        next: u32,
    },
    /// It has one link.
    At {
        /// To this one.
        at: u32,
    },
    /// It has one link and has announced a change.
    Fading {
        /// From this one.
        at: u32,
        /// To this one.
        next: u32,
    },
    /// It has one link and makes another.
    Joining {
        /// To this one.
        at: u32,
        /// And to this one.
        next: u32,
    },
    /// It has two links.
    Both {
        /// To the one that it prefers.
        at: u32,
        /// And to this one, while it is heard.
        old: u32,
    },
}

/// An event that changes a [`State`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Where there was none, this one is heard.
    Found(u32),
    /// This one has been stronger for long enough.
    Better(u32),
    /// The time has passed that the state takes.
    Due,
    /// This one is no longer heard.
    Lost(u32),
}

/// The timer of a state that takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// It stops.
    Off,
    /// It continues.
    Goes,
    /// It starts with [`Config::anticipation`].
    Anticipation,
    /// It starts with [`Config::switch_time`].
    Switch,
}

/// The result of an event in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandoverStep {
    /// The state after it.
    pub state: State,
    /// Its timer.
    pub timer: Timer,
    /// The changes that are announced, in this order.
    pub announced: [Option<LinkChange>; 2],
}

/// Whether a change is announced in advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anticipation {
    /// It is not.
    None,
    /// It is.
    Ahead,
}

impl State {
    /// The table: the result of `event` in this state, or `None` if it cannot happen in it.
    pub fn after(
        self,
        event: Event,
        mode: Mode,
        anticipation: Anticipation,
    ) -> Option<HandoverStep> {
        match self {
            Self::Nowhere => match event {
                Event::Found(next) => Some(HandoverStep::to(Self::Between { next }, Timer::Switch)),
                Event::Better(_) | Event::Due | Event::Lost(_) => None,
            },
            Self::Between { next } => match event {
                Event::Due => Some(HandoverStep::to(Self::At { at: next }, Timer::Off).up(next)),
                Event::Lost(lost) if lost == next => {
                    Some(HandoverStep::to(Self::Nowhere, Timer::Off))
                }
                Event::Lost(_) | Event::Found(_) | Event::Better(_) => None,
            },
            Self::At { at } => match event {
                Event::Better(next) if next != at => {
                    Some(HandoverStep::change(at, next, mode, anticipation))
                }
                Event::Lost(lost) if lost == at => {
                    Some(HandoverStep::to(Self::Nowhere, Timer::Off).down(at))
                }
                Event::Better(_) | Event::Lost(_) | Event::Found(_) | Event::Due => None,
            },
            Self::Fading { at, next } => match event {
                Event::Due => Some(HandoverStep::change(at, next, mode, Anticipation::None)),
                Event::Lost(lost) if lost == at => {
                    Some(HandoverStep::to(Self::Between { next }, Timer::Switch).down(at))
                }
                Event::Lost(lost) if lost == next => {
                    Some(HandoverStep::to(Self::At { at }, Timer::Off))
                }
                Event::Lost(_) | Event::Found(_) | Event::Better(_) => None,
            },
            Self::Joining { at, next } => match event {
                Event::Due => {
                    Some(HandoverStep::to(Self::Both { at: next, old: at }, Timer::Off).up(next))
                }
                Event::Lost(lost) if lost == at => {
                    Some(HandoverStep::to(Self::Between { next }, Timer::Goes).down(at))
                }
                Event::Lost(lost) if lost == next => {
                    Some(HandoverStep::to(Self::At { at }, Timer::Off))
                }
                Event::Lost(_) | Event::Found(_) | Event::Better(_) => None,
            },
            Self::Both { at, old } => match event {
                Event::Better(next) if next == old => {
                    Some(HandoverStep::to(Self::Both { at: old, old: at }, Timer::Off).up(old))
                }
                Event::Better(next) if next != at => {
                    Some(HandoverStep::change(at, next, mode, anticipation).down(old))
                }
                Event::Lost(lost) if lost == old => {
                    Some(HandoverStep::to(Self::At { at }, Timer::Off).down(old))
                }
                Event::Lost(lost) if lost == at => {
                    Some(HandoverStep::to(Self::At { at: old }, Timer::Off).down(at))
                }
                Event::Better(_) | Event::Lost(_) | Event::Found(_) | Event::Due => None,
            },
        }
    }

    /// The access points to which there is a link, the preferred one first.
    pub const fn links(self) -> [Option<u32>; 2] {
        match self {
            Self::Nowhere | Self::Between { .. } => [None, None],
            Self::At { at } | Self::Fading { at, .. } | Self::Joining { at, .. } => {
                [Some(at), None]
            }
            Self::Both { at, old } => [Some(at), Some(old)],
        }
    }

    /// The access points that matter to it.
    const fn members(self) -> [Option<u32>; 2] {
        match self {
            Self::Nowhere => [None, None],
            Self::Between { next } => [Some(next), None],
            Self::At { at } => [Some(at), None],
            Self::Fading { at, next } | Self::Joining { at, next } => [Some(at), Some(next)],
            Self::Both { at, old } => [Some(at), Some(old)],
        }
    }
}

impl HandoverStep {
    const fn to(state: State, timer: Timer) -> Self {
        Self { state, timer, announced: [None, None] }
    }

    const fn up(self, access_point: u32) -> Self {
        self.announce(LinkChange::Up { access_point })
    }

    const fn down(self, access_point: u32) -> Self {
        self.announce(LinkChange::Down { access_point })
    }

    /// Announces `change` before those announced so far.
    const fn announce(self, change: LinkChange) -> Self {
        Self { announced: [Some(change), self.announced[0]], ..self }
    }

    /// From `at` to `next`, which may be announced first.
    const fn change(at: u32, next: u32, mode: Mode, anticipation: Anticipation) -> Self {
        match (anticipation, mode) {
            (Anticipation::Ahead, Mode::BreakBeforeMake | Mode::MakeBeforeBreak) => {
                Self::to(State::Fading { at, next }, Timer::Anticipation)
                    .announce(LinkChange::Fading { next })
            }
            (Anticipation::None, Mode::BreakBeforeMake) => {
                Self::to(State::Between { next }, Timer::Switch).down(at)
            }
            (Anticipation::None, Mode::MakeBeforeBreak) => {
                Self::to(State::Joining { at, next }, Timer::Switch)
            }
        }
    }
}

/// One mobile's choice of its access point. It takes levels with [`Handover::measure`], as often as
/// they may have changed.
#[derive(Clone, Debug)]
pub struct Handover {
    config: Config,
    state: State,
    due: Option<Time>,
    /// Which access point has been stronger, and since when.
    candidate: Option<(u32, Time)>,
    is_settled: bool,
    announced: VecDeque<LinkChange>,
}

impl Handover {
    /// A mobile in its steady state: with a link to the strongest of the levels in dBm at its
    /// position; `f64::NEG_INFINITY` is not heard.
    pub fn new(config: Config, levels_dbm: &[f64]) -> Self {
        let at = loudest(levels_dbm, None);
        let up = at.map(|access_point| LinkChange::Up { access_point });
        Self {
            config,
            state: at.map_or(State::Nowhere, |at| State::At { at }),
            due: None,
            candidate: None,
            is_settled: false,
            announced: up.into_iter().collect(),
        }
    }

    /// Takes in the level of each access point, in dBm; `f64::NEG_INFINITY` is not heard. Poll
    /// afterwards.
    pub fn measure(&mut self, now: Time, levels_dbm: &[f64]) {
        self.handle_timeout(now);
        self.is_settled = true;
        while let Some(lost) = self.lost(levels_dbm) {
            self.take(now, Event::Lost(lost));
        }
        match self.state {
            State::Nowhere => {
                if let Some(found) = loudest(levels_dbm, None) {
                    self.take(now, Event::Found(found));
                }
            }
            State::At { at } => self.compare(now, levels_dbm, at, None),
            State::Both { at, old } => self.compare(now, levels_dbm, at, Some(old)),
            State::Between { .. } | State::Fading { .. } | State::Joining { .. } => {}
        }
    }

    /// Does what is due. Poll afterwards.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(due) = self.due.filter(|due| *due <= now) {
            self.take(due, Event::Due);
        }
    }

    /// The next change. To be called after each of the above until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<LinkChange> {
        self.announced.pop_front()
    }

    /// When [`Handover::handle_timeout`] is due.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    /// Its state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// True if another measurement of the same levels would change nothing, ever.
    pub const fn is_settled(&self) -> bool {
        self.is_settled && self.candidate.is_none()
    }

    /// An access point that mattered and is not heard.
    fn lost(&self, levels_dbm: &[f64]) -> Option<u32> {
        let members = self.state.members().into_iter().flatten();
        members.into_iter().find(|&member| !is_heard(levels_dbm, member))
    }

    /// Looks for one that has been stronger than `at` for long enough.
    fn compare(&mut self, now: Time, levels_dbm: &[f64], at: u32, old: Option<u32>) {
        let hysteresis = self.config.hysteresis_db;
        let best = loudest(levels_dbm, Some(at)).filter(|&best| {
            let margin = if old == Some(best) { hysteresis.abs() } else { hysteresis };
            levels_dbm[best as usize] > levels_dbm[at as usize] + margin
        });
        let before = self.candidate.filter(|(candidate, _)| Some(*candidate) == best);
        self.candidate = best.map(|best| before.unwrap_or((best, now)));
        if let Some((best, since)) = self.candidate
            && now - since >= self.config.time_to_trigger
        {
            self.take(now, Event::Better(best));
        }
    }

    fn take(&mut self, now: Time, event: Event) {
        let anticipation =
            self.config.anticipation.map_or(Anticipation::None, |_| Anticipation::Ahead);
        let step = self.state.after(event, self.config.mode, anticipation);
        let step = step.unwrap_or_else(|| panic!("no {event:?} in {:?}", self.state));
        self.state = step.state;
        self.due = match step.timer {
            Timer::Off => None,
            Timer::Goes => self.due,
            Timer::Anticipation => Some(now + self.config.anticipation.unwrap_or(Duration::ZERO)),
            Timer::Switch => Some(now + self.config.switch_time),
        };
        self.candidate = None;
        self.is_settled = false;
        self.announced.extend(step.announced.into_iter().flatten());
    }
}

fn is_heard(levels_dbm: &[f64], access_point: u32) -> bool {
    levels_dbm[access_point as usize] > f64::NEG_INFINITY
}

/// The strongest that is heard except `except`; of equals the first.
fn loudest(levels_dbm: &[f64], except: Option<u32>) -> Option<u32> {
    let heard = (0..levels_dbm.len() as u32)
        .filter(|&number| Some(number) != except && is_heard(levels_dbm, number));
    heard.reduce(
        |best, next| {
            if levels_dbm[next as usize] > levels_dbm[best as usize] { next } else { best }
        },
    )
}

#[cfg(test)]
mod tests;
