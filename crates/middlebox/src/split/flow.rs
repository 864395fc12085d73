//! A connection that is split: both ends, and a half for each direction that ends at a mobile.

use std::collections::VecDeque;

use base::{Seq, Time, Timestamps};
use observe::BoxContext;
use tcp::{AckDue, Offers, Payload};

use super::handshake::{Agreed, Handshake};
use super::toward_host::{Stage, TowardHost};
use super::uplink::Uplink;
use super::{FlowId, LargePackets, Numbers, RadioLeg, SplitConfig, Terms};
use crate::side::{Pair, Side};
use crate::syn::Syn;
use crate::table::Name;
use crate::{Connection, Counters, Exposure, IpFields, Packet, PmtuHandler};

/// How far behind what was acknowledged a number may be where no window is known.
const WINDOW_MIN: u64 = 65_535;

/// What handling the segments of a connection needs.
pub(super) struct Context<'a, P: Payload> {
    /// The context that the box was called with.
    pub(super) outer: BoxContext<'a>,
    pub(super) config: &'a SplitConfig,
    pub(super) leg: &'a mut dyn RadioLeg<P>,
    pub(super) uplink: &'a mut Uplink,
    pub(super) counters: &'a mut Counters,
    /// Packets that leave.
    pub(super) out: &'a mut VecDeque<Packet<P>>,
    pub(super) draining: bool,
    /// As the caller's packets name it.
    pub(super) connection: Connection,
}

impl<P: Payload> Context<'_, P> {
    /// The connection, as packets of `from` name it.
    pub(super) const fn way(&self, from: Side) -> Connection {
        match from {
            Side::Caller => self.connection,
            Side::Callee => self.connection.reversed(),
        }
    }
}

/// A split connection.
#[derive(Debug)]
pub(super) struct Split<P> {
    pub(super) numbers: Pair<Numbers>,
    pub(super) offers: Offers,
    pub(super) ends: Pair<End>,
    /// Of each end whose data go to a mobile: what takes them in.
    pub(super) halves: Pair<Option<Box<TowardHost<P>>>>,
    /// Whether an end is owed an acknowledgement that only its peer could give.
    pub(super) owed: Pair<bool>,
    /// Whether an end has asked if its peer is still there.
    pub(super) asked: Pair<bool>,
    /// Whether it is among those that may owe an acknowledgement.
    pub(super) listed: bool,
    /// Whether full segments of its ends are small enough for all of the way, as far as is known.
    pub(super) fits: bool,
    /// When an unacceptable segment may be acknowledged again.
    pub(super) challenges_from: Time,
    /// The handshake of a SYN with new numbers that has passed.
    pub(super) successor: Option<Box<Handshake>>,
}

/// One end of a connection, as known from its segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The number of its first byte.
    pub(super) first: Seq,
    /// Shift of its window.
    pub(super) scale: u8,
    pub(super) ip: IpFields,
    /// Whether its last acknowledgement echoed congestion.
    pub(super) ece: bool,
    /// Its clock, and what it last echoed.
    pub(super) clocks: Timestamps,
    /// The offset of the other's stream below which it has acknowledged everything.
    pub(super) acked: u64,
    /// Its window, as it stood in the header, and the number of the segment that said so.
    pub(super) window: u16,
    pub(super) window_source: Seq,
    /// The largest, in bytes (RFC 5961 §5.2).
    pub(super) largest_window: u64,
    /// The end of what it sent, its FIN included.
    pub(super) sent: u64,
    /// The end of what it sent without a gap.
    pub(super) whole: u64,
    /// Whether a FIN was the last that it sent.
    pub(super) closed: bool,
    /// The right edge that it was told of, where it is told less than its peer said.
    pub(super) told: u64,
    /// Payload bytes of a full segment that it sends.
    pub(super) segment: u16,
}

impl End {
    fn new(own: &Syn, other: &Syn, scale: u8, offers: Offers, config: &SplitConfig) -> Self {
        Self {
            first: own.isn + 1,
            scale,
            ip: own.ip,
            ece: false,
            clocks: Timestamps { value: own.clock, echo: other.clock },
            acked: 0,
            // A SYN's window is not scaled: in units of the scale it may be less than it was.
            window: (u32::from(own.room) >> scale) as u16,
            window_source: own.isn,
            largest_window: u64::from(own.room),
            sent: 0,
            whole: 0,
            closed: false,
            told: u64::from(other.window),
            segment: full_segment(config.segment_to(other.mss), offers) as u16,
        }
    }

