//! Records of connections that have ended.

use std::collections::VecDeque;
use std::net::SocketAddr;

use base::{Duration, Flags, Seq, TcpHeader, Time};
use middlebox::{Connection, Leg};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::hosts;

/// A connection that a box took part in, and no longer does.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FlowRecord {
    /// Who opened it.
    pub caller: SocketAddr,
    /// Who was called.
    pub callee: SocketAddr,
    /// From its first packet to its last, in seconds.
    pub duration_seconds: f64,
    /// Payload bytes of the caller that came to the box, each counted once.
    pub caller_bytes: u64,
    /// Those of the callee.
    pub callee_bytes: u64,
    /// Mean of the round-trip times over the radio in seconds, if any was measured.
    pub round_trip_seconds: Option<f64>,
    /// Segments that the box retransmitted over the radio.
    pub retransmissions: u64,
    /// How it ended.
    pub end: FlowEnd,
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowEnd {
    /// Both ends closed it.
    Closed,
    /// The caller reset it.
    ResetByCaller,
    /// The callee reset it, or refused it.
    ResetByCallee,
    /// The box reset it.
    ResetByProxy,
    /// It goes on without the box, or was silent for too long.
    Left,
}

/// Connections that boxes take part in, if records are wanted.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// By their names as the caller's packets have it.
    open: FxHashMap<Connection, Open>,
    ended: VecDeque<FlowRecord>,
    next_look: Time,
}

/// The longest time from the end of a connection to its record.
const LOOKS: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
struct Open {
    /// The number of its box.
    number: u32,
    first: Time,
    last: Time,
    /// What came from the caller and from the callee.
    came: [Stream; 2],
    /// What the box sent to the caller and to the callee.
    sent: [Stream; 2],
    /// A segment over the radio, and when it left.
    timed: Option<(Seq, Time)>,
    round_trips: (u64, Duration),
    retransmissions: u64,
    reset: Option<FlowEnd>,
}

/// One direction, on one side of the box.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    next: Option<Seq>,
    bytes: u64,
    is_finished: bool,
    /// Its receiver has acknowledged the FIN.
    is_acknowledged: bool,
}

/// Where a packet of a connection is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// It comes to the box.
    In,
    /// The box sends it.
    Out,
}

impl Records {
    /// A packet of a connection of box `number`, as it names it.
    pub(crate) fn note(
        &mut self,
        now: Time,
        number: u32,
        side: Side,
        connection: Connection,
        header: &TcpHeader,
        bytes: u32,
    ) {
        let back = connection.reversed();
        let (name, end) = if self.open.contains_key(&back) { (back, 1) } else { (connection, 0) };
        let is_opened = header.flags.contains(Flags::SYN) && side == Side::In;
        if !is_opened && !self.open.contains_key(&name) {
            return;
        }
        let open = self.open.entry(name).or_insert_with(|| Open::new(now, number));
        open.last = now;
        let leg = match side {
            Side::In => connection.source.leg,
            Side::Out => connection.destination.leg,
        };
        match side {
            Side::In => open.receive(now, end, leg, header, bytes),
            Side::Out => open.send(now, 1 - end, leg, header, bytes),
        }
    }

    /// The box does not take part in a connection after all.
    pub(crate) fn drop(&mut self, connection: &Connection) {
        self.open.remove(connection);
    }

    /// The next poll looks at all connections.
    pub(crate) const fn hurry(&mut self) {
        self.next_look = Time::ZERO;
    }

    /// No records are wanted.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
        self.ended.clear();
    }

    /// The next connection that has ended: one that its box does not know.
    pub(crate) fn poll(
        &mut self,
        now: Time,
        knows: impl Fn(u32, &Connection) -> bool,
    ) -> Option<FlowRecord> {
        if self.ended.is_empty() && now >= self.next_look {
            self.next_look = now + LOOKS;
            let ended = &mut self.ended;
            self.open.retain(|connection, open| {
                let stays = knows(open.number, connection);
                if !stays {
                    ended.push_back(open.record(connection));
                }
                stays
            });
        }
        self.ended.pop_front()
    }
}

impl Open {
    fn new(now: Time, number: u32) -> Self {
        Self {
            number,
            first: now,
            last: now,
            came: [Stream::default(); 2],
            sent: [Stream::default(); 2],
            timed: None,
            round_trips: (0, Duration::ZERO),
            retransmissions: 0,
            reset: None,
        }
    }

