//! The box around a scheme: which connections it follows, and for how long.

use std::collections::VecDeque;

use base::{Flags, Time};
use observe::MiddleboxFact;
use tcp::{Payload, Segment};

use super::followed::{End, Followed, Stage, Toward};
use super::offer::Offer;
use super::table::{Key, Side, Table};
use super::{Agreed, Disposition, Follow, Load, Port};
use crate::limits::{Admission, BoxAdmission, Ends, ends};
use crate::mobiles::Mobiles;
use crate::{
    Address, Bypass, Bypasses, Connection, Counters, Leg, Managed, Middlebox, MiddleboxLimits,
    Packet, PmtuHandler, RadioReport, Usage, Watch,
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
    mobiles: Mobiles,
    /// What all directions towards one mobile have under way.
    loads: Vec<Mobile>,
    next: Option<Time>,
    out: VecDeque<Packet<P>>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Mobile {
    connections: Vec<u32>,
    load: Load,
    stalled: u32,
    heard: Time,
}

/// A call to a direction.
enum Call<'a, P> {
    Data(&'a mut Packet<P>),
    Ack(&'a mut Packet<P>),
    Timeout,
    Report(RadioReport),
    Release,
    Limit(u64),
}

/// The mobiles of a connection.
fn mobiles(key: &Key) -> Ends {
    ends(key.host(Side::One), key.host(Side::Other))
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
            connections: Table::new(),
            mobiles: Mobiles::default(),
            loads: Vec::new(),
            next: None,
            out: VecDeque::new(),
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
    fn handle_syn(&mut self, now: Time, packet: &mut Packet<P>, watch: Watch<'_>) {
        let (key, side) = Key::of(packet.connection());
        if packet.source.leg == Leg::Radio {
            F::edit_syn(&self.config, &mut packet.segment.header);
        }
        let offer = Offer::new(now, &packet.segment.header);
        let is_first = !packet.segment.has(Flags::ACK);
        if let Some(id) = self.connections.find(&key) {
            let (_, followed) = self.connections.get_mut(id);
            followed.heard = now;
            match &mut followed.side(side).offer {
                Some(before) if before.first == offer.first => return before.repeat(),
                Some(_) if !is_first => return,
                Some(_) => self.forget(now, id, watch),
                None => return self.open(id, now, side, offer),
            }
        }
        if !is_first {
            return;
        }
        match self.admit(&packet.connection(), &packet.segment) {
            Ok(()) => self.follow(key, now, side, offer),
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

    /// A connection of which only the caller's offer is known.
    fn follow(&mut self, key: Key, now: Time, caller: Side, offer: Offer) {
        let number = self.counters.flows as u32;
        self.counters.flows += 1;
        let (stage, sides) = (Stage::Opening, [End::NEW, End::NEW]);
        let followed = Followed { number, caller, stage, sides, heard: now };
        let id = self.connections.insert(key, followed);
        self.connections.get_mut(id).1.side(caller).offer = Some(offer);
        self.arm(id);
    }

    /// The end on `side` makes its offer, after the other: data may follow.
    fn open(&mut self, id: u32, now: Time, side: Side, offer: Offer) {
        while let Some((number, _)) = self.mobiles.forget(now, &self.limits) {
            self.loads[number as usize] = Mobile::default();
        }
        let (key, followed) = self.connections.get_mut(id);
        followed.side(side).offer = Some(offer);
        let Some(other) = followed.side(side.opposite()).offer else { return };
        for (side, sender, receiver) in [(side, other, offer), (side.opposite(), offer, other)] {
            let host = key.host(side);
            if host.leg == Leg::Radio {
                let follow = F::open(&self.config, &Agreed::new(now, &sender, &receiver));
                let mobile = self.mobiles.join(host);
                self.loads.resize_with(self.loads.len().max(mobile as usize + 1), Mobile::default);
                self.loads[mobile as usize].connections.push(id);
                let toward = Toward { mobile, follow, load: Load::default() };
                followed.side(side).toward = Some(Box::new(toward));
            }
        }
        self.arm(id);
    }

    /// Calls the direction towards `side` of a connection, if there is one.
    fn call(
        &mut self,
        now: Time,
        (id, side): (u32, Side),
        call: Call<'_, P>,
        watch: Watch<'_>,
    ) -> Disposition {
        let (_, followed) = self.connections.get_mut(id);
        let connection = followed.number;
        let Some(toward) = &mut followed.side(side).toward else { return Disposition::Forward };
        let (mobile, follow) = (toward.mobile, &mut toward.follow);
        let (out, counters) = (&mut self.out, &mut self.counters);
        let heard = self.loads[mobile as usize].heard;
        let port = &mut Port { now, mobile, connection, heard, out, counters, watch: &mut *watch };
        let mut disposition = Disposition::Keep;
        match call {
            Call::Data(packet) => disposition = follow.handle_data(packet, port),
            Call::Ack(packet) => disposition = follow.handle_ack(packet, port),
            Call::Timeout => follow.handle_timeout(port),
            Call::Report(report) => follow.handle_report(report, port),
            Call::Release => follow.release(port),
            Call::Limit(bytes) => follow.limit_segment(bytes, port),
        }
        let load = follow.load();
        let before = std::mem::replace(&mut toward.load, load);
        self.account(mobile, before, load, watch);
        disposition
    }

    /// A direction towards `mobile` had `before` under way and now has `after`.
    fn account(&mut self, mobile: u32, before: Load, after: Load, watch: Watch<'_>) {
        if before == after {
            return;
        }
        let Mobile { load, stalled, .. } = &mut self.loads[mobile as usize];
        load.queued = load.queued - before.queued + after.queued;
        load.in_flight = load.in_flight - before.in_flight + after.in_flight;
        load.cwnd = load.cwnd - before.cwnd + after.cwnd;
        load.held = load.held - before.held + after.held;
        let Counters { held_bytes, held_max, .. } = &mut self.counters;
        *held_bytes = *held_bytes - before.held + after.held;
        *held_max = (*held_max).max(load.held);
        let was = *stalled;
        *stalled = was - u32::from(before.stalled) + u32::from(after.stalled);
        if was == 0 && *stalled > 0 {
            watch(MiddleboxFact::Stalled { mobile });
        } else if was > 0 && *stalled == 0 {
            watch(MiddleboxFact::Recovered { mobile });
        }
        let moved = |load: Load| [load.queued, load.in_flight, load.cwnd];
        if moved(before) != moved(after) {
            let [queued, in_flight, cwnd] = moved(*load);
            watch(MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd });
        }
    }

    /// Sets the connection's deadline.
    fn arm(&mut self, id: u32) {
        let (_, followed) = self.connections.get_mut(id);
        let deadline = followed
            .deadlines::<P>()
            .into_iter()
            .flatten()
            .fold(followed.idle_at(&self.limits), Time::min);
        self.connections.set_deadline(id, deadline);
    }

    fn forget(&mut self, now: Time, id: u32, watch: Watch<'_>) {
        let (key, followed) = self.connections.remove(id);
        match followed.stage {
            Stage::Opening => self.admission.cancel(&key.called_by(followed.caller)),
            Stage::Established => {
                self.admission.close(&key.called_by(followed.caller), followed.reserve::<P>());
            }
            Stage::Refused => {}
        }
        for (end, host) in followed.sides.iter().zip(mobiles(&key)) {
            let Some(&Toward { mobile, load, .. }) = end.toward.as_deref() else { continue };
            self.loads[mobile as usize].connections.retain(|&other| other != id);
            self.account(mobile, load, Load::default(), &mut *watch);
            self.mobiles.leave(now, mobile, self.limits.idle);
            if followed.stage == Stage::Established && host.is_some() {
                watch(MiddleboxFact::Closed { mobile });
            }
        }
    }

    /// The handshake of a connection is over: false if the budget has no room for it.
    fn establish(&mut self, id: u32, watch: Watch<'_>) -> bool {
        let (key, followed) = self.connections.get_mut(id);
        let hosts = mobiles(key);
        let connection = key.called_by(followed.caller);
        let admitted = self.admission.establish(&connection, followed.reserve::<P>()).is_ok();
        followed.stage = if admitted { Stage::Established } else { Stage::Refused };
        for (end, host) in followed.sides.iter().zip(hosts).filter(|_| admitted) {
            if let (Some(toward), Some(Address { host, .. })) = (&end.toward, host) {
                watch(MiddleboxFact::Opened { mobile: toward.mobile, host });
            }
        }
        admitted
    }

    /// A half-open connection.
    fn opening(&mut self, connection: &Connection) -> Option<u32> {
        let id = self.connections.find(&Key::of(*connection).0)?;
        (self.connections.get_mut(id).1.stage == Stage::Opening).then_some(id)
    }

    /// A connection that has just begun goes on without the box.
    fn pass_by(&mut self, now: Time, id: u32, reason: Bypass, watch: Watch<'_>) {
        self.counters.bypass(reason);
        self.forget(now, id, watch);
    }

    /// Each connection goes on without the box: nothing was acknowledged early.
    fn release_all(&mut self, now: Time, watch: Watch<'_>) {
        self.draining = true;
        for id in self.connections.numbers() {
            for side in Side::BOTH {
                let _ = self.call(now, (id, side), Call::Release, &mut *watch);
            }
            self.forget(now, id, &mut *watch);
            self.counters.released += 1;
        }
        self.next = self.connections.next_deadline();
    }

    /// A packet of a connection that is followed.
    fn handle_followed(&mut self, now: Time, id: u32, mut packet: Packet<P>, watch: Watch<'_>) {
        let (_, side) = Key::of(packet.connection());
        let (_, followed) = self.connections.get_mut(id);
        followed.heard = now;
        if let Some(toward) = &followed.side(side).toward {
            self.loads[toward.mobile as usize].heard = now;
        }
        if packet.segment.has(Flags::RST) {
            self.counters.resets += u64::from(followed.stage != Stage::Opening);
            self.counters.discarded_bytes += followed.held();
            self.out.push_back(packet);
            return self.forget(now, id, watch);
        }
        if followed.stands_with(side, &packet.segment) && !self.establish(id, watch) {
            self.out.push_back(packet);
            return self.pass_by(now, id, Bypass::Bytes, watch);
        }
        let (_, followed) = self.connections.get_mut(id);
        let is_over = followed.is_over_with(side, &packet.segment);
        let mut disposition = self.call(now, (id, side), Call::Ack(&mut packet), &mut *watch);
        if disposition == Disposition::Forward {
            let to = (id, side.opposite());
            disposition = self.call(now, to, Call::Data(&mut packet), &mut *watch);
        }
        if disposition == Disposition::Forward {
            self.out.push_back(packet);
        }
        if is_over {
            self.forget(now, id, watch);
        } else {
            self.arm(id);
        }
    }
}

impl<P: Payload + Send, F: Follow<P>> Middlebox<P> for Following<P, F> {
    fn handle_packet(&mut self, now: Time, mut packet: Packet<P>, watch: Watch<'_>) {
        self.counters.packets_in += 1;
        let is_syn = packet.segment.has(Flags::SYN) && !packet.segment.has(Flags::RST);
        if is_syn {
            self.handle_syn(now, &mut packet, watch);
            self.out.push_back(packet);
        } else if let Some(id) = self.connections.find(&Key::of(packet.connection()).0) {
            self.handle_followed(now, id, packet, watch);
        } else {
            self.out.push_back(packet);
        }
        self.next = self.connections.next_deadline();
    }

    fn handle_timeout(&mut self, now: Time, watch: Watch<'_>) {
        while let Some(id) = self.connections.due(now) {
            let (_, followed) = self.connections.get_mut(id);
            if followed.idle_at(&self.limits) <= now {
                self.forget(now, id, &mut *watch);
                continue;
            }
            for (side, deadline) in Side::BOTH.into_iter().zip(followed.deadlines::<P>()) {
                if deadline.is_some_and(|deadline| deadline <= now) {
                    let _ = self.call(now, (id, side), Call::Timeout, &mut *watch);
                }
            }
            self.arm(id);
        }
        self.next = self.connections.next_deadline();
    }

    fn handle_report(&mut self, now: Time, mobile: Address, report: RadioReport, watch: Watch<'_>) {
        let Some(number) = self.mobiles.find(mobile) else { return };
        for index in 0..self.loads[number as usize].connections.len() {
            let id = self.loads[number as usize].connections[index];
            let (key, _) = self.connections.get_mut(id);
            let key = *key;
            let is_its = |side: &Side| key.host(*side).handset() == mobile.handset();
            for side in Side::BOTH.into_iter().filter(is_its) {
                let _ = self.call(now, (id, side), Call::Report(report), &mut *watch);
            }
            self.arm(id);
        }
        self.next = self.connections.next_deadline();
    }

    fn poll_output(&mut self, _now: Time, _watch: Watch<'_>) -> Option<Packet<P>> {
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
        self.connections.find(&Key::of(*connection).0).is_some()
    }

    fn usage(&self) -> Usage {
        self.admission.usage()
    }

    /// The packets that it sends are as large as their sender made them: that one has to handle it.
    fn handle_path_mtu(
        &mut self,
        now: Time,
        connection: Connection,
        mtu: u16,
        watch: Watch<'_>,
    ) -> PmtuHandler {
        let host = connection.destination;
        let (key, side) = Key::of(connection);
        if let Some(id) = self.connections.find(&key).filter(|_| mtu >= host.least_mtu()) {
            let bytes = u64::from(mtu - host.ip_header());
            let _ = self.call(now, (id, side.opposite()), Call::Limit(bytes), watch);
            self.arm(id);
            self.next = self.connections.next_deadline();
        }
        PmtuHandler::Sender
    }

    fn ignore(&mut self, connection: Connection) {
        if let Some(id) = self.opening(&connection) {
            // Nothing is reported before it has begun.
            self.pass_by(Time::ZERO, id, Bypass::Left, &mut |_| {});
        }
    }

    fn forget_opening(&mut self, now: Time, connection: Connection) {
        if let Some(id) = self.opening(&connection) {
            self.forget(now, id, &mut |_| {});
        }
    }

    fn drain(&mut self, now: Time, watch: Watch<'_>) {
        self.release_all(now, watch);
    }

    /// Nothing has to be reset.
    fn reset_all(&mut self, now: Time, watch: Watch<'_>) {
        self.release_all(now, watch);
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
    /// map (with its key, and one place in two empty), in the agenda and with its mobile.
    #[test]
    fn a_connection_at_rest_takes_little() {
        #[track_caller]
        fn check<F: Follow<Length>>(most: usize) {
            let entry = size_of::<Option<(Key, Followed<F>)>>() + size_of::<Toward<F>>();
            let places = 2 * size_of::<(Key, u32)>() + 2 * size_of::<Option<Time>>();
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
                following.handle_packet(Time::ZERO, packet, &mut |_| {});
                while following.poll_output(Time::ZERO, &mut |_| {}).is_some() {}
            };
            pass(true, Flags::SYN, 0, 0);
            pass(false, Flags::SYN | Flags::ACK, 0, 1);
            pass(false, Flags::FIN | Flags::ACK, 1, 1);
            pass(true, Flags::FIN | Flags::ACK, 1, 2);
            pass(false, Flags::ACK, 2, 2);
        }
        assert_eq!(following.counters.flows, 100_000);
        assert_eq!(following.connections.places(), 1, "one after the other");
        assert_eq!(following.poll_timeout(), None);
        assert_eq!(following.loads.len(), 10);
        assert!(following.loads.iter().all(|mobile| mobile.connections.is_empty()));
        assert!(following.loads.iter().all(|mobile| mobile.load == Load::default()));
    }
}
