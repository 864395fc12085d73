//! What a segment of a split connection does (RFC 9293 §3.10.7.4, in its order).

use base::{Duration, Flags, SackBlocks, Seq};
use tcp::{Acknowledgement, EcnFeedback, Payload, Segment, Timeliness};

use super::flow::{Context, Split, offset};
use super::toward_host::Stage;
use crate::side::Side;
use crate::{Leg, Packet};

/// The minimum time between two acknowledgements that only unacceptable segments call for (RFC 5961
/// §7 asks for a limit; this is Linux's).
const CHALLENGE_INTERVAL: Duration = Duration::from_millis(500);

/// What becomes of a connection after a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// It goes on.
    GoesOn,
    /// The same, but the segment was not sent by its end.
    Ignored,
    /// An end has reset it: the other is to be told.
    Reset,
}

impl<P: Payload> Split<P> {
    /// A segment from `from`. A SYN is a repetition of the last one.
    pub(super) fn handle_segment(
        &mut self,
        cx: &mut Context<'_, P>,
        from: Side,
        packet: Packet<P>,
    ) -> After {
        let Packet { segment, ip, .. } = packet;
        if segment.has(Flags::RST) {
            let after = self.reset_in(cx, from, &segment);
            if after == After::Reset {
                self.ends[from].ip = ip;
            }
            return after;
        }
        if segment.has(Flags::SYN) {
            // The last acknowledgement of the handshake was lost behind the box.
            self.owe(from);
            return After::GoesOn;
        }
        match self.timeliness(cx, from, &segment) {
            Timeliness::Timely => {}
            Timeliness::Unstamped => return After::Ignored,
            Timeliness::Old => {
                self.answer(cx, from, &segment);
                return After::Ignored;
            }
        }
        if !self.is_acceptable(from, &segment) {
            return self.strange_in(cx, from, &segment);
        }
        if !segment.has(Flags::ACK) {
            return After::Ignored;
        }
        let Some(acked) = self.acknowledged_in(from, &segment) else {
            self.challenge(cx, from);
            return After::Ignored;
        };
        // Nothing so far shows that its end sent it.
        self.ends[from].ip = ip;
        self.take_clocks(from, &segment);
        self.ack_in(cx, from, &segment, acked, segment.numbers() == 0);
        let to = from.other();
        if std::mem::take(&mut self.asked[to]) {
            self.owe(to);
        }
        if self.halves[from].is_some() {
            self.take_data(cx, from, segment);
        } else {
            self.pass_data(cx, from, segment);
        }
        After::GoesOn
    }

    /// First check: the window has room for it. Towards a host that is the largest window that the
    /// mobile was told of, and one number more, which a FIN or a probe may have taken. What came
    /// before goes to the host as far back as a window reaches: the host knows whether it lacks it.
    fn is_acceptable(&self, from: Side, segment: &Segment<P>) -> bool {
        if let Some(half) = &self.halves[from] {
            return half.is_acceptable(segment);
        }
        let (own, peer) = (&self.ends[from], &self.ends[from.other()]);
        let start = segment.header.seq.distance(own.first + peer.acked as u32);
        (-peer.reach()..=peer.largest_window as i64 + 1).contains(&i64::from(start))
    }

    /// What the window has no room for is dropped and challenged here, even where data are passed
    /// through: it would carry the acknowledgement of the box, which a host that has moved on might
    /// believe.
    ///
    /// A keep-alive is answered once the peer has answered, unless data are under way, which serve
    /// as one.
    fn strange_in(&mut self, cx: &mut Context<'_, P>, from: Side, segment: &Segment<P>) -> After {
        let asks = self.halves[from].as_ref().is_some_and(|half| {
            half.stage == Stage::Open
                && half.is_empty(cx.leg.acknowledged(half.flow))
                && half.is_asked_by(segment)
        });
        if asks {
            self.ask(cx, from.other());
        } else {
            self.answer(cx, from, segment);
        }
        self.old_acknowledgement(cx, from, segment);
        if asks { After::GoesOn } else { After::Ignored }
    }

