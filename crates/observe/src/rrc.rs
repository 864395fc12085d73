//! The states of an RRC connection and what moves it between them.

/// The RRC states of a mobile (TS 25.331 §7.1, figure 7.1-1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum RrcState {
    /// No connection.
    #[default]
    Idle,
    /// Dedicated channels of both directions.
    CellDch,
    /// The shared channels: FACH downlink, RACH uplink.
    CellFach,
    /// No channel; paged in its cell.
    CellPch,
    /// No channel; paged in a registration area of several cells.
    UraPch,
}

impl RrcState {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Idle, Self::CellDch, Self::CellFach, Self::CellPch, Self::UraPch];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::CellDch => "cell-dch",
            Self::CellFach => "cell-fach",
            Self::CellPch => "cell-pch",
            Self::UraPch => "ura-pch",
        }
    }
}

/// What happens to an RRC connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RrcEvent {
    /// The mobile has data to send (without a connection: it requests one).
    UplinkData,
    /// The network has data for the mobile (without a channel: it pages).
    DownlinkData,
    /// The mobile heard its page and answers.
    Paged,
    /// The connection is set up on dedicated channels.
    ConnectedOnDch,
    /// The connection is set up on the shared channels.
    ConnectedOnFach,
    /// Admission control refused dedicated channels.
    Refused,
    /// More than a threshold waits in an RLC buffer (event 4a, TS 25.331 §14.4.2.1).
    TrafficVolume,
    /// Dedicated channels of both directions are open.
    DchOpened,
    /// Nothing was sent for the time that the state allows.
    Inactivity,
    /// The network ended the dedicated channels and keeps the mobile on the shared ones.
    SentToFach,
    /// The network, with nothing to send, puts the mobile into [`RrcState::CellPch`].
    SentToCellPch,
    /// The same, into [`RrcState::UraPch`].
    SentToUraPch,
    /// The mobile chose another cell.
    CellReselected,
    /// The mobile chose another cell, in another registration area.
    UraReselected,
    /// The network confirmed a cell or URA update.
    UpdateConfirmed,
    /// The radio links of the dedicated channels are lost (T313 ran out).
    RadioLinkFailure,
    /// The mobile found no cell for as long as its timer (T307, T314, T317) allows.
    OutOfService,
    /// The network releases the connection.
    Released,
}

impl RrcEvent {
    /// Every event, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::UplinkData,
        Self::DownlinkData,
        Self::Paged,
        Self::ConnectedOnDch,
        Self::ConnectedOnFach,
        Self::Refused,
        Self::TrafficVolume,
        Self::DchOpened,
        Self::Inactivity,
        Self::SentToFach,
        Self::SentToCellPch,
        Self::SentToUraPch,
        Self::CellReselected,
        Self::UraReselected,
        Self::UpdateConfirmed,
        Self::RadioLinkFailure,
        Self::OutOfService,
        Self::Released,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UplinkData => "uplink data",
            Self::DownlinkData => "downlink data",
            Self::Paged => "paged",
            Self::ConnectedOnDch => "connected on DCH",
            Self::ConnectedOnFach => "connected on FACH",
            Self::Refused => "admission refused",
            Self::TrafficVolume => "traffic volume",
            Self::DchOpened => "DCH opened",
            Self::Inactivity => "inactivity",
            Self::SentToFach => "sent to FACH",
            Self::SentToCellPch => "sent to CELL_PCH",
            Self::SentToUraPch => "sent to URA_PCH",
            Self::CellReselected => "cell reselected",
            Self::UraReselected => "URA reselected",
            Self::UpdateConfirmed => "update confirmed",
            Self::RadioLinkFailure => "radio link failure",
            Self::OutOfService => "out of service",
            Self::Released => "released",
        }
    }
}
