//! What the SYNs of both ends come to.

use base::{Duration, Seq, Time};

use crate::syn::{self, Syn};

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
    /// Of data from the host that sent `sender` to the mobile that sent `mobile`.
    pub(super) fn new(now: Time, sender: &Syn, mobile: &Syn) -> Self {
        let once = !sender.repeated && !mobile.repeated;
        let answered = |first: Time, then: Time| (once && then > first).then(|| then - first);
        let have_clocks = sender.offers.timestamps && mobile.offers.timestamps;
        Self {
            first: sender.isn + 1,
            mss: mobile.mss.min(sender.mss).into(),
            shift: syn::scales([sender, mobile])[1],
            window: u64::from(mobile.window),
            sender_clock: have_clocks.then_some((sender.at, sender.clock)),
            wired_rtt: answered(mobile.at, sender.at),
            radio_rtt: answered(sender.at, mobile.at),
            at: now,
        }
    }
}
