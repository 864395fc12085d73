//! Facts of an aggregate for observers: its backlog, and the rates that it knows.

use observe::{BoxContext, MiddleboxFact};

use super::aggregate::Aggregate;
use super::config::{AtcpConfig, Estimation};

impl Aggregate {
    /// Reports the backlog if it has changed, and the rate of the radio where it is estimated.
    pub(super) fn report(&mut self, cx: &mut BoxContext<'_>, config: &AtcpConfig) {
        let queued = self.totals.queued + self.lanes.waiting;
        let backlog = (queued, self.in_flight(), self.cwnd(config));
        if backlog != self.reported {
            self.reported = backlog;
            let (queued, in_flight, cwnd) = backlog;
            let mobile = self.mobile;
            cx.tell(MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd });
        }
        let estimate = self.estimator.rate().map(|bytes| (bytes * 8.0) as u64);
        let rates = (estimate, self.reported_bps);
        if config.estimator != Estimation::Static && rates != self.told_rates {
            self.told_rates = rates;
            let (mobile, (estimate, reported)) = (self.mobile, rates);
            cx.tell(MiddleboxFact::Estimate { mobile, estimate, reported });
        }
    }
}
