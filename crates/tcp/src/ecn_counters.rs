//! Accurate ECN, the receiving half (RFC 9768 §3.2): what arrived with which codepoint.

use base::{Ecn, EcnBytes, EcnOrder, Flags, Time};

use crate::ecn_echo::Echo;
use crate::receiver::AckDue;
use crate::{Payload, Receiver};

/// r.cep at the start (RFC 9768 §3.2.1).
pub(crate) const FIRST_PACKETS: u8 = 5;

/// r.e0b, r.ceb and r.e1b at the start (RFC 9768 §3.2.1).
pub(crate) const FIRST_BYTES: [u32; 3] = [1, 0, 1];

/// Marks that are acknowledged at once: where data wait to be acknowledged, and else (RFC 9768
/// §3.2.2.5.1).
const AT_ONCE: [u8; 2] = [2, 3];

/// Counters of what arrived. They wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EcnCounters {
    /// Packets with CE: r.cep.
    packets: u8,
    /// Bytes of payload with ECT(0), CE and ECT(1): r.e0b, r.ceb and r.e1b.
    bytes: [u32; 3],
    /// Bytes that the last option told.
    told: [u32; 3],
    /// The codepoint of the newest packet.
    newest: Ecn,
    /// Marks that came since the last acknowledgement.
    fresh: u8,
    /// True if the next option is due whatever came: it tests the path (RFC 9768 §3.2.3.2.1).
    tests: bool,
}

impl EcnCounters {
    pub(crate) const NEW: Self = Self {
        packets: FIRST_PACKETS,
        bytes: FIRST_BYTES,
        told: FIRST_BYTES,
        newest: Ecn::NotCapable,
        fresh: 0,
        tests: true,
    };

    /// The ACE field of a segment that leaves now (RFC 9768 §3.2.2.2).
    pub(crate) const fn ace(&self) -> Flags {
        Flags::of_ace(self.packets)
    }

    /// A SYN/ACK arrived with CE (RFC 9768 §3.2.2.2): it counts once.
    const fn note_syn_ack(&mut self) {
        self.packets = FIRST_PACKETS + 1;
    }

    /// A packet with `length` bytes of payload arrived. True if it is the first of several with a
    /// mark and carries data.
    fn count(&mut self, ecn: Ecn, length: u32) -> bool {
        let is_marked = ecn == Ecn::Experienced;
        let begins = is_marked && self.newest != Ecn::Experienced && length > 0;
        self.newest = ecn;
        if is_marked {
            self.packets = self.packets.wrapping_add(1);
            self.fresh = self.fresh.saturating_add(1);
        }
        if let Some(place) = place(EcnOrder::Ect0First, ecn) {
            self.bytes[place] = self.bytes[place].wrapping_add(length);
        }
        begins
    }

    /// The option for a segment that has `room` for it, if there is something to say (RFC 9768
    /// §3.2.3.3, "Recommended Simple Scheme"): each counter that ever changed, or at least those
    /// that changed since the last option.
    pub(crate) fn option(&self, occasion: Occasion, room: u32) -> Option<EcnBytes> {
        let has_ect1 = self.bytes[2] != FIRST_BYTES[2];
        let order = if has_ect1 { EcnOrder::Ect1First } else { EcnOrder::Ect0First };
        let ordered = |counts: [u32; 3]| match order {
            EcnOrder::Ect0First => counts,
            EcnOrder::Ect1First => [counts[2], counts[1], counts[0]],
        };
        let counts = ordered(self.bytes);
        let changed = |before: [u32; 3]| {
            counts.iter().zip(ordered(before)).rposition(|(now, before)| *now != before)
        };
        let needed = changed(self.told).map_or(0, |last| last as u8 + 1);
        let wanted = if self.tests { 3 } else { changed(FIRST_BYTES).map_or(0, |at| at as u8 + 1) };
        if wanted == 0 || needed == 0 && !self.tests && occasion == Occasion::News {
            return None;
        }
        let options = (needed..=wanted).map(|fields| EcnBytes::new(order, fields, counts));
        options.rev().find(|option| option.bytes() <= room)
    }

    /// The option left.
    pub(crate) const fn note_told(&mut self) {
        self.told = self.bytes;
        self.tests = false;
    }
}

/// Occasions for the option on a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occasion {
    /// If it says something new.
    News,
    /// If there ever was something to say: the segment that said it may have been lost.
    Always,
}

/// The place of the count of `ecn` in an option of that order.
pub(crate) const fn place(order: EcnOrder, ecn: Ecn) -> Option<usize> {
    match (order, ecn) {
        (_, Ecn::NotCapable) => None,
        (_, Ecn::Experienced) => Some(1),
        (EcnOrder::Ect0First, Ecn::Capable) | (EcnOrder::Ect1First, Ecn::L4s) => Some(0),
        (EcnOrder::Ect0First, Ecn::L4s) | (EcnOrder::Ect1First, Ecn::Capable) => Some(2),
    }
}