    /// Its window in bytes.
    pub(super) const fn window_bytes(&self) -> u64 {
        (self.window as u64) << self.scale
    }

    /// How far behind its acknowledgement an acceptable number may be.
    pub(super) fn reach(&self) -> i64 {
        self.largest_window.max(WINDOW_MIN) as i64
    }

    /// The right edge that it gives its peer.
    pub(super) const fn edge(&self) -> u64 {
        self.acked + self.window_bytes()
    }
}

/// The offset of `seq` in the stream that begins at `first`, near offset `near`.
pub(super) fn offset(first: Seq, near: u64, seq: Seq) -> i64 {
    near as i64 + i64::from(seq.distance(first + near as u32))
}

impl<P: Payload> Split<P> {
    /// The handshake is done. Each end's data that go to a mobile, which `flows` says by giving
    /// them a number, are opened at the radio leg.
    pub(super) fn new(
        cx: &mut Context<'_, P>,
        handshake: &Handshake,
        (opener, answerer, agreed): (&Syn, &Syn, Agreed),
        numbers: Pair<Numbers>,
        flows: Pair<Option<FlowId>>,
    ) -> Self {
        let scale = |side| agreed.scales[side];
        let mut split = Self {
            numbers,
            offers: agreed.offers,
            ends: Pair([
                End::new(opener, answerer, scale(Side::Caller), agreed.offers, cx.config),
                End::new(answerer, opener, scale(Side::Callee), agreed.offers, cx.config),
            ]),
            halves: Pair::default(),
            owed: Pair::default(),
            asked: Pair::default(),
            listed: false,
            fits: true,
            challenges_from: Time::ZERO,
            successor: None,
        };
        for (from, own, other) in
            [(Side::Caller, opener, answerer), (Side::Callee, answerer, opener)]
        {
            let (to, way) = (from.other(), cx.way(from));
            let Some(flow) = flows[from] else { continue };
            let scale = agreed.scales[to];
            let half =
                TowardHost::new(cx.outer.now, flow, cx.config, (own, other), (agreed, scale));
            let terms = Terms {
                mobile: way.destination,
                connection: way,
                dscp: own.ip.dscp,
                first: own.isn + 1,
                mss: u32::from(split.ends[from].segment),
                small_segment: match cx.config.large_packets {
                    LargePackets::Reported => None,
                    LargePackets::Vanish => {
                        Some(full_segment(way.destination.safe_mss().into(), agreed.offers))
                    }
                },
                window: u64::from(other.room),
                scale,
                sack: agreed.offers.sack,
                ecn: agreed.offers.ecn,
                promised: half.receiver.edge(),
                numbers: split.numbers[from],
                rtt: handshake.round_trip(cx.outer.now, to),
                sender_rtt: handshake.round_trip(cx.outer.now, from),
            };
            cx.leg.open(&mut cx.outer, half.flow, &terms);
            split.halves[from] = Some(Box::new(half));
        }
        split
    }

    /// The end of what `from` has sent, as far as its peer can know.
    pub(super) fn sent(&self, from: Side) -> u64 {
        self.halves[from].as_ref().map_or(self.ends[from].sent, |half| half.departed)
    }

    /// `side` is to be acknowledged at once, on a segment of its own.
    pub(super) fn owe(&mut self, side: Side) {
        match &mut self.halves[side] {
            Some(half) => half.receiver.owe_ack(AckDue::Alone),
            None => self.owed[side] = true,
        }
    }

    /// The same, on whatever goes to it next.
    pub(super) fn owe_soon(&mut self, side: Side) {
        match &mut self.halves[side] {
            Some(half) => half.receiver.owe_ack(AckDue::Now),
            None => self.owed[side] = true,
        }
    }

    /// Whether `side` is to be acknowledged now.
    pub(super) fn ack_is_due(&self, side: Side) -> bool {
        match &self.halves[side] {
            Some(half) => match half.receiver.ack_due() {
                AckDue::Now | AckDue::Alone => true,
                AckDue::No | AckDue::At(_) => false,
            },
            None => self.owed[side],
        }
    }

