//! Which flow of an aggregate sends next (§IV.B): strict priorities, and tickets within each.
//!
//! Stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528): each flow has a pass, the lowest
//! sends, and its pass rises by bytes ÷ tickets. The global pass of a priority is the highest of
//! those served: a flow that returns from an idle time starts there, without a claim to what it did
//! not use. A new flow starts [`FIRST`] ÷ tickets before: its first window goes ahead, as in a fair
//! queue that favours new flows (RFC 8290 §3.2), and short flows are over soon. A turn may be of
//! several segments ([`AtcpConfig::quantum`](super::AtcpConfig)). Lanes of what is not TCP
//! ([`super::lanes`]) take turns with connections by the same passes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::config::{PACKET, Share};

/// Pass units for a byte of a flow with one ticket.
const STRIDE: u64 = 1 << 20;

/// Bytes of a new flow that go ahead: the initial window of RFC 3390 §1.
const FIRST: u64 = 4_380;

/// The flows that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    flows: BinaryHeap<Ready>,
    lanes: BinaryHeap<Ready>,
    /// The global pass of each priority so far, sorted by priority.
    global: Vec<(u8, u64)>,
}

/// Holder of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Turn {
    /// A connection.
    Flow(u32),
    /// A lane of what is not TCP.
    Lane(u32),
}

/// One that waits: the highest priority, then the lowest pass, then the oldest connection first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Ready {
    priority: u8,
    pass: Reverse<u64>,
    connection: Reverse<u32>,
    turn: Turn,
}

/// The state of a flow in the schedule.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrideState {
    pub(super) share: Share,
    connection: u32,
    pass: u64,
    /// Bytes of its first window that are still to go ahead.
    ahead: u64,
    /// Bytes that it did not use in an idle time and may claim.
    claim: u64,
    /// Segments that it has sent in its present turn, and their bytes.
    in_turn: (u32, u64),
    /// True while it waits for a turn.
    waiting: bool,
}

impl StrideState {
    /// Of a flow of that connection, which has not sent yet.
    pub(super) const fn new(share: Share, connection: u32) -> Self {
        Self { share, connection, pass: 0, ahead: FIRST, claim: 0, in_turn: (0, 0), waiting: false }
    }

    /// State of a lane, which may claim a packet: who sends less than its share goes ahead each
    /// time it has something, as in a fair queue (RFC 8290 §3.2).
    pub(super) const fn of_lane(share: Share) -> Self {
        Self { claim: PACKET, ..Self::new(share, u32::MAX) }
    }

    /// End of its turn: what it has sent in it counts.
    fn end_turn(&mut self) {
        let (_, bytes) = std::mem::take(&mut self.in_turn);
        self.ahead = self.ahead.saturating_sub(bytes);
        self.pass += bytes * STRIDE / u64::from(self.share.tickets);
    }
}

impl Schedule {
    /// Entry among those that may have something to send.
    pub(super) fn join(&mut self, turn: Turn, stride: &mut StrideState) {
        if !stride.waiting {
            let ready = self.entry(turn, stride);
            self.of(turn).push(ready);
        }
    }

    /// Entry of one whose turn is over, and who waits for the next.
    fn entry(&mut self, turn: Turn, stride: &mut StrideState) -> Ready {
        stride.waiting = true;
        stride.end_turn();
        let priority = stride.share.priority;
        let ahead = stride.ahead.max(stride.claim) * STRIDE / u64::from(stride.share.tickets);
        stride.pass = stride.pass.max(self.global(priority).saturating_sub(ahead));
        let (pass, connection) = (Reverse(stride.pass), Reverse(stride.connection));
        Ready { priority, pass, connection, turn }
    }

    /// Holder of the present turn.
    pub(super) fn first(&self) -> Option<Turn> {
        self.ready().map(|ready| ready.turn)
    }

    /// Lane whose turn it is, whatever connections wait.
    pub(super) fn first_lane(&self) -> Option<Turn> {
        self.lanes.peek().map(|ready| ready.turn)
    }

    /// The priority of whose turn it is.
    pub(super) fn priority(&self) -> Option<u8> {
        self.ready().map(|ready| ready.priority)
    }

    fn ready(&self) -> Option<&Ready> {
        self.flows.peek().max(self.lanes.peek())
    }

    /// The first of its kind, whose state this is, cannot send: it will join again.
    pub(super) fn skip(&mut self, turn: Turn, stride: &mut StrideState) {
        self.of(turn).pop();
        stride.waiting = false;
    }

    /// The first of its kind, whose state this is, sends a packet of `bytes`. Its turn ends with
    /// the packet that makes it a `quantum`.
    pub(super) fn serve(&mut self, turn: Turn, stride: &mut StrideState, bytes: u64, quantum: u32) {
        let global = self.global(stride.share.priority);
        *global = stride.pass.max(*global);
        let (packets, together) = stride.in_turn;
        stride.in_turn = (packets + 1, together + bytes);
        if packets + 1 < quantum {
            return;
        }
        let next = self.entry(turn, stride);
        if let Some(mut first) = self.of(turn).peek_mut() {
            *first = next;
        }
    }

    /// Removes it.
    pub(super) fn remove(&mut self, turn: Turn, stride: &StrideState) {
        if stride.waiting {
            self.of(turn).retain(|ready| ready.turn != turn);
        }
    }

    const fn of(&mut self, turn: Turn) -> &mut BinaryHeap<Ready> {
        match turn {
            Turn::Flow(_) => &mut self.flows,
            Turn::Lane(_) => &mut self.lanes,
        }
    }

