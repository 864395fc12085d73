//! What was sent to a mobile and not yet acknowledged: one list for all its flows, in the order of
//! sending (§IV.E and figure 7).
//!
//! The paper counts in each packet, as `skipack`, how many packets arrived that were sent after it.
//! Packets have positions in the order of sending, so that number is how many higher positions have
//! arrived, and it reaches three when the third highest that has arrived is above: three numbers
//! for the whole list replace a counter in each packet ([`Skips`]; the tests count as the paper
//! does).
//!
//! Decisions where the paper is silent:
//! * a packet that is retransmitted moves to the tail, with a new position and so with no skips, or
//!   it would be retransmitted with every acknowledgement;
//! * a skip is counted for each packet newly delivered, not for each acknowledgement: receivers
//!   delay acknowledgements, so that one tells of two packets;
//! * of a flow that was reset, what is in flight stays in the list as an orphan, since it still
//!   fills the pipe, until a later packet has arrived, as nothing overtakes on the radio; or for
//!   1.5 round-trip times, or as long as all that is in flight takes at the rate if that is longer.

use base::Time;
use observe::RepairReason;

/// The number of an entry; [`NONE`] is none.
pub(super) type Slot = u32;

pub(super) const NONE: Slot = u32::MAX;

/// How many entries an idle list keeps: a dialogue of single packets allocates nothing.
const KEPT: usize = 4;

/// Where a packet is, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PacketState {
    /// In the network.
    InFlight,
    /// Later packets arrived: it is to be retransmitted.
    Lost,
    /// It has left the network: it arrived out of order, or probably did.
    Sacked,
    /// In the network, of a flow that was removed.
    Orphaned,
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) flow: u32,
    /// Numbers it occupies: its payload, and one for a FIN.
    pub(super) length: u32,
    /// Offset of its first number.
    pub(super) offset: u64,
    /// Its place in the order of sending.
    pub(super) position: u64,
    /// When it was sent last.
    pub(super) at: Time,
    pub(super) transmissions: u32,
    pub(super) state: PacketState,
    /// Why it was lost last.
    pub(super) reason: RepairReason,
}

impl Sent {
    pub(super) const fn end(&self) -> u64 {
        self.offset + self.length as u64
    }
}

/// The packets of one flow in the order of its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) first: Slot,
    last: Slot,
}

impl Chain {
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE };

    pub(super) const fn is_empty(self) -> bool {
        self.first == NONE
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sent: Sent,
    /// Neighbours in the list that holds it; of a free one, the next free one.
    before: Slot,
    after: Slot,
    /// The next of its flow.
    next: Slot,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: Slot,
    tail: Slot,
}

impl List {
    const EMPTY: Self = Self { head: NONE, tail: NONE };
}

/// The list of one aggregate.
#[derive(Debug)]
pub(super) struct Unacknowledged {
    /// Entries beyond [`KEPT`] are freed once nothing is in use.
    entries: Vec<Entry>,
    used: u32,
    free: Slot,
    /// Packets in the network, orphans included, in the order of positions.
    flight: List,
    /// Lost packets, in the order in which they were found lost.
    lost: List,
    /// Bytes in the network, as far as is known.
    pub(super) in_flight: u64,
    orphans: u32,
    /// The position that the next packet will get.
    pub(super) next_position: u64,
    /// Packets in the network below this position have been taken for lost.
    bound: u64,
}

