//! The least of TCP: Reno without losses, and a receiver that acknowledges each segment.

/// Segments in flight at most, and the first slow-start threshold.
const WINDOW: u64 = 64;

/// RTO at least, in nanoseconds.
const RTO_MIN: u64 = 1_000_000_000;

/// The sender. It counts in segments.
pub(crate) struct Sender {
    /// All below has been acknowledged.
    pub(crate) acked: u64,
    /// The next to be sent.
    next: u64,
    cwnd: u64,
    /// Acknowledgements since the window last grew.
    since_growth: u64,
    /// The segment that is timed, and when it was sent.
    timed: Option<(u64, u64)>,
    /// Eight times the smoothed round-trip time, and four times its variation (RFC 6298).
    srtt: u64,
    rttvar: u64,
    /// When the retransmission timer would run out.
    deadline: u64,
}

/// The receiver: the next that it expects.
#[derive(Default)]
pub(crate) struct Receiver(u64);

impl Sender {
    pub(crate) const fn new() -> Self {
        let (srtt, rttvar, deadline) = (0, 0, u64::MAX);
        Self { acked: 0, next: 0, cwnd: 2, since_growth: 0, timed: None, srtt, rttvar, deadline }
    }

    /// The next segment, if the window allows one at `now`.
    pub(crate) fn send(&mut self, now: u64) -> Option<u64> {
        if self.next - self.acked >= self.cwnd.min(WINDOW) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        self.timed.get_or_insert((number, now));
        Some(number)
    }

    /// All below `acked` has arrived.
    pub(crate) fn ack(&mut self, now: u64, acked: u64) {
        self.acked = acked;
        if let Some((number, sent)) = self.timed
            && number < acked
        {
            self.measure(now - sent);
            self.timed = None;
        }
        assert!(now < self.deadline, "nothing is lost");
        self.deadline = now + (self.srtt / 8 + self.rttvar).max(RTO_MIN);
        if self.cwnd < WINDOW {
            self.cwnd += 1;
            return;
        }
        self.since_growth += 1;
        if self.since_growth >= self.cwnd {
            (self.cwnd, self.since_growth) = (self.cwnd + 1, 0);
        }
    }

    fn measure(&mut self, rtt: u64) {
        if self.srtt == 0 {
            (self.srtt, self.rttvar) = (8 * rtt, 2 * rtt);
            return;
        }
        let error = rtt.abs_diff(self.srtt / 8);
        self.srtt = self.srtt - self.srtt / 8 + rtt;
        self.rttvar = self.rttvar - self.rttvar / 4 + error;
    }
}

impl Receiver {
    /// Segment `number` has arrived; what to acknowledge.
    pub(crate) fn receive(&mut self, number: u64) -> u64 {
        self.0 += u64::from(number == self.0);
        self.0
    }
}
