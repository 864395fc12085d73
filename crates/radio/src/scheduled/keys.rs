//! Keys of `[radio]` of every such cell.

use base::{Duration, Probability};
use settings::{Always, Fault, Part, Perhaps, Table, section};

use super::rrc::{InactiveKeys, Times};
use super::{drx, rrc};
use crate::channel::scheduler;
use crate::kit::paging::{self, EdrxKeys, PsmKeys};

section! {
    /// `[radio]`: how the base station chooses, and when mobiles are there for it.
    pub struct BaseStation {
        /// How the base station chooses between mobiles.
        pub scheduler: scheduler::SchedulerConfig as Always<scheduler::SchedulerConfig> =
            scheduler::SchedulerConfig::default();
        /// What part of the resource blocks of each direction other users take, evenly.
        pub background: Probability as Part = Probability::NEVER;
        /// When a connected mobile listens. Without it, always.
        pub drx: Option<drx::Keys> as Perhaps<drx::Keys> = None;
        /// When a mobile is connected. Without it, always.
        pub rrc: Option<rrc::Keys> as Perhaps<rrc::Keys> = None;
        /// Extended cycles of pages. Without it there are none.
        pub edrx: Option<EdrxKeys> as Perhaps<EdrxKeys> = None;
        /// Power saving mode; of NR, MICO mode with an active time (TS 23.501 §5.4.1.3). Without it
        /// there is none.
        pub psm: Option<PsmKeys> as Perhaps<PsmKeys> = None;
    }
    only_with(edrx: rrc)
    only_with(psm: rrc)
    check(Self::check)
}

impl BaseStation {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let Some(rrc) = self.rrc else { return Ok(()) };
        paging::check((self.edrx, self.psm), rrc.paging_cycle, tree, at)
    }

    /// When a mobile is connected, in slots of length `slot`.
    pub(crate) fn times(&self, slot: Duration, inactive: Option<InactiveKeys>) -> Option<Times> {
        self.rrc.map(|rrc| rrc.in_slots(slot, (self.edrx, self.psm), inactive))
    }
}

/// What each kind of such a cell says of itself ([`Keys`](crate::keys::Keys)), whose keys have
/// `downlink` and `uplink` with a reception, `ue` and `mobiles`.
macro_rules! of_cell {
    ($system:literal) => {
        fn interface(&self) -> &'static str {
            "Uu"
        }

        fn queues(&self) -> $crate::Queues {
            $crate::Queues::Together($system)
        }

        fn reception(&self, direction: base::Direction) -> Option<&$crate::channel::Reception> {
            Some(&direction.of(&self.downlink, &self.uplink).reception)
        }

        fn reception_mut(
            &mut self,
            direction: base::Direction,
        ) -> Option<&mut $crate::channel::Reception> {
            Some(&mut direction.of(&mut self.downlink, &mut self.uplink).reception)
        }

        fn listed(&self) -> Vec<(&str, u32)> {
            self.ue.iter().map(|ue| (&*ue.name, ue.count)).collect()
        }

        fn rates(
            &self,
            context: &$crate::RadioContext<'_>,
            ue: usize,
        ) -> Option<[base::Schedule<Option<base::Rate>>; 2]> {
            Some(self.config(context).rates(ue).map(|rates| rates.map(Some)))
        }

        fn sharers(&self) -> Option<&$crate::channel::Mobiles> {
            Some(&self.mobiles)
        }

        fn sharers_mut(&mut self) -> Option<&mut $crate::channel::Mobiles> {
            Some(&mut self.mobiles)
        }
    };
}

pub(crate) use of_cell;
