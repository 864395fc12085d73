//! A channel that the UEs of a cell share: FACH downlink, RACH uplink.

use base::{Duration, Time};

use crate::umts::Blocks;
use crate::umts::multiplexer::{ChannelId, Multiplexer, Priority};

/// A common channel with its MAC.
///
/// At the start of each TTI, MAC decides from what waits which UEs send in the next one.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) tti: Duration,
    blocks: Blocks,
    multiplexer: Multiplexer,
    /// The UEs on it, by the number of the logical channel, which only increases.
    members: Vec<(ChannelId, u32)>,
    /// Which UEs send in the next TTI, and how many blocks.
    pub(super) granted: Vec<(u32, u32)>,
    /// When MAC decides next.
    pub(super) due: Option<Time>,
}

impl Common {
    pub(super) fn new(tti: Duration, blocks: Blocks) -> Self {
        Self {
            tti,
            blocks,
            multiplexer: Multiplexer::default(),
            members: Vec::new(),
            granted: Vec::new(),
            due: None,
        }
    }

    /// Adds `ue` with its traffic channel.
    pub(super) fn join(&mut self, ue: u32) {
        let id = self.multiplexer.add(Priority::LOWEST);
        self.members.push((id, ue));
    }

    /// Removes `ue`.
    pub(super) fn leave(&mut self, ue: u32) {
        let place = self.members.iter().position(|(_, member)| *member == ue);
        let (id, _) = self.members.remove(place.expect("who leaves has joined"));
        self.multiplexer.remove(id);
        self.granted.retain(|(granted, _)| *granted != ue);
    }

    /// Shares the TTI that starts at `start` among the UEs, given how many blocks wait in each.
    /// Says how many blocks are granted.
    pub(super) fn share(&mut self, start: Time, waiting: impl Fn(u32) -> u32) -> u32 {
        let room = self.blocks.in_tti(start.saturating_since(Time::ZERO).whole(self.tti));
        let members = &self.members;
        let ue = |id| members[members.partition_point(|(known, _)| *known < id)].1;
        let grants = self.multiplexer.select(room, |id| waiting(ue(id)));
        self.granted.clear();
        self.granted.extend(grants.iter().map(|grant| (ue(grant.channel), grant.blocks)));
        grants.iter().map(|grant| grant.blocks).sum()
    }

    /// When MAC must decide next for a UE that has something to send from `wish` on.
    pub(super) fn decision(&self, now: Time, wish: Time) -> Time {
        let start = if wish.is_multiple_of(self.tti) { wish } else { wish.next_multiple(self.tti) };
        let before = Time::ZERO + start.saturating_since(Time::ZERO + self.tti);
        before.max(now.next_multiple(self.tti))
    }

    /// The UEs on it.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> {
        self.members.iter().map(|(_, ue)| *ue)
    }

    /// How many blocks fit in a second.
    pub(super) fn capacity(&self) -> u32 {
        self.blocks.before(Duration::from_secs(1).whole(self.tti)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    const TTI: Duration = Duration::from_millis(10);

    fn shared(common: &mut Common, waiting: &[u32]) -> Vec<(u32, u32)> {
        common.share(at(10), |ue| waiting[ue as usize]);
        common.granted.clone()
    }

    #[test]
    fn members_take_turns_and_may_leave() {
        let mut fach = Common::new(TTI, Blocks::every_tti(1));
        for ue in 0..3 {
            fach.join(ue);
        }
        let order: Vec<u32> = (0..4).map(|_| shared(&mut fach, &[1, 1, 1])[0].0).collect();
        assert_eq!(order, [0, 1, 2, 0]);
        fach.leave(1);
        let order: Vec<u32> = (0..3).map(|_| shared(&mut fach, &[1, 1, 1])[0].0).collect();
        assert_eq!(order, [2, 0, 2]);
        assert_eq!(shared(&mut fach, &[0, 1, 0]), [], "who left gets nothing");
    }

    #[test]
    fn a_decision_comes_a_tti_ahead_and_never_now() {
        let fach = Common::new(TTI, Blocks::every_tti(1));
        assert_eq!(fach.decision(at(3), at(3)), at(10));
        assert_eq!(fach.decision(at(10), at(10)), at(20));
        assert_eq!(fach.decision(at(10), at(95)), at(90));
    }
}
