//! Loss recovery: which segment is sent again, and when. How much the window then shrinks is
//! congestion control, another choice.

mod fack_restarts;
mod newreno;
pub(crate) mod prr;
pub(crate) mod rack;
mod reno;
mod sack1;
mod selective;
mod tahoe;
pub(crate) mod tail_probe;
mod vegas;

use std::fmt::Debug;

use base::{Duration, Time};
use cc::{Controller, LossKind};
use settings::{Shared, section, words};

pub use fack_restarts::{FackRules, FackWindow};
pub use newreno::{NewRenoRules, PartialAckTimer, PartialAckWindow};
pub use sack1::SackRule;
pub use vegas::{VegasRecords, VegasRules};

pub(crate) use rack::Rack;

use crate::Config;
use crate::scoreboard::{Scoreboard, Sent};

/// Registers recoveries, a line for each: its section in `[tcp]` if it has one, its word, its loss
/// signal, and its constructor.
macro_rules! recoveries {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $(($field:ident: $type:ty))? = $word:literal, $evidence:ident, $new:expr;
    )*) => {
        words! {
            /// A way of repairing losses. Those that need selective acknowledgements work as
            /// `NewReno` where the peer does not offer them.
            pub enum RecoveryKind {
                $($(#[doc = $doc])* $name = $word,)*
            }
        }

        section! {
            /// Parameters of all recoveries, including those that are not in use.
            #[derive(Copy)]
            pub struct RecoveryRules {
                $($(
                    /// Parameters of the recovery of that name.
                    pub $field: $type as Shared<$type> = Default::default();
                )?)*
            }
            $($(waits_for($field: variant, congestion_control, recovery is [$word]))?)*
        }

        impl RecoveryKind {
            /// True if it needs selective acknowledgements.
            pub const fn needs_sack(self) -> bool {
                match self {
                    $(Self::$name => matches!(LossSignal::$evidence, LossSignal::Selections),)*
                }
            }

            fn recovery(self, config: &Config) -> Box<dyn Recovery> {
                match self {
                    $(Self::$name => $new(config),)*
                }
            }
        }
    };
}

/// By which signal a recovery detects losses.
enum LossSignal {
    Duplicates,
    Selections,
}

recoveries! {
    /// Fast retransmit on the third duplicate, and everything after it once more (Jacobson 1988).
    Tahoe = "tahoe", Duplicates, tahoe::Tahoe::boxed;
    /// Fast retransmit on the third duplicate, and Reno's fast recovery (RFC 5681 §3.2).
    Reno = "reno", Duplicates, reno::Reno::boxed;
    /// Reno's, which a partial acknowledgement does not end (RFC 6582).
    NewReno(newreno: NewRenoRules) = "newreno", Duplicates, newreno::NewReno::boxed;
    /// From a scoreboard of selective acknowledgements (RFC 6675).
    Sack = "sack", Selections, selective::sack;
    /// From the forward-most selective acknowledgement (Mathis and Mahdavi 1996).
    Fack(fack: FackRules) = "fack", Selections, selective::fack;
    /// Reno's, and a fine-grained timer that is checked on acknowledgements (Brakmo and Peterson
    /// 1995 §III-A).
    Vegas(vegas: VegasRules) = "vegas", Duplicates, vegas::Vegas::boxed;
    /// From the time that passed since later segments arrived, with a probe of the tail (RFC 8985).
    Rack = "rack", Selections, Rack::boxed;
}

/// The recovery of a connection; `sack` says whether selective acknowledgements were agreed upon.
pub(crate) fn recovery(config: &Config, sack: bool) -> Box<dyn Recovery> {
    match config.recovery_kind() {
        kind if kind.needs_sack() && !sack => newreno::NewReno::rfc_6582(config),
        kind => kind.recovery(config),
    }
}

/// Duplicate acknowledgements that count as a loss (RFC 5681 §3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// A new acknowledgement, and the state of the stream after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckInfo {
    pub(crate) now: Time,
    /// What it acknowledged for the first time.
    pub(crate) acked: u64,
    /// What it acknowledged selectively for the first time.
    pub(crate) selected: u64,
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// The end of what was ever sent.
    pub(crate) max: u64,
    pub(crate) mss: u64,
    /// The round-trip time of the newest segment, if it was sent once.
    pub(crate) rtt: Option<Duration>,
}

