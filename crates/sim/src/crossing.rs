//! A flow's data packets on their path through the network.

use base::{Duration, Time};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Distribution;
use crate::flow::FlowMetrics;
use crate::series::{Keep, Series};
use crate::statistics::Totals;

/// The network as the data packets of a flow met it: the metrics of Yew, Ong and Ahmad 2012.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Crossing")]
pub struct NetworkSummary {
    /// One-way delay of each data packet, from the departure of this transmission to its arrival.
    pub delay_s: Distribution,
    /// Payload of every data packet that the receiver got, over the whole run.
    pub throughput_bps: f64,
    /// The longest time between two successive data packets at the receiver: the interruption by a
    /// handover.
    pub longest_gap_s: Option<f64>,
    /// Data packets received over data packets sent, retransmissions included.
    pub efficiency: Option<f64>,
}

/// What has arrived of the data packets that a flow's sender sent, packet by packet.
///
/// What a middlebox sent in place of another packet arrives as well, but its delay from the sender
/// is unknown.
#[derive(Debug)]
pub(crate) struct Crossing {
    /// From the sender to the receiver, one for each that the sender sent and that arrived, and for
    /// each of its copies where an agent sends to two addresses.
    pub(crate) delays: Series<Duration>,
    /// What is known of all these delays.
    totals: Totals,
    /// Data packets that the receiver got, once for each time.
    pub(crate) received: u64,
    /// Their payload.
    pub(crate) bytes: u64,
    /// When the last came.
    pub(crate) last: Option<Time>,
    /// The longest time between two successive ones.
    pub(crate) longest_gap: Option<Duration>,
}

impl Default for Crossing {
    fn default() -> Self {
        Self {
            delays: Series::new(Keep::Sample),
            totals: Totals::default(),
            received: 0,
            bytes: 0,
            last: None,
            longest_gap: None,
        }
    }
}

impl Crossing {
    pub(crate) const fn totals(&self) -> Totals {
        self.totals
    }

    /// A data packet of `payload` bytes, which the sender sent at `departed`, reached the receiver.
    pub(crate) fn arrived(&mut self, now: Time, departed: Option<Time>, payload: u32) {
        self.received += 1;
        self.bytes += u64::from(payload);
        if let Some(last) = self.last.replace(now) {
            self.longest_gap = self.longest_gap.max(Some(now.saturating_since(last)));
        }
        if let Some(departed) = departed {
            let delay = now.saturating_since(departed);
            self.totals.add(delay);
            self.delays.push(delay);
        }
    }
}

impl NetworkSummary {
    pub(crate) fn of(flow: &FlowMetrics, elapsed: f64) -> Self {
        let sent = flow.segments_sent + flow.datagrams.count();
        let crossing = &flow.crossing;
        Self {
            delay_s: Distribution::of_share(
                crossing.totals,
                crossing.delays.sample().iter().copied(),
            ),
            throughput_bps: crossing.bytes as f64 * 8.0 / elapsed,
            longest_gap_s: crossing.longest_gap.map(Duration::as_secs_f64),
            efficiency: (sent > 0).then(|| crossing.received as f64 / sent as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_has_a_delay_if_the_sender_sent_it() {
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut crossing = Crossing::default();
        assert_eq!(crossing.longest_gap, None);
        for (now, departed) in [(100, Some(1)), (101, None), (101, Some(40)), (200, Some(1))] {
            crossing.arrived(at(now), departed.map(at), 500);
        }
        assert_eq!((crossing.received, crossing.bytes), (4, 2000));
        assert_eq!(crossing.longest_gap, Some(Duration::from_millis(99)));
        assert_eq!(crossing.delays.rows(), [99, 61, 199].map(Duration::from_millis));
    }
}
