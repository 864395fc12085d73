//! The host-facing half of a split direction: takes data in early, and acknowledges them.

use base::{Flags, SackBlocks, Seq, Time, Timestamps};
use observe::Context;
use tcp::{AckDue, Arrival, Payload, Receiver, Reports, Segment};

use super::handshake::Agreed;
use super::{FlowId, SplitConfig};
use crate::syn::Syn;

/// What the sender's host is told, and the part of its stream that has not been handed to the radio
/// leg.
///
/// Offsets count from the first byte; a FIN takes the one after the last.
#[derive(Debug)]
pub(super) struct TowardHost<P> {
    pub(super) flow: FlowId,
    pub(super) receiver: Receiver<P>,
    /// The offset of the FIN, once it has come.
    fin: Option<u64>,
    pub(super) stage: Stage,
    /// The end of what was ever sent to the mobile, its FIN included.
    pub(super) departed: u64,
}

/// How far a split direction has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Its sender may go on.
    Open,
    /// The FIN has come and all before it, and is on its way to the mobile.
    Closing,
    /// The mobile has acknowledged the FIN; the radio leg has forgotten the flow.
    Closed,
}

impl<P: Payload> TowardHost<P> {
    /// For the data of the end that sent `from`, to the mobile that sent `to`.
    pub(super) fn new(
        now: Time,
        flow: FlowId,
        config: &SplitConfig,
        ends: (&Syn, &Syn),
        agreed: (Agreed, u8),
    ) -> Self {
        let ((from, to), (agreed, scale)) = (ends, agreed);
        let mss = config.segment_to(to.mss);
        let mut receiver = Receiver::new(flow.0, mss, u64::from(to.window), config.delayed_ack);
        receiver.start(from.isn + 1);
        receiver.agree_on_scale(Some(scale));
        if agreed.offers.sack {
            receiver.agree_on_sack(Reports::Blocks);
        }
        if agreed.offers.timestamps {
            receiver.agree_on_timestamps(now, from.clock);
        }
        receiver.agree_on_ecn(agreed.offers.ecn);
        Self { flow, receiver, fin: None, stage: Stage::Open, departed: 0 }
    }

    /// RFC 9293 §3.10.7.4, first check: the window has room for it. At a closed window, a segment
    /// right before it may still bring an acknowledgement or a reset.
    pub(super) fn is_acceptable(&self, segment: &Segment<P>) -> bool {
        let start = i64::from(segment.header.seq.distance(self.receiver.next_seq()));
        let end = start + i64::from(segment.numbers());
        start < i64::from(self.receiver.window().max(1)) && (end > 0 || start == 0)
    }

    /// Whether segments of `size` bytes in a row may come as one. Nothing may be missing, or each
    /// would have to be acknowledged; and two have to be longer than a segment can be, or the
    /// receiver would take them for one.
    pub(super) fn takes_runs(&self, size: u32) -> bool {
        self.stage == Stage::Open
            && self.receiver.is_contiguous()
            && self.receiver.is_run(2 * u64::from(size))
    }

    /// RFC 9293 §3.8.4: a keep-alive has nothing or a byte right before an open window. Right
    /// before a closed one it is a window probe.
    pub(super) fn is_asked_by(&self, segment: &Segment<P>) -> bool {
        segment.header.seq + 1 == self.receiver.next_seq()
            && segment.payload.length() <= 1
            && !segment.has(Flags::FIN)
            && self.receiver.window() > 0
    }

    /// RFC 5961 §3.2: the very next number. The sender counts a FIN as sent that is held back here.
    pub(super) fn resets(&self, seq: Seq) -> bool {
        let next = self.receiver.next_seq();
        seq == next || (self.stage == Stage::Closing && seq == next + 1)
    }

    /// Takes in data and FIN of an acceptable segment. The FIN is held back: it is not acknowledged
    /// before the mobile has acknowledged it.
    pub(super) fn handle_segment(&mut self, now: Time, segment: Segment<P>) {
        let seq = segment.header.seq;
        self.receiver.take_timestamps(now, seq, segment.header.options.timestamps);
        let received = self.receiver.received();
        let distance = i64::from(seq.distance(self.receiver.next_seq()));
        let end = received as i64 + distance + segment.payload.length() as i64;
        if self.fin.is_some_and(|fin| end > fin as i64) || self.stage == Stage::Closed {
            // Data beyond the end of the stream.
            return;
        }
        let fin = segment.has(Flags::FIN);
        if fin && end >= received as i64 && end as u64 <= self.receiver.edge() {
            self.fin = Some(end as u64);
        }
        if fin && segment.payload.length() == 0 && self.receiver.window() == 0 {
            // It probes the closed window as well.
            self.receiver.owe_ack(AckDue::Alone);
        }
        let arrival = Arrival {
            seq,
            fin: false,
            ecn: segment.ecn,
            cwr: segment.has(Flags::CWR),
            payload: segment.payload,
        };
        self.receiver.handle_data(&mut Context { now, observe: &mut () }, &arrival);
    }

    /// True once, when everything up to the FIN has come.
    pub(super) fn take_end(&mut self) -> bool {
        let ends = self.stage == Stage::Open && self.fin == Some(self.receiver.received());
        if ends {
            self.stage = Stage::Closing;
        }
        ends
    }

    /// The mobile has acknowledged everything below `offset`: true once, when that is all and the
    /// FIN. Its sender is to be told.
    pub(super) fn take_confirmation(&mut self, now: Time, offset: u64) -> bool {
        let confirmed = self.stage == Stage::Closing && self.fin.is_some_and(|fin| offset > fin);
        if confirmed {
            self.stage = Stage::Closed;
            let fin = Arrival { seq: self.receiver.next_seq(), fin: true, ..Arrival::default() };
            self.receiver.handle_data(&mut Context { now, observe: &mut () }, &fin);
        }
        confirmed
    }

    /// What an acknowledgement that leaves now says: the next number expected, the window field,
    /// SACK blocks, and the congestion echo.
    pub(super) fn acknowledge(&mut self) -> (Seq, u16, SackBlocks, Flags) {
        let (ack, window) = self.receiver.acknowledge();
        (ack, window, self.receiver.blocks(), self.receiver.echo())
    }

    /// The clock of the sender, to be echoed to it.
    pub(super) fn echo(&self, now: Time) -> u32 {
        self.receiver.timestamps(now).map_or(0, |Timestamps { echo, .. }| echo)
    }

    /// True if nothing is under way in this direction, in which everything below `acknowledged` has
    /// arrived.
    pub(super) fn is_empty(&self, acknowledged: u64) -> bool {
        match self.stage {
            Stage::Open => {
                self.fin.is_none()
                    && self.receiver.is_contiguous()
                    && acknowledged == self.receiver.received()
            }
            Stage::Closing => false,
            Stage::Closed => true,
        }
    }
}
