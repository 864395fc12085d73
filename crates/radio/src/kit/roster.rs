//! The mobiles of a cell, and which of them ask for something.

use std::collections::VecDeque;
use std::mem;
use std::ops::{Deref, DerefMut};

use base::{Agenda, Direction, Duration, Time};

use crate::{Counters, Output, Sdu};

/// What a cell asks of its mobiles.
pub(crate) trait CellMobile<T: Sdu> {
    /// The next SDU that has come out.
    fn poll_output(&mut self) -> Option<(Direction, Output<T>)>;

    /// The SDUs of `direction` between entry and exit.
    fn held<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a T>
    where
        T: 'a;

    /// What has been counted of `direction`.
    fn counters(&self, direction: Direction) -> Counters;

    /// The sum over SDUs of `direction` of the time that each has waited by `now`.
    fn waited(&self, direction: Direction, now: Time) -> Duration;
}

/// The mobiles of a cell in order; it is used as the slice of them.
#[derive(Debug)]
pub(crate) struct Roster<M> {
    /// The number of the cell among machines.
    pub(crate) machine: u32,
    mobiles: Vec<M>,
    marks: Vec<Marks>,
    /// When something is due for each, and for what else the cell has behind them.
    pub(crate) agenda: Agenda,
    /// The time at which the cell is due.
    pub(crate) next: Option<Time>,
    /// Mobiles that something has happened to.
    touched: Vec<u32>,
    /// Mobiles that may have output.
    ready: VecDeque<u32>,
    /// Mobiles whose report has changed since that was asked for.
    reports: VecDeque<u32>,
    /// Mobiles that the cell looks at in every slot of a direction.
    active: [Vec<u32>; 2],
}

/// Lists that a mobile is in.
#[derive(Clone, Copy, Default, Debug)]
struct Marks {
    touched: bool,
    /// True if something has happened to it since that was asked last, or nobody has asked.
    changed: bool,
    reported: bool,
    active: [bool; 2],
}

impl<M> Roster<M> {
    /// The mobiles of machine number `machine`, with so many `others` in the agenda behind them.
    pub(crate) fn new(machine: u32, mobiles: Vec<M>, others: usize) -> Self {
        Self {
            machine,
            marks: vec![Marks { changed: true, ..Marks::default() }; mobiles.len()],
            agenda: Agenda::new(mobiles.len() + others),
            mobiles,
            next: None,
            touched: Vec::new(),
            ready: VecDeque::new(),
            reports: VecDeque::new(),
            active: [Vec::new(), Vec::new()],
        }
    }

    /// Something has happened to `ue`.
    pub(crate) fn touch(&mut self, ue: u32) {
        let marks = &mut self.marks[ue as usize];
        marks.changed = true;
        if !mem::replace(&mut marks.touched, true) {
            self.touched.push(ue);
        }
    }

    /// Something has happened to `ue` that makes nothing due.
    pub(crate) fn change(&mut self, ue: u32) {
        self.marks[ue as usize].changed = true;
    }

    /// True if something has happened to `ue` since [`Self::take_change`].
    pub(crate) fn has_changed(&self, ue: u32) -> bool {
        self.marks[ue as usize].changed
    }

    /// True if something has happened to `ue` since this was asked last.
    pub(crate) fn take_change(&mut self, ue: u32) -> bool {
        mem::take(&mut self.marks[ue as usize].changed)
    }

    /// Something has happened to all.
    pub(crate) fn change_all(&mut self) {
        self.marks.iter_mut().for_each(|marks| marks.changed = true);
    }

    /// The next to which something has happened, and may happen now.
    pub(crate) fn next_touched(&mut self) -> Option<u32> {
        let ue = self.touched.pop()?;
        let marks = &mut self.marks[ue as usize];
        (marks.touched, marks.changed) = (false, true);
        Some(ue)
    }

