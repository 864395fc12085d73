//! `[radio.power]`: what the radio of a mobile draws.

use base::{EnergyPerBit, Power};
use settings::{PerBit, Watts, section, words};

use super::rrc::Times;
use crate::{Meter, PowerModel};

words! {
    /// The states of a mobile that differ in power.
    pub enum PowerState {
        /// Power saving mode: it hears nothing.
        Psm = "psm",
        /// No connection; it listens for pages.
        Idle = "idle",
        /// The connection is suspended; it listens for pages.
        Inactive = "inactive",
        /// It connects.
        Promotion = "promotion",
        /// Connected, and it listens always.
        Active = "active",
        /// Connected, and it listens from time to time.
        Tail = "tail",
    }
}

/// How many there are.
pub(crate) const POWER_STATES: usize = PowerState::ALL.len();

/// The meter of a mobile.
pub(super) type StateMeter = Meter<PowerState, POWER_STATES>;

section! {
    /// `[radio.power]` of a mobile whose base station decides who sends. Defaults: an LTE phone of
    /// 2012 (Huang et al., MobiSys 2012, as AT&T ARO has it; `docs/models/energy.md`).
    pub struct Keys {
        /// What a mobile's radio draws without a connection, and while it is suspended. Default:
        /// 0.594 W for 43 ms of each paging cycle of 1.28 s; our choice.
        pub idle: Power as Watts = Power::from_milliwatts(20);
        /// What a mobile's radio draws while it connects.
        pub promotion: Power as Watts = Power::from_milliwatts(1210);
        /// What a mobile's radio draws while it listens always, without what it carries.
        pub active: Power as Watts = Power::from_milliwatts(1288);
        /// What a mobile's radio draws in the mean while it sleeps from time to time.
        pub tail: Power as Watts = Power::from_milliwatts(1060);
        /// What the radio draws in power saving mode, and between windows of extended cycles.
        /// Default: that of NB-IoT, near what TR 45.820 §5.4 assumes for the life of a battery.
        pub psm: Power as Watts = Power::from_microwatts(15);
        /// What a mobile's radio takes in addition to receive a bit of a block; 1 nJ/bit is 1 mW
        /// per Mbit/s.
        pub downlink: EnergyPerBit as PerBit = EnergyPerBit::from_nanojoules(52);
        /// What a mobile's radio takes in addition to send a bit of a block.
        pub uplink: EnergyPerBit as PerBit = EnergyPerBit::from_nanojoules(438);
    }
}

impl Keys {
    /// What is drawn in each state that connections of such `times` have.
    pub(crate) fn model(&self, times: Option<&Times>) -> PowerModel<POWER_STATES> {
        let paging = times.map(|times| times.idle.paging);
        let within = self.idle.as_microwatts() as f64;
        let states = PowerState::ALL.map(|state| match state {
            PowerState::Psm => paging.and_then(|paging| paging.psm).map(|_| self.psm),
            PowerState::Idle => {
                Some(paging.map_or(self.idle, |paging| paging.mean(within, self.psm)))
            }
            PowerState::Inactive => times.and_then(|times| times.inactive).map(|_| self.idle),
            PowerState::Promotion => Some(self.promotion),
            PowerState::Active => Some(self.active),
            PowerState::Tail => Some(self.tail),
        });
        PowerModel { states, per_bit: [self.downlink, self.uplink] }
    }
}
