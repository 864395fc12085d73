//! Several logical channels, of one UE or of many, on one transport channel.
//!
//! In each TTI the channels of the highest priority are served first. Channels of one priority take
//! turns, block by block, and the next TTI continues where the last one ended (TS 25.321 §11.4
//! leaves their order open).

/// The priority of a logical channel; the highest of the eight is 1 (TS 25.331 §10.3.4.21).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Priority(u8);

impl Priority {
    /// The one served last.
    pub(super) const LOWEST: Self = Self(8);

    /// Priority `level`, 1 to 8.
    #[cfg(test)]
    const fn new(level: u8) -> Option<Self> {
        if 1 <= level && level <= Self::LOWEST.0 { Some(Self(level)) } else { None }
    }

    /// 1 to 8.
    const fn level(self) -> u8 {
        self.0
    }
}

/// A channel of a multiplexer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ChannelId(u32);

/// Transport blocks of a TTI for one channel, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grant {
    /// Its channel.
    pub(super) channel: ChannelId,
    /// How many blocks.
    pub(super) blocks: u32,
}

/// The logical channels of one transport channel.
#[derive(Clone, Default, Debug)]
pub(super) struct Multiplexer {
    /// By priority; within one in the order of `add`.
    members: Vec<Member>,
    /// Whose turn it is in each priority.
    turns: [usize; Priority::LOWEST.level() as usize],
    grants: Vec<Grant>,
    next: u32,
}

#[derive(Clone, Debug)]
struct Member {
    id: ChannelId,
    priority: Priority,
    /// In the TTI that is being filled.
    waiting: u32,
    granted: u32,
}

impl Multiplexer {
    /// Adds a logical channel. It is served last of its priority.
    pub(super) fn add(&mut self, priority: Priority) -> ChannelId {
        let id = ChannelId(self.next);
        self.next += 1;
        let place = self.members.partition_point(|member| member.priority <= priority);
        self.members.insert(place, Member { id, priority, waiting: 0, granted: 0 });
        id
    }

    /// Removes a channel. Does nothing if it is not there.
    pub(super) fn remove(&mut self, id: ChannelId) {
        let Some(place) = self.place(id) else { return };
        let removed = self.members.remove(place);
        let first = self.members.partition_point(|member| member.priority < removed.priority);
        let turn = &mut self.turns[index(removed.priority)];
        // What follows moves up by one, and so does the turn.
        *turn -= usize::from(place - first < *turn);
    }

    /// Shares a TTI with room for `room` blocks among the channels, given how many blocks wait in
    /// each: no more than wait, and as many in all as there are, or room for.
    ///
    /// Memory is allocated only when the number of grants exceeds all earlier ones.
    pub(super) fn select(&mut self, room: u32, waiting: impl Fn(ChannelId) -> u32) -> &[Grant] {
        self.grants.clear();
        let (mut room, mut members) = (room, self.members.as_mut_slice());
        while let (1.., Some(first)) = (room, members.first()) {
            let priority = first.priority;
            let count = members.partition_point(|member| member.priority == priority);
            let (class, rest) = members.split_at_mut(count);
            for member in class.iter_mut() {
                (member.waiting, member.granted) = (waiting(member.id), 0);
            }
            let turn = &mut self.turns[index(priority)];
            room = share(class, *turn, room);
            if room == 0 {
                *turn = next_turn(class, *turn);
            }
            let granted = class.iter().filter(|member| member.granted > 0);
            self.grants
                .extend(granted.map(|member| Grant { channel: member.id, blocks: member.granted }));
            members = rest;
        }
        &self.grants
    }

    fn place(&self, id: ChannelId) -> Option<usize> {
        self.members.iter().position(|member| member.id == id)
    }
}

const fn index(priority: Priority) -> usize {
    priority.level() as usize - 1
}

/// Shares `room` among channels of one priority, block by block from `turn` on; returns what is
/// left of it.
fn share(class: &mut [Member], turn: usize, mut room: u32) -> u32 {
    loop {
        let hungry = class.iter().filter(|member| member.waiting > 0).count() as u32;
        if room == 0 || hungry == 0 {
            return room;
        }
        // So many whole rounds at once; less than one is one block for each of the next.
        let rounds = (room / hungry).max(1);
        let (before, from_turn) = class.split_at_mut(turn);
        for member in from_turn.iter_mut().chain(before) {
            let blocks = rounds.min(member.waiting).min(room);
            member.waiting -= blocks;
            member.granted += blocks;
            room -= blocks;
        }
    }
}

