//! How much mobiles may have under way over the radio towards fixed hosts: a mobile's uploads
//! share one clamp.
//!
//! The window of a mobile ends at its share beyond what has come by here, however long the path
//! from here to the host. Shares are whole segments, and one at least. In units of the host's
//! window they are rounded up if that adds less than a quarter of a segment, and down otherwise:
//! Linux fills what is added, and others leave a whole segment where a byte of it is missing. A
//! connection counts as an upload while segments come that are half full or more, so that requests
//! and acknowledgements take no share. The others learn of a share that becomes free with their
//! next acknowledgements.

use base::{Duration, Time};

use super::Numbers;

/// How long the segments of an upload may be apart, for each that shares the radio with it: a full
/// one takes half of that at 12 kbit/s.
const PAUSE: Duration = Duration::from_secs(2);

/// The uploads of all mobiles.
#[derive(Debug)]
pub(super) struct Uplink {
    /// Bytes; `None` leaves the windows as the hosts say.
    clamp: Option<u32>,
    /// By the numbers of the mobiles.
    uploads: Vec<Vec<Upload>>,
}

#[derive(Clone, Copy, Debug)]
struct Upload {
    /// Its number.
    connection: u32,
    /// When data last came of it.
    last: Time,
}

impl Uplink {
    pub(super) const fn new(clamp: Option<u32>) -> Self {
        Self { clamp, uploads: Vec::new() }
    }

    /// A mobile has sent `bytes` of data on a connection whose full segments are `segment` bytes.
    pub(super) fn sent(&mut self, now: Time, flow: Numbers, bytes: u64, segment: u16) {
        if self.clamp.is_none() || bytes * 2 < u64::from(segment) {
            return;
        }
        let uploads = self.of(flow.mobile);
        match uploads.iter_mut().find(|upload| upload.connection == flow.connection) {
            Some(upload) => upload.last = now,
            None => uploads.push(Upload { connection: flow.connection, last: now }),
        }
    }

    /// A mobile sends no more on a connection.
    pub(super) fn ended(&mut self, flow: Numbers) {
        if self.clamp.is_some() {
            self.of(flow.mobile).retain(|upload| upload.connection != flow.connection);
        }
    }

    /// How many bytes a connection of full segments of `segment` bytes may have under way over the
    /// radio, in units of a window of `scale`.
    pub(super) fn share(
        &mut self,
        now: Time,
        flow: Numbers,
        segment: u16,
        scale: u8,
    ) -> Option<u64> {
        self.clamp?;
        let uploads = self.of(flow.mobile);
        let pause = PAUSE * uploads.len() as u64;
        uploads.retain(|upload| now.saturating_since(upload.last) <= pause);
        let others = uploads.iter().filter(|upload| upload.connection != flow.connection).count();
        self.among(others as u64 + 1, segment, scale)
    }

    /// How many bytes each of this many `uploads` may have under way.
    pub(super) fn among(&self, uploads: u64, segment: u16, scale: u8) -> Option<u64> {
        let (share, segment) = (u64::from(self.clamp?) / uploads, u64::from(segment.max(1)));
        let (whole, unit) = ((share + segment / 2) / segment * segment, 1 << scale);
        let (up, down) = (whole.next_multiple_of(unit), whole / unit * unit);
        let share = if up < whole + segment / 4 { up } else { down };
        Some(share.max(segment.next_multiple_of(unit)))
    }

    fn of(&mut self, mobile: u32) -> &mut Vec<Upload> {
        let index = mobile as usize;
        if self.uploads.len() <= index {
            self.uploads.resize_with(index + 1, Vec::new);
        }
        &mut self.uploads[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_share_and_leave_their_share() {
        let mut uplink = Uplink::new(Some(6_000));
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let flow = |mobile, connection| Numbers { mobile, connection };
        let mut share = |now, number| uplink.share(at(now), flow(7, number), 1_000, 0);
        assert_eq!(share(0, 1), Some(6_000));
        uplink.sent(at(0), flow(7, 1), 1_000, 1_000);
        uplink.sent(at(0), flow(7, 2), 500, 1_000);
        uplink.sent(at(0), flow(7, 3), 499, 1_000);
        uplink.sent(at(0), flow(8, 4), 1_000, 1_000);
        let mut share = |now, number| uplink.share(at(now), flow(7, number), 1_000, 0);
        assert_eq!((share(0, 1), share(0, 2)), (Some(3_000), Some(3_000)));
        assert_eq!(share(0, 3), Some(2_000), "as a third");
        uplink.ended(flow(7, 2));
        assert_eq!(uplink.share(at(0), flow(7, 1), 1_000, 0), Some(6_000));
        uplink.sent(at(1), flow(7, 2), 1_000, 1_000);
        uplink.sent(at(3), flow(7, 2), 1_000, 1_000);
        assert_eq!(uplink.share(at(4), flow(7, 2), 1_000, 0), Some(3_000));
        assert_eq!(uplink.share(at(5), flow(7, 2), 1_000, 0), Some(6_000), "the first pauses");
    }

    #[test]
    fn shares_are_whole_segments_in_units_of_the_window() {
        let check = |clamp, uploads, (segment, scale), expect| {
            let mut uplink = Uplink::new(clamp);
            for connection in 0..uploads {
                uplink.sent(Time::ZERO, Numbers { mobile: 0, connection }, 1_500, segment);
            }
            let first = Numbers { mobile: 0, connection: 0 };
            let share = uplink.share(Time::ZERO, first, segment, scale);
            assert_eq!(share, expect, "{uploads} of {segment} in {clamp:?}, scale {scale}");
        };
        check(None, 3, (1_448, 0), None);
        check(Some(5_725), 0, (1_448, 0), Some(4 * 1_448));
        check(Some(4_815), 1, (1_448, 0), Some(3 * 1_448));
        check(Some(5_725), 2, (1_448, 0), Some(2 * 1_448));
        check(Some(5_725), 3, (1_448, 0), Some(1_448));
        check(Some(5_725), 64, (1_448, 0), Some(1_448));
        check(Some(100), 1, (536, 0), Some(536));
        check(Some(4_815), 1, (1_448, 7), Some(34 << 7));
        check(Some(4_815), 1, (1_448, 9), Some(9 << 9));
        check(Some(4_815), 1, (1_448, 10), Some(4 << 10));
        check(Some(5_725), 1, (1_448, 11), Some(3 << 11));
        check(Some(4_815), 3, (1_448, 10), Some(2 << 10));
        check(Some(4_815), 1, (1_448, 14), Some(1 << 14));
    }
}
