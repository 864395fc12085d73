//! The parameters of a network of cells.

use base::{Direction, Duration, Rate};
use mobility::motion::Motion;
use settings::{OfTime, Speed, section};

use crate::PowerModel;
use crate::umts::admission::AdmissionLimits;
use crate::umts::channels::spreading::{Sf, SpreadingFactor, SpreadingTable};
use crate::umts::handover::{Mobility, Topology};
use crate::umts::interference::{Air, Antenna};
use crate::umts::power::POWER_STATES;
use crate::umts::rrc::{self, Dedicated};
use crate::umts::{BlockErrorRate, DchConfig};

/// A network of cells and the UEs in it.
#[derive(Clone, Debug)]
pub struct CellConfig {
    /// What the bearers have in common: TTIs, queues, PDCP and RLC. The network sets rates and
    /// error rates.
    pub bearer: DchConfig,
    /// The antenna of each cell.
    pub cells: Vec<Antenna>,
    /// The UEs.
    pub ues: Vec<UeConfig>,
    /// How connections come and go, alike for all.
    pub rrc: rrc::RrcConfig,
    /// What the radio of each UE draws.
    pub power: PowerModel<POWER_STATES>,
    /// The channels of a direction in which no flow asks for a rate.
    pub dedicated: Dedicated,
    /// Which rate a spreading factor gives.
    pub spreading: SpreadingTable,
    /// The shared channel downlink.
    pub fach: Fach,
    /// The shared channel uplink.
    pub rach: Rach,
    /// The limits of admission control.
    pub admission: AdmissionLimits,
    /// Powers, noise and path loss, and where the error rates of blocks come from.
    pub interference: Air,
    /// Where each cell belongs.
    pub topology: Topology,
    /// How UEs go from cell to cell. The margin for a hard handover is also that of cell
    /// reselection, the weakest pilot that of TS 25.304 §5.2.6 (Qqualmin).
    pub mobility: Mobility,
}

/// A UE.
#[derive(Clone, PartialEq, Debug)]
pub struct UeConfig {
    /// Its name; its random streams are named after it.
    pub name: String,
    /// Its motion.
    pub motion: Motion,
    /// What each of its flows asks for.
    pub flows: Vec<(Direction, Rate)>,
    /// Block error rates, downlink and uplink, if they do not depend on the position.
    pub tbler: [BlockErrorRate; 2],
}

section! {
    /// `[radio.fach]`: the shared channel downlink.
    pub struct Fach {
        /// RLC payload per time, without RLC headers, for all mobiles of a cell together. Default:
        /// FACH for packet data of TS 34.108.
        pub rate: Rate as Speed = Rate::from_bps(32_000);
        /// Spreading factor of the channel that carries it; it takes its code from the tree.
        pub sf: SpreadingFactor as Sf = SpreadingFactor::ALL[3];
    }
}

section! {
    /// `[radio.rach]`: the shared channel uplink.
    pub struct Rach {
        /// RLC payload per time, without RLC headers, for all mobiles of a cell together.
        pub rate: Rate as Speed = Rate::from_bps(16_000);
        /// From having something to send to the first block: preambles and their acknowledgement.
        pub access_delay: Duration as OfTime = Duration::from_millis(40);
    }
}
