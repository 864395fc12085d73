//! The ECN field of an IP header (RFC 3168 §5, RFC 9331 §5.1).

/// Codepoints of a packet's ECN field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ecn {
    /// Not-ECT: a queue that would mark must drop.
    #[default]
    NotCapable,
    /// ECT(0): its endpoints understand marks.
    Capable,
    /// ECT(1): they answer marks at once, as L4S asks (RFC 9331 §4).
    L4s,
    /// CE: a queue marked it.
    Experienced,
}

impl Ecn {
    /// Marks the packet; false if its endpoints would not understand.
    pub fn mark(&mut self) -> bool {
        let understood = *self != Self::NotCapable;
        if understood {
            *self = Self::Experienced;
        }
        understood
    }

    /// True if a queue treats the packet as one of L4S: ECT(1) or CE (RFC 9331 §5.1).
    pub const fn is_l4s(self) -> bool {
        matches!(self, Self::L4s | Self::Experienced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_capable_packets_are_marked() {
        let check = |mut ecn: Ecn, understood, after| {
            assert_eq!((ecn.mark(), ecn), (understood, after));
        };
        check(Ecn::NotCapable, false, Ecn::NotCapable);
        check(Ecn::Capable, true, Ecn::Experienced);
        check(Ecn::L4s, true, Ecn::Experienced);
        check(Ecn::Experienced, true, Ecn::Experienced);
    }
}
