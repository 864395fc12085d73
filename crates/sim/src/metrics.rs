//! The observer that measures: always on, one row a round trip and a window change.

use base::{Time, UdpDatagram};
use observe::{
    CodeFact, CommonFact, ConnectionFact, DropReason, EchoFact, HandoverFact, MiddleboxFact,
    MobilityFact, Observe, PacketEvent, PacketFact, PageFact, RrcFact, TcpFact,
};

use crate::datagrams::DatagramRow;
use crate::flow::{
    BaseRttRow, CwndRow, EchoRow, EventRow, Flow, FlowMetrics, PageRow, ProbeRow, Reached, RttRow,
};
use crate::mobility::Lost;
use crate::{CellMetrics, MiddleboxMetrics, MobilityMetrics};

/// Measurements of every flow of a run.
#[derive(Debug, Default)]
pub struct Metrics {
    flows: Vec<FlowMetrics>,
    /// By machine number: what an endpoint is to which flow.
    roles: Vec<Option<Role>>,
    next_uid: u64,
    cell: CellMetrics,
    middlebox: MiddleboxMetrics,
    mobility: MobilityMetrics,
}

/// One of the two ends of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Where its data come from.
    Sender,
    /// Where they go.
    Receiver,
}

/// What an endpoint is to which connection of which flow.
#[derive(Clone, Copy, Debug)]
struct Role {
    flow: usize,
    connection: usize,
    end: End,
}