impl<P: Payload> Receiver<P> {
    /// An acceptable packet arrived with `length` bytes of payload, no SYN (RFC 9768 §3.2), and
    /// what it carries was taken in: says whether to acknowledge it at once (§3.2.2.5.1).
    #[inline]
    pub(crate) fn count_arrival(&mut self, now: Time, ecn: Ecn, length: u32) {
        let Echo::Accurate(counters) = &mut self.echo else { return };
        let begins = counters.count(ecn, length);
        let [waiting, idle] = AT_ONCE;
        let most = if self.unacknowledged > 0 { waiting } else { idle };
        if begins || counters.fresh >= most {
            let due = if self.offloads { AckDue::At(now) } else { AckDue::Now };
            self.ack = self.ack.or_sooner(due);
        }
    }

    /// True if accurate ECN was agreed upon.
    #[inline]
    pub(crate) const fn counts_marks(&self) -> bool {
        matches!(self.echo, Echo::Accurate(_))
    }

    /// The peer's answer to this side's SYN arrived.
    pub(crate) fn note_syn_ack(&mut self, ecn: Ecn) {
        if let (Echo::Accurate(counters), Ecn::Experienced) = (&mut self.echo, ecn) {
            counters.note_syn_ack();
        }
    }

    /// The option for a segment that leaves now with `room` for it.
    pub(crate) fn take_ecn_bytes(&mut self, occasion: Occasion, room: u32) -> Option<EcnBytes> {
        let Echo::Accurate(counters) = &mut self.echo else { return None };
        let option = counters.option(occasion, room)?;
        counters.note_told();
        Some(option)
    }

    /// An acknowledgement leaves.
    #[inline]
    pub(crate) fn note_marks_told(&mut self) {
        if let Echo::Accurate(counters) = &mut self.echo {
            counters.fresh = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of the option after packets of 100 B with these codepoints.
    fn fields(arrivals: &[Ecn], room: u32) -> Option<(EcnOrder, Vec<u32>)> {
        let mut counters = EcnCounters { tests: false, ..EcnCounters::NEW };
        for ecn in arrivals {
            counters.count(*ecn, 100);
        }
        let option = counters.option(Occasion::News, room)?;
        Some((option.order, (0..3).filter_map(|place| option.count(place)).collect()))
    }

    /// The examples of RFC 9768 §3.2.3.3.
    #[test]
    fn an_option_has_the_counters_that_ever_changed() {
        use Ecn::{Capable, Experienced, L4s, NotCapable};
        use EcnOrder::{Ect0First, Ect1First};
        assert_eq!(fields(&[NotCapable], 12), None);
        assert_eq!(fields(&[Capable], 12), Some((Ect0First, vec![101])));
        assert_eq!(fields(&[Capable, Experienced], 12), Some((Ect0First, vec![101, 100])));
        assert_eq!(fields(&[L4s], 12), Some((Ect1First, vec![101])));
        assert_eq!(fields(&[L4s, Experienced], 12), Some((Ect1First, vec![101, 100])));
        assert_eq!(fields(&[L4s, Capable], 12), Some((Ect1First, vec![101, 0, 101])));
        assert_eq!(fields(&[L4s, Capable], 8), None, "not without what changed");
        assert_eq!(fields(&[Experienced], 8), Some((Ect0First, vec![1, 100])));
    }

    #[test]
    fn an_option_may_leave_out_what_was_told() {
        let mut counters = EcnCounters::NEW;
        counters.count(Ecn::Capable, 10);
        counters.count(Ecn::L4s, 10);
        counters.note_told();
        assert_eq!(counters.option(Occasion::News, 12), None);
        let again = counters.option(Occasion::Always, 8);
        assert_eq!(again.map(|option| option.fields), Some(2));
        counters.count(Ecn::L4s, 10);
        assert_eq!(counters.option(Occasion::News, 12).map(|option| option.fields), Some(3));
        assert_eq!(counters.option(Occasion::News, 11).map(|option| option.fields), Some(2));
        assert_eq!(counters.option(Occasion::News, 4), None);
    }

    #[test]
    fn counters_begin_and_wrap_as_they_should() {
        let mut counters = EcnCounters::NEW;
        assert_eq!(counters.ace().ace(), 5);
        let tested = counters
            .option(Occasion::News, 12)
            .map(|option| [0, 1, 2].map(|place| option.count(place)));
        assert_eq!(tested, Some([Some(1), Some(0), Some(1)]));
        for _ in 0..4 {
            counters.count(Ecn::Experienced, 1 << 22);
        }
        assert_eq!(counters.ace().ace(), 1);
        assert_eq!(
            counters.option(Occasion::News, 12).and_then(|option| option.count(1)),
            Some(0),
            "24 bits"
        );
    }

    #[test]
    fn marks_begin_on_data_after_any_packet_without() {
        let mut counters = EcnCounters::NEW;
        let marked = Ecn::Experienced;
        assert!(counters.count(marked, 1) && !counters.count(marked, 1));
        assert!(!counters.count(Ecn::Capable, 1) && !counters.count(marked, 0));
        assert!(!counters.count(marked, 1), "the previous packet, one without data, had one");
    }
}
