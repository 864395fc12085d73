//! Explicit congestion notification, the handshake (RFC 3168 §6.1.1; RFC 9768 §3.1): what both
//! sides agree upon, and what each says of the IP-ECN field with which the other's SYN arrived.

use base::{Ecn, Flags};
use cc::EcnFeedback;

/// The flags of a SYN that asks for `feedback` (RFC 3168 §6.1.1; RFC 9768 table 2).
pub(crate) const fn ask(feedback: EcnFeedback) -> Flags {
    match feedback {
        EcnFeedback::Off => Flags::NONE,
        EcnFeedback::Classic => Flags::of_ace(0b011),
        EcnFeedback::Accurate => Flags::of_ace(0b111),
    }
}

/// The flags of the answer to a SYN that arrived with `syn` in its IP-ECN field.
pub(crate) const fn answer(feedback: EcnFeedback, syn: Ecn) -> Flags {
    match feedback {
        EcnFeedback::Off => Flags::NONE,
        EcnFeedback::Classic => Flags::ECE,
        EcnFeedback::Accurate => reflection(syn),
    }
}

/// An IP-ECN field as a SYN/ACK, and its acknowledgement, say that it arrived (RFC 9768 tables 2
/// and 3).
pub(crate) const fn reflection(arrived: Ecn) -> Flags {
    Flags::of_ace(match arrived {
        Ecn::NotCapable => 0b010,
        Ecn::L4s => 0b011,
        Ecn::Capable => 0b100,
        Ecn::Experienced => 0b110,
    })
}

/// What a side that does `ours` and receives a SYN, or the answer to one, with these `flags` agrees
/// to.
pub(crate) const fn agreed(ours: EcnFeedback, flags: Flags) -> EcnFeedback {
    let is_answer = flags.contains(Flags::ACK);
    match ours {
        EcnFeedback::Off => EcnFeedback::Off,
        EcnFeedback::Classic => classic(is_answer, flags.ace()),
        EcnFeedback::Accurate if is_answer => accurate_answer(flags.ace()),
        EcnFeedback::Accurate => accurate_syn(flags.ace()),
    }
}

/// RFC 3168 §6.1.1. An answer with both flags comes from a peer that only mirrors them; AE was
/// reserved then.
const fn classic(is_answer: bool, flags: u8) -> EcnFeedback {
    let wanted = if is_answer { 0b001 } else { 0b011 };
    if flags & 0b011 == wanted { EcnFeedback::Classic } else { EcnFeedback::Off }
}

/// RFC 9768 table 2. What is reserved asks for it as well (§3.1.3).
const fn accurate_syn(flags: u8) -> EcnFeedback {
    match flags {
        0b000 => EcnFeedback::Off,
        0b011 => EcnFeedback::Classic,
        _ => EcnFeedback::Accurate,
    }
}

/// RFC 9768 table 2. What is reserved agrees (§3.1.3); what mirrors the SYN is broken.
const fn accurate_answer(flags: u8) -> EcnFeedback {
    match flags {
        0b000 | 0b111 => EcnFeedback::Off,
        0b001 => EcnFeedback::Classic,
        _ => EcnFeedback::Accurate,
    }
}

/// Passage of the IP-ECN field of this side's SYN, or of its answer to one, which left as
/// Not-ECT, according to the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passage {
    /// It arrived as it left, or nothing is known of it.
    Intact,
    /// Something on the path changed it to ECT (RFC 9768 §3.2.2.3).
    Mangled,
    /// Something on the path changed it to CE: mangled as well, but congestion to answer.
    Marked,
    /// The acknowledgement of the SYN/ACK says zero: the peer feeds nothing back (RFC 9768 table 4,
    /// note 1).
    Silent,
}

impl Passage {
    /// Passage of the SYN, as the SYN/ACK tells it (RFC 9768 table 2, §3.1.3).
    pub(crate) const fn of_syn(flags: Flags) -> Self {
        match flags.ace() {
            0b011 | 0b100 => Self::Mangled,
            0b110 => Self::Marked,
            _ => Self::Intact,
        }
    }

    /// Passage of the SYN/ACK, as a pure acknowledgement of it tells (RFC 9768 table 4).
    pub(crate) const fn of_syn_ack(flags: Flags) -> Self {
        match flags.ace() {
            0b000 => Self::Silent,
            _ => Self::of_syn(flags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYN_ACK: Flags = Flags::from_bits(Flags::SYN.bits() | Flags::ACK.bits());

    /// RFC 9768 table 2, row by row, and §3.1.3: host A asks, host B answers.
    #[test]
    fn both_sides_agree_upon_the_same() {
        use EcnFeedback::{Accurate, Classic, Off};
        let check = |a: EcnFeedback, b: EcnFeedback, syn: Ecn, flags: u8, expect| {
            let at_b = agreed(b, Flags::SYN | ask(a));
            let said = answer(at_b, syn);
            assert_eq!(said.ace(), flags, "{a:?} {b:?} {syn:?}");
            assert_eq!([at_b, agreed(a, SYN_ACK | said)], [expect; 2], "{a:?} {b:?}");
        };
        let fields =
            [(Ecn::NotCapable, 2), (Ecn::L4s, 3), (Ecn::Capable, 4), (Ecn::Experienced, 6)];
        for (syn, flags) in fields {
            check(Accurate, Accurate, syn, flags, Accurate);
            check(Accurate, Classic, syn, 1, Classic);
            check(Accurate, Off, syn, 0, Off);
            check(Classic, Accurate, syn, 1, Classic);
            check(Off, Accurate, syn, 0, Off);
        }
        assert_eq!(agreed(Accurate, SYN_ACK | Flags::of_ace(0b101)), Accurate, "that of the nonce");
        assert_eq!(agreed(Accurate, SYN_ACK | Flags::of_ace(0b111)), Off, "broken");
        for reserved in [0b001, 0b010, 0b100, 0b101, 0b110] {
            assert_eq!(agreed(Accurate, Flags::SYN | Flags::of_ace(reserved)), Accurate);
        }
    }

    #[test]
    fn a_field_that_left_as_not_capable_is_to_arrive_so() {
        use Passage::{Intact, Mangled, Marked, Silent};
        let of_syn_ack = [Silent, Intact, Intact, Mangled, Mangled, Intact, Marked, Intact];
        for (ace, expect) in (0..).zip(of_syn_ack) {
            assert_eq!(Passage::of_syn_ack(Flags::of_ace(ace)), expect, "{ace}");
            let of_syn = if expect == Silent { Intact } else { expect };
            assert_eq!(Passage::of_syn(SYN_ACK | Flags::of_ace(ace)), of_syn, "{ace}");
        }
    }
}
