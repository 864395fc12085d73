//! UDP (RFC 768): a source that sends without feedback, and its receiver.
//!
//! The source sends datagrams of one size at a constant rate, as ns-2's CBR over UDP does, or in on
//! times with off times in between, as its Exponential and ns-3's `OnOffApplication` do. The gap
//! between datagrams is suspended while it is off: its rest counts in the next on time, so that the
//! mean rate is exactly the share of the on times.

use base::{Duration, Rate, Stream, Time, Transmitter, UdpDatagram};
use settings::{Bytes, Fault, OfTime, Speed, Table, Word, section, words};

use tcp::Length;

use super::draws::exponential;
use super::flow::{NewFlow, Traffic};
use crate::{Body, MachineId, NodeId};

section! {
    /// `[flow.udp]`: datagrams at a constant rate, or in on and off times in turn. Defaults: ns-2's
    /// Exponential on/off source, but without off times.
    #[derive(Copy, Eq)]
    pub struct Udp {
        /// Payload of each datagram (ns-2: `packetSize_`); UDP's header of 8 B and that of IP come
        /// on top. The last has what is left of the flow's `bytes`.
        pub payload: u32 as Bytes<u32, 1, 65_507> = 210;
        /// Payload per time while it sends (ns-2: `rate_`).
        pub rate: Rate as Speed = Rate::from_bps(64_000);
        /// For how long it sends at a time (ns-2: `burst_time_`).
        pub on_time: Duration as OfTime<1> = Duration::from_millis(500);
        /// For how long it then pauses (ns-2: `idle_time_`). Default: it never pauses.
        pub off_time: Duration as OfTime = Duration::ZERO;
        /// Whether on and off times are constant, or exponential with these means.
        pub times: UdpTimes as Word<UdpTimes> = UdpTimes::Exponential;
    }
    only_with(on_time: off_time not "0 s")
    only_with(times: off_time not "0 s")
    check(Self::times_suit)
}

words! {
    /// How long on and off times are.
    pub enum UdpTimes {
        /// Constant.
        Constant = "constant",
        /// Exponential.
        Exponential = "exponential",
    }
}

impl Traffic for Udp {
    /// discard (RFC 863).
    const PORT: u16 = 9;

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        self.send(flow, Self::PORT, None)
    }
}

impl Udp {
    /// Adds a flow of such datagrams, to `port` unless it has one of its own. They are an
    /// `interval` apart, or as far as the rate says.
    pub(super) fn send<B: Body<Payload = Length>>(
        &self,
        flow: NewFlow<'_, B>,
        port: u16,
        interval: Option<Duration>,
    ) -> [MachineId; 2] {
        let (udp, chance) = (*self, flow.chance("on and off times"));
        let NewFlow { world, sender, receiver, bytes, dscp, start, stop, .. } = flow;
        let port = flow.port.unwrap_or(port);
        world.add_udp(UdpFlow {
            sender,
            receiver,
            port,
            dscp,
            udp,
            interval,
            bytes,
            start,
            stop,
            chance,
        })
    }

    /// Whether it pauses.
    fn is_on_off(&self) -> bool {
        self.off_time > Duration::ZERO
    }

    /// Checks that on times fit a datagram.
    fn times_suit(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let gap = Transmitter::new(self.rate).transmit(self.payload);
        if !self.is_on_off() || self.on_time >= gap {
            return Ok(());
        }
        let message = format!(
            "{at}.on_time must be at least {} s, the time of one datagram at {at}.rate",
            gap.as_secs_f64(),
        );
        tree.clash_at(at, &["on_time", "rate", "payload"], message)
    }
}

/// A UDP flow to be made between two nodes.
#[derive(Clone, Debug)]
pub struct UdpFlow {
    /// Where datagrams come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// The receiver's port; the sender takes its next free one.
    pub port: u16,
    /// The code point of the service that datagrams ask for.
    pub dscp: u8,
    /// What is sent.
    pub udp: Udp,
    /// From one datagram to the next, in place of what the rate says.
    pub interval: Option<Duration>,
    /// Payload of all; `None` without end.
    pub bytes: Option<u64>,
    /// When the first is sent.
    pub start: Time,
    /// From when on none is sent.
    pub stop: Option<Time>,
    /// Where the lengths of on and off times come from.
    pub chance: Stream,
}