    /// From the caller (0) or the callee (1).
    fn receive(&mut self, now: Time, end: usize, leg: Leg, header: &TcpHeader, bytes: u32) {
        self.came[end].advance(header, bytes);
        self.sent[end].acknowledge(header);
        // An end that is done with the connection resets what comes late (RFC 9293 §3.10.7.1).
        let is_done = self.came[end].is_finished && self.sent[end].is_acknowledged;
        if header.flags.contains(Flags::RST) && !is_done {
            let reset = [FlowEnd::ResetByCaller, FlowEnd::ResetByCallee][end];
            self.reset.get_or_insert(reset);
        }
        let acknowledges = leg == Leg::Radio && header.flags.contains(Flags::ACK);
        if let Some((seq, then)) = self.timed
            && acknowledges
            && seq.before_or_at(header.ack)
        {
            let (count, sum) = self.round_trips;
            self.round_trips = (count + 1, sum + (now - then));
            self.timed = None;
        }
    }

    /// To the caller (0) or the callee (1). One segment is timed at a time, and none that was sent
    /// twice (Karn's algorithm).
    fn send(&mut self, now: Time, end: usize, leg: Leg, header: &TcpHeader, bytes: u32) {
        let is_new = self.sent[end].advance(header, bytes);
        if header.flags.contains(Flags::RST) {
            self.reset.get_or_insert(FlowEnd::ResetByProxy);
        }
        if leg == Leg::Radio && bytes > 0 {
            if is_new {
                self.timed.get_or_insert((header.seq + bytes, now));
            } else {
                self.timed = None;
                self.retransmissions += 1;
            }
        }
    }

    fn record(&self, connection: &Connection) -> FlowRecord {
        let Connection { source, destination, source_port, destination_port } = connection;
        let (count, sum) = self.round_trips;
        let is_closed = self.came.iter().all(|stream| stream.is_finished);
        FlowRecord {
            caller: (hosts::address(source.host), *source_port).into(),
            callee: (hosts::address(destination.host), *destination_port).into(),
            duration_seconds: (self.last - self.first).as_secs_f64(),
            caller_bytes: self.came[0].bytes,
            callee_bytes: self.came[1].bytes,
            round_trip_seconds: (count > 0).then(|| sum.as_secs_f64() / count as f64),
            retransmissions: self.retransmissions,
            end: self.reset.unwrap_or(if is_closed { FlowEnd::Closed } else { FlowEnd::Left }),
        }
    }
}

impl Stream {
    /// True if a segment has new bytes. A gap is counted with what comes behind it, so that in the
    /// end each byte counts once.
    fn advance(&mut self, header: &TcpHeader, bytes: u32) -> bool {
        let syn = header.flags.contains(Flags::SYN);
        self.is_finished |= header.flags.contains(Flags::FIN);
        let start = header.seq + u32::from(syn);
        if syn {
            self.next = Some(start);
        }
        let next = *self.next.get_or_insert(start);
        let fresh = (start + bytes).distance(next);
        let is_new = bytes > 0 && (1..=WINDOW).contains(&fresh);
        if is_new {
            self.next = Some(start + bytes);
            self.bytes += fresh as u64;
        }
        is_new
    }

    /// A segment of its receiver.
    fn acknowledge(&mut self, header: &TcpHeader) {
        let is_all = self.next.is_some_and(|next| header.ack == next + 1);
        self.is_acknowledged |= self.is_finished && header.flags.contains(Flags::ACK) && is_all;
    }
}

/// The largest window (RFC 7323 §2.3): what lies beyond does not belong to the connection.
const WINDOW: i32 = 1 << 30;

#[cfg(test)]
mod tests {
    use middlebox::Address;

    use super::*;

    const ISN: [Seq; 2] = [Seq::new(u32::MAX - 100), Seq::new(5000)];

    fn caller() -> Connection {
        let host = |text: &str| hosts::number(text.parse().expect("an address")).expect("one");
        Connection {
            source: Address { leg: Leg::Radio, host: host("10.45.0.2") },
            destination: Address { leg: Leg::Wired, host: host("198.51.100.2") },
            source_port: 40_000,
            destination_port: 80,
        }
    }

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Packets of the caller (0) and the callee (1), by offsets into what each sends.
    struct Script(Records);

    impl Script {
        fn note(&mut self, now: u64, side: Side, from: usize, flags: Flags, at_byte: u32, n: u32) {
            self.note_ack(now, side, from, flags, at_byte, n, 0);
        }

        #[expect(clippy::too_many_arguments, reason = "the fields of a segment")]
        fn note_ack(
            &mut self,
            now: u64,
            side: Side,
            from: usize,
            flags: Flags,
            at_byte: u32,
            bytes: u32,
            acked: u32,
        ) {
            let connection = if from == 0 { caller() } else { caller().reversed() };
            let first = u32::from(!flags.contains(Flags::SYN));
            let header = TcpHeader {
                seq: ISN[from] + first + at_byte,
                ack: ISN[1 - from] + 1 + acked,
                flags,
                ..TcpHeader::default()
            };
            self.0.note(at(now), 7, side, connection, &header, bytes);
        }

