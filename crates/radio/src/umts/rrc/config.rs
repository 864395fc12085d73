//! `[radio.rrc]`: how connections of the mobiles of a cell come and go.

use base::Duration;
use observe::RrcState;
use settings::{Always, Bytes, Count, OfTime, Off, Or, Word, section, words};

section! {
    /// `[radio.rrc]`: radio resource control (TS 25.331). A default without a source is ours
    /// (`docs/models/umts-rrc.md`).
    pub struct RrcConfig {
        /// The state in which a mobile begins.
        pub initial: RrcState as Word<RrcState> = RrcState::Idle;
        /// From the request for a connection to the first block on its channel, without paging and
        /// the core network's part. Default: as `dch_delay`; measured with that part it is
        /// longer (`docs/models/umts-rrc.md`).
        pub setup_delay: Duration as OfTime = Duration::from_millis(250);
        /// From the decision for dedicated channels to their first block, with a connection.
        /// Default: Prabhu, Altman, Avrachenkov and Abadia Dominguez, A Simulation Study of TCP
        /// Performance over UMTS Downlink ("of the order of 250 ms").
        pub dch_delay: Duration as OfTime = Duration::from_millis(250);
        /// From the decision against dedicated channels until they close.
        pub release_delay: Duration as OfTime = Duration::from_millis(250);
        /// A cell or URA update, during which nothing is carried.
        pub update_delay: Duration as OfTime = Duration::from_millis(250);
        /// How long a page waits for the mobile to listen: half of a DRX cycle of 1.28 s.
        pub paging_delay: Duration as OfTime = Duration::from_millis(640);
        /// How long each state lasts without activity.
        pub inactivity: Inactivity as Always<Inactivity> = Inactivity::default();
        /// What counts as activity (Hynderick and Raes 2004, III.B): `sdu`, packets from above;
        /// `pdu`, everything that RLC sends, retransmissions and control included.
        pub activity: Activity as Word<Activity> = Activity::Pdu;
        /// What a new connection gets.
        pub first_channel: FirstChannel as Word<FirstChannel> = FirstChannel::Shared;
        /// Where inactivity on dedicated channels leads.
        pub after_dch: AfterDch as Word<AfterDch> = AfterDch::Shared;
        /// Where inactivity on the shared channels leads.
        pub rest: Rest as Word<Rest> = Rest::CellPch;
        /// The traffic volume that triggers a request for dedicated channels.
        pub traffic_volume: TrafficVolume as Always<TrafficVolume> = TrafficVolume::default();
        /// After so many cell updates in a row without data a mobile is put into `URA_PCH`.
        pub updates_before_ura: Option<u32> as Or<Off, Count<u32, 1, 1000>> = Some(5);
        /// How long a mobile without any cell keeps its connection. Default: T314 (TS 25.331).
        pub out_of_service: Duration as OfTime = Duration::from_secs(12);
    }
}

section! {
    /// `[radio.rrc.inactivity]`: how long each state lasts without activity; `off` is unlimited.
    /// Defaults of `dch` and `fach`: inferred of a carrier by Qian et al. (Characterizing Radio
    /// Resource Allocation for 3G Networks, IMC 2010); of `pch`: T305 (TS 25.331).
    pub struct Inactivity {
        /// In `CELL_DCH`.
        pub dch: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_secs(5));
        /// In `CELL_FACH`.
        pub fach: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_secs(12));
        /// In `CELL_PCH` and `URA_PCH`.
        pub pch: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_secs(1800));
    }
}

section! {
    /// `[radio.rrc.traffic_volume]`: the measurement that triggers a request for dedicated channels
    /// (TS 25.331 §14.4.2.1, event 4a).
    pub struct TrafficVolume {
        /// More bytes than these wait downlink.
        pub downlink: u64 as Bytes<u64, 0, 1_000_000_000> = 512;
        /// More bytes than these wait uplink.
        pub uplink: u64 as Bytes<u64, 0, 1_000_000_000> = 512;
        /// How long they must do so (time to trigger).
        pub time_to_trigger: Duration as OfTime = Duration::ZERO;
        /// After a refusal, how long until the next trigger counts.
        pub pending_time: Duration as OfTime = Duration::from_secs(2);
    }
}

words! {
    /// What counts as activity (Hynderick and Raes 2004, III.B, third set, modification 2).
    pub enum Activity {
        /// Packets from above. Retransmissions of RLC do not count, so that a poor radio can close
        /// the channels in the middle of a transfer.
        Sdu = "sdu",
        /// Everything that RLC sends, retransmissions and control included.
        Pdu = "pdu",
    }
}

words! {
    /// What a new connection gets.
    pub enum FirstChannel {
        /// Dedicated channels; shared ones if those are refused.
        Dedicated = "dedicated",
        /// Shared channels; dedicated ones when the traffic volume requires them.
        Shared = "shared",
    }
}

words! {
    /// Where inactivity on dedicated channels leads.
    pub enum AfterDch {
        /// To the shared channels.
        Shared = "shared",
        /// The connection is released.
        Release = "release",
    }
}

words! {
    /// Where inactivity on the shared channels leads.
    pub enum Rest {
        /// To `CELL_PCH`.
        CellPch = "cell-pch",
        /// To `URA_PCH`.
        UraPch = "ura-pch",
        /// The connection is released.
        Release = "release",
    }
}