impl Metrics {
    /// For these flows.
    pub fn new(flows: Vec<Flow>) -> Self {
        let mut roles = Vec::new();
        for (index, flow) in flows.iter().enumerate() {
            set_roles(&mut roles, [flow.sender, flow.receiver], index, 0);
        }
        Self {
            flows: flows.into_iter().map(FlowMetrics::new).collect(),
            roles,
            next_uid: 0,
            cell: CellMetrics::default(),
            middlebox: MiddleboxMetrics::default(),
            mobility: MobilityMetrics::default(),
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

    /// What each flow's controller held for the round-trip time without queues, in order of time;
    /// none of controllers that hold none.
    pub fn base_rtt(&self) -> impl Iterator<Item = &[BaseRttRow]> {
        self.flows.iter().map(|flow| flow.base_rtt.as_slice())
    }

    /// The events of each flow, in order of time.
    pub fn events(&self) -> impl Iterator<Item = &[EventRow]> {
        self.flows.iter().map(|flow| flow.events.as_slice())
    }

    /// The pages of each flow, in order of time.
    pub fn pages(&self) -> impl Iterator<Item = &[PageRow]> {
        self.flows.iter().map(|flow| flow.pages.as_slice())
    }

    /// The echoes of each flow, in order of time.
    pub fn echoes(&self) -> impl Iterator<Item = &[EchoRow]> {
        self.flows.iter().map(|flow| flow.echoes.as_slice())
    }

    /// The probes of each flow, in order of time.
    pub fn probes(&self) -> impl Iterator<Item = &[ProbeRow]> {
        self.flows.iter().map(|flow| flow.probes.as_slice())
    }

    /// The UDP datagrams of each flow, in the order in which they were sent.
    pub fn datagrams(&self) -> impl Iterator<Item = &[DatagramRow]> {
        self.flows.iter().map(|flow| flow.datagrams.rows.as_slice())
    }

    /// What the network of cells did.
    pub const fn cell(&self) -> &CellMetrics {
        &self.cell
    }

    /// What the middlebox did.
    pub const fn middlebox(&self) -> &MiddleboxMetrics {
        &self.middlebox
    }

    /// What mobiles and their agents did.
    pub const fn mobility(&self) -> &MobilityMetrics {
        &self.mobility
    }

    /// The flow whose endpoint `machine` is, and whether that sends its data.
    pub fn flow_of(&self, machine: u32) -> Option<(usize, End)> {
        self.role(machine).map(|Role { flow, end, .. }| (flow, end))
    }

    pub(crate) fn flows(&self) -> &[FlowMetrics] {
        &self.flows
    }

    /// A packet left an endpoint or a middlebox.
    #[inline(never)]
    fn departed(&mut self, now: Time, machine: u32, uid: u64, udp: Option<&UdpDatagram>) {
        self.next_uid = uid + 1;
        if let Some(Role { flow, end: End::Sender, .. }) = self.role(machine) {
            self.flows[flow].departed(now, udp);
        }
    }

    /// A packet was dropped.
    #[inline(never)]
    fn dropped(&mut self, fact: &PacketFact<'_>, reason: DropReason) {
        if let Some(lost) = no_link_has(reason) {
            self.mobility.lost(fact.machine, lost);
        }
        if let Some(udp) = fact.udp
            && let Some(Role { flow, .. }) = self.role(udp.sender)
        {
            self.flows[flow].datagrams.dropped(udp.number, fact.machine, reason);
        }
    }

    /// A packet reached an endpoint or a middlebox.
    #[inline(never)]
    fn arrived(&mut self, now: Time, machine: u32, packet: &Reached<'_>) {
        if let Some(Role { flow, connection, end: End::Receiver }) = self.role(machine) {
            self.flows[flow].arrived(now, connection, packet);
        }
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
            PacketEvent::Departed => self.departed(now, fact.machine, fact.uid, fact.udp),
            PacketEvent::Arrived => {
                let PacketFact { uid, payload, departed, udp, .. } = *fact;
                let header_bytes = fact.bytes - payload;
                let packet = Reached { uid, header_bytes, payload, departed, udp };
                self.arrived(now, fact.machine, &packet);
            }
            PacketEvent::Dropped(reason) => self.dropped(fact, reason),
            PacketEvent::Entered | PacketEvent::Left => {}
        }
    }

    fn tcp(&mut self, now: Time, endpoint: u32, fact: TcpFact) {
        let Some(Role { flow, connection, end }) = self.role(endpoint) else { return };
        let flow = &mut self.flows[flow];
        match end {
            End::Sender => flow.sender_fact(now, connection, fact, self.next_uid),
            End::Receiver => flow.receiver_fact(now, connection, fact),
        }
    }

    fn page(&mut self, now: Time, endpoint: u32, fact: PageFact) {
        if let Some(Role { flow, .. }) = self.role(endpoint) {
            self.flows[flow].pages.push(PageRow { time: now, fact });
        }
    }

    fn echo(&mut self, now: Time, endpoint: u32, fact: EchoFact) {
        if let Some(Role { flow, .. }) = self.role(endpoint) {
            self.flows[flow].echoes.push(EchoRow { time: now, fact });
        }
    }

    fn connection(&mut self, _now: Time, fact: ConnectionFact) {
        if let Some(Role { flow, .. }) = self.role(fact.application) {
            let connection = self.flows[flow].open(fact.bytes);
            set_roles(&mut self.roles, [fact.sender, fact.receiver], flow, connection);
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

    fn middlebox(&mut self, now: Time, _machine: u32, fact: MiddleboxFact) {
        self.middlebox.fact(now, fact);
    }

    fn mobility(&mut self, now: Time, machine: u32, fact: MobilityFact) {
        self.mobility.fact(now, machine, fact);
    }
}

/// Why hosts and agents lose packets.
const fn no_link_has(reason: DropReason) -> Option<Lost> {
    match reason {
        DropReason::Unreachable => Some(Lost::Unreachable),
        DropReason::Incomplete => Some(Lost::Incomplete),
        DropReason::TooBig => Some(Lost::TooBig),
        DropReason::Queue
        | DropReason::Aqm
        | DropReason::Loss
        | DropReason::List
        | DropReason::Outage
        | DropReason::Discarded => None,
    }
}

/// The endpoints `ends` are those of a connection of a flow.
fn set_roles(roles: &mut Vec<Option<Role>>, ends: [u32; 2], flow: usize, connection: usize) {
    for (machine, end) in ends.into_iter().zip([End::Sender, End::Receiver]) {
        let machine = machine as usize;
        roles.resize(roles.len().max(machine + 1), None);
        roles[machine] = Some(Role { flow, connection, end });
    }
}
