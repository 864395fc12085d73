//! `[wlan]`: access points and mobiles of an 802.11b-like network.

use base::{Duration, Stream, Time};
use mobility::handover::{self, Mode};
use mobility::motion::{Leg, Motion, Position};
use settings::{
    Along, Bytes, Count, Dbm, Decibels, Distance, Each, Fault, Gigahertz, Label, Metres,
    MetresPerSecond, OfTime, Off, Or, Pair, SpeedOf, Steps, Table, Timed, Word, named, section,
    words,
};

use super::airtime::{DataRate, Preamble};

/// The speeds of mobiles that are only counted: walkers and runners.
const SPEEDS: [f64; 2] = [1.0, 5.0];

section! {
    /// `[wlan]`: wireless access by IEEE 802.11b.
    pub struct WlanKeys {
        /// The rate of data frames.
        pub rate: DataRate as SpeedOf<DataRate> = DataRate::Mbps11;
        /// The rate of acknowledgements, or that of the data frame if lower (§9.7.6.5).
        pub basic_rate: DataRate as SpeedOf<DataRate> = DataRate::Mbps2;
        /// The preamble of frames.
        pub preamble: Preamble as Word<Preamble> = Preamble::Long;
        /// How the medium is shared.
        pub access: Access as Word<Access> = Access::ContentionFree;
        /// The contention window of csma-ca at first, in slots. Default: 802.11b.
        pub cw_min: u32 as Count<u32, 0, 65_535> = 31;
        /// The contention window at most, in slots, no less than `cw_min`. Default: 802.11b.
        pub cw_max: u32 as Count<u32, 0, 65_535> = 1_023;
        /// Frames of more bytes, with MAC header and FCS, are preceded by a request and a clear to
        /// send at the rate of acknowledgements (`dot11RTSThreshold`, §9.3.5): `0 B` is every
        /// frame, as in ns-2.
        pub rts_threshold: Option<u32> as Or<Off, Bytes<u32, 0, 65_535>> = None;
        /// After how many failed transmissions a frame is dropped. Default: dot11ShortRetryLimit.
        pub retry_limit: u32 as Count<u32, 1, 255> = 7;
        /// Which frames are in error.
        pub loss: Loss as Word<Loss> = Loss::FromPlace;
        /// Transmit power of access points and mobiles, antenna gains included.
        pub power: f64 as Along<Dbm> = 15.0;
        /// The carrier frequency.
        pub frequency: f64 as Along<Gigahertz> = 2.4;
        /// Thermal noise in 22 MHz and the noise figure of a receiver.
        pub noise: f64 as Along<Dbm> = -94.0;
        /// Beyond it nothing is heard.
        pub range: f64 as Distance = 250.0;
        /// How mobiles change their access point.
        pub handover: Mode as Word<Mode> = Mode::MakeBeforeBreak;
        /// By how much the signal of another access point must be stronger. Below zero a mobile
        /// with two links joins the next one sooner. Default: as soon as it is heard.
        pub hysteresis: f64 as Along<Decibels> = -100.0;
        /// For how long that must hold.
        pub time_to_trigger: Duration as OfTime = Duration::ZERO;
        /// From the decision to the new link (L2 delay). Default: within the 60 to 400 ms of
        /// Mishra, Shin and Arbaugh 2003.
        pub switch_time: Duration as OfTime = Duration::from_millis(100);
        /// How long before a change it is announced, for fast handovers (RFC 5568 §3.1).
        pub anticipation: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// How often mobiles that move measure access points: a time unit of 1024 µs or more (IEEE
        /// 802.11-2012 §8.4.1.3).
        pub beacon_interval: Duration as OfTime<1_024_000> = Duration::from_millis(100);
        /// How many packets an access point holds for a mobile that is about to arrive, with
        /// `mobile_ip.fast_handovers`.
        pub hold_limit: u32 as Count<u32, 0, 1_000_000> = 50;
        /// The access points, each at a node of `[[wired]]`.
        pub access_point: Vec<AccessPoint> as Each<AccessPoint> = Vec::new();
        /// The mobiles. Those that `wlan.mobiles` counts come after them.
        pub mobile: Vec<MobileKeys> as Each<MobileKeys> = Vec::new();
        /// How many mobiles more, each of which walks back and forth between the first and the last
        /// access point away from home, from a random place and at a random speed.
        pub mobiles: u32 as Count<u32, 0, 10_000> = 0;
    }
    in_order(cw_min, cw_max)
    only_with(cw_min: access is ["csma-ca"])
    only_with(cw_max: access is ["csma-ca"])
    check(Self::check)
}

