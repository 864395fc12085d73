//! The virtual clock: runs a world, measures it and records it.
//!
//! [`simulate`] takes a validated scenario and gives back an [`Outcome`]: the numbers of a run
//! ([`Summary`]), its series ([`Metrics`]) and, if asked for, a full [`Trace`].

mod blocks;
mod capacity;
mod capture;
mod cell;
mod clock;
mod connection;
mod crossing;
mod cwnd;
mod datagrams;
mod energy;
mod flow;
mod groups;
mod hints;
mod limits;
mod measured;
mod metrics;
mod middlebox;
mod mobility;
mod network;
mod ns2;
mod parts;
mod queue;
mod series;
mod statistics;
mod summary;
mod trace;
mod transit;
mod voip;
mod waits;

pub use blocks::{DirectionSummary, RadioSummary};
pub use capacity::CapacityRow;
pub use capture::{NodeCapture, Vantage, captures};
pub use cell::{
    Blocked, CellMetrics, CellSummary, CodesInUse, CommonRow, Handovers, SharedBlocks, StateShares,
};
pub use clock::{Outcome, Recording, Threads, Unfinished, simulate};
pub use crossing::NetworkSummary;
pub use cwnd::CwndRow;
pub use datagrams::{DatagramOutcome, DatagramRow, DatagramSummary};
pub use energy::{EnergySummary, MobileSummary, PowerRow, StateEnergySummary};
pub use flow::{Event, EventRow, Flow, FlowMetrics, Timed};
pub use groups::GroupSummary;
pub use limits::LimitedBySummary;
pub use metrics::Metrics;
pub use middlebox::{
    BacklogRow, LegRttRow, MiddleboxEvent, MiddleboxMetrics, MiddleboxRow, MiddleboxSummary,
};
pub use mobility::{HandoverSummary, LostSummary, MobilityMetrics, MobilityRow, MobilitySummary};
pub use network::{Layout, LinkKind, LinkLayout, NodeLayout, StationLayout, WalkLayout};
pub use ns2::{write_ns2, write_ns2_nodes};
pub use queue::{QueueEvent, QueueRow};
pub use series::{Keep, Series};
pub use statistics::Distribution;
pub use summary::{
    CwndSummary, DisorderSummary, DropsSummary, FlowSummary, LinkSummary, PageSummary,
    QueueSummary, Summary,
};
pub use trace::{FlowDirection, HopRow, SegmentRow, Trace};
pub use voip::{CallSummary, CallsSummary};
pub use waits::{
    BoxMobileSummary, ClassSummary, EchoRow, EchoSummary, RateRow, WaitMetrics, WaitRow,
};
pub use world::Side;
