//! Parameters of radio resource control.

use base::Duration;
use observe::RrcState;

use super::Dedicated;
use crate::umts::channels::spreading::SpreadingTable;

/// The parameters of one UE's RRC.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Where a UE begins. In [`RrcState::CellDch`] it asks for its channels at once.
    pub initial: RrcState,
    /// From RRC CONNECTION REQUEST to the first block on the new channel, without paging.
    pub setup_delay: Duration,
    /// From the decision for dedicated channels to their first block, with a connection.
    pub dch_delay: Duration,
    /// From the decision against dedicated channels until they close.
    pub release_delay: Duration,
    /// A cell or URA update, from CELL UPDATE to its confirmation. Nothing is carried meanwhile.
    pub update_delay: Duration,
    /// How long a page waits for the UE to listen: half a DRX cycle on average (TS 25.304 §8.3).
    pub paging_delay: Duration,
    /// How long each state bears quiet.
    pub inactivity: Inactivity,
    /// What ends quiet.
    pub activity: Activity,
    /// What a new connection gets.
    pub first_channel: FirstChannel,
    /// Where quiet on dedicated channels leads.
    pub after_dch: AfterDch,
    /// Where quiet on the shared channels leads.
    pub rest: Rest,
    /// When shared channels no longer do.
    pub traffic_volume: TrafficVolume,
    /// After so many cell updates in a row without data the UE is put into `URA_PCH`; `None`:
    /// never.
    pub updates_before_ura: Option<u32>,
    /// How long a UE without any cell keeps its connection (T307, T314, T315, T317).
    pub out_of_service: Duration,
    /// The channels of a direction in which no flow asks for a rate.
    pub dedicated: Dedicated,
    /// Which rate a spreading factor gives.
    pub spreading: SpreadingTable,
}

/// How long each state bears quiet; `None` is for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inactivity {
    /// In `CELL_DCH`.
    pub dch: Option<Duration>,
    /// In `CELL_FACH`.
    pub fach: Option<Duration>,
    /// In `CELL_PCH` and `URA_PCH`.
    pub pch: Option<Duration>,
}

/// What counts as activity (Hynderick and Raes 2004, III.B, third set, modification 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// Packets from above. Retransmissions of RLC are quiet, so that a poor radio can end the
    /// channels in the midst of a transfer.
    Sdu,
    /// Whatever RLC sends, retransmissions and control included.
    Pdu,
}

/// What a new connection gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstChannel {
    /// Dedicated channels; shared ones if those are refused.
    Dedicated,
    /// Shared channels; dedicated ones when the traffic volume asks for them.
    Shared,
}

/// Where quiet on dedicated channels leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterDch {
    /// To the shared channels.
    Shared,
    /// The connection is released.
    Release,
}

/// Where quiet on the shared channels leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// To `CELL_PCH`.
    CellPch,
    /// To `URA_PCH`.
    UraPch,
    /// The connection is released.
    Release,
}

/// The traffic volume that asks for dedicated channels (event 4a, TS 25.331 §14.4.2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrafficVolume {
    /// More bytes than these wait downlink.
    pub downlink: u64,
    /// More bytes than these wait uplink.
    pub uplink: u64,
    /// They must do so for so long (time to trigger).
    pub time_to_trigger: Duration,
    /// After a refusal, how long until the next trigger counts (pending time after trigger).
    pub pending_time: Duration,
}
