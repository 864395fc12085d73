//! Access points and mobiles, and the packets between them.

use base::Time;
use link::Dropped;
use mobility::binding::{Address, LinkEvent};
use mobility::handover::LinkChange;
use observe::{Context, DropReason, Observe, PacketEvent};
use radio::wlan::{End, Output, Wlan};

use crate::{Body, Ends, Hop, Machine, MachineId, NodeId, Packet, World};

/// Any station on a link.
const ALL_NODES: NodeId = NodeId(Address::ALL_NODES.0);

/// The directory of a WLAN: nodes, addresses and stations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WlanNodes {
    /// The access routers, by the numbers of their access points.
    pub routers: Vec<NodeId>,
    /// The mobiles, by their numbers as stations.
    pub mobiles: Vec<NodeId>,
    /// The station of each address, and the access point at which it is reached (`None` for the
    /// preferred one). A mobile's own node need not be listed.
    pub addresses: Vec<(Address, u32, Option<u32>)>,
    /// True if mobiles send from their home addresses at the preferred access point, wherever that
    /// is; else only at home.
    pub triangular: bool,
}

/// The same, to be looked up by address.
#[derive(Clone, Debug)]
pub struct Directory {
    routers: Vec<NodeId>,
    mobiles: Vec<NodeId>,
    /// By number of the node; may be shorter.
    access_points: Vec<Option<u32>>,
    by_address: Vec<Option<(u32, Option<u32>)>>,
    triangular: bool,
}

impl Directory {
    fn new(nodes: WlanNodes) -> Self {
        let WlanNodes { routers, mobiles, addresses, triangular } = nodes;
        let mut access_points = Vec::new();
        for (NodeId(router), access_point) in routers.iter().zip(0..) {
            let index = *router as usize;
            access_points.resize(access_points.len().max(index + 1), None);
            access_points[index] = Some(access_point);
        }
        let mut by_address = Vec::new();
        let own = mobiles.iter().zip(0..).map(|(node, station)| (Address(node.0), station, None));
        for (Address(address), station, access_point) in own.chain(addresses) {
            let index = address as usize;
            by_address.resize(by_address.len().max(index + 1), None);
            by_address[index] = Some((station, access_point));
        }
        Self { routers, mobiles, access_points, by_address, triangular }
    }

    /// The access routers, by the numbers of their access points.
    pub fn routers(&self) -> &[NodeId] {
        &self.routers
    }

    /// Each access router with each mobile.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let to_all = |router: &NodeId| {
            let router = *router;
            self.mobiles.iter().map(move |mobile| (router, *mobile))
        };
        self.routers.iter().flat_map(to_all)
    }

    /// The access point at which a mobile is reached by `address`; `None` for one without a station
    /// or access point.
    pub fn access_point_of(&self, address: Address) -> Option<u32> {
        self.find(NodeId(address.0))?.1
    }

    /// Where what `from` sends comes out, if that is known in advance: a mobile's preferred access
    /// point may change.
    pub fn far_end(&self, from: NodeId, ends: Ends) -> Option<NodeId> {
        if self.access_point(from).is_some() {
            return self.station(ends.destination).map(|station| self.mobiles[station as usize]);
        }
        self.way_from(ends.source).map(|number| self.routers[number as usize])
    }

    /// The access point at which a mobile sends from the address `source`; `None` for the preferred
    /// one.
    fn way_from(&self, source: NodeId) -> Option<u32> {
        let (station, access_point) = self.find(source)?;
        let is_anywhere = self.triangular && source == self.mobiles[station as usize];
        access_point.filter(|_| !is_anywhere)
    }

    /// The station that has an address, and its access point there.
    fn find(&self, address: NodeId) -> Option<(u32, Option<u32>)> {
        self.by_address.get(address.0 as usize).copied().flatten()
    }

    fn access_point(&self, node: NodeId) -> Option<u32> {
        self.access_points.get(node.0 as usize).copied().flatten()
    }

    fn station(&self, node: NodeId) -> Option<u32> {
        self.find(node).map(|(station, _)| station)
    }
}

/// Assembling.
impl<B: Body> World<B> {
    /// Adds access points and mobiles.
    pub fn add_wlan(&mut self, name: &str, wlan: Wlan<Packet<B>>, nodes: WlanNodes) -> MachineId {
        for mobile in &nodes.mobiles {
            self.set_mobile(*mobile);
        }
        let directory = Box::new(Directory::new(nodes));
        // The first links of mobiles are reported when the run begins.
        let id =
            self.machines.add(name, Machine::Hop(Hop::Wlan { wlan: Box::new(wlan), directory }));
        self.machines.wake(id, Time::ZERO);
        id
    }
}

