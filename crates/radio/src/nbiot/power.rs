//! `[radio.power]`: what the radio of a mobile draws.

use base::Power;
use settings::{Watts, section, words};

use crate::kit::paging::Paging;
use crate::{Meter, PowerModel};

words! {
    /// The states of a mobile that differ in power.
    pub enum PowerState {
        /// Power saving mode: it hears nothing.
        Psm = "psm",
        /// No connection, when it listens for pages; or a wait before it tries to be heard again.
        Idle = "idle",
        /// It listens, waits for its turn, or turns from one direction to the other.
        Listen = "listen",
        /// It receives a block.
        Receive = "receive",
        /// It sends a block, an acknowledgement or a preamble.
        Transmit = "transmit",
    }
}

/// How many there are.
pub(super) const POWER_STATES: usize = PowerState::ALL.len();

/// The meter of a mobile.
pub(super) type StateMeter = Meter<PowerState, POWER_STATES>;

/// How many subframes a mobile is awake for a page. Our choice: a clock that has drifted, and the
/// message.
const PAGE: u64 = 40;

section! {
    /// `[radio.power]` of a mobile of NB-IoT. Defaults: our choice, near what TR 45.820
    /// assumes for the life of a battery.
    pub struct Keys {
        /// What the radio draws in power saving mode.
        pub psm: Power as Watts = Power::from_microwatts(15);
        /// What it draws without a connection from one page to the next; with extended cycles
        /// within a window.
        pub idle: Power as Watts = Power::from_microwatts(2400);
        /// What it draws while it listens.
        pub listen: Power as Watts = Power::from_milliwatts(90);
        /// What it draws while it receives a block.
        pub receive: Power as Watts = Power::from_milliwatts(90);
        /// What it draws while it sends with 23 dBm.
        pub transmit: Power as Watts = Power::from_milliwatts(543);
    }
}

impl Keys {
    /// What is drawn in each state; without a connection in the mean over a cycle.
    pub(super) fn model(&self, paging: &Paging) -> PowerModel<POWER_STATES> {
        let states = PowerState::ALL.map(|state| match state {
            PowerState::Psm => self.psm,
            PowerState::Idle => self.mean(paging),
            PowerState::Listen => self.listen,
            PowerState::Receive => self.receive,
            PowerState::Transmit => self.transmit,
        });
        PowerModel { states: states.map(Some), per_bit: Default::default() }
    }

    fn mean(&self, paging: &Paging) -> Power {
        let [idle, listen] = [self.idle, self.listen].map(|power| power.as_microwatts() as f64);
        let awake = PAGE.min(paging.cycle) as f64 / paging.cycle.max(1) as f64;
        paging.mean(awake * listen + (1.0 - awake) * idle, self.psm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::paging::Edrx;

    #[test]
    fn an_idle_mobile_draws_what_its_cycle_says() {
        let keys = Keys::default();
        let idle = |edrx| {
            let paging = Paging { cycle: 2560, edrx, psm: None };
            keys.model(&paging).states[PowerState::Idle as usize].map(Power::as_microwatts)
        };
        // 40 ms of 2.56 s at 90 mW, the rest at 2.4 mW.
        assert_eq!(idle(None), Some(3769));
        // A quarter of that, three quarters at 15 µW.
        assert_eq!(idle(Some(Edrx { cycle: 20_480, window: 5120 })), Some(953));
    }
}
