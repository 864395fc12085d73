//! What the two ends of a connection offer in their SYNs.

use base::{Duration, Seq, TcpHeader, Time};

/// RFC 9293 §3.7.1: the MSS of a host that names none.
const DEFAULT_MSS: u32 = 536;

/// The largest shift (RFC 7323 §2.3).
const MAX_SHIFT: u8 = 14;

/// What one side's SYN says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offer {
    /// The number of the first byte after the SYN.
    pub(super) first: Seq,
    mss: u32,
    shift: Option<u8>,
    /// Its clock, where it offers timestamps.
    clock: Option<u32>,
    window: u16,
    /// When it passed, and how often it has.
    sent: Time,
    times: u32,
}

impl Offer {
    pub(super) fn new(now: Time, header: &TcpHeader) -> Self {
        let options = &header.options;
        Self {
            first: header.seq + 1,
            mss: options.mss.map_or(DEFAULT_MSS, u32::from),
            shift: options.window_scale.map(|shift| shift.min(MAX_SHIFT)),
            clock: options.timestamps.map(|stamps| stamps.value),
            window: header.window,
            sent: now,
            times: 1,
        }
    }

    /// The same SYN came by again.
    pub(super) const fn repeat(&mut self) {
        self.times += 1;
    }
}

/// What a handshake agreed upon about data towards a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreed {
    /// The number of the first byte.
    pub first: Seq,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// By how many bits the mobile's windows are shifted.
    pub shift: u8,
    /// The window of the mobile's SYN in bytes.
    pub window: u64,
    /// What the clock of the sender's host showed on its SYN, and when that passed; `None` without
    /// timestamps.
    pub sender_clock: Option<(Time, u32)>,
    /// From the mobile's SYN to the SYN of the sender's host that answers it, as seen at the box;
    /// `None` if the sender's came first or either was repeated.
    pub wired_rtt: Option<Duration>,
    /// From the SYN of the sender's host to the mobile's that answers it, likewise.
    pub radio_rtt: Option<Duration>,
    /// When both SYNs had passed.
    pub at: Time,
}

impl Agreed {
    /// Of data from a host that offered `sender` to a mobile that offered `mobile`.
    pub(super) fn new(now: Time, sender: &Offer, mobile: &Offer) -> Self {
        let once = sender.times == 1 && mobile.times == 1;
        let answered = |first: Time, then: Time| (once && then > first).then(|| then - first);
        Self {
            first: sender.first,
            mss: mobile.mss.min(sender.mss),
            shift: sender.shift.and(mobile.shift).unwrap_or(0),
            window: u64::from(mobile.window),
            sender_clock: sender
                .clock
                .filter(|_| mobile.clock.is_some())
                .map(|value| (sender.sent, value)),
            wired_rtt: answered(mobile.sent, sender.sent),
            radio_rtt: answered(sender.sent, mobile.sent),
            at: now,
        }
    }
}