    /// RFC 5961 §3.2: the very next number resets, any other in the window is challenged.
    fn reset_in(&mut self, cx: &mut Context<'_, P>, from: Side, segment: &Segment<P>) -> After {
        let seq = segment.header.seq;
        let (exact, in_window) = if let Some(half) = &self.halves[from] {
            (half.resets(seq), half.is_acceptable(segment))
        } else {
            let (own, peer) = (&self.ends[from], &self.ends[from.other()]);
            // What is on its way to the host counts as arrived.
            let expected = [own.sent, peer.acked].map(|at| own.first + at as u32);
            let window = peer.window_bytes().max(1);
            (expected.contains(&seq), seq.within(own.first + peer.acked as u32, window as u32))
        };
        if exact {
            return After::Reset;
        }
        if in_window {
            self.challenge(cx, from);
        }
        After::Ignored
    }

    /// RFC 7323 §5.3, R1, and the update of the timestamp.
    fn timeliness(&self, cx: &Context<'_, P>, from: Side, segment: &Segment<P>) -> Timeliness {
        let timestamps = segment.header.options.timestamps;
        match &self.halves[from] {
            Some(half) => half.receiver.timeliness(cx.outer.now, timestamps),
            None if self.offers.timestamps && timestamps.is_none() => Timeliness::Unstamped,
            // Its data are the host's to judge.
            None => Timeliness::Timely,
        }
    }

    /// What is not acceptable is always acknowledged if it carries something for the box to take
    /// in: its sender retransmits that until it is acknowledged.
    fn answer(&mut self, cx: &Context<'_, P>, from: Side, segment: &Segment<P>) {
        if segment.numbers() > 0 && self.halves[from].is_some() {
            self.owe(from);
        } else {
            self.challenge(cx, from);
        }
    }

    /// The acknowledgement of an old segment still counts, if it was in a window once.
    fn old_acknowledgement(&mut self, cx: &mut Context<'_, P>, from: Side, segment: &Segment<P>) {
        let Some(half) = &self.halves[from] else { return };
        let reach = self.ends[from.other()].reach().max(i64::from(half.receiver.window()));
        let start = i64::from(segment.header.seq.distance(half.receiver.next_seq()));
        if segment.has(Flags::ACK)
            && (-reach..0).contains(&start)
            && let Some(acked) = self.acknowledged_in(from, segment)
        {
            self.ack_in(cx, from, segment, acked, false);
        }
    }

    fn challenge(&mut self, cx: &Context<'_, P>, from: Side) {
        if self.challenges_from <= cx.outer.now {
            self.challenges_from = cx.outer.now + CHALLENGE_INTERVAL;
            self.owe(from);
        }
    }

    /// The latest clock of `from`, by its own order; what came overtaken says nothing new.
    fn take_clocks(&mut self, from: Side, segment: &Segment<P>) {
        if let Some(clocks) = segment.header.options.timestamps
            && self.offers.timestamps
            && !Seq::new(clocks.value).before(Seq::new(self.ends[from].clocks.value))
        {
            self.ends[from].clocks = clocks;
        }
    }

    /// Fifth check: the offset up to which `from` acknowledges, unless that was never sent, or is
    /// older than any window (RFC 5961 §5).
    fn acknowledged_in(&self, from: Side, segment: &Segment<P>) -> Option<i64> {
        let (end, to) = (&self.ends[from], from.other());
        let acked = offset(self.ends[to].first, end.acked, segment.header.ack);
        (end.acked as i64 - end.reach()..=self.sent(to) as i64).contains(&acked).then_some(acked)
    }

