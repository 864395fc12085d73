//! Headers of what a box sends in the name of either end.

use base::{Flags, Options, SackBlocks, Seq, TcpHeader, Timestamps};
use observe::MiddleboxFact;
use tcp::{AckDue, Departure, Payload, Segment};

use super::Numbers;
use super::flow::{Context, Split};
use super::toward_host::Stage;
use crate::side::Side;
use crate::{Leg, Packet};

impl<P: Payload> Split<P> {
    /// Acknowledges what `to` sent, on a segment of its own.
    pub(super) fn acknowledge(&mut self, cx: &mut Context<'_, P>, to: Side) {
        let seq = self.idle_seq(to);
        let (mut header, sack) = self.header(cx, to, seq, Flags::ACK);
        header.options.sack = sack;
        self.owed[to] = false;
        self.send(cx, to, Segment { header, ..Segment::default() });
    }

    /// What the radio leg sends to the mobile `to`.
    pub(super) fn depart(&mut self, cx: &mut Context<'_, P>, to: Side, departure: Departure<P>) {
        let Departure { seq, flags, payload, ecn } = departure;
        let alone = self.stands_alone(to);
        let (header, _) = self.header(cx, to, seq, flags | Flags::ACK);
        if alone {
            self.owe(to);
        } else {
            self.owed[to] = false;
        }
        let segment = Segment { header, payload, ecn };
        let first = self.ends[to.other()].first;
        if let Some(half) = &mut self.halves[to.other()] {
            let end = super::flow::offset(first, half.departed, seq) + i64::from(segment.numbers());
            half.departed = half.departed.max(end.max(0) as u64);
        }
        self.send(cx, to, segment);
    }

    /// What a mobile sends to the fixed host `to` is passed through, acknowledging what `to` was
    /// told.
    pub(super) fn ride(&mut self, cx: &mut Context<'_, P>, to: Side, segment: Segment<P>) {
        let theirs = Flags::from_bits(
            segment.header.flags.bits() & (Flags::PSH | Flags::FIN | Flags::CWR).bits(),
        );
        let alone = self.stands_alone(to);
        let (mut header, _) = self.header(cx, to, segment.header.seq, theirs | Flags::ACK);
        if let (Some(own), Some(clocks)) =
            (&mut header.options.timestamps, segment.header.options.timestamps)
        {
            own.value = clocks.value;
        }
        if alone {
            self.owe(to);
        }
        self.send(cx, to, Segment { header, ..segment });
    }

    /// An acknowledgement of the fixed host for the mobile `to`, which is passed through.
    pub(super) fn relay_ack(&mut self, cx: &mut Context<'_, P>, to: Side, segment: &Segment<P>) {
        let seq = self.idle_seq(to);
        let (mut header, _) = self.header(cx, to, seq, Flags::ACK);
        header.options.sack =
            if self.offers.sack { segment.header.options.sack } else { SackBlocks::NONE };
        self.owed[to] = false;
        self.send(cx, to, Segment { header, ..Segment::default() });
    }

    /// Resets `to`, with the number that it expects, and with the one that it expects if all that
    /// is under way to it is lost.
    pub(super) fn reset(&mut self, cx: &mut Context<'_, P>, to: Side) {
        let (next, least) = (self.expected_of(to.other()), self.acknowledged_by(to));
        for seq in [Some(next), Some(least).filter(|&least| least != next)].into_iter().flatten() {
            let (header, _) = self.header(cx, to, seq, Flags::RST | Flags::ACK);
            let header = TcpHeader { window: 0, ..header };
            self.send(cx, to, Segment { header, ..Segment::default() });
        }
    }

    /// Sends `to` a keep-alive in the name of its peer (RFC 9293 §3.8.4).
    pub(super) fn ask(&mut self, cx: &mut Context<'_, P>, to: Side) {
        let seq = self.idle_seq(to) - 1;
        let (header, _) = self.header(cx, to, seq, Flags::ACK);
        self.asked[to.other()] = true;
        self.send(cx, to, Segment { header, ..Segment::default() });
    }

    /// Whether an acknowledgement for `to` must not ride on data (RFC 5681 §2).
    fn stands_alone(&self, to: Side) -> bool {
        let half = self.halves[to].as_ref();
        half.is_some_and(|half| half.receiver.ack_due() == AckDue::Alone)
    }

    /// The number for a segment to `to` that carries nothing: after all that was sent, but within
    /// its window.
    fn idle_seq(&self, to: Side) -> Seq {
        let offset = self.sent(to.other()).min(self.ends[to].edge());
        self.ends[to.other()].first + offset as u32
    }

    fn send(&self, cx: &mut Context<'_, P>, to: Side, segment: Segment<P>) {
        let way = cx.way(to.other());
        cx.out.push_back(Packet {
            source: way.source,
            destination: way.destination,
            ip: self.ends[to.other()].ip,
            segment,
        });
    }

