//! The way of a flow's data packets through the network.

use std::collections::VecDeque;

use base::{Duration, Time};

/// What became of the data packets that a flow's sender sent, packet by packet.
///
/// A packet is known by its number. What another has put on the way (a middlebox that splits the
/// connection, or a node that sends to two places at once) is a packet of its own: it arrives, but
/// how long it took from the sender cannot be told.
#[derive(Debug, Default)]
pub(crate) struct Crossing {
    /// Number and departure of those that have not arrived, in the order of both.
    under_way: VecDeque<(u64, Time)>,
    /// From the sender to the receiver, one for each that arrived.
    pub(crate) delays: Vec<Duration>,
    /// Data packets that the receiver got, once for each time.
    pub(crate) received: u64,
    /// Their payload.
    pub(crate) bytes: u64,
}

/// So many packets are waited for; the oldest above that are held for lost.
const UNDER_WAY_MAX: usize = 1 << 16;

/// A packet that so many later ones have overtaken is held for lost.
const OVERTAKEN_MAX: usize = 1 << 10;

impl Crossing {
    /// A data packet left the sender.
    pub(crate) fn begin(&mut self, now: Time, uid: u64) {
        if self.under_way.len() == UNDER_WAY_MAX {
            self.give_one_up();
        }
        self.under_way.push_back((uid, now));
    }

    #[cold]
    fn give_one_up(&mut self) {
        self.under_way.pop_front();
    }

    /// A data packet of `payload` bytes reached the receiver.
    pub(crate) fn end(&mut self, now: Time, uid: u64, payload: u32) {
        self.received += 1;
        self.bytes += u64::from(payload);
        let departed = match self.under_way.front() {
            Some(&(first, departed)) if first == uid => {
                self.under_way.pop_front();
                Some(departed)
            }
            Some(_) | None => self.overtaker(uid),
        };
        if let Some(departed) = departed {
            self.delays.push(now.saturating_since(departed));
        }
    }

    /// Takes out the departure of a packet that is not the first.
    #[cold]
    fn overtaker(&mut self, uid: u64) -> Option<Time> {
        let index = self.under_way.binary_search_by_key(&uid, |&(uid, _)| uid).ok()?;
        let (_, departed) = self.under_way.remove(index)?;
        if index > OVERTAKEN_MAX {
            self.under_way.drain(..index - OVERTAKEN_MAX);
        }
        Some(departed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Packets `sent` leave 1 ms apart, `arrived` name what comes 100 ms after the start and then
    /// every millisecond; says the delays in ms.
    fn delays(sent: &[u64], arrived: &[u64]) -> Vec<u64> {
        let mut crossing = Crossing::default();
        for (millis, &uid) in (0..).zip(sent) {
            crossing.begin(at(millis), uid);
        }
        for (millis, &uid) in (100..).zip(arrived) {
            crossing.end(at(millis), uid, 500);
        }
        assert_eq!(crossing.received, arrived.len() as u64);
        assert_eq!(crossing.bytes, arrived.len() as u64 * 500);
        crossing.delays.iter().map(|delay| delay.as_nanos() / 1_000_000).collect()
    }

    #[test]
    fn each_packet_has_its_own_delay() {
        assert_eq!(delays(&[3, 5, 9], &[3, 5, 9]), [100, 100, 100]);
        // The first is lost.
        assert_eq!(delays(&[3, 5, 9], &[5, 9]), [99, 99]);
        // The last overtakes.
        assert_eq!(delays(&[3, 5, 9], &[9, 3, 5]), [98, 101, 101]);
        // One that the sender never sent, and one that comes twice.
        assert_eq!(delays(&[3, 5, 9], &[4, 3, 3, 5]), [101, 102]);
    }

    #[test]
    fn what_is_waited_for_has_a_bound() {
        let mut crossing = Crossing::default();
        for uid in 0..3 * UNDER_WAY_MAX as u64 {
            crossing.begin(at(uid), uid);
        }
        assert_eq!(crossing.under_way.len(), UNDER_WAY_MAX);
        let last = 3 * UNDER_WAY_MAX as u64 - 1;
        crossing.end(at(last + 7), last, 500);
        assert_eq!(crossing.under_way.len(), OVERTAKEN_MAX);
        assert_eq!(crossing.delays, [Duration::from_millis(7)]);
        // Given up long ago.
        crossing.end(at(last + 8), 5, 500);
        assert_eq!((crossing.delays.len(), crossing.received), (1, 2));
    }
}
