//! `[radio.power]`: what the radio of a UMTS mobile draws.

use base::{EnergyPerBit, Power};
use observe::RrcState;
use settings::{Flat, PerBit, Watts, section, words};

use super::rrc::Procedure;
use crate::{Meter, PowerModel};

words! {
    /// The states of a mobile that differ in power: those of RRC, and what leads from a lower one
    /// to a higher.
    pub enum PowerState {
        /// No connection.
        Idle = "idle",
        /// No connection yet: it is being set up.
        ConnectionSetup = "connection-setup",
        /// Paged in its cell.
        CellPch = "cell-pch",
        /// Paged in a registration area.
        UraPch = "ura-pch",
        /// On the shared channels.
        CellFach = "cell-fach",
        /// On the shared channels, while dedicated ones are being set up.
        DchSetup = "dch-setup",
        /// On dedicated channels.
        CellDch = "cell-dch",
    }
}

/// How many there are.
pub(super) const POWER_STATES: usize = PowerState::ALL.len();

/// The meter of a mobile whose connection comes and goes.
pub(super) type RrcMeter = Meter<PowerState, POWER_STATES>;

impl PowerState {
    /// That of a mobile in `state`, in which `procedure` runs.
    pub(super) const fn of(state: RrcState, procedure: Option<Procedure>) -> Self {
        match (state, procedure) {
            (RrcState::Idle, Some(Procedure::ConnectionSetup)) => Self::ConnectionSetup,
            (RrcState::Idle, _) => Self::Idle,
            (RrcState::CellPch, _) => Self::CellPch,
            (RrcState::UraPch, _) => Self::UraPch,
            (RrcState::CellFach, Some(Procedure::DchSetup)) => Self::DchSetup,
            (RrcState::CellFach, _) => Self::CellFach,
            (RrcState::CellDch, _) => Self::CellDch,
        }
    }
}

section! {
    /// `[radio.power]` of a mobile that is always on dedicated channels (`docs/models/energy.md`).
    pub struct DchPower {
        /// What a mobile's radio draws on dedicated channels, whether or not they carry anything.
        /// Default: the usual 3G device of AT&T ARO.
        pub cell_dch: Power as Watts = Power::from_milliwatts(700);
        /// What a mobile's radio takes in addition to receive a bit of a block; 1 nJ/bit is 1 mW
        /// per Mbit/s. Default: none, as in AT&T ARO.
        pub downlink: EnergyPerBit as PerBit = EnergyPerBit::from_nanojoules(0);
        /// What a mobile's radio takes in addition to send a bit of a block. Default: none, as in
        /// AT&T ARO.
        pub uplink: EnergyPerBit as PerBit = EnergyPerBit::from_nanojoules(0);
    }
}

section! {
    /// `[radio.power]` of mobiles whose connections come and go (`docs/models/energy.md`).
    pub struct CellPower {
        /// On dedicated channels, and what it takes to carry a bit.
        pub dch: DchPower as Flat<DchPower> = DchPower::default();
        /// `umts-cell`: what a mobile's radio draws without a connection. Default: the usual 3G
        /// device of AT&T ARO.
        pub idle: Power as Watts = Power::from_milliwatts(0);
        /// `umts-cell`: what a mobile's radio draws while a connection is being set up. Default:
        /// AT&T ARO, from idle to `CELL_DCH`.
        pub connection_setup: Power as Watts = Power::from_milliwatts(530);
        /// `umts-cell`: what a mobile's radio draws in `CELL_PCH` and `URA_PCH`. Default: that of
        /// `idle`, our choice.
        pub pch: Power as Watts = Power::from_milliwatts(0);
        /// `umts-cell`: what a mobile's radio draws in `CELL_FACH`. Default: the usual 3G device
        /// of AT&T ARO.
        pub cell_fach: Power as Watts = Power::from_milliwatts(350);
        /// `umts-cell`: what a mobile's radio draws in `CELL_FACH` while dedicated channels are
        /// being set up. Default: AT&T ARO, from `CELL_FACH` to `CELL_DCH`.
        pub dch_setup: Power as Watts = Power::from_milliwatts(550);
    }
}

impl DchPower {
    /// What is drawn in `CELL_DCH` alone.
    pub const fn model(&self) -> PowerModel<1> {
        PowerModel { states: [Some(self.cell_dch)], per_bit: [self.downlink, self.uplink] }
    }
}

impl CellPower {
    /// What is drawn in each state.
    pub fn model(&self) -> PowerModel<POWER_STATES> {
        let states = PowerState::ALL.map(|state| match state {
            PowerState::Idle => self.idle,
            PowerState::ConnectionSetup => self.connection_setup,
            PowerState::CellPch | PowerState::UraPch => self.pch,
            PowerState::CellFach => self.cell_fach,
            PowerState::DchSetup => self.dch_setup,
            PowerState::CellDch => self.dch.cell_dch,
        });
        PowerModel { states: states.map(Some), per_bit: self.dch.model().per_bit }
    }
}