impl Unacknowledged {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            used: 0,
            free: NONE,
            flight: List::EMPTY,
            lost: List::EMPTY,
            in_flight: 0,
            orphans: 0,
            next_position: 0,
            bound: 0,
        }
    }

    /// Packets, wherever they are.
    pub(super) const fn len(&self) -> usize {
        self.used as usize
    }

    pub(super) fn get(&self, slot: Slot) -> &Sent {
        &self.entries[slot as usize].sent
    }

    /// The packet of the same flow that follows.
    pub(super) fn next(&self, slot: Slot) -> Slot {
        self.entries[slot as usize].next
    }

    /// Those of the same flow that follow, in the order of its stream.
    pub(super) fn after(&self, slot: Slot) -> impl Iterator<Item = (Slot, Sent)> {
        let known = |slot: Slot| (slot != NONE).then(|| (slot, *self.get(slot)));
        std::iter::successors(known(self.next(slot)), move |&(slot, _)| known(self.next(slot)))
    }

    /// The packet that has been in the network longest.
    pub(super) fn oldest(&self) -> Option<Slot> {
        (self.flight.head != NONE).then_some(self.flight.head)
    }

    /// The packet that was sent last of those in the network.
    pub(super) fn newest(&self) -> Option<Slot> {
        (self.flight.tail != NONE).then_some(self.flight.tail)
    }

    /// The lost packet to send next.
    pub(super) fn first_lost(&self) -> Option<Slot> {
        (self.lost.head != NONE).then_some(self.lost.head)
    }

    /// Bytes from `offset` on are sent for the first time, in order within their flow.
    pub(super) fn push(
        &mut self,
        now: Time,
        chain: &mut Chain,
        flow: u32,
        offset: u64,
        length: u32,
    ) {
        let position = self.take_position();
        let (state, reason) = (PacketState::InFlight, RepairReason::Skipped);
        let sent =
            Sent { flow, length, offset, position, at: now, transmissions: 1, state, reason };
        let slot = self.store(Entry { sent, before: NONE, after: NONE, next: NONE });
        if chain.is_empty() {
            chain.first = slot;
        } else {
            self.entries[chain.last as usize].next = slot;
        }
        chain.last = slot;
        self.in_flight += u64::from(length);
        link(&mut self.entries, &mut self.flight, slot);
    }

    /// The packet is retransmitted: it moves to the tail.
    pub(super) fn send_again(&mut self, now: Time, slot: Slot) -> Sent {
        self.leave(slot);
        let position = self.take_position();
        let sent = &mut self.entries[slot as usize].sent;
        sent.position = position;
        sent.at = now;
        sent.transmissions += 1;
        sent.state = PacketState::InFlight;
        let copy = *sent;
        self.in_flight += u64::from(copy.length);
        link(&mut self.entries, &mut self.flight, slot);
        copy
    }

    /// The packet arrived, out of order.
    pub(super) fn sack(&mut self, slot: Slot) {
        self.leave(slot);
        self.entries[slot as usize].sent.state = PacketState::Sacked;
    }

    /// The packet is lost.
    pub(super) fn lose(&mut self, slot: Slot, reason: RepairReason) {
        self.leave(slot);
        let sent = &mut self.entries[slot as usize].sent;
        (sent.state, sent.reason) = (PacketState::Lost, reason);
        link(&mut self.entries, &mut self.lost, slot);
    }

    /// Packets of a flow with more than `most` bytes of data, which end at `end`, are cut into
    /// pieces of that size; a FIN goes with the last. They are lost, unless they have arrived.
    pub(super) fn cut_all(&mut self, chain: &mut Chain, most: u32, end: u64) {
        let mut slot = chain.first;
        while slot != NONE {
            self.cut(chain, slot, most, end);
            slot = self.next(slot);
        }
    }

    /// The same of one packet, of which what is beyond the first piece becomes another packet.
    pub(super) fn cut(&mut self, chain: &mut Chain, slot: Slot, most: u32, end: u64) {
        let sent = *self.get(slot);
        let piece = sent.offset + u64::from(most);
        if sent.end().min(end) > piece {
            if sent.state != PacketState::Sacked {
                self.lose(slot, RepairReason::TooLarge);
            }
            self.divide(chain, slot, piece);
        }
    }

    /// Splits the packet, which is not in the network, at offset `at`.
    fn divide(&mut self, chain: &mut Chain, slot: Slot, at: u64) {
        let sent = *self.get(slot);
        let rest = Sent { offset: at, length: (sent.end() - at) as u32, ..sent };
        self.entries[slot as usize].sent.length -= rest.length;
        let next = self.next(slot);
        let added = self.store(Entry { sent: rest, before: NONE, after: NONE, next });
        self.entries[slot as usize].next = added;
        if chain.last == slot {
            chain.last = added;
        }
        if rest.state == PacketState::Lost {
            link(&mut self.entries, &mut self.lost, added);
        }
    }

    /// Every packet in the network below position `bound` is lost if it is `known` not to have
    /// arrived, and otherwise has at least left the network.
    pub(super) fn lose_below(
        &mut self,
        bound: u64,
        reason: RepairReason,
        known: impl Fn(&Sent) -> bool,
    ) {
        self.bound = self.bound.max(bound);
        while let Some(slot) = self.oldest().filter(|&slot| self.get(slot).position < bound) {
            let sent = self.get(slot);
            if sent.state == PacketState::Orphaned {
                self.forget(slot);
            } else if known(sent) {
                self.lose(slot, reason);
            } else {
                self.sack(slot);
            }
        }
    }

    /// The packet, which was taken to have arrived, has not: moves it back to where it was.
    pub(super) fn take_back(&mut self, slot: Slot) {
        let Sent { position, length, .. } = *self.get(slot);
        if position < self.bound {
            self.lose(slot, RepairReason::Skipped);
            return;
        }
        let mut after = self.flight.head;
        while after != NONE && self.get(after).position < position {
            after = self.entries[after as usize].after;
        }
        self.entries[slot as usize].sent.state = PacketState::InFlight;
        self.in_flight += u64::from(length);
        link_before(&mut self.entries, &mut self.flight, slot, after);
    }

    /// Takes the first packet of a flow out.
    pub(super) fn pop(&mut self, chain: &mut Chain) -> Option<Sent> {
        let slot = chain.first;
        if slot == NONE {
            return None;
        }
        chain.first = self.next(slot);
        let sent = *self.get(slot);
        self.forget(slot);
        Some(sent)
    }

    /// Numbers of the packet below `offset`, which lies within it, are acknowledged.
    pub(super) fn trim(&mut self, slot: Slot, offset: u64) {
        let sent = &mut self.entries[slot as usize].sent;
        let cut = offset - sent.offset;
        sent.offset = offset;
        sent.length -= cut as u32;
        if matches!(sent.state, PacketState::InFlight | PacketState::Orphaned) {
            self.in_flight -= cut;
        }
    }

    /// The flow is removed: its packets in the network become orphans.
    pub(super) fn abandon(&mut self, chain: &mut Chain) {
        let mut slot = std::mem::replace(chain, Chain::EMPTY).first;
        while slot != NONE {
            let next = self.next(slot);
            if self.get(slot).state == PacketState::InFlight {
                self.entries[slot as usize].sent.state = PacketState::Orphaned;
                self.orphans += 1;
            } else {
                self.forget(slot);
            }
            slot = next;
        }
    }

    /// Whether packets of removed flows are in flight.
    pub(super) const fn has_orphans(&self) -> bool {
        self.orphans > 0
    }

    /// Orphans below `bound` have left the pipe.
    pub(super) fn remove_orphans(&mut self, bound: u64) {
        let mut slot = self.flight.head;
        while self.orphans > 0 && slot != NONE && self.get(slot).position < bound {
            let after = self.entries[slot as usize].after;
            if self.get(slot).state == PacketState::Orphaned {
                self.forget(slot);
            }
            slot = after;
        }
    }

    /// The place in the order of sending of what is sent now.
    pub(super) const fn take_position(&mut self) -> u64 {
        self.next_position += 1;
        self.next_position - 1
    }

    /// Takes the entry out of the list that holds it.
    fn leave(&mut self, slot: Slot) {
        let Sent { state, length, .. } = *self.get(slot);
        match state {
            PacketState::InFlight | PacketState::Orphaned => {
                self.in_flight -= u64::from(length);
                self.orphans -= u32::from(state == PacketState::Orphaned);
                unlink(&mut self.entries, &mut self.flight, slot);
            }
            PacketState::Lost => unlink(&mut self.entries, &mut self.lost, slot),
            PacketState::Sacked => {}
        }
    }

    fn forget(&mut self, slot: Slot) {
        self.leave(slot);
        self.entries[slot as usize].after = std::mem::replace(&mut self.free, slot);
        self.used -= 1;
        if self.used == 0 && self.entries.capacity() > KEPT {
            self.entries = Vec::new();
            self.free = NONE;
        }
    }

    fn store(&mut self, entry: Entry) -> Slot {
        self.used += 1;
        if self.free == NONE {
            self.entries.push(entry);
            return self.entries.len() as Slot - 1;
        }
        let slot = self.free;
        self.free = std::mem::replace(&mut self.entries[slot as usize], entry).after;
        slot
    }
}

