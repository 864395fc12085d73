//! A world of links and radio that real packets pass through.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::mpsc::{Receiver, Sender};

use base::{Direction, Duration, Time};
use bytes::Bytes;
use observe::Context;
use scenario::{Change, Live, LiveState, Scenario};
use world::{Datagram, Delivery, NodeId, World};

use crate::packet_ledger::{PacketLedger, Reader, Traffic};
use crate::{Moment, Side};
use os::{Joining, Machine, Written};

/// The most memory that held packets may take, in bytes.
const MOST_MEMORY: u64 = 64 << 20;

/// What another thread may ask of an emulator, after which it wakes the driver.
#[derive(Debug)]
pub(crate) enum Call {
    /// How the link fares, for a reader.
    Read(Reader, Sender<Moment>),
    /// What can be changed, and what it is like.
    State(Sender<LiveState>),
    /// To change at once, and to tell when that is done.
    Change(Change, Sender<()>),
    /// To let nothing through for so long; zero ends that.
    BlackOut(Duration, Sender<()>),
    /// To end.
    Stop,
}

/// A [`Machine`] with two ports: the network's side and the mobile's, at the ends of a world. Its
/// machines wake at their own deadlines, however late the clock is read.
#[derive(Debug)]
pub struct Emulator {
    pub(crate) world: World<Datagram>,
    /// The nodes of the ports.
    ends: [NodeId; 2],
    link_header_bytes: usize,
    /// What became of each packet.
    pub(crate) ledger: PacketLedger,
    calls: Receiver<Call>,
    /// What has been changed.
    live: Live,
    /// For how long what comes in may have waited.
    unseen: Duration,
    /// The packets that are being written, oldest first.
    writing: VecDeque<Delivery<Datagram>>,
    /// Whether packets that leave at the same time may leave in one frame.
    may_join: bool,
    /// With what the packet polled last may.
    joining: Joining,
    course: Course,
    /// Whether a packet came since time passed last.
    came: bool,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Course {
    /// It goes on.
    Running,
    /// It was told to end, and takes what still waits at its ports, until then at most: what the
    /// kernel has for it already would be lost unseen.
    Ending(Time),
    /// It is over.
    Over,
}

/// How long the end may take.
const LONGEST_END: Duration = Duration::from_millis(100);

impl Emulator {
    /// Over the network of `scenario`. Frames have `link_header_bytes` ahead of their
    /// IP packets.
    pub(crate) fn new(
        scenario: &Scenario,
        link_header_bytes: usize,
        ledger: PacketLedger,
        calls: Receiver<Call>,
    ) -> Self {
        let (world, ends) = scenario::build_open(scenario);
        Self {
            live: Live::new(scenario.clone()),
            may_join: is_unlimited(&world),
            world,
            ends,
            link_header_bytes,
            ledger,
            calls,
            unseen: Duration::ZERO,
            writing: VecDeque::new(),
            joining: Joining::Nothing,
            course: Course::Running,
            came: false,
        }
    }

    /// What is in the world, or was polled and not written, counted packet by packet.
    pub(crate) fn held(&self, direction: Direction) -> Traffic {
        let from = self.ends[direction as usize];
        let writing = self.writing.iter().map(|delivery| &delivery.packet);
        let packets = self.world.held().chain(writing);
        packets.filter(|packet| packet.ends.source == from).fold(
            Traffic::default(),
            |sum, packet| Traffic {
                packets: sum.packets + 1,
                bytes: sum.bytes + u64::from(packet.bytes),
            },
        )
    }

    /// Closes the ledger, and says what does not balance: what came in, and each copy, must have
    /// left, been dropped or still be there.
    pub(crate) fn close(&mut self) -> Result<(), String> {
        self.ledger.close();
        for (direction, name) in Direction::BOTH.into_iter().zip(["down", "up"]) {
            let (lane, held) = (self.ledger.lane(direction), self.held(direction));
            let (entered, left, drops) = (lane.entered.packets, lane.left.packets, lane.drops());
            let copies = lane.duplicated.packets;
            if entered + copies != left + drops + held.packets || held != lane.held {
                let held = held.packets;
                return Err(format!(
                    "packets are not conserved: of {entered} {name} and {copies} copies, \
                     {left} left, {drops} were \
                     dropped and {held} are held"
                ));
            }
        }
        match self.world.unroutable() {
            0 => Ok(()),
            lost => Err(format!("packets are not conserved: {lost} found no way")),
        }
    }

    /// Lets `change` change the world, once all that was due has happened.
    fn reconfigure(
        &mut self,
        now: Time,
        change: impl FnOnce(&mut Live, &mut World<Datagram>, &mut Context<'_, PacketLedger>),
    ) {
        self.advance(now);
        let cx = &mut Context { now, observe: &mut self.ledger };
        change(&mut self.live, &mut self.world, cx);
        self.may_join = is_unlimited(&self.world);
    }

    /// Does what is due by `now`, each at its time.
    fn advance(&mut self, now: Time) {
        while self.world.step(now, &mut self.ledger).is_some() {}
    }
}

impl Machine for Emulator {
    fn handle_packet(&mut self, now: Time, port: usize, packet: &[u8]) -> io::Result<()> {
        self.advance(now);
        let (direction, side) = way(port);
        self.came = true;
        // Memory of its own: a block shared with packets that were dropped meanwhile would be held
        // by the one that waits.
        let frame = Bytes::copy_from_slice(packet);
        self.ledger.tape.frame(side, now, &frame);
        let body = Datagram::new(frame, self.ip_offset(packet));
        let bytes = world::Body::bytes(&body);
        let arrival = self.ledger.arrive(now, self.unseen, direction, bytes, body.protocol());
        if self.ledger.weight_with(bytes) > MOST_MEMORY {
            self.ledger.turn_away(direction, arrival);
            return Ok(());
        }
        self.ledger.enter(direction, self.world.next_uid(), arrival);
        let (from, to) = (self.ends[port], self.ends[1 - port]);
        let cx = &mut Context { now, observe: &mut self.ledger };
        self.world.handle_packet(cx, from, to, body);
        Ok(())
    }