/// Running.
impl<B: Body> World<B> {
    /// A packet goes from `node` into the WLAN `id`.
    pub(super) fn enter_wlan(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        id: MachineId,
        packet: Packet<B>,
    ) {
        if packet.ends.destination == ALL_NODES {
            return self.call_all(cx, node, id, &packet);
        }
        let Machine::Hop(Hop::Wlan { wlan, directory, .. }) = &mut self.machines[id] else {
            return;
        };
        let refused = match directory.access_point(node) {
            Some(access_point) => match directory.find(packet.ends.destination) {
                Some((station, _)) => wlan.handle_downlink(cx.now, access_point, station, packet),
                None => Err(Dropped { packet, reason: DropReason::Unreachable }),
            },
            None => match directory.station(node) {
                Some(station) => {
                    let by = directory.way_from(packet.ends.source);
                    wlan.handle_uplink(cx.now, station, by, packet)
                }
                None => Err(Dropped { packet, reason: DropReason::Unreachable }),
            },
        };
        if let Err(Dropped { packet, reason }) = refused {
            cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
        }
        self.run_wlan(cx, id);
    }

    /// A packet goes from the access router at `node` to all mobiles there, each of which gets one
    /// of its own.
    fn call_all(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        id: MachineId,
        packet: &Packet<B>,
    ) {
        // The original ends here; its copies are sent.
        cx.packet(&packet.fact(PacketEvent::Left, id.0));
        cx.packet(&packet.fact(PacketEvent::Arrived, id.0));
        let Machine::Hop(Hop::Wlan { wlan, directory, .. }) = &mut self.machines[id] else {
            return;
        };
        let Some(access_point) = directory.access_point(node) else { return };
        for station in 0..directory.mobiles.len() as u32 {
            if !wlan.is_attached(station, access_point) {
                continue;
            }
            let copy = self.packets.copy(packet);
            cx.packet(&copy.fact(PacketEvent::Departed, id.0));
            cx.packet(&copy.fact(PacketEvent::Entered, id.0));
            let refused = wlan.handle_downlink(cx.now, access_point, station, copy);
            if let Err(Dropped { packet, reason }) = refused {
                cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
            }
        }
        self.run_wlan(cx, id);
    }

    /// Hands on what has come out of a WLAN.
    pub(super) fn run_wlan(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        self.tell_dequeued(cx, id);
        if !self.begins_to_hand_on(id) {
            return;
        }
        while let Machine::Hop(Hop::Wlan { wlan, directory, .. }) = &mut self.machines[id]
            && let Some(output) = wlan.poll_output()
        {
            match output {
                Output::Delivered { at, sdu, .. } => {
                    let to = match at {
                        End::AccessPoint(number) => directory.routers[number as usize],
                        End::Station(number) => directory.mobiles[number as usize],
                    };
                    self.arrive(cx, id, to, sdu);
                }
                Output::Dropped(Dropped { packet, reason }) => {
                    cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
                }
                Output::Link { station, event } => {
                    let mobile = directory.mobiles[station as usize];
                    let event = match event {
                        LinkChange::Up { access_point } => LinkEvent::Up { router: access_point },
                        LinkChange::Down { access_point } => {
                            LinkEvent::Down { router: access_point }
                        }
                        LinkChange::Fading { next } => LinkEvent::Fading { next },
                    };
                    self.tell_of_link(cx, mobile, event);
                }
            }
        }
        self.handing_on.pop();
        self.machines.reschedule(id);
    }

    /// The access router at `node` holds packets for a mobile.
    pub(super) fn hold(&mut self, node: NodeId, mobile: NodeId) {
        if let Some((id, [access_point, station])) = self.link_between(node, mobile)
            && let Machine::Hop(Hop::Wlan { wlan, .. }) = &mut self.machines[id]
        {
            wlan.hold(access_point, station);
        }
    }

    /// The access router releases them.
    pub(super) fn release(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        mobile: NodeId,
    ) {
        if let Some((id, [access_point, station])) = self.link_between(node, mobile)
            && let Machine::Hop(Hop::Wlan { wlan, .. }) = &mut self.machines[id]
        {
            wlan.release(cx.now, access_point, station);
            self.run_wlan(cx, id);
        }
    }

    /// The WLAN between an access router and a mobile, and their numbers there.
    fn link_between(&self, router: NodeId, mobile: NodeId) -> Option<(MachineId, [u32; 2])> {
        let id = self.node(mobile).hop(router)?;
        let Machine::Hop(Hop::Wlan { directory, .. }) = self.machine(id) else { return None };
        Some((id, [directory.access_point(router)?, directory.station(mobile)?]))
    }
}