    /// Acknowledgements that have waited long enough are due.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.halves.0.iter_mut().flatten().for_each(|half| half.receiver.handle_timeout(now));
    }

    /// True once both ends have closed, and each has learned that the other has.
    pub(super) fn is_over(&self) -> bool {
        Side::BOTH.iter().all(|&from| match &self.halves[from] {
            Some(half) => half.stage == Stage::Closed,
            None => self.ends[from].closed && self.ends[from.other()].acked == self.ends[from].sent,
        })
    }

    /// Whether its packets could pass untouched from now on: all that an end was told is true of
    /// its peer, and all that it is owed will come.
    pub(super) fn is_releasable(&self, leg: &dyn RadioLeg<P>) -> bool {
        self.fits
            && Side::BOTH.iter().all(|&from| {
                !self.ack_is_due(from)
                    && self.halves[from].as_ref().is_none_or(|half| {
                        half.receiver.poll_timeout().is_none()
                            && half.receiver.edge() <= self.ends[from.other()].edge()
                            && half.is_empty(acknowledged(leg, half))
                    })
            })
    }

    /// Whether its ends could not go on without the box: one of them believes that data were
    /// delivered which were not. A FIN that is held back, data behind a gap, and data that only
    /// wait to be acknowledged will be retransmitted by their sender. An end that was promised more
    /// than its peer has room for has to accept a smaller window (RFC 9293 §3.8.6).
    pub(super) fn is_exposed(&self, leg: &dyn RadioLeg<P>) -> bool {
        let lacks = |half: &TowardHost<P>| acknowledged(leg, half) < half.receiver.received();
        self.halves.0.iter().flatten().any(|half| lacks(half))
    }

    /// What resetting both ends of the connection `name` takes, if they could not go on without the
    /// box.
    pub(super) fn exposure(&self, leg: &dyn RadioLeg<P>, name: &Name) -> Option<Exposure> {
        self.is_exposed(leg).then(|| Exposure {
            connection: name.connection(),
            caller_next: self.expected_of(Side::Caller),
            caller_acked: self.acknowledged_by(Side::Caller),
            callee_next: self.expected_of(Side::Callee),
            callee_acked: self.acknowledged_by(Side::Callee),
        })
    }

    /// What `by` itself has acknowledged.
    pub(super) fn acknowledged_by(&self, by: Side) -> Seq {
        self.ends[by.other()].first + self.ends[by].acked as u32
    }

    /// No packet that `from` sends may have more than `mtu` bytes: returns who has to send smaller
    /// ones.
    pub(super) fn limit_path(
        &mut self,
        cx: &mut Context<'_, P>,
        from: Side,
        mtu: u16,
    ) -> PmtuHandler {
        let host = cx.way(from).destination;
        let Some(half) = &self.halves[from] else { return PmtuHandler::Sender };
        if mtu >= host.least_mtu() && half.stage != Stage::Closed {
            let bytes = full_segment(host.mss_of(mtu).into(), self.offers);
            cx.leg.limit_segment(&mut cx.outer, half.flow, bytes);
            self.fits = false;
        }
        PmtuHandler::Box
    }

    /// The number that its peer expects next of `from`, once all that left the box is there.
    pub(super) fn expected_of(&self, from: Side) -> Seq {
        let (end, peer) = (&self.ends[from], &self.ends[from.other()]);
        let whole = || end.whole.max(peer.acked);
        end.first + self.halves[from].as_ref().map_or_else(whole, |half| half.departed) as u32
    }
}

fn acknowledged<P: Payload>(leg: &dyn RadioLeg<P>, half: &TowardHost<P>) -> u64 {
    match half.stage {
        Stage::Open | Stage::Closing => leg.acknowledged(half.flow),
        Stage::Closed => half.departed,
    }
}

/// Payload bytes of a full segment. An MSS counts the options that each segment carries (RFC 6691).
pub(super) fn full_segment(mss: u32, offers: Offers) -> u32 {
    let options = if offers.timestamps { Timestamps::BYTES } else { 0 };
    mss.saturating_sub(options).max(1)
}
