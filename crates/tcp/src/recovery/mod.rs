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

use base::{Duration, Time};
use cc::{Controller, LossKind};

use crate::scoreboard::{Scoreboard, Sent};
use crate::{Config, FackWindow, RecoveryKind, VegasRecords};

/// Duplicate acknowledgements that count as a loss (RFC 5681 §3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// Where the stream stands when an acknowledgement has come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) now: Time,
    /// What it acknowledged for the first time.
    pub(crate) acked: u64,
    /// What it selected for the first time.
    pub(crate) selected: u64,
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// The end of what was ever sent.
    pub(crate) max: u64,
    pub(crate) mss: u64,
    /// The round-trip time of the newest segment, if it was sent once.
    pub(crate) rtt: Option<Duration>,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Nothing is lost, or nothing that need be told.
    Wait,
    /// Send the oldest segment again, and tell congestion control of its loss.
    Retransmit(LossKind),
    /// Send everything again from the oldest on, and tell congestion control of its loss.
    GoBack(LossKind),
    /// Send the oldest segment again as part of a recovery that congestion control knows of.
    Repair,
    /// The same, but leave the retransmission timer alone.
    RepairImpatiently,
}

/// In which order segments are sent again, and what counts as being in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// In the order of the stream: everything from the lowest not acknowledged to the next to
    /// send is in the network.
    Stream,
    /// What the scoreboard holds for lost, and then new data: so many bytes are in the network.
    Lost {
        /// RFC 6675's pipe, or what the scheme has in its place.
        pipe: u64,
    },
}

/// A way of repairing losses.
#[derive(Debug)]
pub(crate) enum Recovery {
    Tahoe(tahoe::Tahoe),
    Reno(reno::Reno),
    NewReno(newreno::NewReno),
    Sack1(sack1::Sack1),
    Selective(selective::Selective),
    FackRestarts(fack_restarts::FackRestarts),
    Rack(Box<rack::Rack>),
    Vegas(Box<vegas::Vegas>),
}

impl Recovery {
    /// The recovery of a connection; `sack` tells if selective acknowledgements were agreed upon.
    pub(crate) fn new(config: &Config, sack: bool) -> Self {
        let guard = config.recover_guard;
        let limited_transmit = config.limited_transmit;
        let selective =
            |rule| Self::Selective(selective::Selective::new(rule, guard, limited_transmit));
        match config.recovery {
            RecoveryKind::Tahoe => Self::Tahoe(tahoe::Tahoe::new(guard)),
            RecoveryKind::Reno => Self::Reno(reno::Reno::new(guard)),
            RecoveryKind::NewReno(rule) => Self::NewReno(newreno::NewReno::new(guard, rule)),
            RecoveryKind::Vegas(records) => Self::vegas(guard, records, config.window),
            RecoveryKind::Sack1
            | RecoveryKind::Sack
            | RecoveryKind::Fack(_)
            | RecoveryKind::Rack
                if !sack =>
            {
                Self::NewReno(newreno::NewReno::new(guard, crate::NewReno::RFC_6582))
            }
            RecoveryKind::Sack1 => Self::Sack1(sack1::Sack1::new(guard)),
            RecoveryKind::Sack => selective(selective::Rule::Sack),
            RecoveryKind::Fack(FackWindow::Halves) => selective(selective::Rule::Fack),
            RecoveryKind::Fack(FackWindow::Restarts) => {
                Self::FackRestarts(fack_restarts::FackRestarts::default())
            }
            RecoveryKind::Rack => Self::Rack(Box::new(rack::Rack::new(limited_transmit))),
        }
    }

    fn vegas(guard: bool, records: VegasRecords, window: u32) -> Self {
        let ring = match records {
            VegasRecords::Exact => None,
            VegasRecords::Ring => Some(window),
        };
        Self::Vegas(Box::new(vegas::Vegas::new(guard, ring)))
    }

    /// The oldest segment was acknowledged once more, and nothing else; or something was selected.
    pub(crate) fn on_duplicate_ack(
        &mut self,
        standing: &Standing,
        board: &mut Scoreboard,
    ) -> Verdict {
        match self {
            Self::Tahoe(tahoe) => tahoe.on_duplicate_ack(standing),
            Self::Reno(reno) => reno.on_duplicate_ack(standing),
            Self::NewReno(newreno) => newreno.on_duplicate_ack(standing),
            Self::Sack1(sack1) => sack1.on_duplicate_ack(standing, board),
            Self::Selective(selective) => selective.on_duplicate_ack(standing, board),
            Self::FackRestarts(fack) => fack.on_ack(standing, board),
            Self::Rack(rack) => rack.on_ack(standing, board),
            Self::Vegas(vegas) => vegas.on_duplicate_ack(standing, board.oldest()),
        }
    }

