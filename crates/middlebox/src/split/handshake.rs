//! The three-way handshake as it passes: what both SYNs said, and when the connection is
//! established.

use base::{Duration, Flags, TcpHeader, Time};
use tcp::{Offers, Payload, Segment};

use crate::side::{Pair, Side};
use crate::syn::{self, Syn};
use crate::{Address, IpFields, Leg};

/// A connection that opens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    pub(super) syns: Pair<Option<Syn>>,
}

/// What is to be done about a segment of a handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HandshakeStep {
    /// It is forwarded.
    Forward,
    /// The connection is established: the segment is the first of it.
    Established,
    /// It passes, and so does all that follows: the box has not seen the whole handshake.
    Bypass,
}

/// What both agreed upon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed {
    pub(super) offers: Offers,
    /// Shift of each end's window.
    pub(super) scales: Pair<u8>,
}

impl Handshake {
    /// The SYN of a caller.
    pub(super) fn new<P: Payload>(now: Time, segment: &Segment<P>, ip: IpFields) -> Self {
        Self { syns: Pair([Some(Syn::read(now, &segment.header, ip)), None]) }
    }

    /// The SYN of `from` before it was clamped.
    pub(super) fn note_offer(&mut self, from: Side, offer: &TcpHeader) {
        if let Some(syn) = &mut self.syns[from] {
            syn.room = offer.window;
        }
    }

    /// The window of the SYN of `from` when it passed before, or zero. Its repetition takes none of
    /// that back, whatever is left for uploads by now (RFC 9293 §3.8.6, SHLD-14).
    pub(super) fn told(&self, from: Side, syn: &TcpHeader) -> u16 {
        self.syns[from].filter(|before| before.isn == syn.seq).map_or(0, |before| before.window)
    }

    /// A segment from `from`, a SYN as it will go on. Any acceptable segment that acknowledges the
    /// SYN of the other establishes the connection, data and FINs as well as a plain
    /// acknowledgement, which may have been lost.
    pub(super) fn handle<P: Payload>(
        &mut self,
        now: Time,
        from: Side,
        segment: &Segment<P>,
        ip: IpFields,
    ) -> HandshakeStep {
        let header = &segment.header;
        let other = self.syns[from.other()];
        let acknowledges =
            segment.has(Flags::ACK).then(|| other.is_some_and(|other| header.ack == other.isn + 1));
        if segment.payload.length() > 0 && segment.has(Flags::SYN) {
            // TCP Fast Open (RFC 7413): what was sent before the split is not for the box.
            return HandshakeStep::Bypass;
        }
        if segment.has(Flags::SYN) {
            if acknowledges == Some(false) {
                // The callee took data in that came with a SYN, or answers somebody else.
                return HandshakeStep::Bypass;
            }
            let syn = Syn::read(now, &segment.header, ip);
            self.syns[from] = Some(match self.syns[from] {
                Some(before) if before.isn == syn.isn => before.again(&syn),
                Some(_) if from == Side::Caller => {
                    *self = Self { syns: Pair([Some(syn), None]) };
                    return HandshakeStep::Forward;
                }
                Some(_) | None => syn,
            });
            return HandshakeStep::Forward;
        }
        // Data may have come before the acknowledgement, whose number then is at their end: at most
        // that of a full window.
        let window = other.map_or(0, |other| u32::from(other.window) + 1);
        match (self.syns[from], acknowledges) {
            (Some(own), Some(true)) if header.seq.within(own.isn + 1, window) => {
                HandshakeStep::Established
            }
            // Its SYN went another way.
            (None, Some(true)) => HandshakeStep::Bypass,
            // Nothing that an end would accept in the handshake; they will sort that out.
            (Some(_), Some(true)) | (_, Some(false) | None) => HandshakeStep::Forward,
        }
    }

    /// Whether a reset from `from` ends the connection: it acknowledges the other's SYN, which is
    /// all that is known of the one that sends it (RFC 9293 §3.10.7.3), or has the very next number
    /// (RFC 5961 §3.2).
    pub(super) fn is_refused_by<P: Payload>(&self, from: Side, segment: &Segment<P>) -> bool {
        let header = &segment.header;
        match (self.syns[from], self.syns[from.other()]) {
            (Some(own), _) => header.seq == own.isn + 1,
            (None, Some(other)) => segment.has(Flags::ACK) && header.ack == other.isn + 1,
            (None, None) => false,
        }
    }

    /// From the SYN that went to `mobile` to its answer, which comes now or was the callee's SYN;
    /// Karn's algorithm.
    pub(super) fn round_trip(&self, now: Time, mobile: Side) -> Option<Duration> {
        let (to, back) = (self.syns[mobile.other()]?, self.syns[mobile]?);
        let answered = match mobile {
            Side::Caller => now,
            Side::Callee => back.at,
        };
        (!to.repeated && !back.repeated).then(|| answered - to.at)
    }
}

/// What both SYNs, in their order, agree upon: the answer names nothing that was not offered.
pub(super) fn agreed(opener: &Syn, answerer: &Syn) -> Agreed {
    Agreed {
        offers: opener.offers.and(answerer.offers),
        scales: Pair(syn::scales([opener, answerer])),
    }
}

/// Whether a connection concerns a box at all.
pub(super) const fn has_mobile(source: Address, destination: Address) -> bool {
    matches!(source.leg, Leg::Radio) || matches!(destination.leg, Leg::Radio)
}
