//! Proportional rate reduction (RFC 9937).

use settings::words;

words! {
    /// Unit of what reduction in proportion lets out.
    pub enum PrrUnit {
        /// Bytes (RFC 9937 §6.2): a segment leaves once it has been earned.
        Bytes = "bytes",
        /// Segments, rounded up: Linux.
        Segments = "segments",
    }
}

/// The window on the way down, while losses are repaired: for what the peer received, the same
/// share is sent that the window is to keep. So the reduction is spread over a round trip; without
/// it the sender stays silent for the first part of that, and sends at the old rate after.
#[derive(Debug)]
pub(crate) struct Prr {
    /// RFC 9937's ssthresh: what is to be in flight at the end.
    target: u64,
    /// `RecoverFS`: what was in flight when recovery began.
    flight: u64,
    /// Bytes that arrived in recovery: `prr_delivered`.
    delivered: u64,
    /// Bytes sent in recovery: `prr_out`.
    out: u64,
    /// cwnd.
    window: u64,
    /// End of what had been sent at the mark that began it: acknowledging more ends it. `None`
    /// after a loss, where it ends with the recovery.
    until: Option<u64>,
    /// Bytes to whose multiples the share is rounded up.
    unit: u64,
}

/// RFC 9937's `SafeACK`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// Something was acknowledged and no further loss found.
    Good,
    Doubtful,
}

impl Prr {
    /// Recovery begins. `flight` counts what was outstanding and had not been selected, `pipe`
    /// what is in the network; one segment may leave at once (the fast retransmit).
    pub(crate) fn new(target: u64, flight: u64, pipe: u64, mss: u64) -> Self {
        Self {
            target,
            flight: flight.max(1),
            delivered: 0,
            out: 0,
            window: pipe + mss,
            until: None,
            unit: 1,
        }
    }

    /// Reduction that a mark begins, as in Linux: the window was `before`, and `until` had been
    /// sent.
    pub(crate) fn after_mark(self, before: u64, until: u64) -> Self {
        Self { flight: before.max(1), until: Some(until), ..self }
    }

    /// Reduction in multiples of `unit` bytes.
    pub(crate) const fn in_units_of(self, unit: u64) -> Self {
        Self { unit, ..self }
    }

    /// An acknowledgement reports `delivered` bytes; `pipe` bytes are in the network after it (RFC
    /// 9937 §6.2).
    pub(crate) fn on_ack(&mut self, delivered: u64, pipe: u64, progress: Progress, mss: u64) {
        if delivered == 0 {
            return;
        }
        if self.delivered == 0 && self.out == 0 && self.until.is_none() {
            // It began with this acknowledgement, and RecoverFS counts what was in flight before.
            self.flight += delivered;
        }
        self.delivered += delivered;
        let mut out = if pipe > self.target {
            // In proportion, rounded up.
            let share = (self.delivered * self.target).div_ceil(self.flight * self.unit);
            (share * self.unit).saturating_sub(self.out)
        } else {
            // PRR-CRB, and PRR-SSRB when all goes well.
            let reserve = match progress {
                Progress::Good => mss,
                Progress::Doubtful => 0,
            };
            let conserved = self.delivered.saturating_sub(self.out).max(delivered);
            (conserved + reserve).min(self.target - pipe)
        };
        if self.out == 0 && out == 0 {
            // The fast retransmit, in any case.
            out = mss;
        }
        self.window = pipe + out;
    }

    /// cwnd, in bytes.
    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// End of what had been sent at the mark that began it.
    pub(crate) const fn until(&self) -> Option<u64> {
        self.until
    }

    /// True if a mark began it, and it ends at `window`.
    pub(crate) const fn goes_on_to(&self, window: u64) -> bool {
        self.until.is_some() && self.target == window
    }

    /// A segment leaves.
    pub(crate) const fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1_000;

    /// 20 segments in flight, the first lost, and 10 to be left: one leaves for every two that
    /// arrive.
    #[test]
    fn every_second_acknowledgement_sends_a_segment() {
        let prr = Prr::new(10 * MSS, 19 * MSS, 19 * MSS, MSS);
        assert_eq!(leaving(prr), [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }

    /// ⌈n/2⌉ segments in place of n/2: each leaves an acknowledgement earlier.
    #[test]
    fn segments_are_rounded_up() {
        let prr = Prr::new(10 * MSS, 19 * MSS, 19 * MSS, MSS).in_units_of(MSS);
        assert_eq!(leaving(prr), [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    /// A mark with 20 segments in flight, of which one has just arrived: all 20 are known.
    #[test]
    fn after_a_mark_nothing_is_missing() {
        let prr = Prr::new(10 * MSS, 19 * MSS, 19 * MSS, MSS).after_mark(20 * MSS, 7);
        assert_eq!(prr.until(), Some(7));
        assert_eq!(leaving(prr), [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }

    /// Whether each of twelve acknowledgements of a segment lets one leave.
    fn leaving(mut prr: Prr) -> Vec<u32> {
        let mut pipe = 18 * MSS;
        let mut sent = Vec::new();
        for _ in 0..12 {
            prr.on_ack(MSS, pipe, Progress::Doubtful, MSS);
            // The fast retransmit leaves in any case.
            let leaves = sent.is_empty() || prr.window >= pipe + MSS;
            if leaves {
                prr.on_sent(MSS);
                pipe += MSS;
            }
            sent.push(u32::from(leaves));
            pipe -= MSS;
        }
        sent
    }

    /// Below the target what arrives is replaced, with one segment more while all goes well.
    #[test]
    fn after_heavy_losses_it_grows_in_slow_start_to_the_target() {
        let check = |progress, expect| {
            let mut prr = Prr::new(10 * MSS, 20 * MSS, 2 * MSS, MSS);
            prr.on_ack(MSS, 2 * MSS, progress, MSS);
            assert_eq!(prr.window, expect * MSS);
        };
        check(Progress::Doubtful, 3);
        check(Progress::Good, 4);
        let mut prr = Prr::new(10 * MSS, 20 * MSS, 2 * MSS, MSS);
        prr.on_ack(15 * MSS, 2 * MSS, Progress::Good, MSS);
        assert_eq!(prr.window, 10 * MSS);
    }

    #[test]
    fn what_tells_nothing_changes_nothing() {
        let mut prr = Prr::new(5 * MSS, 10 * MSS, 9 * MSS, MSS);
        prr.on_ack(0, 9 * MSS, Progress::Good, MSS);
        assert_eq!(prr.window, 10 * MSS);
    }
}
