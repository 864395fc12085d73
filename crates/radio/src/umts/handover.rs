//! Which cells a UE with dedicated channels is linked to: the active set, and when a link is lost.
//!
//! Decisions only; the network carries them out.
//!
//! ```text
//!   pilot of each cell ─> ActiveSet::measure ─> Decision
//! ```
//!
//! Simplifications are listed in `docs/models/umts-handover.md`.

mod keys;

use base::Time;
use settings::words;

pub use keys::Mobility;

words! {
    /// Whether a UE on dedicated channels may be linked to several cells at once.
    pub enum Diversity {
        /// Several cells at a time: soft and softer handover.
        Allowed = "soft",
        /// One cell at a time, with a gap between.
        Never = "hard",
    }
}

/// The topology of a network of cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topology {
    /// By number of cell.
    pub cells: Vec<Site>,
    /// Between RNCs.
    pub iur: Iur,
}

/// A cell's place in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its `NodeB`: cells of one are sectors of it.
    pub node_b: u32,
    /// The RNC that controls it.
    pub rnc: u32,
    /// Its pair of carriers.
    pub carrier: u32,
}

/// Whether RNCs are connected, so that one may drift for another (TS 25.401 §6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Iur {
    /// Each with each other.
    Connected,
    /// None with any.
    Absent,
}

/// How a cell joins the active set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// In addition to a cell of another `NodeB`: the RNC picks what one of them received.
    Soft,
    /// In addition to a sector of the same `NodeB`, which combines what both receive.
    Softer,
}

/// What happens to the serving RNC in a hard handover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Serving {
    /// It stays, over Iur if need be.
    Kept,
    /// It moves, and RLC is established anew (TS 25.322 §9.7.7).
    Moved,
}

/// A decision for the network to carry out; the active set has been updated already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// Link the UE to one more cell (event 1a).
    Add {
        /// The cell.
        cell: u32,
        /// Soft or softer.
        kind: Kind,
    },
    /// End the link to a cell (event 1b).
    Remove {
        /// The cell.
        cell: u32,
    },
    /// One cell for another in a full set (event 1c).
    Replace {
        /// The cell that leaves.
        old: u32,
        /// The cell that joins.
        new: u32,
        /// Soft or softer.
        kind: Kind,
    },
    /// End all links, then begin one.
    Hard {
        /// To this cell.
        to: u32,
        /// What happens to the serving RNC.
        serving: Serving,
    },
    /// The serving RNC's role moves, without a change of cells (SRNS relocation, TS 23.060
    /// §6.9.2.2); RLC is established anew.
    Relocate {
        /// To this RNC.
        rnc: u32,
    },
}

/// The cells that one UE is linked to.
#[derive(Clone, Debug)]
pub(super) struct ActiveSet {
    mobility: Mobility,
    members: Vec<u32>,
    serving: u32,
    /// Since when no member is under the serving RNC.
    drifting_since: Option<Time>,
    /// Which conditions hold, and since when.
    holding: Vec<(Event, Time)>,
}

/// An event of TS 25.331 §14.1.2, of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    /// 1a.
    Enters(u32),
    /// 1b.
    Leaves(u32),
    /// 1c: better than the worst member.
    Replaces(u32),
    /// 1d or 2a: better than the best, and it cannot join.
    Best(u32),
}

impl ActiveSet {
    /// A set of one cell, whose RNC is the serving one.
    pub(super) fn new(mobility: Mobility, topology: &Topology, cell: u32) -> Self {
        Self {
            mobility,
            members: vec![cell],
            serving: topology.rnc(cell),
            drifting_since: None,
            holding: Vec::new(),
        }
    }