    fn handle_timeout(&mut self, now: Time) -> io::Result<()> {
        self.advance(now);
        let came = mem::replace(&mut self.came, false);
        if let Course::Ending(latest) = self.course
            && (!came || latest <= now)
        {
            self.course = Course::Over;
        }
        Ok(())
    }

    fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        self.advance(now);
        let Some(delivery) = self.world.poll_packet() else { return Ok(None) };
        packet.clear();
        packet.extend_from_slice(delivery.packet.body.frame());
        let is_behind = |before: &Delivery<Datagram>| {
            self.may_join && (before.due, before.at) == (delivery.due, delivery.at)
        };
        let is_behind = self.writing.back().is_some_and(is_behind);
        self.joining = if is_behind { Joining::Previous } else { Joining::Nothing };
        let port = usize::from(delivery.at == self.ends[1]);
        self.writing.push_back(delivery);
        Ok(Some(port))
    }

    fn joining(&self) -> Joining {
        self.joining
    }

    fn handle_unseen(&mut self, unseen: Duration) {
        self.unseen = unseen;
    }

    fn handle_written(&mut self, now: Time, written: Written) {
        let Some(Delivery { due, at, packet }) = self.writing.pop_front() else { return };
        let (direction, side) = if at == self.ends[1] {
            (Direction::Downlink, Side::Mobile)
        } else {
            (Direction::Uplink, Side::Network)
        };
        match written {
            Written::Taken => {
                self.ledger.deliver(now, direction, packet.uid, due);
                self.ledger.tape.frame(side, now, packet.body.frame());
            }
            Written::Refused => self.ledger.reject(direction, packet.uid, due),
        }
    }

    fn handle_wake(&mut self, now: Time) {
        while let Ok(call) = self.calls.try_recv() {
            match call {
                Call::Read(reader, answer) => {
                    let [down, up] = Direction::BOTH.map(|way| self.ledger.read(now, way, reader));
                    // Whoever asked may have gone.
                    let late_s = match reader {
                        Reader::Run => None,
                        Reader::Page | Reader::Guest => self.ledger.late_s(),
                    };
                    answer.send(Moment { at_s: now.as_secs_f64(), down, up, late_s }).ok();
                }
                Call::State(answer) => {
                    answer.send(self.live.state(now)).ok();
                }
                Call::Change(change, answer) => {
                    self.reconfigure(now, |live, world, cx| live.change(world, cx, &change));
                    answer.send(()).ok();
                }
                Call::BlackOut(lasts, answer) => {
                    self.reconfigure(now, |live, world, cx| live.black_out(world, cx, lasts));
                    answer.send(()).ok();
                }
                Call::Stop => {
                    self.came = true;
                    self.course = Course::Ending(now + LONGEST_END);
                }
            }
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.world.poll_timeout()
    }

    fn is_over(&self) -> bool {
        self.course == Course::Over
    }
}

impl Emulator {
    /// Where the IP packet of `frame` begins: behind a VLAN tag, if there is one (IEEE 802.1Q).
    fn ip_offset(&self, frame: &[u8]) -> usize {
        let is_tagged = self.link_header_bytes >= ETHERTYPE.end
            && frame.get(ETHERTYPE).is_some_and(|kind| VLAN_TAGS.iter().any(|tag| kind == tag));
        self.link_header_bytes + if is_tagged { VLAN_TAG_BYTES } else { 0 }
    }
}

/// Whether packets that come to `world` together arrive together: no link takes time to send them
/// and there is no radio. Behind those a receiver gets every packet alone, and acknowledges as if
/// it did.
fn is_unlimited(world: &World<Datagram>) -> bool {
    world.machines().all(|(_, _, machine)| match machine.hop() {
        Some(world::Hop::Pipe { pipe, .. }) => pipe.rate().is_none(),
        Some(world::Hop::Link { link, .. }) => link.is_unlimited(),
        Some(world::Hop::Radio(_) | world::Hop::Wlan { .. }) | None => false,
    })
}

/// The type field of an Ethernet header.
const ETHERTYPE: std::ops::Range<usize> = 12..14;

/// The types of tagged frames: customer's and service provider's.
const VLAN_TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xA8]];

const VLAN_TAG_BYTES: usize = 4;

/// The direction of what comes in at `port`, and the side.
const fn way(port: usize) -> (Direction, Side) {
    if port == 0 { (Direction::Downlink, Side::Network) } else { (Direction::Uplink, Side::Mobile) }
}

#[cfg(test)]
mod tests;
