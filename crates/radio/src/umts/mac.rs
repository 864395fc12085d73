//! Medium access in dedicated mode: the transport blocks of a TTI.
//!
//! One logical channel has the transport channel to itself, so a transport block is an RLC PDU
//! and there is no MAC header (TS 25.321 §9.2.1.1).

use base::{Direction, Time};
use observe::{BlockFact, BlockKind, Observe};

use super::phy::ErrorMask;
use super::rlc::{Control, DataKind, Run, Sn};

/// The blocks sent in one TTI: control first, then data.
#[derive(Debug)]
pub(crate) struct TransportBlocks {
    /// The TTI's start.
    pub(crate) start: Time,
    capacity: u32,
    used: u32,
    /// How many of them carry retransmitted data.
    again: u32,
    pub(crate) control: Vec<Control>,
    pub(crate) data: Vec<Run>,
    /// Which of them are in error.
    pub(crate) errors: ErrorMask,
}

impl TransportBlocks {
    /// An empty TTI without room.
    pub(crate) fn new() -> Self {
        Self {
            start: Time::ZERO,
            capacity: 0,
            used: 0,
            again: 0,
            control: Vec::new(),
            data: Vec::new(),
            errors: ErrorMask::default(),
        }
    }

    /// Empties it for the TTI that starts at `start` and has room for `capacity` blocks.
    pub(crate) fn begin(&mut self, start: Time, capacity: u32) {
        self.start = start;
        self.capacity = capacity;
        self.used = 0;
        self.again = 0;
        self.errors.clear();
        self.control.clear();
        self.data.clear();
    }

    /// How many more blocks fit.
    pub(crate) const fn room(&self) -> u32 {
        self.capacity - self.used
    }

    /// How many blocks are sent.
    pub(crate) const fn used(&self) -> u32 {
        self.used
    }

    /// How many of them carry retransmitted data.
    pub(crate) const fn retransmissions(&self) -> u32 {
        self.again
    }

    /// How many of them arrive intact.
    pub(crate) fn intact(&self) -> u32 {
        self.used - self.errors.count()
    }

    pub(crate) fn push_control(&mut self, control: Control) {
        debug_assert!(self.data.is_empty(), "control goes before data");
        self.used += 1;
        self.control.push(control);
    }

    /// Adds a run of new PDUs.
    pub(crate) fn push_new(&mut self, sn: Sn, pdus: u32, poll: bool) {
        self.used += pdus;
        self.data.push(Run { sn, pdus, kind: DataKind::New, poll });
    }

    /// Adds a run that has come another way.
    pub(crate) fn push_run(&mut self, run: Run) {
        self.used += run.pdus;
        self.data.push(run);
    }

    /// Adds one PDU that was sent before, to the last run if it continues it.
    pub(crate) fn push_again(&mut self, sn: Sn, poll: bool) {
        self.used += 1;
        self.again += 1;
        if let Some(run) = self.data.last_mut()
            && run.sn + u64::from(run.pdus) == sn
            && run.kind == DataKind::Again
            && run.pdus < 64
            && !run.poll
        {
            run.pdus += 1;
            run.poll = poll;
        } else {
            self.data.push(Run { sn, pdus: 1, kind: DataKind::Again, poll });
        }
    }

    /// The runs of data, each with the place of its first block in the TTI.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (u32, Run)> {
        self.data.iter().scan(self.control.len() as u32, |place, run| {
            let first = *place;
            *place += run.pdus;
            Some((first, *run))
        })
    }

    /// Reports each block to `observe`.
    pub(crate) fn facts(&self, machine: u32, direction: Direction, observe: &mut impl Observe) {
        let is_in_error = |place| self.errors.from(place) & 1 == 1;
        for place in 0..self.control.len() as u32 {
            let kind = BlockKind::Control;
            let error = is_in_error(place);
            let fact = BlockFact { machine, direction, sn: 0, kind, poll: false, error };
            observe.block(self.start, fact);
        }
        for (first, run) in self.runs() {
            for offset in 0..run.pdus {
                let fact = BlockFact {
                    machine,
                    direction,
                    sn: (run.sn + u64::from(offset)).wire(),
                    kind: run.kind.into(),
                    poll: run.poll && offset + 1 == run.pdus,
                    error: is_in_error(first + offset),
                };
                observe.block(self.start, fact);
            }
        }
    }
}
