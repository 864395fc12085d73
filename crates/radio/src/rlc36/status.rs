//! Status reports.

use super::Range;

/// How many gaps one report names; it ends before the next one.
const GAPS: usize = 8;

/// What an acknowledged-mode receiver has got (TS 36.322 §6.2.1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status {
    /// Everything below has arrived, but for the gaps.
    pub(crate) ack: u64,
    gaps: [Range; GAPS],
    count: u8,
}

/// A report without gaps: D/C, type, acknowledged number, padding.
const PLAIN: u64 = 2;
/// What a gap adds: its number and the bounds of a segment.
const GAP: u64 = 5;

impl Status {
    /// A report of what lies before `ack` without `missing`, in at most `room` bytes. `None` if not
    /// even the plain report fits.
    pub(crate) fn new(ack: u64, missing: impl Iterator<Item = Range>, room: u64) -> Option<Self> {
        let most = (room.checked_sub(PLAIN)? / GAP).min(GAPS as u64) as usize;
        let mut status = Self { ack, gaps: [Range::default(); GAPS], count: 0 };
        for gap in missing {
            let place = status.count as usize;
            if place == most {
                status.ack = gap.from;
                break;
            }
            status.gaps[place] = gap;
            status.count += 1;
        }
        Some(status)
    }

    /// How many bytes it takes.
    pub(crate) const fn bytes(&self) -> u64 {
        PLAIN + GAP * self.count as u64
    }

    /// How many bytes a report of so many gaps takes.
    pub(crate) fn bytes_of(gaps: usize) -> u64 {
        PLAIN + GAP * gaps.min(GAPS) as u64
    }

    /// What is missing below `ack`, in order.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Range> {
        self.gaps[..self.count as usize].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_too_long_ends_before_the_gap_that_it_cannot_name() {
        let gaps = (0..20).map(|n| Range::new(100 * n + 10, 100 * n + 20));
        let of = |room| Status::new(5000, gaps.clone(), room);
        assert_eq!(of(1), None);
        let report =
            |room| of(room).map(|status| (status.ack, status.gaps().count(), status.bytes()));
        assert_eq!(report(2), Some((10, 0, 2)));
        assert_eq!(report(11), Some((110, 1, 7)));
        assert_eq!(report(1000), Some((810, 8, 42)));
        assert_eq!([0, 1, 8, 9].map(Status::bytes_of), [2, 7, 42, 42]);
        let whole = Status::new(5000, std::iter::empty(), 2);
        assert_eq!(whole.map(|status| status.ack), Some(5000));
    }
}