section! {
    /// `[[wlan.access_point]]`: an access point with its access router. The one at the node of the
    /// home agent, if there is one, is the mobiles' home.
    pub struct AccessPoint {
        /// Its node among those of `[[wired]]`, by which settings and results call it; required.
        pub name: String as Label = String::new();
        /// Its position.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
    }
}

named!(AccessPoint);

section! {
    /// `[[wlan.mobile]]`: a mobile.
    pub struct MobileKeys {
        /// Its name in settings (`wlan.mobile.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Where it is at the start.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// The path, or trajectory, on which it moves, and when:
        /// `{ at = "5 s", to = ["580 m", "0 m"], speed = "100 m/s" }`. It rests between its legs.
        pub walk: Vec<WalkLeg> as Steps<WalkLeg> = Vec::new();
    }
}

named!(MobileKeys);

section! {
    /// A leg of `wlan.mobile.NAME.walk`.
    pub struct WalkLeg {
        /// When it begins, or when the one before it ends if that is later; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// Where it leads; required.
        pub to: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// How fast it is walked, above zero; required.
        pub speed: f64 as Along<MetresPerSecond> = 1.0;
    }
}

impl Timed for WalkLeg {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("to", "[\"580 m\", \"0 m\"]"), ("speed", "\"1 m/s\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

words! {
    /// How a medium is shared.
    pub enum Access {
        /// In the order of arrival, without back-off.
        ContentionFree = "contention-free",
        /// By carrier sense and back-off (DCF, IEEE 802.11-2012 §9.3.4).
        CsmaCa = "csma-ca",
    }
}

words! {
    /// Which frames are in error, where a frame is heard at all.
    pub enum Loss {
        /// None.
        None = "none",
        /// At random, by the signal-to-noise ratio at the station.
        FromPlace = "from-place",
    }
}

impl WlanKeys {
    /// How many mobiles there are.
    pub fn count(&self) -> usize {
        self.mobile.len() + self.mobiles as usize
    }

    /// How mobiles change their access point.
    pub(super) fn handover(&self) -> handover::Config {
        handover::Config {
            mode: self.handover,
            hysteresis_db: self.hysteresis,
            time_to_trigger: self.time_to_trigger,
            switch_time: self.switch_time,
            anticipation: self.anticipation,
        }
    }

    /// The names of the mobiles and how they move; none walks to the access point called `home`.
    pub fn stations(&self, home: &str, seed: u64) -> Vec<(String, Motion)> {
        let named = self.mobile.iter().map(|mobile| (mobile.name.clone(), mobile.motion()));
        let walkers = (0..self.mobiles).map(|number| self.walker(number, home, seed));
        named.chain(walkers).collect()
    }

    /// The rate of acknowledgements, and of requests and clearances to send (§9.7.6.5).
    pub(super) fn response_rate(&self) -> DataRate {
        self.basic_rate.min(self.rate)
    }

    /// The rate of data frames in bit/s.
    pub fn rate_bps(&self) -> u64 {
        self.rate.bps()
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.handover == Mode::BreakBeforeMake && self.hysteresis < 0.0 {
            let message = format!(
                "with break-before-make {at}.hysteresis must not be below zero: a mobile would go \
                 to and fro"
            );
            return tree.clash_at(at, &["hysteresis", "handover"], message);
        }
        Ok(())
    }

    /// A mobile that walks back and forth, with a random stream of its own.
    fn walker(&self, number: u32, home: &str, seed: u64) -> (String, Motion) {
        let name = format!("MN-{number}");
        let mut chance = Stream::named(seed, &format!("{name}/walk"));
        let mut away = self.access_point.iter().filter(|point| point.name != home);
        let first = away.next().map_or(Position::default(), AccessPoint::place);
        let last = away.next_back().map_or(first, AccessPoint::place);
        let along = |share: f64| {
            let (x, y) = (last.x - first.x, last.y - first.y);
            Position::new(first.x + x * share, first.y + y * share)
        };
        let [slowest, fastest] = SPEEDS;
        let pace = slowest + (fastest - slowest) * chance.next_f64();
        let start = along(chance.next_f64());
        (name, Motion::to_and_fro(start, [first, last], pace))
    }
}

impl AccessPoint {
    /// Its position.
    pub(super) fn place(&self) -> Position {
        place(self.position)
    }
}

impl MobileKeys {
    fn motion(&self) -> Motion {
        let leg =
            |way: &WalkLeg| Leg::new(place(way.to), way.speed).not_before(Time::ZERO + way.at);
        let legs: Vec<_> = self.walk.iter().map(leg).collect();
        Motion::along(place(self.position), &legs)
    }
}

const fn place([x, y]: [f64; 2]) -> Position {
    Position::new(x, y)
}
