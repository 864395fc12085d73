//! A queue for each flow ahead of the link control.

use std::collections::VecDeque;

use base::{Duration, Time};

/// The queues of the flows that have something waiting, served in turn, an SDU each (Nagle 1985,
/// RFC 970).
#[derive(Debug)]
pub(crate) struct FlowQueues<T> {
    /// The next to be served is first.
    queues: VecDeque<(u64, Queue<T>)>,
    /// The sum over SDUs that wait no more of the time that each waited.
    past_waits: Duration,
}

/// The SDUs of a flow with the times at which they came, oldest first; never empty.
type Queue<T> = VecDeque<(Time, T)>;

impl<T> FlowQueues<T> {
    pub(crate) const fn new() -> Self {
        Self { queues: VecDeque::new(), past_waits: Duration::ZERO }
    }

    /// The next SDU.
    pub(crate) fn pop(&mut self, now: Time) -> Option<T> {
        let (flow, mut queue) = self.queues.pop_front()?;
        let (came, sdu) = queue.pop_front()?;
        if !queue.is_empty() {
            self.queues.push_back((flow, queue));
        }
        self.past_waits += now.saturating_since(came);
        Some(sdu)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> u32 {
        self.queues.iter().map(|(_, queue)| queue.len() as u32).sum()
    }

    /// What waits, flow by flow.
    pub(crate) fn sdus(&self) -> impl Iterator<Item = &T> {
        self.queues.iter().flat_map(|(_, queue)| queue.iter().map(|(_, sdu)| sdu))
    }

    /// The sum over SDUs of the time that each has waited by `now`.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        let waiting = self.queues.iter().flat_map(|(_, queue)| queue);
        self.past_waits + waiting.map(|(came, _)| now.saturating_since(*came)).sum()
    }

    /// `sdu` waits behind those of its `flow`.
    pub(crate) fn push(&mut self, now: Time, flow: u64, sdu: T) {
        match self.queues.iter_mut().find(|(known, _)| *known == flow) {
            Some((_, queue)) => queue.push_back((now, sdu)),
            None => self.queues.push_back((flow, [(now, sdu)].into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_take_turns_and_keep_their_order() {
        let mut queues = FlowQueues::new();
        let came = [(7, 0), (7, 1), (7, 2), (9, 3), (9, 4), (8, 5)];
        for (flow, number) in came {
            queues.push(Time::from_nanos(number), flow, number);
        }
        assert_eq!((queues.len(), queues.sdus().count()), (6, 6));
        let now = Time::from_nanos(10);
        assert_eq!(queues.waited(now), Duration::from_nanos(60 - 15));
        let left: Vec<_> = std::iter::from_fn(|| queues.pop(now)).collect();
        assert_eq!(left, [0, 3, 5, 1, 4, 2]);
        assert_eq!(queues.waited(Time::from_nanos(99)), Duration::from_nanos(60 - 15));
        assert_eq!((queues.len(), queues.sdus().count()), (0, 0));
    }

    #[test]
    fn a_flow_that_comes_waits_for_one_sdu_of_another() {
        let mut queues = FlowQueues::new();
        for number in 0..10 {
            queues.push(Time::ZERO, 7, number);
        }
        queues.push(Time::ZERO, 9, 10);
        let left: Vec<_> = std::iter::from_fn(|| queues.pop(Time::ZERO)).collect();
        assert_eq!(left[..3], [0, 10, 1]);
    }
}
