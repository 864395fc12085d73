//! Keys of `[radio]` of every such cell.

use base::{Duration, Probability, Rate};
use link::queue::{self, droptail};
use settings::{
    Always, Count, Each, Fault, Label, OfTime, Off, Or, Part, Perhaps, Speed, Table, Word, join,
    named, section,
};

use super::bearer::BearerConfig;
use super::handover::{Handover, Move};
use super::journey::{Journey, Site};
use super::rrc::{InactiveKeys, Times};
use super::{drx, rrc};
use crate::channel::{Radio, Reception, scheduler};
use crate::keys::RadioContext;
use crate::kit::paging::{self, EdrxKeys, PsmKeys};
use crate::rlc36::{Rlc36Config, RlcMode};

section! {
    /// `[radio]`: how the base station chooses, and when mobiles are there for it.
    pub struct BaseStation {
        /// How the base station chooses between mobiles.
        pub scheduler: scheduler::SchedulerConfig as Always<scheduler::SchedulerConfig> =
            scheduler::SchedulerConfig::default();
        /// Bearers of each mobile beside the default one: with it at most 8 (TS 36.306 §4.2.1.1).
        pub bearer: Vec<BearerKeys> as Each<BearerKeys> = Vec::new();
        /// Base stations that the mobile passes on its journey.
        pub site: Vec<Site> as Each<Site> = Vec::new();
        /// A journey past these. Without it the radio is as its keys say.
        pub journey: Option<Journey> as Perhaps<Journey> = None;
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

section! {
    /// `[[radio.bearer]]`: a bearer of each mobile beside the default one, in both directions.
    pub struct BearerKeys {
        /// Its name in settings (`radio.bearer.NAME.priority`); required.
        pub name: String as Label = String::new();
        /// The code point of the packets that it carries (DSCP; `flow.dscp`). Default: expedited
        /// forwarding (RFC 3246).
        pub dscp: u8 as Count<u8, 0, 63> = 46;
        /// Its priority, within a mobile and between mobiles: lower numbers are first. The default
        /// bearer has 9. Default: voice (TS 23.203 table 6.1.7).
        pub priority: u8 as Count<u8, 1, 9> = 2;
        /// The rate in each direction up to which it has that priority, with all headers from IP
        /// down to link control; what is beyond comes after the others. `off` is any rate.
        pub guaranteed: Option<Rate> as Or<Off, Speed> = None;
        /// How link control carries its SDUs; all else of that is as for the default bearer.
        pub mode: RlcMode as Word<RlcMode> = RlcMode::Um;
        /// What waits ahead of it in each direction, at most.
        pub queue: droptail::Limit as Always<droptail::Limit> = droptail::Limit::default();
        /// An SDU that has waited longer for its first transmission is discarded.
        pub discard: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

named!(BearerKeys);

/// The most bearers beside the default one (TS 36.306 §4.2.1.1: 8 in all).
const MOST_BEARERS: usize = 7;

impl BaseStation {
    /// The bearers of a mobile, those that are first ahead, of which the default one has such
    /// `rlc`, `queues` and `discard`.
    pub(crate) fn bearers(
        &self,
        rlc: Rlc36Config,
        &queues: &[queue::Config; 2],
        discard: Option<Duration>,
    ) -> Vec<BearerConfig> {
        let listed = self.bearer.iter().map(|keys| BearerConfig {
            name: Some(keys.name.clone()),
            dscp: Some(keys.dscp),
            priority: keys.priority,
            guaranteed: keys.guaranteed,
            rlc: Rlc36Config { mode: keys.mode.mode(), ..rlc.clone() },
            queues: [keys.queue; 2]
                .map(|limit| queue::Config { limit, ..queue::Config::UNLIMITED }),
            discard: keys.discard,
        });
        let mut bearers: Vec<_> = listed.collect();
        let priority = BearerConfig::DEFAULT_PRIORITY;
        let (name, dscp, guaranteed) = (None, None, None);
        bearers.push(BearerConfig { name, dscp, priority, guaranteed, rlc, queues, discard });
        bearers.sort_by_key(|bearer| bearer.priority);
        bearers
    }

    fn check_bearers(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.bearer.len() > MOST_BEARERS {
            let message = format!(
                "{at}.bearer lists {}, at most {MOST_BEARERS} are possible",
                self.bearer.len()
            );
            return tree.clash_at(at, &["bearer"], message);
        }
        for (place, bearer) in self.bearer.iter().enumerate() {
            let mut others = self.bearer[..place].iter();
            if let Some(other) = others.find(|other| other.dscp == bearer.dscp) {
                let keys = [&other.name, &bearer.name].map(|name| format!("bearer.{name}.dscp"));
                let [first, second] = &keys;
                let message = format!("{at}.{first} and {at}.{second} are both {}", bearer.dscp);
                return tree.clash_at(at, &[first, second], message);
            }
        }
        Ok(())
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        tree.check_names(&join(at, "bearer"), self.bearer.iter().map(|bearer| &*bearer.name))?;
        tree.check_names(&join(at, "site"), self.site.iter().map(|site| &*site.name))?;
        self.check_bearers(tree, at)?;
        let Some(rrc) = self.rrc else { return Ok(()) };
        paging::check((self.edrx, self.psm), rrc.paging_cycle, tree, at)
    }

    /// Leads the mobile with such `radios` on its journey, if it makes one, and says when it goes
    /// from cell to cell.
    pub(crate) fn lead(
        &self,
        context: &RadioContext<'_>,
        radios: &mut [Radio; 2],
    ) -> Option<Vec<Move>> {
        let journey = self.journey.as_ref()?;
        Some(journey.lead(&self.site, radios, context.duration, context.seed))
    }

    /// Refuses what cannot be in a run of `duration`.
    pub(crate) fn check_length(&self, duration: Duration, tree: &Table) -> Result<(), Fault> {
        let length = |of: &Journey| of.check_length(duration, tree, "radio.journey");
        self.journey.as_ref().map_or(Ok(()), length)
    }

    /// Refuses handovers at times of their own on a journey, and others whose gap, of the system's
    /// own length if none is given, is too long.
    pub(crate) fn check_handover(
        &self,
        handover: Option<&Handover>,
        gap: Duration,
        tree: &Table,
        at: &str,
    ) -> Result<(), Fault> {
        let Some(handover) = handover else { return Ok(()) };
        let table = join(at, "handover");
        match &self.journey {
            None => handover.check(gap, tree, &table),
            Some(_) if !handover.has_times() => Ok(()),
            Some(_) => {
                let message = format!(
                    "{at}.journey says when the mobile goes to another cell: {table}.every, \
                     {table}.at and {table}.spread must be left out"
                );
                tree.clash_at(&table, &["at", "every", "spread"], message)
            }
        }
    }

    /// Refuses sites without a journey, and a journey without sites, beside a course of the ratio
    /// that `receptions` have (downlink and uplink), and of a mobile that is not alone: others
    /// would share its cell wherever it is, and those that are listed may have a radio of their
    /// own.
    pub(crate) fn check_journey(
        &self,
        is_alone: bool,
        receptions: [&Reception; 2],
        tree: &Table,
        at: &str,
    ) -> Result<(), Fault> {
        if self.journey.is_none() {
            if self.site.is_empty() {
                return Ok(());
            }
            let message = format!("[[{at}.site]] needs [{at}.journey]");
            return tree.clash_at(at, &["site"], message);
        }
        if self.site.is_empty() {
            let message = format!("{at}.journey needs a [[{at}.site]]");
            return tree.clash_at(at, &["journey"], message);
        }
        if !is_alone {
            let message = format!(
                "{at}.journey is of a mobile alone, which is none of [[{at}.ue]]: {at}.ues must \
                 be 0 or 1"
            );
            return tree.clash_at(at, &["ues", "ue", "journey"], message);
        }
        let names = ["downlink", "uplink"].into_iter();
        if let Some((way, _)) = names.zip(receptions).find(|(_, reception)| reception.has_course())
        {
            let message = format!(
                "{at}.journey says how the ratio changes: {at}.{way}.snrs and {at}.{way}.trace \
                 must be left out"
            );
            let keys = ["snrs", "trace"].map(|key| format!("{way}.{key}"));
            return tree.clash_at(at, &[&keys[0], &keys[1], "journey"], message);
        }
        Ok(())
    }

    /// When a mobile is connected, in slots of length `slot`.
    pub(crate) fn times(&self, slot: Duration, inactive: Option<InactiveKeys>) -> Option<Times> {
        self.rrc.map(|rrc| rrc.in_slots(slot, (self.edrx, self.psm), inactive))
    }
}

/// What each kind of such a cell says of itself ([`Keys`](crate::keys::Keys)), whose keys have
/// `downlink` and `uplink`, a `channel` of each with a reception, `ue` and `mobiles`.
macro_rules! of_cell {
    ($system:literal) => {
        fn interface(&self) -> &'static str {
            "Uu"
        }

        fn queues(&self) -> $crate::Queues {
            $crate::Queues::Together($system)
        }

        fn reception(&self, direction: base::Direction) -> Option<&$crate::channel::Reception> {
            // On a journey it is the sites that say how good the radio is.
            self.station.journey.is_none().then_some(&self.channel(direction).reception)
        }

        fn reception_mut(
            &mut self,
            direction: base::Direction,
        ) -> Option<&mut $crate::channel::Reception> {
            Some(&mut direction.of(&mut self.downlink, &mut self.uplink.channel).reception)
        }

        fn settle(
            &mut self,
            tree: &settings::Table,
            context: &$crate::RadioContext<'_>,
        ) -> Result<(), settings::Fault> {
            self.station.check_length(context.duration, tree)
        }

        fn drives_mut(&mut self) -> Vec<$crate::channel::Driven<'_>> {
            let [down, up] = base::Direction::BOTH;
            let of_all =
                [(down, &mut self.downlink.reception), (up, &mut self.uplink.channel.reception)];
            $crate::channel::drives(of_all, &mut self.ue)
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