/// What a recovery answers to an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecoveryAction {
    /// Nothing is lost, or nothing that is news to congestion control.
    Wait,
    /// Retransmit the oldest segment, and report its loss to congestion control.
    Retransmit(LossKind),
    /// Retransmit everything from the oldest on, and report its loss to congestion control.
    GoBack(LossKind),
    /// Retransmit the oldest segment as part of a recovery that congestion control knows of.
    Repair,
    /// The same, without restarting the retransmission timer.
    RepairImpatiently,
}

/// In which order segments are sent again, and what counts as being in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RepairOrder {
    /// In the order of the stream: everything from the lowest not acknowledged to the next to
    /// send is in the network.
    Stream,
    /// What the scoreboard considers lost, and then new data: so many bytes are in the network.
    Lost {
        /// RFC 6675's pipe, or the scheme's own estimate.
        pipe: u64,
    },
}

/// The loss recovery of one connection.
pub(crate) trait Recovery: Debug + Send {
    /// The oldest segment was acknowledged once more, and nothing else; or something was selected.
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction;

    /// Something new was acknowledged.
    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction;

    /// The retransmission timer ran out when everything up to `max` had been sent.
    fn on_timeout(&mut self, now: Time, max: u64, mss: u64, board: &mut Scoreboard);

    /// Segments were cut, since they were larger than the path takes, and count as lost. What had
    /// been sent up to `max` is no sign of congestion.
    fn on_cut(&mut self, now: Time, max: u64, mss: u64, board: &mut Scoreboard) {
        self.on_timeout(now, max, mss, board);
    }

    /// The last loss was spurious, and nothing counts as lost any more.
    fn on_undo(&mut self, board: &Scoreboard);

    /// A segment is newly known to have arrived; `echo` is this side's clock as the acknowledgement
    /// echoes it.
    fn on_arrival(&mut self, _now: Time, _segment: &Sent, _echo: Option<u32>) {}

    /// A segment leaves.
    fn on_departure(&mut self, _segment: &Sent, _mss: u64) {}

    /// A segment left under [`RepairOrder::Lost`].
    fn on_sent(&mut self, _offset: u64, _end: u64) {}

    /// The peer reneged on what it had selected (RFC 2018 §8), and everything may have to be
    /// retransmitted.
    fn on_reneging(&mut self, _board: &Scoreboard) {}

    /// No loss is detected before more arrives.
    fn rest(&mut self) {}

    /// When to check for losses again though nothing has arrived.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// What is sent next, and what counts as being in the network.
    fn order(&self, _board: &Scoreboard) -> RepairOrder {
        RepairOrder::Stream
    }

    /// Duplicate acknowledgements in a row.
    fn duplicates(&self) -> u32 {
        0
    }

    /// True if it detects losses by selective acknowledgements, not by duplicates.
    fn counts_selections(&self) -> bool {
        false
    }

    /// True while a recovery that outlasts the next new acknowledgement is under way.
    fn is_recovering(&self) -> bool {
        false
    }

    /// True while a loss that congestion control knows of is repaired, be it until the next new
    /// acknowledgement.
    fn is_in_fast_recovery(&self) -> bool {
        self.is_recovering()
    }

    /// The congestion window as the sender may use it, where congestion control says `cwnd`.
    fn window(&self, cwnd: u64, _mss: u64) -> u64 {
        cwnd
    }

    /// True if the acknowledgement just taken in leaves the window as it is.
    fn holds_window(&self) -> bool {
        self.is_recovering()
    }

    /// True if duplicates open the window as well.
    fn opens_with_duplicates(&self) -> bool {
        false
    }

    /// Hands the window inflation by duplicates to the controller, if that keeps it.
    fn hand_inflation_to(&mut self, _controller: &mut dyn Controller) {}

