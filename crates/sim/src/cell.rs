//! What a network of cells did: states of its mobiles, codes, handovers, shared channels.

use base::{Direction, Duration, Time};
use observe::{CodeEvent, CodeFact, CommonFact, HandoverEvent, HandoverFact, RrcFact, RrcState};
use radio::umts::channels::CodeTree;
use schemars::JsonSchema;
use serde::Serialize;

use crate::flow::Timed;

/// The use of a shared channel in one second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommonRow {
    /// When the second began.
    pub time: Time,
    /// The cell, from 0.
    pub cell: u32,
    /// FACH downlink, RACH uplink.
    pub direction: Direction,
    /// Blocks sent in it.
    pub blocks: u32,
    /// Blocks that it has room for.
    pub capacity: u32,
}

/// The running measurements of a network of cells.
#[derive(Debug, Default)]
pub struct CellMetrics {
    /// Changes of RRC states, in order of time.
    pub rrc: Vec<Timed<RrcFact>>,
    /// Codes allocated, released and blocked, in order of time.
    pub codes: Vec<Timed<CodeFact>>,
    /// Changes of sets of cells, in order of time.
    pub handovers: Vec<Timed<HandoverFact>>,
    /// The shared channels second by second; those of seconds in which they were used.
    pub common: Vec<CommonRow>,
    /// How many blocks each kind of shared channel has carried, downlink and uplink.
    blocks: [u64; 2],
}

const SECOND: Duration = Duration::from_secs(1);

impl CellMetrics {
    pub(crate) fn common(&mut self, now: Time, fact: CommonFact) {
        let CommonFact { cell, direction, used, capacity, .. } = fact;
        self.blocks[direction as usize] += u64::from(used);
        let whole = now.saturating_since(Time::ZERO).whole(SECOND);
        let time = Time::ZERO + SECOND * whole;
        let same = |row: &&mut CommonRow| (row.cell, row.direction) == (cell, direction);
        let recent = self.common.iter_mut().rev().take_while(|row| row.time == time);
        match { recent }.find(same) {
            Some(row) => row.blocks += used,
            None => self.common.push(CommonRow { time, cell, direction, blocks: used, capacity }),
        }
    }
}

/// The numbers of a network of cells.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cell")]
pub struct CellSummary {
    /// Mobiles.
    pub ues: u32,
    /// Cells, each with a code tree of its own.
    pub cells: u32,
    /// Share of the time that mobiles were in each state, all together.
    pub time_share: StateShares,
    /// Changes of RRC states.
    pub state_changes: u64,
    /// Requests for codes that failed, each time that one was refused.
    pub blocked: Blocked,
    /// Spreading factor and number of the codes that the common channels of a cell always have.
    pub common_codes: Vec<[u32; 2]>,
    /// Codes allocated to mobiles, of all cells together.
    pub codes_in_use: CodesInUse,
    /// Changes of active sets.
    pub handovers: Handovers,
    /// Blocks on the shared channels.
    pub shared: SharedBlocks,
}

/// Shares of time by RRC state.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct StateShares {
    /// No connection.
    pub idle: f64,
    /// Dedicated channels.
    pub cell_dch: f64,
    /// Shared channels.
    pub cell_fach: f64,
    /// Paged in the cell.
    pub cell_pch: f64,
    /// Paged in the registration area.
    pub ura_pch: f64,
}

/// Requests that failed, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Blocked {
    /// No code was free.
    pub code: u64,
    /// The downlink's power did not reach.
    pub power: u64,
    /// The uplink had its full load.
    pub uplink: u64,
}

/// Codes over time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CodesInUse {
    /// Weighted by time.
    pub mean: f64,
    /// The most at once.
    pub max: u32,
    /// Share of the code trees that they take, weighted by time; the common channels' apart.
    pub occupancy: f64,
}

/// Changes of sets of cells, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Handovers {
    /// A cell of another `NodeB` was added.
    pub soft: u64,
    /// Another cell of the same `NodeB` was added.
    pub softer: u64,
    /// One cell took the place of another.
    pub hard: u64,
    /// Radio links failed.
    pub failed: u64,
}

/// Blocks on the shared channels of all cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SharedBlocks {
    /// Downlink.
    pub fach: u64,
    /// Uplink.
    pub rach: u64,
}

