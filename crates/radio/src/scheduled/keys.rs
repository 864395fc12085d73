//! Keys of `[radio]` of every such cell.

use base::Probability;
use settings::{Always, Part, Perhaps, section};

use super::{drx, rrc};
use crate::channel::scheduler;

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
    }
}
