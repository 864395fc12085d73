//! The states of an RRC connection and what moves it between them.

use base::words;

words! {
    /// The RRC states of a mobile (TS 25.331 §7.1, figure 7.1-1).
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum RrcState {
        /// No connection.
        #[default]
        Idle = "idle",
        /// Dedicated channels of both directions.
        CellDch = "cell-dch",
        /// The shared channels: FACH downlink, RACH uplink.
        CellFach = "cell-fach",
        /// No channel; paged in its cell.
        CellPch = "cell-pch",
        /// No channel; paged in a registration area of several cells.
        UraPch = "ura-pch",
    }
}

words! {
    /// What happens to an RRC connection.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum RrcEvent {
        /// The mobile has data to send (without a connection: it requests one).
        UplinkData = "uplink data",
        /// The network has data for the mobile (without a channel, it pages it).
        DownlinkData = "downlink data",
        /// The mobile heard its page and answers.
        Paged = "paged",
        /// The connection is set up on dedicated channels.
        ConnectedOnDch = "connected on DCH",
        /// The connection is set up on the shared channels.
        ConnectedOnFach = "connected on FACH",
        /// Admission control refused dedicated channels.
        Refused = "admission refused",
        /// More than a threshold waits in an RLC buffer (event 4a, TS 25.331 §14.4.2.1).
        TrafficVolume = "traffic volume",
        /// Dedicated channels of both directions are open.
        DchOpened = "DCH opened",
        /// Nothing was sent for the time that the state allows.
        Inactivity = "inactivity",
        /// The network ended the dedicated channels and keeps the mobile on the shared ones.
        SentToFach = "sent to FACH",
        /// The network, with nothing to send, puts the mobile into [`RrcState::CellPch`].
        SentToCellPch = "sent to CELL_PCH",
        /// The same, into [`RrcState::UraPch`].
        SentToUraPch = "sent to URA_PCH",
        /// The mobile chose another cell.
        CellReselected = "cell reselected",
        /// The mobile chose another cell, in another registration area.
        UraReselected = "URA reselected",
        /// The network confirmed a cell or URA update.
        UpdateConfirmed = "update confirmed",
        /// The radio links of the dedicated channels are lost (T313 ran out).
        RadioLinkFailure = "radio link failure",
        /// The mobile found no cell for as long as its timer (T307, T314, T317) allows.
        OutOfService = "out of service",
        /// The network releases the connection.
        Released = "released",
    }
}
