//! UDP (RFC 768): a source that sends whatever becomes of it, and the end that it sends to.
//!
//! The source sends datagrams of one size at a constant rate, as ns-2's CBR over UDP does, or in
//! on times with off times in between, as its Exponential and ns-3's `OnOffApplication` do. Its
//! clock stands still while it is off: what an on time leaves of the gap to the next datagram is
//! paid in the next one, so that the mean rate is exactly the share of the on times.

use base::{Duration, Rate, Stream, Time, Transmitter, UdpDatagram};

use crate::NodeId;
use crate::draws::exponential;

/// What a source sends, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UdpTraffic {
    /// Payload of a datagram in bytes, above zero; the last has what is left of `bytes`.
    pub payload: u32,
    /// Payload per time, while it sends.
    pub rate: Rate,
    /// When it does; `None` without pause.
    pub on_off: Option<OnOff>,
    /// Payload of all; `None` without end.
    pub bytes: Option<u64>,
    /// When the first is sent.
    pub start: Time,
    /// From when on none is sent.
    pub stop: Option<Time>,
}

/// On and off times in turn, the first of which is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnOff {
    /// For how long it sends at a time, on average; above zero.
    pub on: Duration,
    /// For how long it does not, on average.
    pub off: Duration,
    /// How both are drawn.
    pub lengths: Lengths,
}

/// How long on and off times are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lengths {
    /// All alike.
    Constant,
    /// Exponential.
    Exponential,
}

/// A UDP flow to be made between two nodes.
#[derive(Clone, Debug)]
pub struct UdpFlow {
    /// Where datagrams come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// The receiver's port; the sender takes the next of its own that is free for it.
    pub port: u16,
    /// What is sent.
    pub traffic: UdpTraffic,
    /// Where the lengths of on and off times come from.
    pub chance: Stream,
}

/// One of the two ends of a UDP flow.
#[derive(Debug)]
pub struct UdpEnd {
    node: NodeId,
    peer: NodeId,
    /// `None` of the receiver, which says nothing.
    source: Option<UdpSource>,
}

/// A source of datagrams.
#[derive(Debug)]
struct UdpSource {
    id: u32,
    ports: [u16; 2],
    traffic: UdpTraffic,
    chance: Stream,
    /// Turns payload into the gap after it.
    pacer: Transmitter,
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
        let UdpFlow { sender, receiver, traffic, chance, .. } = flow;
        let source = UdpSource::new(id, ports, traffic, chance);
        Self { node: sender, peer: receiver, source: Some(source) }
    }

    /// The end of `flow` that receives.
    pub(crate) const fn receiver(flow: &UdpFlow) -> Self {
        Self { node: flow.receiver, peer: flow.sender, source: None }
    }

    /// The node where it lives.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The node that it talks to.
    pub const fn peer(&self) -> NodeId {
        self.peer
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
    fn new(id: u32, ports: [u16; 2], traffic: UdpTraffic, chance: Stream) -> Self {
        let mut source = Self {
            id,
            ports,
            pacer: Transmitter::new(traffic.rate),
            chance,
            sent: 0,
            left: traffic.bytes,
            on_left: Duration::ZERO,
            next: None,
            traffic,
        };
        source.on_left = source.on_time();
        source.wait_until(source.traffic.start);
        source
    }

    fn poll_output(&mut self, now: Time) -> Option<UdpDatagram> {
        let due = self.next.filter(|next| *next <= now)?;
        let most = u64::from(self.traffic.payload);
        let payload = self.left.map_or(most, |left| left.min(most)) as u32;
        let [source_port, destination_port] = self.ports;
        let number = self.sent;
        self.sent += 1;
        self.left = self.left.map(|left| left - u64::from(payload));
        let gap = self.pacer.transmit(payload);
        let next = due + self.off_times(gap) + gap;
        self.wait_until(next);
        Some(UdpDatagram { source_port, destination_port, payload, sender: self.id, number })
    }

    /// The next is sent at `next`, if there is one.
    fn wait_until(&mut self, next: Time) {
        let is_over = self.left == Some(0) || self.traffic.stop.is_some_and(|stop| stop <= next);
        self.next = (!is_over).then_some(next);
    }

    /// The off times that begin before `gap` of on times has passed.
    fn off_times(&mut self, mut gap: Duration) -> Duration {
        let Some(OnOff { off, .. }) = self.traffic.on_off else { return Duration::ZERO };
        let mut all = Duration::ZERO;
        while self.on_left <= gap {
            gap = gap.saturating_sub(self.on_left);
            all += self.draw(off);
            self.on_left = self.on_time();
        }
        self.on_left = self.on_left.saturating_sub(gap);
        all
    }

    fn on_time(&mut self) -> Duration {
        self.traffic.on_off.map_or(Duration::ZERO, |OnOff { on, .. }| self.draw(on))
    }

    fn draw(&mut self, mean: Duration) -> Duration {
        match self.traffic.on_off.map(|on_off| on_off.lengths) {
            Some(Lengths::Exponential) => exponential(mean, &mut self.chance),
            Some(Lengths::Constant) | None => mean,
        }
    }
}