impl CellSummary {
    /// The summary of mobiles in `states` at the `end`, in `cells` cells, each of which began with
    /// the tree `codes`.
    pub(crate) fn of(
        metrics: &CellMetrics,
        states: &[RrcState],
        (cells, codes): (u32, &CodeTree),
        end: Time,
    ) -> Self {
        let blocked =
            |event| metrics.codes.iter().filter(|row| row.fact.event == event).count() as u64;
        let changes =
            |event| metrics.handovers.iter().filter(|row| row.fact.event == event).count() as u64;
        Self {
            ues: states.len() as u32,
            cells,
            time_share: metrics.time_share(states, end),
            state_changes: metrics.rrc.len() as u64,
            blocked: Blocked {
                code: blocked(CodeEvent::NoCode),
                power: blocked(CodeEvent::NoPower),
                uplink: blocked(CodeEvent::NoUplink),
            },
            common_codes: codes
                .allocated()
                .map(|code| [code.sf().chips(), code.number()])
                .collect(),
            codes_in_use: metrics.codes_in_use(cells, end),
            handovers: Handovers {
                soft: changes(HandoverEvent::Soft),
                softer: changes(HandoverEvent::Softer),
                hard: changes(HandoverEvent::Hard),
                failed: changes(HandoverEvent::Failed),
            },
            shared: SharedBlocks { fach: metrics.blocks[0], rach: metrics.blocks[1] },
        }
    }
}

impl CellMetrics {
    /// How long mobiles were in each state, given those of the end.
    fn time_share(&self, states: &[RrcState], end: Time) -> StateShares {
        let mut since = vec![Time::ZERO; states.len()];
        let mut spent = [Duration::ZERO; RrcState::ALL.len()];
        for Timed { time, fact } in &self.rrc {
            let before = std::mem::replace(&mut since[fact.ue as usize], *time);
            spent[fact.from as usize] += time.saturating_since(before);
        }
        for (state, since) in states.iter().zip(since) {
            spent[*state as usize] += end.saturating_since(since);
        }
        let whole = states.len() as f64 * end.as_secs_f64();
        let share = |state: RrcState| spent[state as usize].as_secs_f64() / whole;
        StateShares {
            idle: share(RrcState::Idle),
            cell_dch: share(RrcState::CellDch),
            cell_fach: share(RrcState::CellFach),
            cell_pch: share(RrcState::CellPch),
            ura_pch: share(RrcState::UraPch),
        }
    }

    fn codes_in_use(&self, cells: u32, end: Time) -> CodesInUse {
        let (mut count, mut share, mut max) = (0_i64, 0.0, 0);
        let (mut codes, mut occupied, mut since) = (0.0, 0.0, Time::ZERO);
        for Timed { time, fact } in &self.codes {
            let span = time.saturating_since(since).as_secs_f64();
            codes += count as f64 * span;
            occupied += share * span;
            since = *time;
            let step = match fact.event {
                CodeEvent::Allocated => 1,
                CodeEvent::Released => -1,
                CodeEvent::NoCode | CodeEvent::NoPower | CodeEvent::NoUplink => 0,
            };
            count += step;
            share += step as f64 / f64::from(fact.sf);
            max = max.max(count);
        }
        let span = end.saturating_since(since).as_secs_f64();
        let whole = end.as_secs_f64();
        CodesInUse {
            mean: (codes + count as f64 * span) / whole,
            max: max as u32,
            occupancy: (occupied + share * span) / whole / f64::from(cells),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn code(event: CodeEvent) -> CodeFact {
        CodeFact { machine: 0, cell: 0, ue: 0, sf: 8, code: 1, event }
    }

    #[test]
    fn codes_are_weighted_by_time() {
        let mut metrics = CellMetrics::default();
        metrics.codes.push(Timed { time: at(2), fact: code(CodeEvent::Allocated) });
        metrics.codes.push(Timed { time: at(4), fact: code(CodeEvent::NoCode) });
        metrics.codes.push(Timed { time: at(7), fact: code(CodeEvent::Released) });
        let codes = CodeTree::of_cell(&[]).expect("room");
        let summary = CellSummary::of(&metrics, &[RrcState::Idle], (1, &codes), at(10));
        assert_eq!(summary.common_codes, [[256, 0], [256, 1]]);
        assert_eq!(summary.codes_in_use, CodesInUse { mean: 0.5, max: 1, occupancy: 0.0625 });
        assert_eq!(summary.blocked, Blocked { code: 1, power: 0, uplink: 0 });
    }

    #[test]
    fn a_shared_channel_counts_by_the_second() {
        let mut metrics = CellMetrics::default();
        let mut send = |nanos, cell, direction, used| {
            let fact = CommonFact { machine: 0, cell, direction, used, capacity: 100 };
            metrics.common(Time::from_nanos(nanos), fact);
        };
        send(100, 0, Direction::Downlink, 1);
        send(200, 1, Direction::Downlink, 4);
        send(300, 0, Direction::Uplink, 3);
        send(400, 0, Direction::Downlink, 1);
        send(1_000_000_000, 0, Direction::Downlink, 5);
        let blocks: Vec<_> = metrics.common.iter().map(|row| row.blocks).collect();
        assert_eq!(blocks, [2, 4, 3, 5]);
    }
}
