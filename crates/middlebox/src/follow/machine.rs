//! The box around a scheme: which connections it follows, and for how long.

use std::collections::VecDeque;

use base::{Agenda, Flags, Time};
use observe::{BoxContext, MiddleboxFact};
use tcp::{Payload, Segment};

use super::followed::{End, Followed, Stage, Toward};
use super::{Agreed, Disposition, Follow, Load, Port};
use crate::due::take_due;
use crate::limits::{Admission, BoxAdmission, ends};
use crate::mobiles::Mobiles;
use crate::side::{Pair, Side};
use crate::syn::{Syn, without_accurate_ecn};
use crate::table::{Name, Table};
use crate::{
    Address, Bypass, Bypasses, Connection, Counters, Leg, Managed, Middlebox, MiddleboxLimits,
    Packet, PmtuHandler, RadioReport, Usage,
};

/// A box that follows each direction towards a mobile with an `F` of its own.
///
/// A connection is followed from its SYNs on, one whose SYNs did not pass is not. It is forgotten
/// when both FINs are acknowledged, on a reset, or when nothing has been heard of it for long.
#[derive(Debug)]
pub struct Following<P: Payload, F: Follow<P>> {
    config: F::Config,
    limits: MiddleboxLimits,
    admission: BoxAdmission,
    draining: bool,
    connections: Table<Followed<F>>,
    agenda: Agenda,
    /// Slots of connections whose time has come, while these are served.
    due: Vec<(Time, u32)>,
    mobiles: Mobiles,
    /// What all directions towards one mobile have under way.
    loads: Vec<Mobile>,
    next: Option<Time>,
    out: VecDeque<Packet<P>>,
    /// How many connections were established, which numbers them.
    established: u32,
    counters: Counters,
}

/// The number of a connection that is not established.
const UNOPENED: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Mobile {
    connections: Vec<u32>,
    load: Load,
    stalled: u32,
    heard: Time,
}

impl<P: Payload, F: Follow<P>> Following<P, F> {
    /// A box that follows connections with these parameters, without limits.
    pub fn new(config: F::Config) -> Self {
        Self::within(MiddleboxLimits::NONE, config)
    }

    /// The same within these limits.
    pub fn within(limits: MiddleboxLimits, config: F::Config) -> Self {
        Self {
            config,
            limits,
            admission: BoxAdmission::new(Admission::new(limits)),
            draining: false,
            connections: Table::default(),
            agenda: Agenda::default(),
            due: Vec::new(),
            mobiles: Mobiles::default(),
            loads: Vec::new(),
            next: None,
            out: VecDeque::new(),
            established: 0,
            counters: Counters::default(),
        }
    }

    /// The same, which shares the bounds of others.
    #[must_use]
    pub fn sharing(mut self, admission: Admission) -> Self {
        self.admission = BoxAdmission::new(admission);
        self
    }

    /// A SYN: of a connection that is known, of a new one, or of one that takes the place of an
    /// old one with the same ends. A connection with data on its SYN (RFC 7413) is let pass.
    fn handle_syn(&mut self, cx: &mut BoxContext<'_>, packet: &mut Packet<P>) {
        if packet.source.leg == Leg::Radio {
            F::edit_syn(&self.config, &mut packet.segment.header);
        }
        let header = &mut packet.segment.header;
        header.flags = without_accurate_ecn(header.flags);
        let syn = Syn::read(cx.now, header, packet.ip);
        let is_first = !packet.segment.has(Flags::ACK);
        if let Some((id, side)) = self.connections.find(packet.connection()) {
            let followed = self.get_mut(id);
            followed.heard = cx.now;
            match &mut followed.ends[side].syn {
                Some(before) if before.isn == syn.isn => return before.repeated = true,
                Some(_) if !is_first => return,
                Some(_) => self.forget(cx, id),
                None => return self.open(id, cx.now, side, syn),
            }
        }
        if !is_first {
            return;
        }
        match self.admit(&packet.connection(), &packet.segment) {
            Ok(()) => self.follow(Name::of(packet.connection()), cx.now, syn),
            Err(reason) => self.counters.bypass(reason),
        }
    }

