//! The way of a flow's data packets through the network.

use base::{Duration, Time};

/// What has arrived of the data packets that a flow's sender sent, packet by packet.
///
/// What a middlebox has put on the way in place of another arrives too, but how long it took from
/// the sender cannot be told.
#[derive(Debug, Default)]
pub(crate) struct Crossing {
    /// From the sender to the receiver, one for each that the sender sent and that arrived.
    pub(crate) delays: Vec<Duration>,
    /// Data packets that the receiver got, once for each time.
    pub(crate) received: u64,
    /// Their payload.
    pub(crate) bytes: u64,
}

impl Crossing {
    /// A data packet of `payload` bytes, which the sender sent at `departed`, reached the receiver.
    pub(crate) fn arrived(&mut self, now: Time, departed: Option<Time>, payload: u32) {
        self.received += 1;
        self.bytes += u64::from(payload);
        if let Some(departed) = departed {
            self.delays.push(now.saturating_since(departed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_sender_did_not_send_arrives_without_a_delay() {
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut crossing = Crossing::default();
        for (now, departed) in [(100, Some(1)), (101, None), (101, Some(40)), (200, Some(1))] {
            crossing.arrived(at(now), departed.map(at), 500);
        }
        assert_eq!((crossing.received, crossing.bytes), (4, 2000));
        assert_eq!(crossing.delays, [99, 61, 199].map(Duration::from_millis));
    }
}
