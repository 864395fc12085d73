//! The observer that measures: always on, one row a round trip and a window change.

use base::{
    CodeFact, CommonFact, HandoverFact, Observe, PacketEvent, PacketFact, PageFact, RrcFact,
    TcpFact, Time,
};

use crate::CellMetrics;
use crate::flow::{CwndRow, EventRow, Flow, FlowMetrics, PageRow, RttRow};

/// Measurements of every flow of a run.
#[derive(Debug, Default)]
pub struct Metrics {
    flows: Vec<FlowMetrics>,
    /// By machine number: what an endpoint is to which flow.
    roles: Vec<Option<Role>>,
    next_uid: u64,
    cell: CellMetrics,
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Sender(usize),
    Receiver(usize),
}

impl Metrics {
    /// For these flows.
    pub fn new(flows: Vec<Flow>) -> Self {
        let mut roles = Vec::new();
        for (index, flow) in flows.iter().enumerate() {
            let machines = flow.sender.max(flow.receiver) as usize + 1;
            roles.resize(machines.max(roles.len()), None);
            roles[flow.sender as usize] = Some(Role::Sender(index));
            roles[flow.receiver as usize] = Some(Role::Receiver(index));
        }
        Self {
            flows: flows.into_iter().map(FlowMetrics::new).collect(),
            roles,
            next_uid: 0,
            cell: CellMetrics::default(),
        }
    }

    /// The round-trip times of each flow, in order of time.
    pub fn rtt(&self) -> impl Iterator<Item = &[RttRow]> {
        self.flows.iter().map(|flow| flow.rtt.as_slice())
    }

    /// The windows of each flow, in order of time.
    pub fn cwnd(&self) -> impl Iterator<Item = (&Flow, &[CwndRow])> {
        self.flows.iter().map(|flow| (&flow.flow, flow.cwnd.as_slice()))
    }

    /// The events of each flow, in order of time.
    pub fn events(&self) -> impl Iterator<Item = &[EventRow]> {
        self.flows.iter().map(|flow| flow.events.as_slice())
    }

    /// The pages of each flow, in order of time.
    pub fn pages(&self) -> impl Iterator<Item = &[PageRow]> {
        self.flows.iter().map(|flow| flow.pages.as_slice())
    }

    /// What the network of cells did.
    pub const fn cell(&self) -> &CellMetrics {
        &self.cell
    }

    pub(crate) fn flows(&self) -> &[FlowMetrics] {
        &self.flows
    }

    fn role(&self, machine: u32) -> Option<Role> {
        self.roles.get(machine as usize).copied().flatten()
    }
}

impl Observe for Metrics {
    // Inlined, what happens at links vanishes: only endpoints count here.
    #[inline]
    fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => {
                self.next_uid = fact.uid + 1;
                if let Some(Role::Sender(flow)) = self.role(fact.machine) {
                    self.flows[flow].departed(now);
                }
            }
            PacketEvent::Arrived => {
                if let Some(Role::Receiver(flow)) = self.role(fact.machine) {
                    self.flows[flow].arrived(fact.uid, fact.bytes - fact.payload);
                }
            }
            PacketEvent::Entered | PacketEvent::Left | PacketEvent::Dropped(_) => {}
        }
    }

    fn tcp(&mut self, now: Time, endpoint: u32, fact: TcpFact) {
        match self.role(endpoint) {
            Some(Role::Sender(flow)) => self.flows[flow].sender_fact(now, fact, self.next_uid),
            Some(Role::Receiver(flow)) => self.flows[flow].receiver_fact(fact),
            None => {}
        }
    }

    fn page(&mut self, now: Time, endpoint: u32, fact: PageFact) {
        match self.role(endpoint) {
            Some(Role::Sender(flow) | Role::Receiver(flow)) => {
                self.flows[flow].pages.push(PageRow { time: now, fact });
            }
            None => {}
        }
    }

    fn rrc(&mut self, now: Time, fact: RrcFact) {
        self.cell.rrc(now, fact);
    }

    fn code(&mut self, now: Time, fact: CodeFact) {
        self.cell.code(now, fact);
    }

    fn handover(&mut self, now: Time, fact: HandoverFact) {
        self.cell.handover(now, fact);
    }

    fn common(&mut self, now: Time, fact: CommonFact) {
        self.cell.common(now, fact);
    }
}
