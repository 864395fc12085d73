//! How far a stream towards a mobile has come, counted in bytes that do not wrap.

use std::ops::Range;

use base::{Flags, Seq};
use tcp::{Payload, Segment};

use super::Agreed;

/// How far beyond the mobile's right edge an acceptable segment may lie: probes of a closed window
/// do (RFC 9293 §3.8.6.1).
const SLACK: u64 = 65_536;

/// A stream of data towards a mobile. Offsets count its bytes from the one after the SYN; a FIN
/// counts as a byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    first: Seq,
    /// By how many bits the mobile's windows are shifted.
    pub(crate) shift: u8,
    /// Below it the mobile has acknowledged everything.
    pub(crate) acked: u64,
    /// The end of what has passed from the sender's host.
    pub(crate) passed: u64,
    /// The mobile's right edge, the furthest so far.
    edge: u64,
    /// The mobile's window in bytes, as its newest segment has it.
    pub(crate) window: u64,
}

/// What a segment from the mobile says of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// It is the first to acknowledge the bytes from the first offset up to the second.
    New(u64, u64),
    /// A duplicate acknowledgement (RFC 5681 §2).
    Duplicate,
    /// It repeats an acknowledgement but changes something else, such as the window.
    Again,
    /// It is an old acknowledgement.
    Old,
    /// It acknowledges nothing acceptable.
    Nothing,
}

impl Progress {
    /// A stream that has not begun.
    pub(crate) const fn new(agreed: &Agreed) -> Self {
        Self {
            first: agreed.first,
            shift: agreed.shift,
            acked: 0,
            passed: 0,
            edge: agreed.window,
            window: agreed.window,
        }
    }

    /// Bytes that have passed and are not acknowledged.
    pub(crate) const fn outstanding(&self) -> u64 {
        self.passed - self.acked
    }

    /// The sequence number at `offset`.
    pub(crate) fn seq(&self, offset: u64) -> Seq {
        self.first + offset as u32
    }

    /// The offset of `seq`, which lies less than 2³¹ from what was acknowledged last; `None` if
    /// that is before the stream began or too far beyond the mobile's window.
    pub(crate) fn offset(&self, seq: Seq) -> Option<u64> {
        let distance = seq.distance(self.seq(self.acked));
        let offset = self.acked.checked_add_signed(i64::from(distance))?;
        (offset <= self.edge + SLACK).then_some(offset)
    }

    /// The offsets of what a segment of the sender's host brings; `None` if it brings nothing or is
    /// not acceptable.
    pub(crate) fn handle_data<P: Payload>(&mut self, segment: &Segment<P>) -> Option<Range<u64>> {
        let from = self.offset(segment.header.seq).filter(|_| segment.numbers() > 0)?;
        let to = from + u64::from(segment.numbers());
        self.passed = self.passed.max(to);
        Some(from..to)
    }

    /// Takes in what a segment of the mobile acknowledges.
    pub(crate) fn handle_ack<P: Payload>(&mut self, segment: &Segment<P>) -> Heard {
        if !segment.has(Flags::ACK) || segment.has(Flags::RST) || segment.has(Flags::SYN) {
            return Heard::Nothing;
        }
        let Some(ack) = self.offset(segment.header.ack) else { return Heard::Nothing };
        if ack < self.acked {
            return Heard::Old;
        }
        let window = u64::from(segment.header.window) << self.shift;
        let same_window = std::mem::replace(&mut self.window, window) == window;
        self.edge = self.edge.max(ack + window);
        if ack == self.acked {
            let duplicate = same_window && segment.numbers() == 0 && self.outstanding() > 0;
            return if duplicate { Heard::Duplicate } else { Heard::Again };
        }
        let before = std::mem::replace(&mut self.acked, ack);
        self.passed = self.passed.max(ack);
        Heard::New(before, ack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{TcpHeader, Time};
    use tcp::Length;

    /// Four bytes before the numbers wrap.
    const FIRST: Seq = Seq::new(u32::MAX - 3);

    fn progress() -> Progress {
        Progress::new(&Agreed {
            first: FIRST,
            mss: 1_000,
            shift: 1,
            window: 5_000,
            sender_clock: None,
            wired_rtt: None,
            radio_rtt: None,
            at: Time::ZERO,
        })
    }

    fn data(offset: u32, bytes: u64) -> Segment<Length> {
        let header = TcpHeader { seq: FIRST + offset, ..TcpHeader::default() };
        Segment { header, payload: Length(bytes), ..Segment::default() }
    }

    fn ack(offset: u32, window: u16) -> Segment<Length> {
        let header =
            TcpHeader { ack: FIRST + offset, window, flags: Flags::ACK, ..TcpHeader::default() };
        Segment { header, ..Segment::default() }
    }

    #[test]
    fn offsets_go_on_where_numbers_wrap() {
        let mut progress = progress();
        assert_eq!(progress.handle_data(&data(0, 1_000)), Some(0..1_000));
        assert_eq!(progress.handle_data(&data(1_000, 500)), Some(1_000..1_500));
        assert_eq!(progress.handle_ack(&ack(1_000, 4_000)), Heard::New(0, 1_000));
        assert_eq!((progress.outstanding(), progress.window), (500, 8_000));
        assert_eq!(progress.seq(1_500), Seq::new(1_496));
    }

    #[test]
    fn what_an_acknowledgement_says() {
        #[track_caller]
        fn check(segment: &Segment<Length>, expected: Heard) {
            let mut progress = progress();
            progress.handle_data(&data(0, 3_000));
            progress.handle_ack(&ack(1_000, 4_000));
            assert_eq!(progress.handle_ack(segment), expected);
        }
        check(&ack(2_000, 4_000), Heard::New(1_000, 2_000));
        check(&ack(1_000, 4_000), Heard::Duplicate);
        check(&ack(1_000, 4_001), Heard::Again);
        check(&Segment { payload: Length(9), ..ack(1_000, 4_000) }, Heard::Again);
        check(&ack(999, 4_000), Heard::Old);
        check(&ack(0_u32.wrapping_sub(9), 4_000), Heard::Nothing);
        check(&ack(500_000, 4_000), Heard::Nothing);
        check(&data(0, 0), Heard::Nothing);
        let mut reset = ack(2_000, 4_000);
        reset.header.flags = Flags::ACK | Flags::RST;
        check(&reset, Heard::Nothing);
    }

    #[test]
    fn a_stranger_far_away_moves_nothing() {
        let mut progress = progress();
        for offset in [1 << 30, 1_u32.wrapping_neg(), 200_000] {
            assert_eq!(progress.handle_data(&data(offset, 10)), None);
        }
        assert_eq!(progress.passed, 0);
    }

    #[test]
    fn a_repeated_acknowledgement_with_nothing_under_way_is_no_duplicate() {
        let mut progress = progress();
        progress.handle_data(&data(0, 1_000));
        progress.handle_ack(&ack(1_000, 4_000));
        assert_eq!(progress.handle_ack(&ack(1_000, 4_000)), Heard::Again);
    }
}