/// The channel after the one that got the last block.
fn next_turn(class: &[Member], turn: usize) -> usize {
    let most = class.iter().map(|member| member.granted).max();
    let mut order = (turn..class.len()).chain(0..turn);
    let last = order.rfind(|place| Some(class[*place].granted) == most);
    last.map_or(0, |place| (place + 1) % class.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn priority(level: u8) -> Priority {
        Priority::new(level).expect("1 to 8")
    }

    /// A multiplexer with a channel of each priority given, numbered in this order.
    fn with(levels: &[u8]) -> Multiplexer {
        let mut multiplexer = Multiplexer::default();
        for (number, level) in (0..).zip(levels) {
            assert_eq!(multiplexer.add(priority(*level)), ChannelId(number));
        }
        multiplexer
    }

    /// Blocks of each channel in a TTI.
    fn blocks(multiplexer: &mut Multiplexer, room: u32, waiting: &[u32]) -> Vec<u32> {
        let mut blocks = vec![0; waiting.len()];
        for grant in multiplexer.select(room, |id| waiting[id.0 as usize]) {
            blocks[grant.channel.0 as usize] = grant.blocks;
        }
        blocks
    }

    #[test]
    fn the_highest_priority_goes_first() {
        let mut multiplexer = with(&[5, 1, 5]);
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 3, 9]), [1, 3, 0]);
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 3, 9]), [0, 3, 1], "the turn goes on");
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 9, 9]), [0, 4, 0]);
        assert_eq!(blocks(&mut multiplexer, 4, &[0, 0, 0]), [0, 0, 0]);
        assert_eq!(blocks(&mut multiplexer, 0, &[9, 9, 9]), [0, 0, 0]);
    }

    #[test]
    fn one_priority_takes_turns() {
        let mut multiplexer = with(&[3, 3, 3]);
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 9, 9]), [2, 1, 1]);
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 9, 9]), [1, 2, 1]);
        assert_eq!(blocks(&mut multiplexer, 4, &[9, 9, 9]), [1, 1, 2]);
        assert_eq!(
            blocks(&mut multiplexer, 6, &[9, 1, 9]),
            [3, 1, 2],
            "what one leaves others take"
        );
    }

    #[test]
    fn channels_come_and_go() {
        let mut multiplexer = with(&[3, 3, 3]);
        assert_eq!(blocks(&mut multiplexer, 2, &[9, 9, 9]), [1, 1, 0]);
        multiplexer.remove(ChannelId(0));
        multiplexer.remove(ChannelId(0));
        assert_eq!(blocks(&mut multiplexer, 1, &[9, 9, 9]), [0, 0, 1], "its turn is kept");
        assert_eq!(multiplexer.add(priority(1)), ChannelId(3));
        assert_eq!(blocks(&mut multiplexer, 2, &[9, 9, 9, 1]), [0, 1, 0, 1]);
        assert_eq!(multiplexer.members.len(), 3);
    }

    /// Block by block, and channel by channel.
    #[derive(Default)]
    struct Reference {
        classes: [Vec<u32>; 8],
        turns: [usize; 8],
    }

    impl Reference {
        fn select(&mut self, mut room: u32, waiting: &mut [u32]) -> Vec<u32> {
            let mut granted = vec![0; waiting.len()];
            for (class, turn) in self.classes.iter().zip(&mut self.turns) {
                let mut next = *turn;
                while room > 0 && class.iter().any(|id| waiting[*id as usize] > 0) {
                    let id = class[next] as usize;
                    next = (next + 1) % class.len();
                    if waiting[id] > 0 {
                        waiting[id] -= 1;
                        granted[id] += 1;
                        room -= 1;
                    }
                    if room == 0 {
                        *turn = next;
                    }
                }
            }
            granted
        }
    }

    proptest! {
        #[test]
        fn agrees_with_one_block_at_a_time(
            levels in prop::collection::vec(1_u8..=3, 1..9),
            ttis in prop::collection::vec((0_u32..30, prop::collection::vec(0_u32..8, 8)), 1..20),
        ) {
            let (mut multiplexer, mut reference) = (with(&levels), Reference::default());
            for (id, level) in (0..).zip(&levels) {
                reference.classes[usize::from(*level) - 1].push(id);
            }
            for (room, waiting) in ttis {
                let waiting = &waiting[..levels.len()];
                let granted = blocks(&mut multiplexer, room, waiting);
                prop_assert_eq!(&granted, &reference.select(room, &mut waiting.to_vec()));
                let all: u32 = waiting.iter().sum();
                prop_assert_eq!(granted.iter().sum::<u32>(), room.min(all));
            }
        }

        #[test]
        fn nobody_starves(count in 1_usize..12, room in 1_u32..5, ttis in 1_u32..60) {
            let mut multiplexer = with(&vec![4; count]);
            let mut served = vec![0; count];
            for _ in 0..ttis {
                let granted = blocks(&mut multiplexer, room, &vec![9; count]);
                served.iter_mut().zip(granted).for_each(|(sum, blocks)| *sum += blocks);
            }
            let (least, most) = (served.iter().min(), served.iter().max());
            prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1));
        }
    }
}
