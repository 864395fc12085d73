//! `[wlan]`: access points and mobiles of an 802.11b-like network.

use base::Duration;

use settings::{
    Along, Count, Dbm, Decibels, Distance, Each, Gigahertz, Label, Metres, MetresPerSecond, OfTime,
    Off, Or, Pair, SpeedOf, Steps, Timed, Word, named, section, words,
};

section! {
    /// `[wlan]`: wireless access by IEEE 802.11b.
    pub struct Wlan {
        /// At which rate data frames are sent.
        pub rate: DataRateName as SpeedOf<DataRateName> = DataRateName::Mbps11;
        /// At which rate they are acknowledged, or at their own if that is lower (§9.7.6.5).
        pub basic_rate: DataRateName as SpeedOf<DataRateName> = DataRateName::Mbps2;
        /// What stands ahead of a frame.
        pub preamble: PreambleName as Word<PreambleName> = PreambleName::Long;
        /// Who sends next.
        pub access: AccessName as Word<AccessName> = AccessName::ContentionFree;
        /// The contention window of csma-ca at first, in slots. Default: 802.11b.
        pub cw_min: u32 as Count<u32, 0, 65_535> = 31;
        /// The contention window at most, in slots, no less than `cw_min`. Default: 802.11b.
        pub cw_max: u32 as Count<u32, 0, 65_535> = 1_023;
        /// How often a frame is sent in vain before it is dropped. Default: dot11ShortRetryLimit.
        pub retry_limit: u32 as Count<u32, 1, 255> = 7;
        /// Which frames are in error.
        pub loss: WlanLossName as Word<WlanLossName> = WlanLossName::FromPlace;
        /// Of access points and mobiles alike, antenna gains included.
        pub power: f64 as Along<Dbm> = 15.0;
        /// The carrier.
        pub frequency: f64 as Along<Gigahertz> = 2.4;
        /// Thermal noise in 22 MHz and the noise figure of a receiver.
        pub noise: f64 as Along<Dbm> = -94.0;
        /// Beyond it nothing is heard.
        pub range: f64 as Distance = 250.0;
        /// How mobiles change their access point.
        pub handover: WlanHandoverName as Word<WlanHandoverName> =
            WlanHandoverName::MakeBeforeBreak;
        /// By how much another access point must be louder. Below zero a mobile with two links
        /// joins the next one sooner. Default: as soon as it is heard.
        pub hysteresis: f64 as Along<Decibels> = -100.0;
        /// For how long that must hold.
        pub time_to_trigger: Duration as OfTime = Duration::ZERO;
        /// From the decision to the new link (L2 delay). Default: within the 60 to 400 ms of
        /// Mishra, Shin and Arbaugh 2003.
        pub switch_time: Duration as OfTime = Duration::from_millis(100);
        /// How long ahead of a change it is told, for fast handovers (RFC 5568 §3.1).
        pub anticipation: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// How often mobiles that move look how loud access points are: a time unit of 1024 µs or
        /// more (IEEE 802.11-2012 §8.4.1.3).
        pub beacon_interval: Duration as OfTime<1_024_000> = Duration::from_millis(100);
        /// How many packets wait at an access point for a mobile that is to come there, with
        /// `mobile_ip.fast_handovers`.
        pub hold_limit: u32 as Count<u32, 0, 1_000_000> = 50;
        /// The access points, each at a node of `[[wired]]`.
        pub access_point: Vec<AccessPoint> as Each<AccessPoint> = Vec::new();
        /// The mobiles. Those that `wlan.mobiles` counts come after them.
        pub mobile: Vec<MobileNode> as Each<MobileNode> = Vec::new();
        /// So many mobiles more, of which each walks to and fro between the first and the last
        /// access point away from home, from a place and at a speed of its own.
        pub mobiles: u32 as Count<u32, 0, 10_000> = 0;
    }
}

section! {
    /// `[[wlan.access_point]]`: an access point beside its access router. The one at the node of
    /// the home agent, if there is one, is the mobiles' home.
    pub struct AccessPoint {
        /// Its node among those of `[[wired]]`, by which settings and results call it; required.
        pub name: String as Label = String::new();
        /// Where it stands.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
    }
}

named!(AccessPoint);

section! {
    /// `[[wlan.mobile]]`: a mobile.
    pub struct MobileNode {
        /// Its name in settings (`wlan.mobile.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Where it is at the start.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// Where it goes, and when: `{ at = "5 s", to = ["580 m", "0 m"], speed = "100 m/s" }`. It
        /// rests between its ways.
        pub walk: Vec<Way> as Steps<Way> = Vec::new();
    }
}

named!(MobileNode);

section! {
    /// A way of `wlan.mobile.NAME.walk`.
    pub struct Way {
        /// When it begins, or when the one before it ends if that is later; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// Where it leads; required.
        pub to: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// How fast it is walked, above zero; required.
        pub speed: f64 as Along<MetresPerSecond> = 1.0;
    }
}

impl Timed for Way {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("to", "[\"580 m\", \"0 m\"]"), ("speed", "\"1 m/s\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

words! {
    /// A rate of 802.11b.
    pub enum DataRateName {
        /// DBPSK.
        Mbps1 = "1 Mbit/s",
        /// DQPSK.
        Mbps2 = "2 Mbit/s",
        /// CCK.
        Mbps5_5 = "5.5 Mbit/s",
        /// CCK.
        Mbps11 = "11 Mbit/s",
    }
}

words! {
    /// What stands ahead of a frame.
    pub enum PreambleName {
        /// 192 µs.
        Long = "long",
        /// 96 µs, if the frame is faster than 1 Mbit/s.
        Short = "short",
    }
}

words! {
    /// How a medium is shared.
    pub enum AccessName {
        /// In the order of arrival.
        ContentionFree = "contention-free",
        /// By carrier sense and back-off.
        CsmaCa = "csma-ca",
    }
}

words! {
    /// Which frames are in error.
    pub enum WlanLossName {
        /// None.
        None = "none",
        /// By the signal-to-noise ratio in free space.
        FromPlace = "from-place",
    }
}

words! {
    /// How mobiles change their access point.
    pub enum WlanHandoverName {
        /// With two links where both are heard.
        MakeBeforeBreak = "make-before-break",
        /// With one, and none while it changes.
        BreakBeforeMake = "break-before-make",
    }
}
