//! The three-way handshake as it passes: what both SYNs said, and when the connection is
//! established.

use base::{Duration, Flags, Options, Seq, TcpHeader, Time};
use tcp::{Offers, Payload, Segment};

use crate::side::{Pair, Side};
use crate::{Address, IpFields, Leg};

/// The segment size of a peer that names none (RFC 9293 §3.7.1).
pub(super) const DEFAULT_MSS: u16 = 536;

/// The largest shift (RFC 7323 §2.3).
const SCALE_MAX: u8 = 14;

/// A connection that opens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    pub(super) syns: Pair<Option<Syn>>,
}

/// What one end's SYN said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syn {
    pub(super) isn: Seq,
    /// The largest segment to it.
    pub(super) mss: u16,
    pub(super) scale: Option<u8>,
    pub(super) offers: Offers,
    /// The window, never scaled on a SYN, as it went on.
    pub(super) window: u16,
    /// The same as it came: the receive buffer of the mobile.
    pub(super) room: u16,
    /// Its clock.
    pub(super) clock: u32,
    pub(super) ip: IpFields,
    /// When it last passed.
    at: Time,
    repeated: bool,
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
        Self { syns: Pair([Some(Syn::read(now, segment, ip)), None]) }
    }

    /// The SYN of `from` before it was clamped.
    pub(super) fn note_offer(&mut self, from: Side, offer: &TcpHeader) {
        if let Some(syn) = &mut self.syns[from] {
            syn.room = offer.window;
        }
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
            let syn = Syn::read(now, segment, ip);
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

impl Syn {
    /// What a SYN says.
    pub(super) fn read<P: Payload>(at: Time, segment: &Segment<P>, ip: IpFields) -> Self {
        let header: &TcpHeader = &segment.header;
        let Options { mss, window_scale, sack_permitted, timestamps, .. } = header.options;
        Self {
            isn: header.seq,
            mss: mss.unwrap_or(DEFAULT_MSS),
            scale: window_scale,
            offers: Offers {
                sack: sack_permitted,
                timestamps: timestamps.is_some(),
                ecn: offers_ecn(header.flags),
            },
            window: header.window,
            room: header.window,
            clock: timestamps.map_or(0, |timestamps| timestamps.value),
            ip,
            at,
            repeated: false,
        }
    }

    /// The shift of its window from the next segment on, if the peer offers one as well.
    pub(super) fn shift(&self) -> u8 {
        self.scale.map_or(0, |scale| scale.min(SCALE_MAX))
    }

    /// The same SYN once more. A repetition may offer less, and the peer may have answered either:
    /// its answer decides.
    const fn again(self, newer: &Self) -> Self {
        Self {
            mss: if self.mss < newer.mss { self.mss } else { newer.mss },
            scale: if newer.scale.is_some() { newer.scale } else { self.scale },
            offers: Offers {
                sack: self.offers.sack || newer.offers.sack,
                timestamps: self.offers.timestamps || newer.offers.timestamps,
                ecn: self.offers.ecn || newer.offers.ecn,
            },
            repeated: true,
            ..*newer
        }
    }
}

/// What both SYNs, in their order, agree upon: the answer names nothing that was not offered.
pub(super) fn agreed(opener: &Syn, answerer: &Syn) -> Agreed {
    let scaled = opener.scale.is_some() && answerer.scale.is_some();
    let shift = |own: &Syn| if scaled { own.shift() } else { 0 };
    Agreed {
        offers: opener.offers.and(answerer.offers),
        scales: Pair([shift(opener), shift(answerer)]),
    }
}

/// Changes a SYN on its way: the window to at most `window` bytes.
pub(super) fn clamp(header: &mut TcpHeader, window: u64) {
    header.window = window.min(u64::from(header.window)) as u16;
}

/// Whether a connection concerns a box at all.
pub(super) const fn has_mobile(source: Address, destination: Address) -> bool {
    matches!(source.leg, Leg::Radio) || matches!(destination.leg, Leg::Radio)
}

/// RFC 3168 §6.1.1: a SYN says yes with both flags, the answer with ECE alone.
fn offers_ecn(flags: Flags) -> bool {
    flags.contains(Flags::ECE) && flags.contains(Flags::CWR) != flags.contains(Flags::ACK)
}