    fn global(&mut self, priority: u8) -> &mut u64 {
        let index = match self.global.binary_search_by_key(&priority, |&(other, _)| other) {
            Ok(index) => index,
            Err(index) => {
                self.global.insert(index, (priority, 0));
                index
            }
        };
        &mut self.global[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flows of these priorities and tickets, all with much to send; how many bytes each sends of
    /// `total`, in segments of these sizes, `quantum` of them in a turn.
    fn served(flows: &[(u8, u32, u64)], total: u64, quantum: u32) -> Vec<u64> {
        let mut schedule = Schedule::default();
        let mut strides: Vec<_> = flows
            .iter()
            .zip(0..)
            .map(|(&(priority, tickets, _), of)| StrideState::new(Share { priority, tickets }, of))
            .collect();
        for (id, stride) in (0..).zip(&mut strides) {
            // Whether connections or lanes makes no difference.
            schedule.join(if id % 2 == 0 { Turn::Flow(id) } else { Turn::Lane(id) }, stride);
        }
        let mut bytes = vec![0; flows.len()];
        while bytes.iter().sum::<u64>() < total {
            let turn = schedule.first().expect("somebody waits");
            let (Turn::Flow(id) | Turn::Lane(id)) = turn;
            let length = flows[id as usize].2;
            bytes[id as usize] += length;
            schedule.serve(turn, &mut strides[id as usize], length, quantum);
        }
        bytes
    }

    #[test]
    fn bytes_are_as_tickets() {
        let check = |flows: &[(u8, u32, u64)], expect: &[u64]| {
            let tickets = expect.iter().sum::<u64>();
            for quantum in [1, 2, 5] {
                let bytes = served(flows, 1_000_000, quantum);
                let sum = bytes.iter().sum::<u64>();
                for (&got, &expect) in bytes.iter().zip(expect) {
                    let far = got.abs_diff(sum * expect / tickets);
                    assert!(far <= 3_000 * u64::from(quantum), "{flows:?} {quantum}: {bytes:?}");
                }
            }
        };
        check(&[(0, 1, 1_000), (0, 1, 1_000)], &[1, 1]);
        check(&[(0, 2, 1_000), (0, 1, 1_000)], &[2, 1]);
        check(&[(0, 3, 1_348), (0, 1, 1_348)], &[3, 1]);
        // Small segments are no disadvantage.
        check(&[(0, 1, 100), (0, 1, 1_348)], &[1, 1]);
        check(&[(0, 1, 1_000), (0, 2, 500), (0, 3, 1_348)], &[1, 2, 3]);
        check(&[(0, 9, 1_000), (1, 1, 1_000)], &[0, 1]);
    }

    #[test]
    fn who_comes_late_has_a_window_ahead_and_no_claim_to_more() {
        let mut schedule = Schedule::default();
        let share = Share { priority: 0, tickets: 1 };
        let (mut old, mut new) = (StrideState::new(share, 0), StrideState::new(share, 1));
        schedule.join(Turn::Flow(0), &mut old);
        for _ in 0..100 {
            schedule.serve(Turn::Flow(0), &mut old, 1_000, 1);
        }
        schedule.join(Turn::Lane(1), &mut new);
        let mut order = Vec::new();
        for _ in 0..10 {
            let turn = schedule.first().expect("both wait");
            let (Turn::Flow(id) | Turn::Lane(id)) = turn;
            order.push(id);
            schedule.serve(turn, if id == 0 { &mut old } else { &mut new }, 1_000, 1);
        }
        assert_eq!(order, [1, 1, 1, 1, 1, 1, 0, 1, 0, 1], "4380 bytes, and its turn");
    }

    /// A turn of two segments; one that is left ends, and counts as far as it was used.
    #[test]
    fn a_turn_is_a_quantum_in_a_row() {
        let mut schedule = Schedule::default();
        let share = Share { priority: 0, tickets: 1 };
        let mut strides = [0, 1].map(|id| StrideState { ahead: 0, ..StrideState::new(share, id) });
        for (id, stride) in (0..).zip(&mut strides) {
            schedule.join(Turn::Flow(id), stride);
        }
        let mut order = Vec::new();
        for sent in 0..10 {
            let turn = schedule.first().expect("both wait");
            let Turn::Flow(id) = turn else { panic!("none is a lane") };
            order.push(id);
            let stride = &mut strides[id as usize];
            schedule.serve(turn, stride, 1_000, 2);
            if sent == 4 {
                schedule.skip(turn, stride);
                schedule.join(turn, stride);
            }
        }
        assert_eq!(order, [0, 0, 1, 1, 0, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn leaving_and_coming_back_gains_nothing() {
        let mut schedule = Schedule::default();
        let share = Share { priority: 0, tickets: 1 };
        let (mut stays, mut returns) = (StrideState::new(share, 0), StrideState::new(share, 1));
        let mut bytes = [0, 0];
        for _ in 0..1_000 {
            schedule.join(Turn::Flow(0), &mut stays);
            schedule.join(Turn::Flow(1), &mut returns);
            let turn = schedule.first().expect("both wait");
            let id = usize::from(turn == Turn::Flow(1));
            bytes[id] += 1_000;
            schedule.serve(turn, if id == 0 { &mut stays } else { &mut returns }, 1_000, 1);
            if id == 1 {
                schedule.remove(turn, &returns);
                returns.waiting = false;
            }
        }
        assert!(bytes[1] <= bytes[0] + FIRST + 1_000, "{bytes:?}");
    }
}
