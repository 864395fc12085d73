//! The observer that measures: always on, one row per round trip and window change.

use base::{Time, UdpDatagram};
use observe::{
    CodeFact, CommonFact, ConnectionFact, DropReason, EchoFact, HandoverFact, MiddleboxFact,
    MobilityFact, Observe, PacketEvent, PacketFact, PageFact, RrcFact, TcpFact,
};

use world::Side;

use crate::flow::{Flow, FlowMetrics, Reached, Timed};
use crate::series::Keep;
use crate::{CellMetrics, MiddleboxMetrics, MobilityMetrics};

/// Measurements of every flow of a run.
#[derive(Debug)]
pub struct Metrics {
    flows: Vec<FlowMetrics>,
    /// By machine number: what an endpoint is to which flow.
    roles: Vec<Option<Role>>,
    next_uid: u64,
    /// What the network of cells did.
    pub cell: CellMetrics,
    /// What the middlebox did.
    pub middlebox: MiddleboxMetrics,
    /// What mobiles and their agents did.
    pub mobility: MobilityMetrics,
}

/// What an endpoint is to which connection of which flow.
#[derive(Clone, Copy, Debug)]
struct Role {
    flow: usize,
    connection: usize,
    end: Side,
}

impl Metrics {
    /// For these flows, of whose series as much is held as `keep` says.
    pub fn new(flows: Vec<Flow>, keep: Keep) -> Self {
        let mut roles = Vec::new();
        for (index, flow) in flows.iter().enumerate() {
            set_roles(&mut roles, [flow.sender, flow.receiver], index, 0);
        }
        let flows = flows.into_iter().map(|flow| FlowMetrics::new(flow, keep)).collect();
        Self {
            flows,
            roles,
            next_uid: 0,
            cell: CellMetrics::default(),
            middlebox: MiddleboxMetrics::new(keep),
            mobility: MobilityMetrics::default(),
        }
    }

    /// Makes room for so many flows in all.
    pub(crate) fn reserve(&mut self, flows: usize) {
        self.flows.reserve_exact(flows - self.flows.len());
    }

    /// Gives machines that dropped datagrams the numbers that `number` says.
    pub(crate) fn renumber(&mut self, number: &impl Fn(u32) -> u32) {
        self.flows.iter_mut().for_each(|flow| flow.datagrams.renumber(number));
    }

    /// Adds the flows and the box of another part of the network. Which endpoint is whose is known
    /// within a part alone.
    pub(crate) fn take(&mut self, part: Self) {
        self.roles.clear();
        self.flows.extend(part.flows);
        self.middlebox.take(part.middlebox);
    }

    /// Puts flows in the order of their numbers.
    pub(crate) fn sort(&mut self) {
        self.flows.sort_unstable_by_key(|flow| flow.flow.number);
    }

    /// The measurements of each flow.
    pub fn flows(&self) -> &[FlowMetrics] {
        &self.flows
    }

    /// The flow whose endpoint `machine` is, and whether that sends its data.
    pub fn flow_of(&self, machine: u32) -> Option<(usize, Side)> {
        self.role(machine).map(|Role { flow, end, .. }| (flow, end))
    }

    /// A packet left an endpoint or a middlebox.
    #[inline]
    fn departed(&mut self, now: Time, machine: u32, uid: u64, udp: Option<&UdpDatagram>) {
        self.next_uid = uid + 1;
        if let Some(Role { flow, end: Side::Sender, .. }) = self.role(machine) {
            self.flows[flow].departed(now, udp);
        }
    }

    /// A packet was dropped.
    #[inline(never)]
    fn dropped(&mut self, fact: &PacketFact<'_>, reason: DropReason) {
        self.mobility.dropped(fact.machine, reason);
        if let Some(udp) = fact.udp
            && let Some(Role { flow, .. }) = self.role(udp.sender)
        {
            self.flows[flow].datagrams.dropped(udp.number, fact.machine, reason);
        }
    }

    /// A packet reached an endpoint or a middlebox.
    #[inline]
    fn arrived(&mut self, now: Time, machine: u32, packet: &Reached<'_>) {
        if let Some(Role { flow, connection, end: Side::Receiver }) = self.role(machine) {
            self.flows[flow].arrived(now, connection, packet);
        }
    }

    fn role(&self, machine: u32) -> Option<Role> {
        self.roles.get(machine as usize).copied().flatten()
    }
}

impl Observe for Metrics {
    // The calls at links compile away: only endpoints count here.
    #[expect(clippy::inline_always, reason = "where it is called, all but one kind compile away")]
    #[inline(always)]
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
            PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {}
        }
    }

    #[expect(clippy::inline_always, reason = "where it is called, all but one kind compile away")]
    #[inline(always)]
    fn tcp(&mut self, now: Time, endpoint: u32, fact: TcpFact) {
        let Some(Role { flow, connection, end }) = self.role(endpoint) else { return };
        let flow = &mut self.flows[flow];
        match end {
            Side::Sender => flow.sender_fact(now, connection, fact, self.next_uid),
            Side::Receiver => flow.receiver_fact(now, connection, fact),
        }
    }

    fn page(&mut self, now: Time, endpoint: u32, fact: PageFact) {
        if let Some(Role { flow, .. }) = self.role(endpoint) {
            self.flows[flow].pages.push(Timed { time: now, fact });
        }
    }

    fn echo(&mut self, now: Time, endpoint: u32, fact: EchoFact) {
        if let Some(Role { flow, .. }) = self.role(endpoint) {
            self.flows[flow].echoes.push(Timed { time: now, fact });
        }
    }

    fn connection(&mut self, _now: Time, fact: ConnectionFact) {
        if let Some(Role { flow, .. }) = self.role(fact.application) {
            let connection = self.flows[flow].open(fact.bytes);
            set_roles(&mut self.roles, [fact.sender, fact.receiver], flow, connection);
        }
    }

    fn rrc(&mut self, now: Time, fact: RrcFact) {
        self.cell.rrc.push(Timed { time: now, fact });
    }

    fn code(&mut self, now: Time, fact: CodeFact) {
        self.cell.codes.push(Timed { time: now, fact });
    }

    fn handover(&mut self, now: Time, fact: HandoverFact) {
        // One that passed without traffic is told later.
        let place = self.cell.handovers.partition_point(|row| row.time <= now);
        self.cell.handovers.insert(place, Timed { time: now, fact });
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

/// The endpoints `ends` are those of a connection of a flow.
fn set_roles(roles: &mut Vec<Option<Role>>, ends: [u32; 2], flow: usize, connection: usize) {
    for (machine, end) in ends.into_iter().zip([Side::Sender, Side::Receiver]) {
        let machine = machine as usize;
        roles.resize(roles.len().max(machine + 1), None);
        roles[machine] = Some(Role { flow, connection, end });
    }
}
