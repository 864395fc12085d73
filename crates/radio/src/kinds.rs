//! The kinds of radio there are: one line each.

use base::{Direction, Duration, Rate, Schedule, Time};
use link::queue;
use observe::Observe;
use settings::{Fault, Flat, Table};

use crate::gprs::{self, GprsKeys};
use crate::hspa::HsKeys;
use crate::lte::LteKeys;
use crate::nbiot::NbIotKeys;
use crate::nr::NrKeys;
use crate::satellite::{self, GeoKeys, LeoKeys, RecordingFile, Satellite};
use crate::umts::cell::CellKeys;
use crate::umts::{self, DchKeys, UmtsKeys};
use crate::{Counters, DownlinkReport, EnergyUse, Output, Sdu};

/// The keys of a kind of radio, `[radio]`.
pub trait Keys {
    /// The name of its interface in results.
    fn interface(&self) -> &'static str;

    /// Which queues are allowed ahead of it.
    fn queues(&self) -> Queues;

    /// Checks that its keys are compatible, and resolves those that depend on others.
    ///
    /// # Errors
    /// If they do not.
    fn settle(&mut self, _tree: &Table, _context: &RadioContext<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// How many mobiles are counted; 0 is one.
    fn mobiles(&self) -> usize;

    /// The rates of its channels towards the mobile and from it over time, if both have one;
    /// nothing is sent at `None`.
    fn rates(&self) -> Option<[Schedule<Option<Rate>>; 2]> {
        None
    }

    /// The rates that throughput to the mobile and from it are compared with.
    fn bottlenecks(&self) -> [Rate; 2];

    /// When nothing gets through to a mobile whose bearer is called `name`, in order of beginning.
    fn outages(&self, _context: &RadioContext<'_>, _name: &str) -> Vec<[Time; 2]> {
        Vec::new()
    }

    /// Lets nothing through to the mobile or from it in `span`, whatever else is said of coverage.
    /// Returns whether this kind can.
    fn cut(&mut self, _span: [Duration; 2]) -> bool {
        false
    }
}

/// What a radio's keys need to know of the rest of the scenario.
pub struct RadioContext<'a> {
    /// The queues towards the mobile and from it.
    pub queues: [queue::Config; 2],
    /// Whether their limits apply to each flow separately.
    pub per_flow: bool,
    /// How long the run is.
    pub duration: Duration,
    /// The seed of all random streams.
    pub seed: u64,
    /// The rate that the flows of a mobile ask for together, if any asks for one.
    pub asked: Option<Rate>,
    /// The rates that the flows of mobile `index` of `count` ask for.
    pub asked_of: Box<dyn Fn(usize, usize) -> Vec<Rate> + 'a>,
}

/// The queues that are allowed ahead of a radio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queues {
    /// Drop-tail queues of the system of this name, for each flow or for all.
    DropTail(&'static str),
    /// Queues of the system of this name for all flows together, with any discipline.
    Together(&'static str),
}

/// Declares the kinds of radio by their words, each with its keys.
macro_rules! radios {
    ($($(#[doc = $doc:literal])* $word:literal => $kind:ident($keys:ty);)*) => {
        settings::kinds! {
            /// The kind of bearer.
            pub enum Radio {
                $(
                    $(#[doc = $doc])*
                    $kind {
                        /// Its keys.
                        pub keys: $keys as Flat<$keys> = <$keys>::default();
                    } = $word,
                )*
            }
        }

        impl Radio {
            /// Its keys.
            pub fn keys(&self) -> &dyn Keys {
                match self {
                    $(Self::$kind { keys } => keys,)*
                }
            }

            /// The same, to be resolved.
            pub fn keys_mut(&mut self) -> &mut dyn Keys {
                match self {
                    $(Self::$kind { keys } => keys,)*
                }
            }
        }
    };
}

/// Declares the bearers that a mobile has to itself, each by its kind of radio.
macro_rules! bearers {
    ($($(#[$doc:meta])* $kind:ident($bearer:ident);)*) => {
        /// What carries packets between the network and one mobile, in both directions.
        #[derive(Debug)]
        pub enum Bearer<T> {
            $($(#[$doc])* $kind(Box<$bearer::Bearer<T>>),)*
        }

        impl Radio {
            /// The bearer of one mobile, which reports facts as machine number `machine`; its
            /// random streams are named after `name`. `None` if mobiles share cells.
            pub fn bearer<T: Sdu>(
                &self,
                machine: u32,
                context: &RadioContext<'_>,
                name: &str,
            ) -> Option<Bearer<T>> {
                $(if let Self::$kind { keys } = self {
                    let config = keys.config(context, name);
                    let bearer = $bearer::Bearer::new(machine, &config, context.seed, name);
                    return Some(Bearer::$kind(Box::new(bearer)));
                })*
                None
            }
        }

        impl<T: Sdu> Bearer<T> {
        /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue
        /// is full.
        ///
        /// # Errors
        /// The SDU that was dropped.
        pub fn handle_input(
            &mut self,
            now: Time,
            direction: Direction,
            sdu: T,
            observe: &mut impl Observe,
        ) -> Result<(), T> {
            match self {
                $(Self::$kind(bearer) => bearer.handle_input(now, direction, sdu, observe),)*
            }
        }

        /// Does what is due at or before `now`.
        pub fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
            match self {
                $(Self::$kind(bearer) => bearer.handle_timeout(now, observe),)*
            }
        }

        /// From `now` on what happens to it over time is what `radio` says, which is of its kind.
        /// What was due before `now` must have been handled.
        pub fn reconfigure(
            &mut self,
            now: Time,
            radio: &Radio,
            context: &RadioContext<'_>,
            name: &str,
        ) {
            $(if let (Self::$kind(bearer), Radio::$kind { keys }) = (&mut *self, radio) {
                bearer.reconfigure(now, &keys.config(context, name));
            })*
        }

        /// The next SDU that has come out. To be called after each `handle_…` until it says `None`.
        #[must_use]
        #[inline]
        pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_output(),)*
            }
        }

        /// When something is due next. It changes with each `handle_…` and `poll_…`.
        #[must_use]
        pub fn poll_timeout(&self) -> Option<Time> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_timeout(),)*
            }
        }

        /// The base station's report of the mobile's downlink, if that has changed. A sleeping
        /// bearer reports nothing.
        #[must_use]
        pub fn poll_report(&mut self) -> Option<DownlinkReport> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_report(),)*
            }
        }

        /// The SDUs of `direction` between entry and exit.
        pub fn held(&self, direction: Direction) -> Box<dyn Iterator<Item = &T> + '_> {
            match self {
                $(Self::$kind(bearer) => Box::new(bearer.held(direction)),)*
            }
        }

        /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
        pub fn counters(&self, direction: Direction) -> Counters {
            match self {
                $(Self::$kind(bearer) => bearer.counters(direction),)*
            }
        }

        /// The sum over SDUs of `direction` of the time that each has waited by `now`, from hand-in
        /// to the end of its first transmission; over `now` it is the mean length of the queue.
        pub fn waited(&self, direction: Direction, now: Time) -> Duration {
            match self {
                $(Self::$kind(bearer) => bearer.waited(direction, now),)*
            }
        }

        /// What the mobile's radio has used by `now`, if that is known of its kind.
        pub fn energy(&self, now: Time) -> Option<EnergyUse> {
            match self {
                $(Self::$kind(bearer) => bearer.energy(now),)*
            }
        }

        /// Which share of what the first `span` of the run had room for in `direction` was used;
        /// `None` if it had none.
        pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
            match self {
                $(Self::$kind(bearer) => bearer.utilization(direction, span),)*
            }
        }
    }
    };
}