    /// True if a new acknowledgement ends the inflation that the controller keeps.
    fn deflates(&self) -> bool {
        false
    }

    /// How many new segments an acknowledgement may release.
    fn burst(&self, _board: &Scoreboard) -> Option<u32> {
        None
    }

    /// How often the oldest segment was sent, as far as is remembered.
    fn transmissions(&self, oldest: &Sent, _mss: u64) -> u16 {
        oldest.transmissions
    }

    /// True if a retransmission backs the timer off.
    fn backs_off(&self) -> bool {
        false
    }

    /// The age that the retransmission timer is fed with, after a restart, where an acknowledgement
    /// of `acked` bytes does so regardless of retransmissions.
    fn age(&self, _now: Time, _acked: u64, _board: &Scoreboard) -> Option<Duration> {
        None
    }

    /// The round-trip time of the newest of the segments from `from` to `una`, which have just been
    /// acknowledged; by the scoreboard it is `rtt`.
    fn take_round_trip(
        &mut self,
        _now: Time,
        [_from, _una]: [u64; 2],
        _mss: u64,
        rtt: Option<Duration>,
    ) -> Option<Duration> {
        rtt
    }

    /// Itself, if it is RACK, which has timers of its own.
    fn rack(&mut self) -> Option<&mut Rack> {
        None
    }
}

/// RFC 6582 §3.2 step 2: no second reduction for one window of data. A loss counts once the
/// acknowledgement covers more than had been sent at the last loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    on: bool,
    recover: Option<u64>,
}

impl Guard {
    pub(crate) const fn new(on: bool) -> Self {
        Self { on, recover: None }
    }

    /// Everything up to `max` belongs to the loss that has just been found.
    pub(crate) const fn set(&mut self, max: u64) {
        self.recover = Some(max);
    }

    pub(crate) const fn clear(&mut self) {
        self.recover = None;
    }

    pub(crate) const fn is_set(&self) -> bool {
        self.recover.is_some()
    }

    pub(crate) fn allows(&self, una: u64) -> bool {
        !self.on || self.recover.is_none_or(|recover| una > recover)
    }

    /// RFC 6675 §5.1: where selective acknowledgements show the loss, it is enough that everything
    /// sent before the last loss is acknowledged.
    pub(crate) fn allows_selected(&self, una: u64) -> bool {
        !self.on || self.recover.is_none_or(|recover| una >= recover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules count with their own recovery alone.
    #[test]
    fn rules_reach_the_recovery() {
        let check = |kind, reaches: bool, set: fn(&mut Config)| {
            let plain = Config { recovery: Some(kind), ..Config::plain() };
            let mut other = plain.clone();
            set(&mut other);
            let [plain, other] =
                [plain, other].map(|config| format!("{:?}", recovery(&config, true)));
            assert_eq!(plain != other, reaches, "{kind:?}: {other}");
        };
        for kind in [RecoveryKind::NewReno, RecoveryKind::Reno] {
            let is_own = kind == RecoveryKind::NewReno;
            check(kind, is_own, |config| config.repair.newreno.burst = Some(2));
        }
        for kind in [RecoveryKind::Fack, RecoveryKind::Sack] {
            let is_own = kind == RecoveryKind::Fack;
            check(kind, is_own, |config| config.repair.fack.window = FackWindow::Restarts);
            check(kind, !is_own, |config| config.sack_rule = SackRule::Sack1);
        }
        for kind in [RecoveryKind::Vegas, RecoveryKind::Reno] {
            let is_own = kind == RecoveryKind::Vegas;
            check(kind, is_own, |config| config.repair.vegas.records = VegasRecords::Ring);
        }
    }

    #[test]
    fn without_selections_it_is_newreno() {
        for &kind in <RecoveryKind as settings::Words>::ALL {
            let config = Config { recovery: Some(kind), ..Config::plain() };
            let name = format!("{:?}", recovery(&config, false));
            let expected = kind.needs_sack() || kind == RecoveryKind::NewReno;
            assert_eq!(name.starts_with("NewReno"), expected);
        }
    }
}