    /// Something new was acknowledged.
    pub(crate) fn on_new_ack(&mut self, standing: &Standing, board: &mut Scoreboard) -> Verdict {
        match self {
            Self::Tahoe(tahoe) => tahoe.on_new_ack(),
            Self::Reno(reno) => reno.on_new_ack(),
            Self::NewReno(newreno) => newreno.on_new_ack(standing),
            Self::Sack1(sack1) => sack1.on_new_ack(standing, board),
            Self::Selective(selective) => selective.on_new_ack(standing, board),
            Self::FackRestarts(fack) => fack.on_ack(standing, board),
            Self::Rack(rack) => rack.on_ack(standing, board),
            Self::Vegas(vegas) => vegas.on_new_ack(standing, board.oldest()),
        }
    }

    /// The retransmission timer ran out when everything up to `max` had been sent.
    pub(crate) fn on_timeout(&mut self, now: Time, max: u64, mss: u64, board: &mut Scoreboard) {
        match self {
            Self::Tahoe(tahoe) => tahoe.on_timeout(max),
            Self::Reno(reno) => reno.on_timeout(max),
            Self::NewReno(newreno) => newreno.on_timeout(max),
            Self::Sack1(sack1) => sack1.on_timeout(max, board),
            Self::Selective(selective) => selective.on_timeout(max, board),
            Self::FackRestarts(fack) => fack.on_timeout(board),
            Self::Rack(rack) => rack.on_timeout(now, max, mss, board),
            Self::Vegas(vegas) => vegas.on_timeout(now, max),
        }
    }

    /// Segments were cut, since they were larger than the path takes, and count as lost. What had
    /// been sent up to `max` tells of no congestion.
    pub(crate) fn on_cut(&mut self, now: Time, max: u64, board: &mut Scoreboard) {
        match self {
            Self::Tahoe(tahoe) => tahoe.on_timeout(max),
            Self::Reno(reno) => reno.on_timeout(max),
            Self::NewReno(newreno) => newreno.on_timeout(max),
            Self::Sack1(sack1) => sack1.on_timeout(max, board),
            Self::Selective(selective) => selective.on_cut(max),
            Self::FackRestarts(fack) => fack.on_cut(max),
            Self::Rack(rack) => rack.on_cut(max),
            Self::Vegas(vegas) => vegas.on_timeout(now, max),
        }
    }

    /// A segment arrived of which that was not known; `echo` is this side's clock as the
    /// acknowledgement echoes it.
    pub(crate) fn on_arrival(&mut self, now: Time, segment: &Sent, echo: Option<u32>) {
        match self {
            Self::Rack(rack) => rack.on_arrival(now, segment, echo),
            Self::FackRestarts(fack) => fack.on_arrival(segment),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::NewReno(_)
            | Self::Sack1(_)
            | Self::Selective(_)
            | Self::Vegas(_) => {}
        }
    }

    /// A segment leaves.
    #[inline]
    pub(crate) fn on_departure(&mut self, segment: &Sent, mss: u64) {
        match self {
            Self::Rack(rack) => rack.on_departure(segment),
            Self::Vegas(vegas) => vegas.on_departure(segment, mss),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::NewReno(_)
            | Self::Sack1(_)
            | Self::Selective(_)
            | Self::FackRestarts(_) => {}
        }
    }

    /// When to look again though nothing has arrived.
    pub(crate) fn deadline(&self) -> Option<Time> {
        if let Self::Rack(rack) = self { rack.deadline() } else { None }
    }

    /// Nothing is to be found lost before more arrives.
    pub(crate) fn rest(&mut self) {
        if let Self::Rack(rack) = self {
            rack.rest();
        }
    }

    /// The peer gave up what it had selected, and everything may have to be sent again.
    pub(crate) fn on_reneging(&mut self, board: &Scoreboard) {
        if let Self::Rack(rack) = self {
            rack.look_at_all(board);
        }
    }

    /// The last loss was none, and nothing counts as lost any more.
    pub(crate) fn on_undo(&mut self, board: &Scoreboard) {
        match self {
            Self::Tahoe(tahoe) => tahoe.on_undo(),
            Self::Reno(reno) => reno.on_undo(),
            Self::NewReno(newreno) => newreno.on_undo(),
            Self::Sack1(sack1) => sack1.on_undo(),
            Self::Selective(selective) => selective.on_undo(),
            Self::FackRestarts(fack) => fack.on_undo(),
            Self::Rack(rack) => rack.on_undo(board),
            Self::Vegas(vegas) => vegas.on_undo(),
        }
    }

    /// A segment left while [`Order::Lost`] ruled.
    pub(crate) fn on_sent(&mut self, offset: u64, end: u64) {
        match self {
            Self::Sack1(sack1) => sack1.on_sent(offset, end),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::NewReno(_)
            | Self::Selective(_)
            | Self::FackRestarts(_)
            | Self::Rack(_)
            | Self::Vegas(_) => {}
        }
    }