    /// `from` acknowledges everything below offset `acked`.
    fn ack_in(
        &mut self,
        cx: &mut Context<'_, P>,
        from: Side,
        segment: &Segment<P>,
        acked: i64,
        pure: bool,
    ) {
        let to = from.other();
        let header = &segment.header;
        let is_update = self.take_window(from, acked, segment);
        let echoes = self.echoes_marks();
        match &mut self.halves[to] {
            None if pure => self.relay_ack(cx, to, segment),
            None => self.owed[to] |= is_update || !header.options.sack.is_empty(),
            Some(half) if half.stage == Stage::Closed => {}
            Some(half) => {
                let end = &self.ends[from];
                let acknowledgement = Acknowledgement {
                    seq: header.seq,
                    ack: header.ack,
                    window: u64::from(header.window) << end.scale,
                    pure,
                    sack: if self.offers.sack { header.options.sack } else { SackBlocks::NONE },
                    echo: None,
                    ece: echoes && segment.has(Flags::ECE),
                    marks: None,
                };
                cx.leg.handle_ack(&mut cx.outer, half.flow, &acknowledgement);
                cx.counters.suppressed += u64::from(pure);
                if half.take_confirmation(cx.outer.now, cx.leg.acknowledged(half.flow)) {
                    cx.leg.remove(&mut cx.outer, half.flow);
                }
            }
        }
    }

    fn echoes_marks(&self) -> bool {
        self.offers.ecn == EcnFeedback::Classic
    }

    /// Acknowledgement and window of the newest segment count (RFC 9293 §3.10.7.4); true if they
    /// say something new.
    fn take_window(&mut self, from: Side, acked: i64, segment: &Segment<P>) -> bool {
        let (header, ecn) = (&segment.header, self.echoes_marks());
        let end = &mut self.ends[from];
        let ahead = acked > end.acked as i64;
        let newer = ahead
            || (acked == end.acked as i64 && end.window_source.before_or_at(header.seq))
            || end.window_source.before(header.seq);
        if !newer {
            return false;
        }
        let is_update = ahead || end.window != header.window;
        end.acked = end.acked.max(acked.max(0) as u64);
        end.window = header.window;
        end.window_source = header.seq;
        end.largest_window = end.largest_window.max(end.window_bytes());
        end.ece = ecn && segment.has(Flags::ECE);
        is_update
    }

    /// A connection that sends much to a fixed host shares the uplink of its mobile until it has
    /// sent all.
    fn note_upload(&self, cx: &mut Context<'_, P>, from: Side, segment: &Segment<P>) {
        if cx.way(from).destination.leg == Leg::Radio {
            return;
        }
        let upload = self.upload(from);
        cx.uplink.sent(cx.outer.now, upload, segment.payload.length(), self.ends[from].segment);
        if segment.has(Flags::FIN) {
            cx.uplink.ended(upload);
        }
    }

    /// Data towards a mobile are taken in.
    fn take_data(&mut self, cx: &mut Context<'_, P>, from: Side, segment: Segment<P>) {
        self.note_upload(cx, from, &segment);
        let Some(half) = &mut self.halves[from] else { return };
        half.handle_segment(cx.outer.now, segment);
        while let Some(piece) = half.receiver.read() {
            cx.leg.write(&mut cx.outer, half.flow, piece);
        }
        if half.take_end() {
            cx.leg.close(cx.outer.now, half.flow);
        }
    }

    /// Data towards a fixed host are passed through, and so are keep-alives (RFC 9293 §3.8.4).
    /// Plain acknowledgements of a mobile end here.
    fn pass_data(&mut self, cx: &mut Context<'_, P>, from: Side, segment: Segment<P>) {
        let (own, peer) = (self.ends[from], self.ends[from.other()]);
        let start = offset(own.first, own.sent, segment.header.seq);
        let end = start + i64::from(segment.numbers());
        if start == end && start >= own.sent as i64 {
            return;
        }
        if start <= own.whole.max(peer.acked) as i64 {
            self.ends[from].whole = own.whole.max(end as u64);
        }
        // A probe stands at the closed window's edge.
        if start <= peer.edge() as i64 && end > own.sent as i64 && !own.closed {
            self.ends[from].sent = end as u64;
            self.ends[from].closed = segment.has(Flags::FIN);
        }
        self.note_upload(cx, from, &segment);
        self.ride(cx, from.other(), segment);
    }
}
