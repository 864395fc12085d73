//! The transition table of RRC (TS 25.331 §7.1, figure 7.1-1; thesis figure II.5).

use observe::RrcEvent as Event;
use observe::RrcState as State;

/// What follows from an event in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Transition {
    /// The state after it, often the same.
    pub(super) to: State,
    /// What begins with it and takes time.
    pub(super) start: Option<Procedure>,
}

/// An exchange between UE and network that takes time and ends in an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Procedure {
    /// Paging type 1 (TS 25.331 §8.1.2); ends in [`Event::Paged`].
    Paging,
    /// RRC connection establishment (§8.1.3); ends in [`Event::ConnectedOnDch`] or
    /// [`Event::ConnectedOnFach`].
    ConnectionSetup,
    /// Radio bearer reconfiguration to dedicated channels (§8.2.2); ends in [`Event::DchOpened`] or
    /// [`Event::Refused`].
    DchSetup,
    /// Radio bearer reconfiguration to the shared channels (§8.2.2); ends in
    /// [`Event::SentToFach`].
    DchRelease,
    /// Cell or URA update (§8.3.1); ends in [`Event::UpdateConfirmed`].
    Update,
}

impl Procedure {
    /// In words.
    #[cfg(test)]
    const fn name(self) -> &'static str {
        match self {
            Self::Paging => "paging",
            Self::ConnectionSetup => "connection set-up",
            Self::DchSetup => "DCH set-up",
            Self::DchRelease => "DCH release",
            Self::Update => "cell or URA update",
        }
    }
}

/// An event that cannot happen in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Illegal {
    /// The state.
    pub(super) state: State,
    /// The event.
    pub(super) event: Event,
    /// Why not.
    pub(super) why: &'static str,
}

impl std::fmt::Display for Illegal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}: {}", self.event.name(), self.state.name(), self.why)
    }
}

impl std::error::Error for Illegal {}

/// What follows from `event` in `state`.
///
/// # Errors
/// If it cannot happen there.
pub(super) const fn next(state: State, event: Event) -> Result<Transition, Illegal> {
    let row = match state {
        State::Idle => idle(event),
        State::CellDch => dch(event),
        State::CellFach => fach(event),
        State::CellPch | State::UraPch => pch(state, event),
    };
    match row {
        Ok(transition) => Ok(transition),
        Err(why) => Err(Illegal { state, event, why }),
    }
}

type Row = Result<Transition, &'static str>;

const fn to(to: State) -> Transition {
    Transition { to, start: None }
}

const fn begin(to: State, procedure: Procedure) -> Transition {
    Transition { to, start: Some(procedure) }
}

const NOT_CONNECTED: &str = "there is no connection";
const CONNECTED: &str = "the connection is there already";
const NOT_PAGED: &str = "a UE with a channel is not paged on PCH";
const NO_CHANNEL: &str = "nothing can be sent before a cell update";
const NOT_ASKED: &str = "no dedicated channels were asked for";
const NOT_DEDICATED: &str = "there are no dedicated channels";
const NETWORK_MOVES: &str = "on dedicated channels the network moves the UE, by handover";
const NO_UPDATE: &str = "no update is under way";

/// §7.1: in idle mode UTRAN knows nothing of the UE; it may request a connection or be paged by
/// the core network, and changes cells as it likes.
const fn idle(event: Event) -> Row {
    match event {
        Event::UplinkData | Event::Paged => Ok(begin(State::Idle, Procedure::ConnectionSetup)),
        Event::DownlinkData => Ok(begin(State::Idle, Procedure::Paging)),
        Event::ConnectedOnDch => Ok(to(State::CellDch)),
        Event::ConnectedOnFach => Ok(to(State::CellFach)),
        Event::Refused | Event::CellReselected | Event::UraReselected | Event::OutOfService => {
            Ok(to(State::Idle))
        }
        Event::TrafficVolume
        | Event::DchOpened
        | Event::Inactivity
        | Event::SentToFach
        | Event::SentToCellPch
        | Event::SentToUraPch
        | Event::UpdateConfirmed
        | Event::RadioLinkFailure
        | Event::Released => Err(NOT_CONNECTED),
    }
}

/// §7.2.2.1: dedicated channels of both directions.
const fn dch(event: Event) -> Row {
    match event {
        Event::UplinkData | Event::DownlinkData | Event::TrafficVolume => Ok(to(State::CellDch)),
        Event::Inactivity => Ok(begin(State::CellDch, Procedure::DchRelease)),
        Event::SentToFach => Ok(to(State::CellFach)),
        Event::SentToCellPch => Ok(to(State::CellPch)),
        Event::SentToUraPch => Ok(to(State::UraPch)),
        // §8.5.6, §8.3.1.2: the UE selects a cell and sends CELL UPDATE from CELL_FACH.
        Event::RadioLinkFailure => Ok(begin(State::CellFach, Procedure::Update)),
        Event::Released => Ok(to(State::Idle)),
        Event::Paged => Err(NOT_PAGED),
        Event::ConnectedOnDch | Event::ConnectedOnFach | Event::DchOpened => Err(CONNECTED),
        Event::Refused => Err(NOT_ASKED),
        Event::CellReselected | Event::UraReselected => Err(NETWORK_MOVES),
        Event::UpdateConfirmed => Err(NO_UPDATE),
        Event::OutOfService => Err("the radio links fail first"),
    }
}

/// §7.2.2.2: RACH and FACH.
const fn fach(event: Event) -> Row {
    match event {
        Event::UplinkData | Event::DownlinkData | Event::Refused | Event::UpdateConfirmed => {
            Ok(to(State::CellFach))
        }
        Event::TrafficVolume => Ok(begin(State::CellFach, Procedure::DchSetup)),
        Event::DchOpened => Ok(to(State::CellDch)),
        Event::Inactivity | Event::SentToCellPch => Ok(to(State::CellPch)),
        Event::SentToUraPch => Ok(to(State::UraPch)),
        Event::CellReselected | Event::UraReselected => {
            Ok(begin(State::CellFach, Procedure::Update))
        }
        Event::OutOfService | Event::Released => Ok(to(State::Idle)),
        Event::Paged => Err(NOT_PAGED),
        Event::ConnectedOnDch | Event::ConnectedOnFach => Err(CONNECTED),
        Event::SentToFach | Event::RadioLinkFailure => Err(NOT_DEDICATED),
    }
}

/// §7.2.2.3: for any uplink activity the UE moves to `CELL_FACH`, with a cell update (§8.3.1.2).
/// §7.2.2.4: in `URA_PCH` a new cell is reported only with a new registration area.
const fn pch(state: State, event: Event) -> Row {
    match event {
        Event::CellReselected if matches!(state, State::UraPch) => Ok(to(State::UraPch)),
        Event::UplinkData | Event::Paged | Event::CellReselected | Event::UraReselected => {
            Ok(begin(State::CellFach, Procedure::Update))
        }
        Event::DownlinkData => Ok(begin(state, Procedure::Paging)),
        // Released by a page that says so (§8.1.4.1).
        Event::Inactivity | Event::OutOfService | Event::Released => Ok(to(State::Idle)),
        Event::ConnectedOnDch | Event::ConnectedOnFach => Err(CONNECTED),
        Event::Refused | Event::DchOpened => Err(NOT_ASKED),
        Event::TrafficVolume | Event::SentToCellPch | Event::SentToUraPch => Err(NO_CHANNEL),
        Event::SentToFach | Event::RadioLinkFailure => Err(NOT_DEDICATED),
        Event::UpdateConfirmed => Err(NO_UPDATE),
    }
}

#[cfg(test)]
mod tests;
