//! What a mobile does, and what comes after it.

use base::Direction;

use super::power::PowerState;

/// What a mobile does. It sends or receives, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It has no connection.
    Idle,
    /// So too, and the network waits for it to listen for a page.
    Paged,
    /// It looks for the carrier, and reads what that says of itself.
    Synchronizing,
    /// It waits for a turn to send a preamble.
    Awaiting,
    /// It sends a preamble.
    Preamble,
    /// Its preamble was not heard, which it has yet to learn.
    Contention,
    /// It knows, and waits before it tries again.
    Backoff,
    /// It was not heard as often as it may try: it waits before it connects anew.
    Failed,
    /// It looks for what the base station tells it.
    Listening,
    /// It is told of a block in a direction.
    Control(Direction),
    /// It turns to the block.
    Lead(Direction),
    /// The block is on the air.
    Block(Direction),
    /// It has received a block and turns to its acknowledgement.
    Turn,
    /// It sends the acknowledgement.
    Ack,
    /// It has sent, and turns to listening.
    Rest,
}

impl Stage {
    /// What follows when its time is over.
    pub(super) const fn next(self) -> Self {
        match self {
            Self::Paged | Self::Failed => Self::Synchronizing,
            Self::Synchronizing | Self::Backoff => Self::Awaiting,
            Self::Awaiting => Self::Preamble,
            Self::Contention => Self::Backoff,
            Self::Control(direction) => Self::Lead(direction),
            Self::Lead(direction) => Self::Block(direction),
            Self::Block(Direction::Downlink) => Self::Turn,
            Self::Block(Direction::Uplink) | Self::Ack => Self::Rest,
            Self::Turn => Self::Ack,
            Self::Preamble | Self::Rest | Self::Listening => Self::Listening,
            Self::Idle => Self::Idle,
        }
    }

    /// What its radio does; `sleeps` says whether one without a connection is in power saving mode.
    pub(super) const fn power(self, sleeps: bool) -> PowerState {
        match self {
            Self::Idle | Self::Paged if sleeps => PowerState::Psm,
            Self::Idle | Self::Paged | Self::Backoff | Self::Failed => PowerState::Idle,
            Self::Preamble | Self::Block(Direction::Uplink) | Self::Ack => PowerState::Transmit,
            Self::Block(Direction::Downlink) => PowerState::Receive,
            Self::Synchronizing
            | Self::Awaiting
            | Self::Contention
            | Self::Listening
            | Self::Control(_)
            | Self::Lead(_)
            | Self::Turn
            | Self::Rest => PowerState::Listen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOWN: Direction = Direction::Downlink;
    const UP: Direction = Direction::Uplink;

    /// All stages, each with the next one and its power.
    #[test]
    fn stages_follow_each_other() {
        use PowerState::{Idle, Listen, Receive, Transmit};
        let table = [
            (Stage::Idle, Stage::Idle, Idle),
            (Stage::Paged, Stage::Synchronizing, Idle),
            (Stage::Synchronizing, Stage::Awaiting, Listen),
            (Stage::Awaiting, Stage::Preamble, Listen),
            (Stage::Preamble, Stage::Listening, Transmit),
            (Stage::Contention, Stage::Backoff, Listen),
            (Stage::Backoff, Stage::Awaiting, Idle),
            (Stage::Failed, Stage::Synchronizing, Idle),
            (Stage::Listening, Stage::Listening, Listen),
            (Stage::Control(DOWN), Stage::Lead(DOWN), Listen),
            (Stage::Control(UP), Stage::Lead(UP), Listen),
            (Stage::Lead(DOWN), Stage::Block(DOWN), Listen),
            (Stage::Lead(UP), Stage::Block(UP), Listen),
            (Stage::Block(DOWN), Stage::Turn, Receive),
            (Stage::Block(UP), Stage::Rest, Transmit),
            (Stage::Turn, Stage::Ack, Listen),
            (Stage::Ack, Stage::Rest, Transmit),
            (Stage::Rest, Stage::Listening, Listen),
        ];
        for (stage, next, power) in table {
            assert_eq!((stage.next(), stage.power(false)), (next, power), "{stage:?}");
            let asleep = matches!(stage, Stage::Idle | Stage::Paged);
            let expect = if asleep { PowerState::Psm } else { power };
            assert_eq!(stage.power(true), expect, "{stage:?}");
        }
    }
}