        fn open(&mut self) {
            self.note(0, Side::In, 0, Flags::SYN, 0, 0);
            self.note(0, Side::Out, 0, Flags::SYN, 0, 0);
            self.note(20, Side::In, 1, Flags::SYN | Flags::ACK, 0, 0);
            self.note(20, Side::Out, 1, Flags::SYN | Flags::ACK, 0, 0);
        }

        fn end(mut self) -> FlowRecord {
            assert_eq!(self.0.poll(at(2000), |number, _| number == 7), None, "it is known");
            let record = self.0.poll(at(4000), |_, _| false).expect("it has ended");
            assert_eq!(self.0.poll(at(9000), |_, _| false), None, "once");
            record
        }
    }

    #[test]
    fn each_byte_counts_once_and_repairs_do_not_time() {
        let mut script = Script(Records::default());
        script.open();
        let ack = Flags::ACK;
        script.note(100, Side::In, 0, ack, 0, 200); // past the wrap
        script.note(120, Side::In, 1, ack, 0, 1000);
        script.note(130, Side::In, 1, ack, 2000, 1000);
        script.note(140, Side::In, 1, ack, 1000, 1000);
        script.note(150, Side::In, 1, ack, 1000, 1000);
        script.note(200, Side::Out, 1, ack, 0, 1000);
        script.note_ack(1100, Side::In, 0, ack, 200, 0, 1000); // 900 ms
        script.note(1200, Side::Out, 1, ack, 1000, 1000);
        script.note(1300, Side::Out, 1, ack, 1000, 1000); // again
        script.note_ack(1400, Side::In, 0, ack, 200, 0, 2000); // of which?
        script.note(1500, Side::In, 1, ack | Flags::FIN, 3000, 0);
        script.note(1600, Side::In, 0, ack | Flags::FIN, 200, 0);
        let expect = FlowRecord {
            caller: "10.45.0.2:40000".parse().expect("an address"),
            callee: "198.51.100.2:80".parse().expect("an address"),
            duration_seconds: 1.6,
            caller_bytes: 200,
            callee_bytes: 3000,
            round_trip_seconds: Some(0.9),
            retransmissions: 1,
            end: FlowEnd::Closed,
        };
        assert_eq!(script.end(), expect);
    }

    #[test]
    fn the_first_reset_tells_who_ended_it() {
        let check = |side, from, expect| {
            let mut script = Script(Records::default());
            script.open();
            script.note(50, side, from, Flags::RST, 9_999_999, 0);
            script.note(60, Side::Out, 1 - from, Flags::RST, 0, 0);
            let record = script.end();
            assert_eq!((record.end, record.caller_bytes, record.callee_bytes), (expect, 0, 0));
        };
        check(Side::In, 0, FlowEnd::ResetByCaller);
        check(Side::In, 1, FlowEnd::ResetByCallee);
        check(Side::Out, 0, FlowEnd::ResetByProxy);
    }

    /// As of a kernel whose last ACK was too late for a FIN's retransmission timer.
    #[test]
    fn an_end_that_is_done_resets_nothing() {
        let ends = [FlowEnd::ResetByCaller, FlowEnd::ResetByCallee];
        for (resets, far) in [(0, 1), (1, 0)] {
            for (finishes, acked, expect) in
                [(true, 1, FlowEnd::Closed), (true, 0, ends[resets]), (false, 1, ends[resets])]
            {
                let mut script = Script(Records::default());
                let fin = Flags::ACK | Flags::FIN;
                script.open();
                script.note(50, Side::In, far, fin, 0, 0);
                script.note(60, Side::Out, far, fin, 0, 0);
                let flags = if finishes { fin } else { Flags::ACK };
                script.note_ack(70, Side::In, resets, flags, 0, 0, acked);
                script.note(80, Side::Out, far, fin, 0, 0);
                script.note_ack(90, Side::In, resets, Flags::RST, 1, 0, 0);
                assert_eq!(script.end().end, expect, "{resets}, {finishes}, {acked}");
            }
        }
    }

    #[test]
    fn what_was_handed_back_has_no_end_of_its_own() {
        let mut script = Script(Records::default());
        script.open();
        script.note(50, Side::In, 0, Flags::ACK | Flags::FIN, 0, 0);
        assert_eq!(script.end().end, FlowEnd::Left);
    }

    #[test]
    fn what_did_not_open_here_is_no_connection() {
        let mut script = Script(Records::default());
        script.note(0, Side::In, 0, Flags::ACK, 0, 100);
        script.note(0, Side::Out, 0, Flags::SYN, 0, 0);
        script.note(0, Side::In, 0, Flags::SYN, 0, 0);
        script.0.drop(&caller());
        assert_eq!(script.0.poll(at(5000), |_, _| false), None);
    }
}