    fn admit(&mut self, caller: &Connection, syn: &Segment<P>) -> Result<(), Bypass> {
        if self.draining {
            Err(Bypass::Draining)
        } else if ends(caller.source, caller.destination) == [None; 2] || syn.payload.length() > 0 {
            Err(Bypass::Handshake)
        } else {
            self.admission.open(caller)
        }
    }

    /// A connection of which only the caller's SYN is known.
    fn follow(&mut self, name: Name, now: Time, syn: Syn) {
        self.counters.flows += 1;
        let ends = Pair([End { syn: Some(syn), ..End::NEW }, End::NEW]);
        let bound = self.connections.bound();
        let stage = Stage::Opening;
        let id =
            self.connections.insert(Followed { name, number: UNOPENED, stage, ends, heard: now });
        if id == bound {
            self.agenda.add();
        }
        self.arm(id);
    }

    fn get_mut(&mut self, id: u32) -> &mut Followed<F> {
        self.connections[id].as_mut().expect("a connection that is there")
    }

    /// The SYN of the end on `side` passes, after that of the other: data may follow.
    fn open(&mut self, id: u32, now: Time, side: Side, syn: Syn) {
        while let Some((number, _)) = self.mobiles.forget(now, &self.limits) {
            self.loads[number as usize] = Mobile::default();
        }
        let Some(followed) = &mut self.connections[id] else { return };
        followed.ends[side].syn = Some(syn);
        let Some(other) = followed.ends[side.other()].syn else { return };
        for (side, sender, receiver) in [(side, other, syn), (side.other(), syn, other)] {
            let host = followed.host(side);
            if host.leg == Leg::Radio {
                let follow = F::open(&self.config, &Agreed::new(now, &sender, &receiver));
                let mobile = self.mobiles.join(host);
                self.loads.resize_with(self.loads.len().max(mobile as usize + 1), Mobile::default);
                self.loads[mobile as usize].connections.push(id);
                let toward = Toward { mobile, follow, load: Load::default() };
                followed.ends[side].toward = Some(Box::new(toward));
            }
        }
        self.arm(id);
    }

    /// Calls the direction towards `side` of a connection, if there is one.
    fn call<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        (id, side): (u32, Side),
        act: impl FnOnce(&mut F, &mut Port<'_, P>) -> R,
    ) -> Option<R> {
        let followed = self.connections[id].as_mut()?;
        let connection = followed.number;
        let toward = followed.ends[side].toward.as_mut()?;
        let (mobile, follow) = (toward.mobile, &mut toward.follow);
        let (out, counters) = (&mut self.out, &mut self.counters);
        let heard = self.loads[mobile as usize].heard;
        let (now, watch) = (cx.now, &mut *cx.observe);
        let port = &mut Port { now, mobile, connection, heard, out, counters, watch };
        let outcome = act(follow, port);
        let load = follow.load();
        let before = std::mem::replace(&mut toward.load, load);
        self.account(cx, mobile, before, load);
        Some(outcome)
    }