fn link(entries: &mut [Entry], list: &mut List, slot: Slot) {
    link_before(entries, list, slot, NONE);
}

fn link_before(entries: &mut [Entry], list: &mut List, slot: Slot, after: Slot) {
    let behind = if after == NONE { &mut list.tail } else { &mut entries[after as usize].before };
    let before = std::mem::replace(behind, slot);
    let entry = &mut entries[slot as usize];
    (entry.before, entry.after) = (before, after);
    if before == NONE {
        list.head = slot;
    } else {
        entries[before as usize].after = slot;
    }
}

fn unlink(entries: &mut [Entry], list: &mut List, slot: Slot) {
    let Entry { before, after, .. } = entries[slot as usize];
    if before == NONE {
        list.head = after;
    } else {
        entries[before as usize].after = after;
    }
    if after == NONE {
        list.tail = before;
    } else {
        entries[after as usize].before = before;
    }
}

/// The highest positions that arrived.
#[derive(Debug)]
pub(super) struct Skips {
    /// In falling order.
    highest: Vec<u64>,
    threshold: usize,
}

impl Skips {
    pub(super) const fn new(threshold: u32) -> Self {
        Self { highest: Vec::new(), threshold: threshold as usize }
    }

    /// The packet at `position` arrived. Returns the position below which packets have been skipped
    /// often enough to be lost.
    pub(super) fn arrived(&mut self, position: u64) -> u64 {
        let index = self.highest.partition_point(|&other| other > position);
        if index < self.threshold {
            self.highest.truncate(self.threshold - 1);
            self.highest.insert(index, position);
        }
        self.highest.get(self.threshold - 1).copied().unwrap_or(0)
    }