radios! {
    /// Dedicated channels of UMTS in both directions.
    "umts-dch" => UmtsDch(DchKeys);
    /// Cells that several mobiles share.
    "umts-cell" => UmtsCell(CellKeys);
    /// Time slots of GPRS or EDGE.
    "gprs" => Gprs(GprsKeys);
    /// Satellites in a low orbit, one after the other.
    "leo" => Leo(LeoKeys);
    /// A geostationary satellite.
    "geo" => Geo(GeoKeys);
    /// A cell of LTE, which its mobiles share.
    "lte" => Lte(LteKeys);
    /// A carrier of NB-IoT, which its mobiles share.
    "nb-iot" => NbIot(NbIotKeys);
    /// A cell of NR, which its mobiles share.
    "nr" => Nr(NrKeys);
    /// A cell with HSDPA and HSUPA, which its mobiles share.
    "umts-hs" => UmtsHs(HsKeys);
}

bearers! {
    /// Dedicated channels of UMTS.
    UmtsDch(umts);
    /// Time slots of GPRS or EDGE.
    Gprs(gprs);
    /// Satellites in a low orbit.
    Leo(satellite);
    /// A geostationary satellite.
    Geo(satellite);
}

impl Radio {
    /// The keys that both kinds of UMTS have, if it is one.
    pub fn umts_mut(&mut self) -> Option<&mut UmtsKeys> {
        match self {
            Self::UmtsDch { keys } => Some(&mut keys.umts),
            Self::UmtsCell { keys } => Some(&mut keys.umts),
            Self::UmtsHs { .. }
            | Self::Gprs { .. }
            | Self::Leo { .. }
            | Self::Geo { .. }
            | Self::Lte { .. }
            | Self::NbIot { .. }
            | Self::Nr { .. } => None,
        }
    }

    /// The file of what was recorded, if it names one.
    pub fn trace_mut(&mut self) -> Option<&mut RecordingFile> {
        self.satellite_mut()?.trace.as_mut()
    }

    /// The keys that all satellites have, if it is one.
    pub fn satellite(&self) -> Option<&Satellite> {
        match self {
            Self::Leo { keys } => Some(&keys.satellite),
            Self::Geo { keys } => Some(&keys.satellite),
            Self::UmtsDch { .. }
            | Self::UmtsCell { .. }
            | Self::UmtsHs { .. }
            | Self::Gprs { .. }
            | Self::Lte { .. }
            | Self::NbIot { .. }
            | Self::Nr { .. } => None,
        }
    }

    /// The same, to be changed.
    pub fn satellite_mut(&mut self) -> Option<&mut Satellite> {
        match self {
            Self::Leo { keys } => Some(&mut keys.satellite),
            Self::Geo { keys } => Some(&mut keys.satellite),
            Self::UmtsDch { .. }
            | Self::UmtsCell { .. }
            | Self::UmtsHs { .. }
            | Self::Gprs { .. }
            | Self::Lte { .. }
            | Self::NbIot { .. }
            | Self::Nr { .. } => None,
        }
    }

    /// The network of cells, if it is one.
    pub fn cells(&self) -> Option<&CellKeys> {
        match self {
            Self::UmtsCell { keys } => Some(keys),
            Self::UmtsDch { .. }
            | Self::UmtsHs { .. }
            | Self::Gprs { .. }
            | Self::Leo { .. }
            | Self::Geo { .. }
            | Self::Lte { .. }
            | Self::NbIot { .. }
            | Self::Nr { .. } => None,
        }
    }
}