    /// A direction towards `mobile` had `before` under way and now has `after`.
    fn account(&mut self, cx: &mut BoxContext<'_>, mobile: u32, before: Load, after: Load) {
        if before == after {
            return;
        }
        let Mobile { load, stalled, .. } = &mut self.loads[mobile as usize];
        load.replace(&before, &after);
        let Counters { held_bytes, held_max, .. } = &mut self.counters;
        *held_bytes = *held_bytes - before.held + after.held;
        *held_max = (*held_max).max(load.held);
        let was = *stalled;
        *stalled = was - u32::from(before.stalled) + u32::from(after.stalled);
        if was == 0 && *stalled > 0 {
            cx.tell(MiddleboxFact::Stalled { mobile });
        } else if was > 0 && *stalled == 0 {
            cx.tell(MiddleboxFact::Recovered { mobile });
        }
        let moved = |load: Load| [load.queued, load.in_flight, load.cwnd];
        if moved(before) != moved(after) {
            let [queued, in_flight, cwnd] = moved(*load);
            cx.tell(MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd });
        }
    }

    /// Sets the connection's deadline.
    fn arm(&mut self, id: u32) {
        let Some(followed) = &self.connections[id] else { return };
        let deadlines = followed.deadlines::<P>().into_iter().flatten();
        let deadline = deadlines.fold(followed.idle_at(&self.limits), Time::min);
        self.agenda.set(id, Some(deadline));
    }

    fn forget(&mut self, cx: &mut BoxContext<'_>, id: u32) {
        let Some(followed) = self.connections.remove(id) else { return };
        self.agenda.set(id, None);
        let connection = followed.name.connection();
        match followed.stage {
            Stage::Opening => self.admission.cancel(&connection),
            Stage::Established => self.admission.close(&connection, followed.reserve::<P>()),
            Stage::Refused => {}
        }
        let hosts = ends(connection.source, connection.destination);
        for (end, host) in followed.ends.0.iter().zip(hosts) {
            let Some(&Toward { mobile, load, .. }) = end.toward.as_deref() else { continue };
            self.loads[mobile as usize].connections.retain(|&other| other != id);
            self.account(cx, mobile, load, Load::default());
            self.mobiles.leave(cx.now, mobile, self.limits.idle);
            if followed.stage == Stage::Established && host.is_some() {
                cx.tell(MiddleboxFact::Closed { mobile });
            }
        }
    }

    /// The handshake of a connection is over: false if the budget has no room for it.
    fn establish(&mut self, cx: &mut BoxContext<'_>, id: u32) -> bool {
        let Some(followed) = &mut self.connections[id] else { return false };
        let connection = followed.name.connection();
        let hosts = ends(connection.source, connection.destination);
        let admitted = self.admission.establish(&connection, followed.reserve::<P>()).is_ok();
        followed.stage = if admitted { Stage::Established } else { Stage::Refused };
        if admitted {
            followed.number = self.established;
            self.established = self.established.wrapping_add(1);
        }
        for (end, host) in followed.ends.0.iter().zip(hosts).filter(|_| admitted) {
            if let (Some(toward), Some(Address { host, .. })) = (&end.toward, host) {
                cx.tell(MiddleboxFact::Opened { mobile: toward.mobile, host });
            }
        }
        admitted
    }

    /// A half-open connection.
    fn opening(&self, connection: Connection) -> Option<u32> {
        let (id, _) = self.connections.find(connection)?;
        self.connections[id].as_ref().filter(|it| it.stage == Stage::Opening).map(|_| id)
    }

    /// A connection that has just begun goes on without the box.
    fn pass_by(&mut self, cx: &mut BoxContext<'_>, id: u32, reason: Bypass) {
        self.counters.bypass(reason);
        self.forget(cx, id);
    }

    /// Each connection goes on without the box: nothing was acknowledged early.
    fn release_all(&mut self, cx: &mut BoxContext<'_>) {
        self.draining = true;
        for id in 0..self.connections.bound() {
            for side in Side::BOTH {
                self.call(cx, (id, side), F::release);
            }
            self.counters.released += u64::from(self.connections[id].is_some());
            self.forget(cx, id);
        }
        self.next = self.agenda.peek();
    }

    /// The time of a connection has come.
    fn expire(&mut self, cx: &mut BoxContext<'_>, id: u32) {
        let Some(followed) = &self.connections[id] else { return };
        let deadlines = followed.deadlines::<P>();
        if followed.idle_at(&self.limits) <= cx.now {
            return self.forget(cx, id);
        }
        for (side, deadline) in Side::BOTH.into_iter().zip(deadlines) {
            if deadline.is_some_and(|deadline| deadline <= cx.now) {
                self.call(cx, (id, side), F::handle_timeout);
            }
        }
        self.arm(id);
    }

    /// A packet of a connection that is followed.
    fn handle_followed(
        &mut self,
        cx: &mut BoxContext<'_>,
        (id, side): (u32, Side),
        mut packet: Packet<P>,
    ) {
        let Some(followed) = &mut self.connections[id] else { return };
        followed.heard = cx.now;
        if let Some(toward) = &followed.ends[side].toward {
            self.loads[toward.mobile as usize].heard = cx.now;
        }
        if packet.segment.has(Flags::RST) {
            self.counters.resets += u64::from(followed.stage != Stage::Opening);
            self.counters.discarded_bytes += followed.held();
            self.out.push_back(packet);
            return self.forget(cx, id);
        }
        if followed.stands_with(side, &packet.segment) && !self.establish(cx, id) {
            self.out.push_back(packet);
            return self.pass_by(cx, id, Bypass::Bytes);
        }
        let is_over = self.get_mut(id).is_over_with(side, &packet.segment);
        let heard = self.call(cx, (id, side), |follow, port| follow.handle_ack(&mut packet, port));
        let goes_on = heard != Some(Disposition::Keep) && {
            let to = (id, side.other());
            let seen = self.call(cx, to, |follow, port| follow.handle_data(&mut packet, port));
            seen != Some(Disposition::Keep)
        };
        if goes_on {
            self.out.push_back(packet);
        }
        if is_over {
            self.forget(cx, id);
        } else {
            self.arm(id);
        }
    }
}

