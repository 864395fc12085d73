//! What one end of a connection says in its SYN.

use base::{Flags, Options, Seq, TcpHeader, Time};
use tcp::{EcnFeedback, Offers};

use crate::IpFields;

/// The segment size of a peer that names none (RFC 9293 §3.7.1).
const DEFAULT_MSS: u16 = 536;

/// The largest shift (RFC 7323 §2.3).
const SCALE_MAX: u8 = 14;

/// What one end's SYN said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syn {
    pub(crate) isn: Seq,
    /// The largest segment to it.
    pub(crate) mss: u16,
    pub(crate) scale: Option<u8>,
    pub(crate) offers: Offers,
    /// The window, never scaled on a SYN, as it went on.
    pub(crate) window: u16,
    /// The same as it came: the receive buffer of the end.
    pub(crate) room: u16,
    /// Its clock.
    pub(crate) clock: u32,
    pub(crate) ip: IpFields,
    /// When it last passed.
    pub(crate) at: Time,
    pub(crate) repeated: bool,
}

impl Syn {
    /// What a SYN says.
    pub(crate) fn read(at: Time, header: &TcpHeader, ip: IpFields) -> Self {
        let Options { mss, window_scale, sack_permitted, timestamps, .. } = header.options;
        Self {
            isn: header.seq,
            mss: mss.unwrap_or(DEFAULT_MSS),
            scale: window_scale,
            offers: Offers {
                sack: sack_permitted,
                timestamps: timestamps.is_some(),
                ecn: offered_ecn(header.flags),
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
    pub(crate) fn shift(&self) -> u8 {
        self.scale.map_or(0, |scale| scale.min(SCALE_MAX))
    }

    /// The same SYN once more. A repetition may offer less, and the peer may have answered either:
    /// its answer decides. Of two windows the wider counts: what it lets the peer send is on its
    /// way.
    pub(crate) const fn again(self, newer: &Self) -> Self {
        Self {
            mss: if self.mss < newer.mss { self.mss } else { newer.mss },
            scale: if newer.scale.is_some() { newer.scale } else { self.scale },
            offers: Offers {
                sack: self.offers.sack || newer.offers.sack,
                timestamps: self.offers.timestamps || newer.offers.timestamps,
                ecn: match self.offers.ecn {
                    EcnFeedback::Off => newer.offers.ecn,
                    EcnFeedback::Classic | EcnFeedback::Accurate => self.offers.ecn,
                },
            },
            window: if self.window > newer.window { self.window } else { newer.window },
            repeated: true,
            ..*newer
        }
    }
}

/// Shifts of the windows of both ends (RFC 7323 §2.2).
pub(crate) fn scales(ends: [&Syn; 2]) -> [u8; 2] {
    let scaled = ends.iter().all(|end| end.scale.is_some());
    ends.map(|end| if scaled { end.shift() } else { 0 })
}

/// RFC 3168 §6.1.1: a SYN says yes with both flags, the answer with ECE alone.
fn offered_ecn(flags: Flags) -> EcnFeedback {
    let is_offered =
        flags.contains(Flags::ECE) && flags.contains(Flags::CWR) != flags.contains(Flags::ACK);
    if is_offered { EcnFeedback::Classic } else { EcnFeedback::Off }
}

/// What a box forwards of a SYN's flags: what it acknowledges, or sends again, counts no marks, so
/// that the ends must not agree upon more than RFC 3168 (RFC 9768 §3.3.1).
pub(crate) const fn without_accurate_ecn(flags: Flags) -> Flags {
    flags.without(Flags::AE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box that takes a SYN for one of RFC 3168 must forward it as such.
    #[test]
    fn no_more_is_forwarded_than_is_understood() {
        let accurate = Flags::SYN | Flags::ACE;
        let forwarded = without_accurate_ecn(accurate);
        assert_eq!(forwarded, Flags::SYN | Flags::ECE | Flags::CWR);
        assert_eq!([accurate, forwarded].map(offered_ecn), [EcnFeedback::Classic; 2]);
        let classic = Flags::SYN | Flags::ACK | Flags::ECE;
        assert_eq!(without_accurate_ecn(classic), classic);
        assert_eq!(offered_ecn(Flags::SYN | Flags::ACK | Flags::CWR), EcnFeedback::Off);
    }
}
