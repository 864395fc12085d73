//! The kinds of radio there are: one line each.

use base::{Direction, Duration, Time};
use observe::{Context, Observe};
use settings::{File, Flat};

use crate::cells::cells;
use crate::gprs::{self, GprsKeys};
use crate::hspa::{self, HsKeys};
use crate::keys::{Keys, RadioContext};
use crate::lte::LteKeys;
use crate::nbiot::{self, NbIotKeys};
use crate::nr::NrKeys;
use crate::satellite::{self, GeoKeys, LeoKeys, Recording};
use crate::scheduled;
use crate::umts::cell::CellKeys;
use crate::umts::{self, DchKeys};
use crate::{Counters, EnergyUse, Output, RateReport, Sdu};

/// Declares the kinds of radio by their words, each with its keys, and with the bearer that each
/// mobile has (`own`) or with what mobiles share (`shared`).
macro_rules! radios {
    ($(
        $(#[doc = $doc:literal])*
        $word:literal => $kind:ident($keys:ty) $(own $bearer:path,)? $(shared $cell:path,)?
    )*) => {
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

        cells! { own { $($($kind($bearer);)?)* } shared { $($($kind($cell);)?)* } }
    };
}

radios! {
    /// Dedicated channels of UMTS in both directions.
    "umts-dch" => UmtsDch(DchKeys) own umts::Bearer<T>,
    /// Cells that several mobiles share.
    "umts-cell" => UmtsCell(CellKeys) shared umts::cell::UmtsCells<T>,
    /// Time slots of GPRS or EDGE.
    "gprs" => Gprs(GprsKeys) own gprs::GprsBearer<T>,
    /// Satellites in a low orbit, one after the other.
    "leo" => Leo(LeoKeys) own satellite::SatelliteBearer<T>,
    /// A geostationary satellite.
    "geo" => Geo(GeoKeys) own satellite::SatelliteBearer<T>,
    /// A cell of LTE, which its mobiles share.
    "lte" => Lte(LteKeys) shared scheduled::ScheduledCell<T>,
    /// A carrier of NB-IoT, which its mobiles share.
    "nb-iot" => NbIot(NbIotKeys) shared nbiot::NbIotCell<T>,
    /// A cell of NR, which its mobiles share.
    "nr" => Nr(NrKeys) shared scheduled::ScheduledCell<T>,
    /// A cell with HSDPA and HSUPA, which its mobiles share.
    "umts-hs" => UmtsHs(HsKeys) shared hspa::HsCell<T>,
}

impl Radio {
    /// The file of what was recorded, if it names one.
    pub fn trace_mut(&mut self) -> Option<&mut File<Recording>> {
        self.keys_mut().satellite_mut()?.trace.as_mut()
    }
}