    /// The congestion window as the sender may use it, where congestion control says `cwnd`.
    #[inline]
    pub(crate) fn window(&self, cwnd: u64, mss: u64) -> u64 {
        match self {
            Self::Tahoe(_)
            | Self::Sack1(_)
            | Self::Selective(_)
            | Self::FackRestarts(_)
            | Self::Rack(_) => cwnd,
            Self::Reno(reno) => cwnd + u64::from(reno.inflation) * mss,
            Self::NewReno(newreno) => newreno.window(cwnd, mss),
            Self::Vegas(vegas) => cwnd + u64::from(vegas.inflation) * mss,
        }
    }

    /// Duplicate acknowledgements in a row.
    #[inline]
    pub(crate) fn duplicates(&self) -> u32 {
        match self {
            Self::Tahoe(tahoe) => tahoe.duplicates(),
            Self::Reno(reno) => reno.duplicates,
            Self::NewReno(newreno) => newreno.duplicates,
            Self::Sack1(sack1) => sack1.duplicates,
            Self::Selective(selective) => selective.duplicates,
            Self::FackRestarts(_) | Self::Rack(_) => 0,
            Self::Vegas(vegas) => vegas.duplicates,
        }
    }

    /// True while a recovery that outlasts the next new acknowledgement is under way.
    #[inline]
    pub(crate) fn is_recovering(&self) -> bool {
        match self {
            Self::Tahoe(_) | Self::Reno(_) | Self::Vegas(_) => false,
            Self::NewReno(newreno) => newreno.is_recovering(),
            Self::Sack1(sack1) => sack1.is_recovering(),
            Self::Selective(selective) => selective.is_recovering(),
            Self::FackRestarts(fack) => fack.is_recovering(),
            Self::Rack(rack) => rack.is_recovering(),
        }
    }

    /// True if the window stands still with the acknowledgement that has just been taken in.
    pub(crate) fn holds_window(&self) -> bool {
        match self {
            Self::Sack1(sack1) => sack1.holds_window(),
            Self::FackRestarts(fack) => fack.holds_window(),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::NewReno(_)
            | Self::Selective(_)
            | Self::Rack(_)
            | Self::Vegas(_) => self.is_recovering(),
        }
    }

    /// What the retransmission timer is fed with, and restarted before, where an acknowledgement of
    /// `acked` bytes does so whatever was sent again.
    pub(crate) fn age(&self, now: Time, acked: u64, board: &Scoreboard) -> Option<Duration> {
        if let Self::FackRestarts(fack) = self { fack.age(now, acked, board) } else { None }
    }

    /// What duplicates open is the controller's to keep, if it will.
    pub(crate) fn hand_inflation_to(&mut self, controller: &mut dyn Controller) {
        if let Self::Vegas(vegas) = self {
            vegas.hand_inflation_to(controller);
        }
    }

    /// True if something new that is acknowledged now ends what the controller keeps.
    pub(crate) fn deflates(&self) -> bool {
        matches!(self, Self::Vegas(vegas) if vegas.deflates())
    }

    /// True if a retransmission backs the timer off.
    pub(crate) fn backs_off(&self) -> bool {
        matches!(self, Self::Vegas(vegas) if vegas.backs_off())
    }

    /// How often the oldest segment was sent, as far as is remembered.
    pub(crate) fn transmissions(&self, oldest: &Sent, mss: u64) -> u16 {
        match self {
            Self::Vegas(vegas) => vegas.transmissions(oldest, mss),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::NewReno(_)
            | Self::Sack1(_)
            | Self::Selective(_)
            | Self::FackRestarts(_)
            | Self::Rack(_) => oldest.transmissions,
        }
    }

    /// True if duplicates open the window as well.
    pub(crate) fn opens_with_duplicates(&self) -> bool {
        matches!(self, Self::FackRestarts(fack) if !fack.holds_window())
    }

    /// How many new segments an acknowledgement may release.
    pub(crate) fn burst(&self, board: &Scoreboard) -> Option<u32> {
        match self {
            Self::NewReno(newreno) => newreno.burst(),
            Self::FackRestarts(fack) => fack.burst(board),
            Self::Tahoe(_)
            | Self::Reno(_)
            | Self::Sack1(_)
            | Self::Selective(_)
            | Self::Rack(_)
            | Self::Vegas(_) => None,
        }
    }

    /// What is sent next, and what counts as being in the network.
    #[inline]
    pub(crate) fn order(&self, board: &Scoreboard) -> Order {
        match self {
            Self::Tahoe(_) | Self::Reno(_) | Self::NewReno(_) | Self::Vegas(_) => Order::Stream,
            Self::Sack1(sack1) => sack1.order(),
            Self::Selective(selective) => selective.order(board),
            Self::FackRestarts(_) => fack_restarts::FackRestarts::order(board),
            Self::Rack(rack) => rack.order(board),
        }
    }
}

/// RFC 6582 §3.2 step 2: no second reduction for one window of data. A loss may be acted upon when
/// the acknowledgement covers more than what had been sent at the last one.
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

    /// RFC 6675 §5.1: where selections tell of the loss, it is enough that everything is
    /// acknowledged that had been sent at the last one.
    pub(crate) fn allows_selected(&self, una: u64) -> bool {
        !self.on || self.recover.is_none_or(|recover| una >= recover)
    }
}