    /// The cell looks at `ue` in every slot of `direction`.
    pub(crate) fn activate(&mut self, ue: u32, direction: Direction) {
        let place = direction as usize;
        if !mem::replace(&mut self.marks[ue as usize].active[place], true) {
            self.active[place].push(ue);
        }
    }

    /// The cell no longer looks at `ue`: whoever took the list leaves it out.
    pub(crate) fn deactivate(&mut self, ue: u32, direction: Direction) {
        self.marks[ue as usize].active[direction as usize] = false;
    }

    /// The mobiles that the cell looks at in every slot of `direction`.
    pub(crate) fn active(&self, direction: Direction) -> &[u32] {
        &self.active[direction as usize]
    }

    /// Takes the list of them, to be put back before another is added.
    pub(crate) fn take_active(&mut self, direction: Direction) -> Vec<u32> {
        mem::take(&mut self.active[direction as usize])
    }

    /// Puts it back.
    pub(crate) fn put_active(&mut self, direction: Direction, active: Vec<u32>) {
        self.active[direction as usize] = active;
    }

    /// `ue` may have output.
    pub(crate) fn call(&mut self, ue: u32) {
        self.ready.push_back(ue);
    }

    /// The report of `ue` has changed.
    pub(crate) fn report(&mut self, ue: u32) {
        if !mem::replace(&mut self.marks[ue as usize].reported, true) {
            self.reports.push_back(ue);
        }
    }

    /// The next whose report has changed.
    pub(crate) fn next_report(&mut self) -> Option<u32> {
        let ue = self.reports.pop_front()?;
        self.marks[ue as usize].reported = false;
        Some(ue)
    }

    /// The next SDU that has come out, and its mobile.
    pub(crate) fn poll_output<T: Sdu>(&mut self) -> Option<(u32, Direction, Output<T>)>
    where
        M: CellMobile<T>,
    {
        while let Some(ue) = self.ready.front().copied() {
            if let Some((direction, output)) = self.mobiles[ue as usize].poll_output() {
                return Some((ue, direction, output));
            }
            self.ready.pop_front();
        }
        None
    }
}

impl<M> Deref for Roster<M> {
    type Target = [M];

    fn deref(&self) -> &[M] {
        &self.mobiles
    }
}

impl<M> DerefMut for Roster<M> {
    fn deref_mut(&mut self) -> &mut [M] {
        &mut self.mobiles
    }
}

/// Methods by which every cell tells of its mobiles, which are its field `mobiles`.
macro_rules! of_mobiles {
    ($sdu:ident) => {
        /// The next SDU that has come out, and its mobile. To be called after each `handle_…` until
        /// it says `None`.
        #[must_use]
        pub fn poll_output(&mut self) -> Option<(u32, Direction, $crate::Output<$sdu>)> {
            self.mobiles.poll_output()
        }

        /// When [`Self::handle_timeout`] is due.
        #[must_use]
        pub const fn poll_timeout(&self) -> Option<Time> {
            self.mobiles.next
        }

        /// The SDUs of `direction` between entry and exit, mobile by mobile.
        pub fn held(&self, direction: Direction) -> impl Iterator<Item = &$sdu> {
            self.mobiles.iter().flat_map(move |mobile| mobile.held(direction))
        }

        /// What has been counted of `direction` of `ue`.
        pub fn counters(&self, ue: u32, direction: Direction) -> $crate::Counters {
            self.mobiles[ue as usize].counters(direction)
        }

        /// What has been counted of `direction` of all mobiles together.
        pub fn total(&self, direction: Direction) -> $crate::Counters {
            self.mobiles.iter().map(|mobile| mobile.counters(direction)).sum()
        }

        /// The sum over SDUs of `direction` of the time that each has waited by `now`; over `now`
        /// it is the mean length of all queues together.
        pub fn waited(&self, direction: Direction, now: Time) -> base::Duration {
            self.mobiles.iter().map(|mobile| mobile.waited(direction, now)).sum()
        }
    };
}

pub(crate) use of_mobiles;