    /// How often the packet at `position` has been skipped, up to the threshold.
    #[cfg(test)]
    pub(super) fn of(&self, position: u64) -> usize {
        self.highest.iter().filter(|&&other| other > position).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A list with three flows and packets of one byte, one of each flow in turn.
    struct Window {
        list: Unacknowledged,
        skips: Skips,
        chains: Vec<Chain>,
    }

    impl Window {
        fn of(flows: &[u32]) -> Self {
            let mut list = Unacknowledged::new();
            let mut chains = vec![Chain::EMPTY; 3];
            for (nth, &flow) in flows.iter().enumerate() {
                list.push(Time::ZERO, &mut chains[flow as usize], flow, nth as u64, 1);
            }
            Self { list, skips: Skips::new(3), chains }
        }

        /// The packet sent at `position` arrived, out of order; returns which are found lost by
        /// that.
        fn sack(&mut self, slot: Slot) -> Vec<u64> {
            self.list.sack(slot);
            let bound = self.skips.arrived(self.list.get(slot).position);
            self.list.lose_below(bound, RepairReason::Skipped, |_| true);
            self.lost()
        }

        fn lost(&self) -> Vec<u64> {
            let mut lost = Vec::new();
            let mut slot = self.list.lost.head;
            while slot != NONE {
                lost.push(self.list.get(slot).offset);
                slot = self.list.entries[slot as usize].after;
            }
            lost
        }

        fn skips(&self, slots: std::ops::Range<Slot>) -> Vec<usize> {
            slots.map(|slot| self.skips.of(self.list.get(slot).position)).collect()
        }
    }

    /// Packets 1 to 6 of connections a, b, c, c? as in the paper: a sent 1 and 4, b 2 and 6, c 3
    /// and 5; 1, 2 and 3 are lost. (Here they count from 0.)
    #[test]
    fn figure_7() {
        let mut window = Window::of(&[0, 1, 2, 0, 2, 1]);
        assert_eq!(window.sack(3), []);
        assert_eq!(window.skips(0..6), [1, 1, 1, 0, 0, 0]);
        assert_eq!(window.sack(4), []);
        assert_eq!(window.skips(0..3), [2, 2, 2]);
        assert_eq!(window.sack(5), [0, 1, 2]);
        assert_eq!(window.list.in_flight, 0);
        for slot in 0..3 {
            assert_eq!(window.list.first_lost(), Some(slot));
            window.list.send_again(Time::ZERO, slot);
        }
        // At the tail they have not been skipped.
        assert_eq!((window.skips(0..3), window.list.in_flight), (vec![0, 0, 0], 3));
        assert_eq!(window.list.first_lost(), None);
    }

    #[test]
    fn what_is_sent_again_is_lost_again_after_three_more() {
        let mut window = Window::of(&[0, 1, 1, 1]);
        assert_eq!((window.sack(1), window.sack(2), window.sack(3)), (vec![], vec![], vec![0]));
        window.list.send_again(Time::ZERO, 0);
        for offset in 10..13 {
            window.list.push(Time::ZERO, &mut window.chains[1], 1, offset, 1);
        }
        assert_eq!((window.sack(4), window.sack(5), window.sack(6)), (vec![], vec![], vec![0]));
    }

    #[test]
    fn orphans_fill_the_pipe_until_something_later_has_arrived() {
        let mut window = Window::of(&[0, 1, 0, 1]);
        window.list.abandon(&mut window.chains[0]);
        assert_eq!((window.list.in_flight, window.list.orphans), (4, 2));
        let first = window.list.pop(&mut window.chains[1]).expect("it is there");
        window.list.remove_orphans(first.position + 1);
        assert_eq!((window.list.in_flight, window.list.orphans), (2, 1));
        window.list.lose_below(u64::MAX, RepairReason::Skipped, |_| true);
        assert_eq!((window.list.in_flight, window.lost()), (0, vec![3]), "no orphan is sent again");
    }

    #[test]
    fn what_is_taken_back_is_where_it_was() {
        let mut window = Window::of(&[0, 1, 0, 1, 0]);
        for slot in [0, 2, 4] {
            window.list.sack(slot);
        }
        for slot in [2, 0, 4] {
            window.list.take_back(slot);
        }
        assert_eq!(window.list.in_flight, 5);
        let mut order = Vec::new();
        while let Some(slot) = window.list.oldest() {
            order.push(slot);
            window.list.lose_below(
                window.list.get(slot).position + 1,
                RepairReason::Skipped,
                |_| slot != 3,
            );
        }
        assert_eq!((order, window.lost()), (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 4]));
        // All have been skipped.
        window.list.take_back(3);
        assert_eq!((window.list.in_flight, window.lost()), (0, vec![0, 1, 2, 4, 3]));
    }

