//! `[radio.power]`: what the radio of a mobile draws.

use base::{EnergyPerBit, Power};
use settings::{Or, PerBit, Watts, absent, section, words};

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

absent! {
    ByDevice = "by-device",
}

section! {
    /// `[radio.power]` of a mobile whose base station decides who sends. What is `by-device` is
    /// that of an LTE phone of 2012 (Huang et al., MobiSys 2012, as AT&T ARO has it), of a mobile
    /// of LTE-M with the powers of NB-IoT, or of a phone of NR; all in `docs/models/energy.md`.
    pub struct Keys {
        /// What a mobile's radio draws without a connection, and while it is suspended. By device:
        /// 20 mW, of LTE-M 5 mW, of NR 50 mW.
        pub idle: Option<Power> as Or<ByDevice, Watts> = None;
        /// What a mobile's radio draws while it connects. By device: 1.21 W, 90 mW, 3.025 W.
        pub promotion: Option<Power> as Or<ByDevice, Watts> = None;
        /// What a mobile's radio draws while it listens always, without what it carries. By
        /// device: 1.288 W, 90 mW, 3.22 W.
        pub active: Option<Power> as Or<ByDevice, Watts> = None;
        /// What a mobile's radio draws in the mean while it sleeps from time to time. By device:
        /// 1.06 W, 25 mW, 2.65 W.
        pub tail: Option<Power> as Or<ByDevice, Watts> = None;
        /// What the radio draws in power saving mode, and between windows of extended cycles. By
        /// device: 15 uW, 15 uW, 38 uW.
        pub psm: Option<Power> as Or<ByDevice, Watts> = None;
        /// What a mobile's radio takes in addition to receive a bit of a block; 1 nJ/bit is 1 mW
        /// per Mbit/s. By device: 52, 0 and 3 nJ/bit.
        pub downlink: Option<EnergyPerBit> as Or<ByDevice, PerBit> = None;
        /// What a mobile's radio takes in addition to send a bit of a block. By device: 438, 453
        /// times the repetitions, and 110 nJ/bit.
        pub uplink: Option<EnergyPerBit> as Or<ByDevice, PerBit> = None;
    }
}

/// What the radio of a mobile draws in each state, and takes for each bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    pub(crate) idle: Power,
    pub(crate) promotion: Power,
    pub(crate) active: Power,
    pub(crate) tail: Power,
    pub(crate) psm: Power,
    pub(crate) downlink: EnergyPerBit,
    pub(crate) uplink: EnergyPerBit,
}

impl Keys {
    /// What a mobile draws that is such a `device` where it is not given.
    pub(crate) fn of(&self, device: Device) -> Device {
        Device {
            idle: self.idle.unwrap_or(device.idle),
            promotion: self.promotion.unwrap_or(device.promotion),
            active: self.active.unwrap_or(device.active),
            tail: self.tail.unwrap_or(device.tail),
            psm: self.psm.unwrap_or(device.psm),
            downlink: self.downlink.unwrap_or(device.downlink),
            uplink: self.uplink.unwrap_or(device.uplink),
        }
    }
}

impl Device {
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