    /// The cells, in order of their joining; at least one.
    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }

    /// The serving RNC.
    #[cfg(test)]
    const fn serving(&self) -> u32 {
        self.serving
    }

    /// True if a member's traffic comes over Iur, from a drift RNC: what the serving RNC combines
    /// waits for it.
    #[cfg(test)]
    fn drifts(&self, topology: &Topology) -> bool {
        self.members.iter().any(|cell| topology.rnc(*cell) != self.serving)
    }

    /// True while a time to trigger runs, so that the next frame must be measured even if nothing
    /// moves.
    #[cfg(test)]
    fn is_pending(&self) -> bool {
        !self.holding.is_empty() || self.drifting_since.is_some()
    }

    /// Takes in the pilots of all cells, Ec/I0 in dB, and decides at most one thing. To be called
    /// again in the next frame after a decision.
    pub(super) fn measure(
        &mut self,
        now: Time,
        topology: &Topology,
        pilots_db: &[f64],
    ) -> Option<Decision> {
        let current = self.events(topology, pilots_db);
        self.holding.retain(|(event, _)| current.contains(event));
        for event in current {
            if !self.holding.iter().any(|(held, _)| *held == event) {
                self.holding.push((event, now));
            }
        }
        let due = self.due(now, pilots_db);
        let decision = match due {
            Some(event) => Some(self.act(event, topology, pilots_db)),
            None => self.relocate(now, topology, pilots_db),
        };
        if due.is_some() {
            self.holding.clear();
        }
        self.watch_drift(now, topology);
        decision
    }

    /// Which conditions of TS 25.331 §14.1.2.1–4 hold, with W = 0 and no cell offsets.
    fn events(&self, topology: &Topology, pilots_db: &[f64]) -> Vec<Event> {
        let Mobility { add_range, remove_range, hysteresis, .. } = self.mobility;
        let pilot = |cell: u32| pilots_db[cell as usize];
        let best = pilot(self.best(pilots_db));
        let worst = pilot(self.worst(pilots_db));
        let half = hysteresis / 2.0;
        let mut events = Vec::new();
        for cell in 0..pilots_db.len() as u32 {
            if self.members.contains(&cell) {
                if self.members.len() > 1 && pilot(cell) <= best - (remove_range + half) {
                    events.push(Event::Leaves(cell));
                }
            } else if !self.may_join(topology, cell) {
                if pilot(cell) >= best + self.mobility.hard_hysteresis / 2.0 {
                    events.push(Event::Best(cell));
                }
            } else if self.members.len() < self.mobility.cells as usize {
                if pilot(cell) >= best - (add_range - half) {
                    events.push(Event::Enters(cell));
                }
            } else if pilot(cell) >= worst + half {
                events.push(Event::Replaces(cell));
            }
        }
        events
    }

    /// Soft handover needs the same carrier, and a path to the serving RNC.
    fn may_join(&self, topology: &Topology, cell: u32) -> bool {
        let site = topology.cells[cell as usize];
        self.mobility.handover == Diversity::Allowed
            && self.mobility.cells > 1
            && site.carrier == topology.cells[self.members[0] as usize].carrier
            && topology.reaches(self.serving, site.rnc)
    }

    /// Of the events that have held for long enough, the one of the best cell, joining first.
    fn due(&self, now: Time, pilots_db: &[f64]) -> Option<Event> {
        let time = self.mobility.time_to_trigger;
        let held = self.holding.iter().filter(|(_, since)| *since + time <= now);
        let rank = |event: &Event| match event {
            Event::Enters(cell) | Event::Replaces(cell) | Event::Best(cell) => {
                (1, pilots_db[*cell as usize])
            }
            Event::Leaves(cell) => (0, -pilots_db[*cell as usize]),
        };
        let order = |a: &Event, b: &Event| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        held.map(|(event, _)| *event).max_by(order)
    }

    fn act(&mut self, event: Event, topology: &Topology, pilots_db: &[f64]) -> Decision {
        match event {
            Event::Enters(cell) => {
                let kind = topology.kind(&self.members, cell);
                self.members.push(cell);
                Decision::Add { cell, kind }
            }
            Event::Leaves(cell) => {
                self.members.retain(|member| *member != cell);
                Decision::Remove { cell }
            }
            Event::Replaces(new) => {
                let old = self.worst(pilots_db);
                self.members.retain(|member| *member != old);
                let kind = topology.kind(&self.members, new);
                self.members.push(new);
                Decision::Replace { old, new, kind }
            }
            Event::Best(to) => Decision::Hard { to, serving: self.go(topology, to) },
        }
    }

    /// Gives up all cells for `to`: after a radio link failure, or as decided.
    fn go(&mut self, topology: &Topology, to: u32) -> Serving {
        self.members.clear();
        self.members.push(to);
        self.holding.clear();
        let rnc = topology.rnc(to);
        if topology.reaches(self.serving, rnc) {
            return Serving::Kept;
        }
        self.serving = rnc;
        Serving::Moved
    }

    fn relocate(&mut self, now: Time, topology: &Topology, pilots_db: &[f64]) -> Option<Decision> {
        self.drifting_since.filter(|since| *since + self.mobility.relocation_time <= now)?;
        self.serving = topology.rnc(self.best(pilots_db));
        Some(Decision::Relocate { rnc: self.serving })
    }

    fn watch_drift(&mut self, now: Time, topology: &Topology) {
        let serves = self.members.iter().any(|cell| topology.rnc(*cell) == self.serving);
        self.drifting_since = (!serves).then(|| self.drifting_since.unwrap_or(now));
    }

    /// The member with the best pilot; of equal ones the older.
    pub(super) fn best(&self, pilots_db: &[f64]) -> u32 {
        let better = |best: u32, cell: &u32| {
            if pilots_db[*cell as usize] > pilots_db[best as usize] { *cell } else { best }
        };
        self.members.iter().fold(self.members[0], better)
    }

    fn worst(&self, pilots_db: &[f64]) -> u32 {
        let worse = |worst: u32, cell: &u32| {
            if pilots_db[*cell as usize] <= pilots_db[worst as usize] { *cell } else { worst }
        };
        self.members.iter().fold(self.members[0], worse)
    }
}

