//! What the channels of a bearer are like, and how that changes over time.

use base::{Direction, Duration, Probability, Time};
use settings::words;

use super::{Blocks, Channel, DchConfig};

/// What the channel of one direction is like. It holds for whole TTIs: what is on the air when it
/// changes arrives as it was sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChannelState {
    /// What a TTI has room for. With [`Blocks::NONE`] the direction sleeps.
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
    /// (TS 25.212 §4.2.5), so in a longer TTI the mean of its frames holds.
    Drawn {
        /// At least this.
        low: Probability,
        /// At most this.
        high: Probability,
    },
}

impl BlockErrorRate {
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
    /// The first moment.
    pub from: Time,
    /// The moment after the last.
    pub to: Time,
    /// What it ends with.
    pub end: End,
}

/// What an interruption ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All goes on as it was: a delay spike (RFC 3481 §2.4).
    Continuation,
    /// The link control starts anew at both ends: a hard handover with relocation.
    Relocation,
}

/// The channels of both directions over time, as a configuration says.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    changes: Vec<Change>,
    /// How many have come.
    begun: usize,
    /// When the next comes.
    next: Option<Time>,
}

/// What holds from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) at: Time,
    pub(crate) downlink: ChannelState,
    pub(crate) uplink: ChannelState,
    pub(crate) relocation: Relocation,
}

/// Whether the link control starts anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relocation {
    /// It does.
    Now,
    /// It goes on.
    None,
}

impl Change {
    /// The channel of `direction` from then on.
    pub(crate) fn of(&self, direction: Direction) -> ChannelState {
        direction.of(self.downlink, self.uplink)
    }
}

impl Timeline {
    /// What holds at the start, and the changes that follow.
    pub(crate) fn new(config: &DchConfig) -> (Change, Self) {
        let payload = config.rlc.block_bytes();
        let change = |at| {
            let lost = config.coverage.at(at) == Coverage::Lost;
            let gap = config.interruptions.iter().any(|gap| gap.from <= at && at < gap.to);
            let state = |channel: &Channel| ChannelState {
                blocks: if gap { Blocks::NONE } else { channel.blocks_at(at, payload) },
                tbler: if lost { BlockErrorRate::LOST } else { channel.tbler.at(at) },
            };
            let ends = |gap: &Interruption| gap.to == at && gap.end == End::Relocation;
            Change {
                at,
                downlink: state(&config.downlink),
                uplink: state(&config.uplink),
                relocation: if config.interruptions.iter().any(ends) {
                    Relocation::Now
                } else {
                    Relocation::None
                },
            }
        };
        let mut times: Vec<Time> = config.coverage.changes().collect();
        for channel in [&config.downlink, &config.uplink] {
            times.extend(channel.rate.changes().chain(channel.tbler.changes()));
        }
        times.extend(config.interruptions.iter().flat_map(|gap| [gap.from, gap.to]));
        times.retain(|at| *at > Time::ZERO);
        times.sort_unstable();
        times.dedup();
        let next = times.first().copied();
        let changes = times.into_iter().map(change).collect();
        (change(Time::ZERO), Self { changes, begun: 0, next })
    }

    /// Takes the next change, if it has come by `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<Change> {
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

    /// What a TTI of `direction` will have room for at `time`, as far as changes of rate are known
    /// that have not been taken. An interruption is none.
    pub(crate) fn blocks_at(&self, time: Time, direction: Direction) -> Option<Blocks> {
        let coming = self.pending().iter().take_while(|change| change.at <= time);
        coming.map(|change| change.of(direction).blocks).filter(|blocks| !blocks.is_none()).last()
    }

    /// The changes that have not been taken, in order of time.
    pub(crate) fn pending(&self) -> &[Change] {
        &self.changes[self.begun..]
    }
}

/// A radio frame (TS 25.211 §5): an error rate that is drawn holds for one, and links are monitored
/// once in each.
pub(crate) const FRAME: Duration = Duration::from_millis(10);
