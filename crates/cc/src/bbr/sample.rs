//! The facts of one acknowledgement (§4).

use base::{Duration, Time};

use crate::Ack;

/// A rate sample and what belongs to it: the draft's `RS`, and `C` as it is with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) now: Time,
    /// `RS.delivery_rate` in bytes per second; zero if there is none that can be relied on.
    pub(super) rate: f64,
    /// `RS.is_app_limited`.
    pub(super) app_limited: bool,
    /// `RS.delivered`.
    pub(super) delivered: f64,
    /// `RS.prior_delivered`.
    pub(super) prior: u64,
    /// `C.delivered`.
    pub(super) total: u64,
    /// `RS.newly_acked`.
    pub(super) newly_acked: f64,
    /// `C.inflight`.
    pub(super) inflight: f64,
    /// `RS.tx_in_flight`.
    pub(super) tx_in_flight: f64,
    /// `RS.lost`.
    pub(super) lost: f64,
    /// `C.is_cwnd_limited`.
    pub(super) cwnd_limited: bool,
    /// `RS.rtt`.
    pub(super) rtt: Option<Duration>,
    /// True while losses are being repaired.
    pub(super) recovering: bool,
}

impl Sample {
    /// The sample of `ack`, on a connection that never saw a round-trip time below `min_rtt`: no
    /// rate is measured in less (§4.1.2.3).
    pub(super) fn of(ack: &Ack, min_rtt: Duration) -> Self {
        let none = Self {
            now: ack.now,
            rate: 0.0,
            app_limited: true,
            delivered: 0.0,
            prior: 0,
            total: 0,
            newly_acked: ack.delivered as f64,
            inflight: ack.pipe as f64,
            tx_in_flight: 0.0,
            lost: 0.0,
            cwnd_limited: ack.window_limited,
            rtt: ack.rtt,
            recovering: ack.recovering,
        };
        let Some(rate) = ack.rate else { return none };
        let delivered = rate.total.saturating_sub(rate.prior) as f64;
        let min_rtt = ack.rtt.map_or(min_rtt, |rtt| rtt.min(min_rtt));
        let reliable = rate.interval >= min_rtt && rate.interval > Duration::ZERO;
        Self {
            rate: if reliable { delivered / rate.interval.as_secs_f64() } else { 0.0 },
            app_limited: rate.app_limited,
            delivered,
            prior: rate.prior,
            total: rate.total,
            tx_in_flight: rate.pipe_at_send as f64,
            lost: rate.lost as f64,
            ..none
        }
    }

    /// `IsInflightTooHigh` (§5.5.10.2), with selective acknowledgements.
    pub(super) fn is_inflight_too_high(&self) -> bool {
        self.lost > self.tx_in_flight * super::bounds::LOSS_THRESHOLD
    }
}