/// One of the two ends of a UDP flow.
#[derive(Debug)]
pub struct UdpEnd {
    node: NodeId,
    peer: NodeId,
    /// The code point of its datagrams.
    dscp: u8,
    /// `None` at the receiver, which sends nothing.
    source: Option<UdpSource>,
}

/// A source of datagrams.
#[derive(Debug)]
struct UdpSource {
    id: u32,
    ports: [u16; 2],
    udp: Udp,
    chance: Stream,
    /// Turns payload into the gap after it.
    pacer: Transmitter,
    /// Gap after each in place of that.
    interval: Option<Duration>,
    /// From when on none is sent.
    stop: Option<Time>,
    /// Datagrams sent.
    sent: u64,
    /// Bytes that are left.
    left: Option<u64>,
    /// What is left of the on time when the next is sent.
    on_left: Duration,
    /// When that is.
    next: Option<Time>,
}

impl UdpEnd {
    /// The end of `flow` that sends, with the number `id`; `ports` are its own and the receiver's.
    pub(crate) fn sender(flow: UdpFlow, id: u32, ports: [u16; 2]) -> Self {
        let (node, peer, dscp) = (flow.sender, flow.receiver, flow.dscp);
        Self { node, peer, dscp, source: Some(UdpSource::new(id, ports, flow)) }
    }

    /// The end of `flow` that receives.
    pub(crate) const fn receiver(flow: &UdpFlow) -> Self {
        Self { node: flow.receiver, peer: flow.sender, dscp: flow.dscp, source: None }
    }

    /// Its node.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// Its peer's node.
    pub const fn peer(&self) -> NodeId {
        self.peer
    }

    /// The code point of its datagrams.
    pub(crate) const fn dscp(&self) -> u8 {
        self.dscp
    }

    /// The next datagram that is due by `now`, with its identification in the IP header.
    pub(crate) fn poll_output(&mut self, now: Time) -> Option<(u16, UdpDatagram)> {
        let datagram = self.source.as_mut()?.poll_output(now)?;
        Some((datagram.number as u16, datagram))
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.source.as_ref().and_then(|source| source.next)
    }
}

impl UdpSource {
    fn new(id: u32, ports: [u16; 2], flow: UdpFlow) -> Self {
        let UdpFlow { udp, interval, bytes, start, stop, chance, .. } = flow;
        let mut source = Self {
            id,
            ports,
            pacer: Transmitter::new(udp.rate),
            interval,
            chance,
            stop,
            sent: 0,
            left: bytes,
            on_left: Duration::ZERO,
            next: None,
            udp,
        };
        source.on_left = source.on_time();
        source.wait_until(start);
        source
    }

    fn poll_output(&mut self, now: Time) -> Option<UdpDatagram> {
        let due = self.next.filter(|next| *next <= now)?;
        let most = u64::from(self.udp.payload);
        let payload = self.left.map_or(most, |left| left.min(most)) as u32;
        let [source_port, destination_port] = self.ports;
        let number = self.sent;
        self.sent += 1;
        self.left = self.left.map(|left| left - u64::from(payload));
        let gap = self.interval.unwrap_or_else(|| self.pacer.transmit(payload));
        let next = due + self.off_times(gap) + gap;
        self.wait_until(next);
        Some(UdpDatagram { source_port, destination_port, payload, sender: self.id, number })
    }

    /// The next is sent at `next`, if there is one.
    fn wait_until(&mut self, next: Time) {
        let is_over = self.left == Some(0) || self.stop.is_some_and(|stop| stop <= next);
        self.next = (!is_over).then_some(next);
    }

    /// The off times that begin before `gap` of on times has passed.
    fn off_times(&mut self, mut gap: Duration) -> Duration {
        let mut all = Duration::ZERO;
        if !self.udp.is_on_off() {
            return all;
        }
        while self.on_left <= gap {
            gap = gap.saturating_sub(self.on_left);
            all += self.draw(self.udp.off_time);
            self.on_left = self.on_time();
        }
        self.on_left = self.on_left.saturating_sub(gap);
        all
    }

    fn on_time(&mut self) -> Duration {
        if self.udp.is_on_off() { self.draw(self.udp.on_time) } else { Duration::ZERO }
    }

    fn draw(&mut self, mean: Duration) -> Duration {
        match self.udp.times {
            UdpTimes::Exponential => exponential(mean, &mut self.chance),
            UdpTimes::Constant => mean,
        }
    }
}
