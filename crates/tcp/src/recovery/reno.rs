//! Reno's fast retransmit and fast recovery (RFC 5681 §3.2).

use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Standing, Verdict};

/// Sends the oldest segment again on the third duplicate acknowledgement, lets each further one
/// inflate the window by a segment, and deflates it on the first new one.
#[derive(Debug)]
pub(crate) struct Reno {
    /// No second retransmission until `recover` is passed (RFC 6582 §3.2 step 2).
    guard: bool,
    recover: Option<u64>,
    pub(crate) duplicates: u32,
    pub(crate) inflation: u32,
    /// True if the last loss was found by duplicates: only then do further ones inflate.
    by_duplicates: bool,
}

impl Reno {
    pub(crate) const fn new(guard: bool) -> Self {
        Self { guard, recover: None, duplicates: 0, inflation: 0, by_duplicates: false }
    }

    pub(crate) fn on_duplicate_ack(&mut self, standing: &Standing<'_>) -> Verdict {
        self.duplicates += 1;
        if self.duplicates == DUPLICATE_THRESHOLD && self.may_retransmit(standing.una) {
            self.recover = Some(standing.max);
            self.inflation = DUPLICATE_THRESHOLD;
            self.by_duplicates = true;
            return Verdict::Retransmit(LossKind::DuplicateAcks);
        }
        if self.duplicates > DUPLICATE_THRESHOLD && self.by_duplicates {
            self.inflation += 1;
        }
        Verdict::Wait
    }

    pub(crate) const fn on_new_ack(&mut self) -> Verdict {
        self.duplicates = 0;
        self.inflation = 0;
        Verdict::Wait
    }

    pub(crate) const fn on_timeout(&mut self, max: u64) {
        self.recover = Some(max);
        self.duplicates = 0;
        self.inflation = 0;
        self.by_duplicates = false;
    }

    /// RFC 6582 §3.2: the acknowledgement must cover more than `recover`.
    fn may_retransmit(&self, una: u64) -> bool {
        !self.guard || self.recover.is_none_or(|recover| una > recover)
    }
}
