//! The ECN field of an IP header (RFC 3168 §5).

/// What a packet says of congestion. ECT(1) is not used, so two bits have three meanings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ecn {
    /// Not-ECT: a queue that would mark must drop.
    #[default]
    NotCapable,
    /// ECT(0): its endpoints understand marks.
    Capable,
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
        check(Ecn::Experienced, true, Ecn::Experienced);
    }
}