impl Topology {
    fn rnc(&self, cell: u32) -> u32 {
        self.cells[cell as usize].rnc
    }

    fn reaches(&self, from: u32, to: u32) -> bool {
        from == to || self.iur == Iur::Connected
    }

    /// How `cell` joins `members`.
    fn kind(&self, members: &[u32], cell: u32) -> Kind {
        let node_b = |cell: u32| self.cells[cell as usize].node_b;
        let sibling = members.iter().any(|member| node_b(*member) == node_b(cell));
        if sibling { Kind::Softer } else { Kind::Soft }
    }
}

/// Watches the link of one UE, once a radio frame: when is it lost (TS 25.331 §8.5.6; TS 25.214
/// §4.3.1.2)?
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkMonitor {
    mobility: Mobility,
    out: u32,
    sync: u32,
    /// When T313 runs out.
    fails: Option<Time>,
}

/// The state of a radio link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinkState {
    /// In sync, or out of it for a few frames.
    Up,
    /// T313 runs.
    Failing,
    /// T313 has run out.
    Failed,
}

impl LinkMonitor {
    /// A link that is up.
    pub(super) const fn new(mobility: Mobility) -> Self {
        Self { mobility, out: 0, sync: 0, fails: None }
    }

    /// Takes in the quality of the frame that ends at `now`, the best pilot in dB: at the weakest
    /// that is heard (`Q_out`) or below it is out of sync, at `IN_SYNC_DB` above that (`Q_in`) or
    /// above in sync. A frame between the thresholds counts for neither.
    pub(super) fn measure(&mut self, now: Time, quality_db: f64) -> LinkState {
        let Mobility { pilot_min, n313, n315, t313, .. } = self.mobility;
        if quality_db <= pilot_min {
            (self.out, self.sync) = (self.out + 1, 0);
        } else if quality_db >= pilot_min + IN_SYNC_DB {
            (self.out, self.sync) = (0, self.sync + 1);
        }
        match self.fails {
            Some(time) if time <= now => return LinkState::Failed,
            Some(_) if self.sync >= n315 => self.fails = None,
            None if self.out >= n313 => self.fails = Some(now + t313),
            Some(_) | None => {}
        }
        if self.fails.is_some() { LinkState::Failing } else { LinkState::Up }
    }
}

/// By how much a pilot must be better than the weakest for a frame to be in sync.
const IN_SYNC_DB: f64 = 2.0;

#[cfg(test)]
mod tests;