    /// The header of a segment to `to` that leaves now, and the blocks to go with it if there is
    /// room. Timestamps are the peer's latest: a value that was seen before passes (RFC 7323 §5.3),
    /// but an invented one might be ahead of the peer's own clock.
    fn header(
        &mut self,
        cx: &mut Context<'_, P>,
        to: Side,
        seq: Seq,
        flags: Flags,
    ) -> (TcpHeader, SackBlocks) {
        self.limit_window(cx, to);
        let way = cx.way(to.other());
        let peer = self.ends[to.other()];
        let (ack, window, sack, ece, echo) = if let Some(half) = &mut self.halves[to] {
            let (ack, window, sack, ece) = half.acknowledge();
            (ack, window, sack, ece, half.echo(cx.outer.now))
        } else {
            let ack = self.ends[to].first + peer.acked as u32;
            let ece = if peer.ece { Flags::ECE } else { Flags::NONE };
            let window = self.uplink_window(cx, to);
            (ack, window, SackBlocks::NONE, ece, peer.clocks.echo)
        };
        self.report_window(cx, to, window);
        let timestamps =
            self.offers.timestamps.then_some(Timestamps { value: peer.clocks.value, echo });
        let header = TcpHeader {
            source_port: way.source_port,
            destination_port: way.destination_port,
            seq,
            ack,
            flags: flags | ece,
            window,
            options: Options { timestamps, ..Options::default() },
        };
        (header, sack)
    }

    /// Whether a wider window is to be announced to `to`, which is owed to it from now on.
    pub(super) fn widens(&mut self, cx: &mut Context<'_, P>, to: Side) -> bool {
        self.limit_window(cx, to);
        let Some(half) = &mut self.halves[to] else { return false };
        let wider = !cx.draining && half.receiver.has_wider_window();
        if wider {
            half.receiver.owe_ack(AckDue::Now);
        }
        wider
    }

    /// Moves the announced right edge of `to` to that of the radio leg, while draining no further
    /// than its peer's own. A mobile is never promised more at once than its host ever promised, so
    /// that the connection can be handed back.
    fn limit_window(&mut self, cx: &mut Context<'_, P>, to: Side) {
        let (peer, upload) = (&self.ends[to.other()], self.upload(to));
        let Some(half) = &mut self.halves[to] else { return };
        if half.stage == Stage::Closed {
            return;
        }
        let edge = cx.leg.right_edge(cx.outer.now, half.flow);
        let cap = if cx.draining { peer.edge() } else { u64::MAX };
        let most = match cx.way(to).destination.leg {
            Leg::Radio => u64::MAX,
            Leg::Wired => {
                let (segment, scale) = (self.ends[to].segment, peer.scale);
                let share =
                    cx.uplink.share(cx.outer.now, upload, segment, scale).unwrap_or(u64::MAX);
                half.receiver.received() + share.min(peer.largest_window)
            }
        };
        half.receiver.limit_window(edge.min(cap).min(most));
    }

    /// What facts call the upload of the mobile `from`. Its number is that of the opposite
    /// direction, which is always split.
    pub(super) fn upload(&self, from: Side) -> Numbers {
        self.numbers[from.other()]
    }

    /// The window for the mobile `to`: its host's, or up to its share of the uplink beyond what has
    /// come by here if that is less. No right edge moves back, and none by less than a segment
    /// while there is room for one (RFC 9293 §3.8.6.2.2), but for the part of a unit by which the
    /// window has to be rounded up for that (RFC 7323 §2.4).
    fn uplink_window(&mut self, cx: &mut Context<'_, P>, to: Side) -> u16 {
        let (peer, upload) = (self.ends[to.other()], self.upload(to));
        let own = &mut self.ends[to];
        let share = cx.uplink.share(cx.outer.now, upload, own.segment, peer.scale);
        let Some(share) = share else { return peer.window };
        let (segment, unit) = (u64::from(own.segment), 1 << peer.scale);
        let passed = own.whole.max(peer.acked);
        let window = |edge: u64| edge.saturating_sub(peer.acked);
        let least = window(passed + segment).div_ceil(unit);
        let wide = least.max(window(passed + share) / unit);
        let kept = window(own.told).div_ceil(unit);
        let stays = kept >= least && peer.acked + wide * unit < own.told + segment;
        let field = if stays { kept } else { kept.max(wide) }.min(u64::from(peer.window));
        own.told = own.told.max(peer.acked + field * unit);
        field as u16
    }

    fn report_window(&self, cx: &mut Context<'_, P>, to: Side, field: u16) {
        let Some(half) = &self.halves[to] else { return };
        cx.counters.zero_windows += u64::from(field == 0);
        if cx.way(to).destination.leg == Leg::Wired {
            return;
        }
        let numbers = self.numbers[to];
        cx.outer.tell(MiddleboxFact::Advertised {
            mobile: numbers.mobile,
            connection: numbers.connection,
            window: u64::from(field) << self.ends[to.other()].scale,
            edge: half.receiver.edge(),
        });
    }
}