    #[test]
    fn a_trimmed_packet_weighs_less() {
        let mut list = Unacknowledged::new();
        let mut chain = Chain::EMPTY;
        list.push(Time::ZERO, &mut chain, 0, 100, 10);
        list.trim(0, 104);
        assert_eq!((list.in_flight, list.get(0).offset, list.get(0).end()), (6, 104, 110));
    }

    /// As the paper counts: a counter in each packet.
    #[derive(Default)]
    struct Naive {
        packets: Vec<Counted>,
    }

    struct Counted {
        offset: u64,
        state: PacketState,
        skipack: u32,
    }

    impl Naive {
        fn index(&self, offset: u64) -> usize {
            self.packets.iter().position(|packet| packet.offset == offset).expect("it is there")
        }

        fn arrived(&mut self, offset: u64) {
            let index = self.index(offset);
            for packet in &mut self.packets[..index] {
                if packet.state == PacketState::InFlight {
                    packet.skipack += 1;
                    if packet.skipack == 3 {
                        packet.state = PacketState::Lost;
                    }
                }
            }
        }

        fn with(&self, state: PacketState) -> Vec<u64> {
            let of_state = self.packets.iter().filter(|packet| packet.state == state);
            let mut offsets: Vec<_> = of_state.map(|packet| packet.offset).collect();
            offsets.sort_unstable();
            offsets
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Operation {
        Send(u32),
        Sack(usize),
        Acknowledge(u32),
        Repair,
        Abandon(u32),
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let operation = prop_oneof![
            5 => (0_u32..3).prop_map(Operation::Send),
            4 => (0_usize..40).prop_map(Operation::Sack),
            2 => (0_u32..3).prop_map(Operation::Acknowledge),
            2 => Just(Operation::Repair),
            1 => (0_u32..3).prop_map(Operation::Abandon),
        ];
        prop::collection::vec(operation, 1..200)
    }

    proptest! {
        /// Against counters in each packet and sums over all of them. Removed flows leave the
        /// reference's list at once; what they still weigh is counted apart.
        #[test]
        fn three_positions_are_as_good_as_a_counter_in_each_packet(operations in operations()) {
            let mut window = Window::of(&[]);
            let mut naive = Naive::default();
            let mut ends = [0_u64; 3];
            for operation in operations {
                match operation {
                    Operation::Send(flow) => {
                        let end = &mut ends[flow as usize];
                        let offset = u64::from(flow) << 32 | *end;
                        *end += 1;
                        let chain = &mut window.chains[flow as usize];
                        window.list.push(Time::ZERO, chain, flow, offset, 1);
                        let (state, skipack) = (PacketState::InFlight, 0);
                        naive.packets.push(Counted { offset, state, skipack });
                    }
                    Operation::Sack(nth) => {
                        let Some(packet) = naive.packets.get(nth) else { continue };
                        if packet.state == PacketState::Sacked {
                            continue;
                        }
                        let (offset, lost) = (packet.offset, packet.state == PacketState::Lost);
                        let flow = (offset >> 32) as usize;
                        let mut slot = window.chains[flow].first;
                        while window.list.get(slot).offset != offset {
                            slot = window.list.next(slot);
                        }
                        let position = window.list.get(slot).position;
                        naive.packets[nth].state = PacketState::Sacked;
                        window.list.sack(slot);
                        let bound = window.skips.arrived(position);
                        window.list.remove_orphans(position + 1);
                        window.list.lose_below(bound, RepairReason::Skipped, |_| true);
                        prop_assert!(!lost || window.list.get(slot).state == PacketState::Sacked);
                        naive.arrived(offset);
                    }
                    Operation::Acknowledge(flow) => {
                        let popped = window.list.pop(&mut window.chains[flow as usize]);
                        if let Some(sent) = popped {
                            if sent.state != PacketState::Sacked {
                                let bound = window.skips.arrived(sent.position);
                                window.list.remove_orphans(sent.position + 1);
                                window.list.lose_below(bound, RepairReason::Skipped, |_| true);
                                naive.arrived(sent.offset);
                            }
                            let index = naive.index(sent.offset);
                            naive.packets.remove(index);
                        }
                    }
                    Operation::Repair => {
                        if let Some(slot) = window.list.first_lost() {
                            let offset = window.list.send_again(Time::ZERO, slot).offset;
                            let index = naive.index(offset);
                            let mut packet = naive.packets.remove(index);
                            prop_assert_eq!(packet.state, PacketState::Lost);
                            (packet.state, packet.skipack) = (PacketState::InFlight, 0);
                            naive.packets.push(packet);
                        }
                    }
                    Operation::Abandon(flow) => {
                        window.list.abandon(&mut window.chains[flow as usize]);
                        naive.packets.retain(|packet| packet.offset >> 32 != u64::from(flow));
                    }
                }
                let mut lost = window.lost();
                lost.sort_unstable();
                prop_assert_eq!(lost, naive.with(PacketState::Lost));
                let flight = naive.with(PacketState::InFlight).len() as u64;
                let flight = flight + u64::from(window.list.orphans);
                prop_assert_eq!(window.list.in_flight, flight);
            }
        }
    }
}
