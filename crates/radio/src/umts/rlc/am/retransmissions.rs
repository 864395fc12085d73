//! How often each PDU of the window has been retransmitted, and when.

use base::Time;

use crate::umts::rlc::Sn;

/// The retransmissions of each number of the ring. There is no ring before the first: most bearers
/// of a large network are idle.
#[derive(Default, Debug)]
pub(super) struct Retransmissions {
    ring: Vec<Retransmitted>,
}

/// How often a PDU has been retransmitted, and when last.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Retransmitted {
    pub(super) last: Time,
    pub(super) count: u32,
}

impl Retransmissions {
    /// Those of PDU `sn`.
    pub(super) fn of(&self, sn: Sn) -> Retransmitted {
        self.ring.get(usize::from(sn.wire())).copied().unwrap_or_default()
    }

    /// PDU `sn` is sent again.
    pub(super) fn note(&mut self, now: Time, sn: Sn) {
        if self.ring.is_empty() {
            self.ring = vec![Retransmitted::default(); Sn::SPAN as usize];
        }
        let entry = &mut self.ring[usize::from(sn.wire())];
        *entry = Retransmitted { last: now, count: entry.count + 1 };
    }

    /// The PDUs `from..to` are new, whatever the ring says of their predecessors.
    pub(super) fn begin(&mut self, from: Sn, to: Sn) {
        if self.ring.is_empty() {
            return;
        }
        for offset in 0..to - from {
            self.ring[usize::from((from + offset).wire())].count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(retransmissions: &Retransmissions, sns: [u64; 3]) -> [u32; 3] {
        sns.map(|sn| retransmissions.of(Sn::new(sn)).count)
    }

    #[test]
    fn a_number_that_comes_again_starts_anew() {
        let mut retransmissions = Retransmissions::default();
        for sn in [4094, 4094, 4095, 4096] {
            retransmissions.note(Time::from_nanos(sn), Sn::new(sn));
        }
        assert_eq!(counts(&retransmissions, [4094, 4095, 4096]), [2, 1, 1]);
        assert_eq!(retransmissions.of(Sn::new(4096)).last, Time::from_nanos(4096));
        retransmissions.begin(Sn::new(4094 + Sn::SPAN), Sn::new(4096 + Sn::SPAN));
        assert_eq!(counts(&retransmissions, [4094, 4095, 4096]), [0, 0, 1]);
    }

    /// 64 kB a direction are too much for thousands of idle bearers.
    #[test]
    fn nothing_is_kept_before_the_first() {
        let mut retransmissions = Retransmissions::default();
        retransmissions.begin(Sn::ZERO, Sn::new(100));
        assert_eq!(counts(&retransmissions, [0, 50, 4095]), [0; 3]);
        assert_eq!(retransmissions.ring.capacity(), 0);
    }
}
