//! Keys of mobile networks that would do nothing, or undo each other.

use crate::schema::{AccessName, DadName, MobileIp, Wlan};
use crate::validate::Check;
use settings::Fault;

/// Bytes of an IPv6 header and of a fragment header (RFC 8200 §3 and §4.5).
const HEADERS: u32 = world::IPV6_HEADER_BYTES;
const FRAGMENT: u32 = world::FRAGMENT_HEADER_BYTES;

/// Bytes of a TCP header, of one with timestamps, and the most (RFC 9293 §3.1, RFC 7323 §3).
const PLAIN: u32 = 20;
const STAMPED: u32 = 32;
const LONGEST: u32 = 60;

impl Check<'_> {
    /// Keys of `[mobile_ip]` and `[wlan]` that wait for another. At its default a key says nothing.
    pub(crate) fn idle(&self, mobile_ip: &MobileIp, wlan: &Wlan) -> Result<(), Fault> {
        let (own, usual) = (MobileIp::default(), Wlan::default());
        let is_free = wlan.access == AccessName::ContentionFree;
        let is_slow = !mobile_ip.fast_handovers;
        let csma = ("wlan.access", "\"csma-ca\"");
        let fast = ("mobile_ip.fast_handovers", "true");
        let never = mobile_ip.duplicate_address_detection != DadName::Standard;
        let detection = ("mobile_ip.duplicate_address_detection", "\"standard\"");
        let unasked = !mobile_ip.solicits;
        let asked = ("mobile_ip.solicits", "true");
        let waiting = [
            ("wlan.cw_min", is_free && wlan.cw_min != usual.cw_min, csma),
            ("wlan.cw_max", is_free && wlan.cw_max != usual.cw_max, csma),
            ("wlan.hold_limit", is_slow && wlan.hold_limit != usual.hold_limit, fast),
            ("wlan.anticipation", is_slow && wlan.anticipation.is_some(), fast),
            ("mobile_ip.forward_time", is_slow && mobile_ip.forward_time != own.forward_time, fast),
            ("mobile_ip.dad_time", never && mobile_ip.dad_time != own.dad_time, detection),
            (
                "mobile_ip.answer_delay",
                unasked && mobile_ip.answer_delay != own.answer_delay,
                asked,
            ),
        ];
        for (key, waits, (other, value)) in waiting {
            if waits && !self.tree.is_overruled(key, other) {
                return self.clash(&[key], format!("{key} does nothing without {other} = {value}"));
            }
        }
        if wlan.cw_min > wlan.cw_max {
            let message = format!(
                "wlan.cw_min, {}, must not be above wlan.cw_max, {}",
                wlan.cw_min, wlan.cw_max
            );
            return self.clash(&["wlan.cw_min", "wlan.cw_max"], message);
        }
        Ok(())
    }

    /// What `ftp.cap` cuts can be joined, and what it makes fits in a packet.
    pub(crate) fn pieces(&self, mtu: u32) -> Result<(), Fault> {
        let Some(cap) = self.scenario.ftp.cap else { return Ok(()) };
        let tcp::Config { mss, timestamps, .. } = self.scenario.tcp;
        let keys = ["ftp.cap", "ftp.packet_size", "tcp.mss", "mobile_ip.mtu"];
        let (pieces, most) = (mss.div_ceil(cap), world::MOST_PIECES as u32);
        if pieces > most {
            let message = format!(
                "packets with {mss} B of data would be cut into {pieces} pieces, of which no more \
                 than {most} are joined: ftp.cap must be {} B or more",
                mss.div_ceil(most)
            );
            return self.clash(&keys, message);
        }
        let header = if timestamps { STAMPED } else { PLAIN };
        let bytes = if mss > cap { FRAGMENT + LONGEST + cap } else { header + mss } + HEADERS;
        if bytes > mtu {
            let message = format!(
                "ftp.cap makes packets of {bytes} B, and mobile_ip.mtu is {mtu} B: ftp.cap must be \
                 lower, or off"
            );
            return self.clash(&keys, message);
        }
        Ok(())
    }
}
