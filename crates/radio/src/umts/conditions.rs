//! The state of a bearer's channels over time.

use base::{Direction, Duration, Probability, Time};
use settings::words;

use super::{Blocks, Channel, DchConfig};

/// The state of the channel of one direction. It applies to whole TTIs: what is on the air when it
/// changes arrives as it was sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChannelState {
    /// How many blocks a TTI carries. With `Blocks::NONE` the direction sleeps.
    pub blocks: Blocks,
    /// How often a block is in error.
    pub tbler: BlockErrorRate,
}

/// The transport block error rate: each block of a TTI is in error with this probability,
/// independently of all others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BlockErrorRate {
    /// The same at all times.
    Constant(Probability),
    /// Drawn uniformly for each frame of 10 ms. A block is interleaved over all frames of its TTI
    /// (TS 25.212 §4.2.5), so a longer TTI has the mean of its frames.
    Drawn {
        /// At least this.
        low: Probability,
        /// At most this.
        high: Probability,
    },
}

impl BlockErrorRate {
    /// Everything arrives.
    pub(super) const NONE: Self = Self::Constant(Probability::NEVER);

    /// Nothing arrives.
    pub const LOST: Self = Self::Constant(Probability::ALWAYS);
}

impl From<Probability> for BlockErrorRate {
    fn from(tbler: Probability) -> Self {
        Self::Constant(tbler)
    }
}

words! {
    /// What decides whether a block arrives.
    pub enum Dpcch {
        /// Data and control channel of a slot succeed or fail together: one draw.
        WithData = "with-data",
        /// The control channel fails on its own with the same probability, and the block with it:
        /// one draw for the DPDCH, one for the DPCCH, which is shared by the blocks that go side
        /// by side over several DPDCHs.
        Apart = "apart",
    }
}

/// Whether the mobile is reached at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// It is.
    There,
    /// Every block of both directions is in error.
    Lost,
}

/// A span of time in which neither direction sends. What is on the air when it begins arrives, and
/// nothing is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// Its beginning.
    pub from: Time,
    /// Its end, exclusive.
    pub to: Time,
    /// How it ends.
    pub end: End,
}

/// How an interruption ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Everything continues as before: a delay spike (RFC 3481 §2.4).
    Continuation,
    /// The link control is re-established at both ends: a hard handover with relocation.
    Relocation,
}

/// The channels of both directions over time, as a configuration says.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    changes: Vec<ConditionChange>,
    /// How many have been taken.
    begun: usize,
    /// When the next change comes.
    next: Option<Time>,
}

/// The channel states from a time on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConditionChange {
    pub(crate) at: Time,
    pub(crate) downlink: ChannelState,
    pub(crate) uplink: ChannelState,
    /// The end of the interruption before.
    pub(crate) end: End,
}

impl ConditionChange {
    /// The channel of `direction` from then on.
    pub(crate) fn of(&self, direction: Direction) -> ChannelState {
        direction.of(self.downlink, self.uplink)
    }
}

impl Timeline {
    /// The state at the time `from`, and the changes that follow.
    pub(crate) fn new(config: &DchConfig, from: Time) -> (ConditionChange, Self) {
        let payload = config.rlc.block_bytes();
        let change = |at| {
            let lost = config.coverage.at(at) == Coverage::Lost;
            let gap = config.interruptions.iter().any(|gap| gap.from <= at && at < gap.to);
            let state = |channel: &Channel| ChannelState {
                blocks: if gap { Blocks::NONE } else { channel.blocks_at(at, payload) },
                tbler: if lost { BlockErrorRate::LOST } else { channel.tbler.at(at) },
            };
            let relocates = |gap: &Interruption| gap.to == at && gap.end == End::Relocation;
            ConditionChange {
                at,
                downlink: state(&config.downlink),
                uplink: state(&config.uplink),
                end: if config.interruptions.iter().any(relocates) {
                    End::Relocation
                } else {
                    End::Continuation
                },
            }
        };
        let mut times: Vec<Time> = config.coverage.changes().collect();
        for channel in [&config.downlink, &config.uplink] {
            times.extend(channel.rate.changes().chain(channel.tbler.changes()));
        }
        times.extend(config.interruptions.iter().flat_map(|gap| [gap.from, gap.to]));
        times.retain(|at| *at > from);
        times.sort_unstable();
        times.dedup();
        let next = times.first().copied();
        let changes = times.into_iter().map(change).collect();
        (change(from), Self { changes, begun: 0, next })
    }

    /// Takes the next change, if it has come by `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<ConditionChange> {
        let change = self.pending().first().filter(|change| change.at <= now).copied()?;
        self.begun += 1;
        self.next = self.pending().first().map(|change| change.at);
        Some(change)
    }

    /// When the next change comes.
    pub(crate) const fn next(&self) -> Option<Time> {
        self.next
    }

    /// True if a change has come by `now`.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.next.is_some_and(|next| next <= now)
    }

    /// How many blocks a TTI of `direction` will carry at `time`, given the changes of rate that
    /// have not been taken. Interruptions do not count.
    pub(crate) fn blocks_at(&self, time: Time, direction: Direction) -> Option<Blocks> {
        let coming = self.pending().iter().take_while(|change| change.at <= time);
        coming.map(|change| change.of(direction).blocks).filter(|blocks| !blocks.is_none()).last()
    }

    /// The changes that have not been taken, in order of time.
    pub(crate) fn pending(&self) -> &[ConditionChange] {
        &self.changes[self.begun..]
    }
}

/// A radio frame (TS 25.211 §5): a drawn error rate lasts for one, and links are monitored once in
/// each.
pub(crate) const FRAME: Duration = Duration::from_millis(10);
