//! The timestamps option (RFC 7323 §3 to §5): this side's clock, and the peer's as it is echoed.

use base::{Duration, Seq, Time, Timestamps};

use crate::{Payload, Receiver};

/// How long one tick of this side's clock lasts (RFC 7323 §5.4: 1 ms to 1 s).
pub(crate) const TICK: Duration = Duration::from_millis(1);

/// After so long a silence the peer's clock may have wrapped, and says nothing (RFC 7323 §5.5).
const OUTDATED: Duration = Duration::from_secs(24 * 24 * 3600);

/// This side's clock: milliseconds, which wrap.
pub(crate) fn clock(now: Time) -> u32 {
    (now - Time::ZERO).whole(TICK) as u32
}

/// How long ago this side's clock showed `echo`; `None` if that lies in the future.
pub(crate) fn since(now: Time, echo: u32) -> Option<Duration> {
    let ticks = Seq::new(clock(now)).distance(Seq::new(echo));
    u64::try_from(ticks).ok().map(|ticks| TICK * ticks)
}

/// The peer's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerClock {
    /// TS.Recent: what to echo.
    recent: u32,
    /// When it was taken.
    recent_at: Time,
    /// Last.ACK.sent.
    last_ack: Seq,
}

/// What a segment's timestamp says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeliness {
    /// It may be looked at.
    Timely,
    /// It lacks the timestamp that was agreed upon: drop it silently (RFC 7323 §3.2).
    Unstamped,
    /// It is an old duplicate from before the numbers wrapped: drop it and acknowledge
    /// (RFC 7323 §5.3, R1).
    Old,
}

impl PeerClock {
    /// True if `value` is not older than what came last.
    fn goes_on(&self, now: Time, value: u32) -> bool {
        !Seq::new(value).before(Seq::new(self.recent))
            || now.saturating_since(self.recent_at) > OUTDATED
    }

    /// RFC 7323 §4.3 (2) and §5.3, R3: of several segments under one acknowledgement the first
    /// in order counts, so that the peer's round-trip time includes the delay; one behind a gap
    /// does not.
    fn take(&mut self, now: Time, seq: Seq, value: u32) {
        if seq.before_or_at(self.last_ack) && self.goes_on(now, value) {
            self.recent = value;
            self.recent_at = now;
        }
    }

    /// An acknowledgement of `ack` leaves.
    pub(crate) const fn acknowledged(&mut self, ack: Seq) {
        self.last_ack = ack;
    }
}

impl<P: Payload> Receiver<P> {
    /// Timestamps were agreed upon; the peer's SYN said `value`.
    pub fn agree_on_timestamps(&mut self, now: Time, value: u32) {
        let last_ack = self.next_seq();
        self.peer_clock = Some(PeerClock { recent: value, recent_at: now, last_ack });
    }

    /// Whether a segment with these timestamps may be looked at. A reset always may.
    pub fn timeliness(&self, now: Time, timestamps: Option<Timestamps>) -> Timeliness {
        match (&self.peer_clock, timestamps) {
            (None, _) => Timeliness::Timely,
            (Some(_), None) => Timeliness::Unstamped,
            (Some(clock), Some(Timestamps { value, .. })) if clock.goes_on(now, value) => {
                Timeliness::Timely
            }
            (Some(_), Some(_)) => Timeliness::Old,
        }
    }

    /// Takes the timestamps of an acceptable segment numbered `seq`; before its data are.
    pub fn take_timestamps(&mut self, now: Time, seq: Seq, timestamps: Option<Timestamps>) {
        if let (Some(clock), Some(Timestamps { value, .. })) = (&mut self.peer_clock, timestamps) {
            clock.take(now, seq, value);
        }
    }

    /// The timestamps of a segment that leaves now, if they were agreed upon.
    pub fn timestamps(&self, now: Time) -> Option<Timestamps> {
        self.peer_clock.map(|peer| Timestamps { value: clock(now), echo: peer.recent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Length;

    #[test]
    fn a_clock_goes_on_across_the_wrap_and_after_24_days() {
        let check = |seconds, value, expect| {
            let mut receiver = Receiver::<Length>::new(0, 1_000, 65_535, None);
            receiver.agree_on_timestamps(Time::ZERO, u32::MAX - 5);
            let now = Time::ZERO + Duration::from_secs(seconds);
            let timestamps = Some(Timestamps { value, echo: 0 });
            assert_eq!(receiver.timeliness(now, timestamps), expect, "{seconds} {value}");
        };
        let days = 24 * 3600;
        check(0, u32::MAX - 5, Timeliness::Timely);
        check(0, 3, Timeliness::Timely);
        check(0, u32::MAX - 6, Timeliness::Old);
        check(0, u32::MAX / 2, Timeliness::Old);
        check(24 * days, u32::MAX - 6, Timeliness::Old);
        check(24 * days + 1, u32::MAX - 6, Timeliness::Timely);
    }

    #[test]
    fn milliseconds_wrap_after_50_days() {
        let check = |nanos, expect| assert_eq!(clock(Time::from_nanos(nanos)), expect);
        check(0, 0);
        check(1_999_999, 1);
        check((1 << 32) * 1_000_000 + 7_000_000, 7);
    }
}