impl<P: Payload + Send, F: Follow<P>> Middlebox<P> for Following<P, F> {
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, mut packet: Packet<P>) {
        self.counters.packets_in += 1;
        let is_syn = packet.segment.has(Flags::SYN) && !packet.segment.has(Flags::RST);
        if is_syn {
            self.handle_syn(cx, &mut packet);
            self.out.push_back(packet);
        } else if let Some(known) = self.connections.find(packet.connection()) {
            self.handle_followed(cx, known, packet);
        } else {
            self.out.push_back(packet);
        }
        self.next = self.agenda.peek();
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        let mut due = std::mem::take(&mut self.due);
        loop {
            let connections = &self.connections;
            let number = |id| connections[id].as_ref().map_or(UNOPENED, |followed| followed.number);
            take_due(&mut self.agenda, cx.now, &mut due, number);
            if due.is_empty() {
                break;
            }
            for (_, id) in &due {
                self.expire(cx, *id);
            }
        }
        self.due = due;
        self.next = self.agenda.peek();
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        let Some(number) = self.mobiles.find(mobile) else { return };
        for index in 0..self.loads[number as usize].connections.len() {
            let id = self.loads[number as usize].connections[index];
            for side in Side::BOTH {
                if self.get_mut(id).host(side).handset() == mobile.handset() {
                    self.call(cx, (id, side), |follow, port| {
                        follow.handle_report(report, port);
                    });
                }
            }
            self.arm(id);
        }
        self.next = self.agenda.peek();
    }

    fn poll_output(&mut self, _cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        let packet = self.out.pop_front()?;
        self.counters.packets_out += 1;
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

impl<P: Payload + Send, F: Follow<P>> Managed<P> for Following<P, F> {
    fn bypasses(&self) -> Bypasses {
        self.counters.bypasses
    }

    fn knows(&self, connection: &Connection) -> bool {
        self.connections.find(*connection).is_some()
    }

    fn usage(&self) -> Usage {
        self.admission.usage
    }

    /// The packets that it sends are as large as their sender made them: that one has to handle it.
    fn handle_path_mtu(
        &mut self,
        cx: &mut BoxContext<'_>,
        connection: Connection,
        mtu: u16,
    ) -> PmtuHandler {
        let host = connection.destination;
        let known = self.connections.find(connection).filter(|_| mtu >= host.least_mtu());
        if let Some((id, side)) = known {
            let bytes = u64::from(mtu - host.ip_header());
            self.call(cx, (id, side.other()), |follow, port| {
                follow.limit_segment(bytes, port);
            });
            self.arm(id);
            self.next = self.agenda.peek();
        }
        PmtuHandler::Sender
    }

    fn ignore(&mut self, connection: Connection) {
        if let Some(id) = self.opening(connection) {
            // Nothing is reported before it has begun.
            let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
            self.pass_by(cx, id, Bypass::Left);
        }
    }

    fn forget_opening(&mut self, now: Time, connection: Connection) {
        if let Some(id) = self.opening(connection) {
            self.forget(&mut BoxContext { now, observe: &mut |_| {} }, id);
        }
    }

    fn drain(&mut self, cx: &mut BoxContext<'_>) {
        self.release_all(cx);
    }

    /// Nothing has to be reset.
    fn reset_all(&mut self, cx: &mut BoxContext<'_>) {
        self.release_all(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IpFields;
    use crate::delayed_dupacks::DelayedDupacksFlow;
    use crate::fda::FdaLikeFlow;
    use crate::m_tcp::{MTcpConfig, MTcpFlow};
    use crate::snoop::SnoopFlow;
    use crate::w_tcp::WTcpFlow;
    use base::{Duration, Seq, TcpHeader};
    use tcp::Length;

    const HOST: Address = Address { leg: Leg::Wired, host: 1 };

    /// A connection of one mobile that rests: both ends and the one direction; its places in the
    /// index (one place in two empty), in the agenda and with its mobile.
    #[test]
    fn a_connection_at_rest_takes_little() {
        #[track_caller]
        fn check<F: Follow<Length>>(most: usize) {
            let entry = size_of::<Option<Followed<F>>>() + size_of::<Toward<F>>();
            let places = 2 * size_of::<u32>() + 2 * size_of::<Option<Time>>();
            let size = entry + places;
            assert!(size <= most, "{size} B");
        }
        check::<SnoopFlow<Length>>(1_024);
        check::<FdaLikeFlow<Length>>(1_024);
        check::<DelayedDupacksFlow<Length>>(1_024);
        check::<MTcpFlow<Length>>(1_024);
        check::<WTcpFlow<Length>>(1_024);
    }

    #[test]
    fn short_flows_leave_nothing_behind() {
        let second = Duration::from_secs(1);
        let mut following: Following<Length, MTcpFlow<Length>> =
            Following::new(MTcpConfig { timeout: second, release: second });
        for flow in 0..100_000_u32 {
            let mobile = Address { leg: Leg::Radio, host: u128::from(10 + flow % 10) };
            let mut pass = |from_mobile: bool, flags, seq: u32, ack: u32| {
                let [source, destination] =
                    if from_mobile { [mobile, HOST] } else { [HOST, mobile] };
                let port = (flow / 2) as u16;
                let [source_port, destination_port] =
                    if from_mobile { [port, 80] } else { [80, port] };
                let [seq, ack] = [seq, ack].map(Seq::new);
                let header = TcpHeader {
                    source_port,
                    destination_port,
                    seq,
                    ack,
                    flags,
                    ..TcpHeader::default()
                };
                let segment = Segment { header, ..Segment::default() };
                let packet = Packet { source, destination, ip: IpFields::default(), segment };
                let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
                following.handle_packet(cx, packet);
                while following.poll_output(cx).is_some() {}
            };
            pass(true, Flags::SYN, 0, 0);
            pass(false, Flags::SYN | Flags::ACK, 0, 1);
            pass(false, Flags::FIN | Flags::ACK, 1, 1);
            pass(true, Flags::FIN | Flags::ACK, 1, 2);
            pass(false, Flags::ACK, 2, 2);
        }
        assert_eq!(following.counters.flows, 100_000);
        assert_eq!(following.connections.bound(), 1, "one after the other");
        assert_eq!(following.poll_timeout(), None);
        assert_eq!(following.loads.len(), 10);
        assert!(following.loads.iter().all(|mobile| mobile.connections.is_empty()));
        assert!(following.loads.iter().all(|mobile| mobile.load == Load::default()));
    }
}
