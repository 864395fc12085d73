//! `[tcp.freeze]`, `tcp.receiver` and `tcp.share_state`: what hosts do beside sending.

use base::Duration;

use settings::{Count, Fault, Flag, OfTime, Off, Or, Table, section, words};

section! {
    /// `[tcp.freeze]`: receivers that see a disconnection coming freeze their senders (Freeze-TCP,
    /// Goff et al. 2000). Disconnections are the outages of [link] towards the mobile or of
    /// [radio], and coverage that is lost.
    pub struct Freeze {
        /// How long before a disconnection the mobile is warned; about a round trip (Goff et al.
        /// §3.2), as 1 s over GPRS. Default: never.
        pub warning: Option<Duration> as Or<Off, OfTime> = None;
        /// How often the closed window is told, in case some of it is lost. Default: our choice.
        pub notices: u32 as Count<u32, 1, 100> = 3;
        /// Three acknowledgements tell of the way back (TR-ACKs), not one. Default: Goff et al. §3.
        pub tr_acks: bool as Flag = true;
        /// Mean of the exponential time from one warning in vain to the next. The sender is thawed
        /// when the disconnection should have begun. Default: never.
        pub false_warnings: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
    check(Self::goes_together)
}

words! {
    /// Which receiver it is.
    pub enum Receiver {
        /// It has its window from the start, all of it.
        Plain = "plain",
        /// Linux 2.4: four segments at first, two more with each that arrives, up to 65,535 B.
        Linux24 = "linux-2.4",
        /// Windows 2000: 16 KB, rounded up to whole segments.
        Windows2000 = "win2000",
        /// Windows CE 3.0: 8 KB, rounded up to whole segments, at least four.
        WindowsCe = "wince",
    }
}

words! {
    /// From which connections to the same host a new one learns.
    pub enum ShareState {
        /// From none.
        Off = "off",
        /// From the one that ended last.
        Temporal = "temporal",
        /// From those that are open.
        Ensemble = "ensemble",
    }
}

impl Freeze {
    fn goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.false_warnings.is_some() && self.warning.is_none() {
            let message = format!("warnings in vain need {at}.warning, how long they last");
            return tree.clash_at(at, &["false_warnings", "warning"], message);
        }
        Ok(())
    }

    /// How its receivers tell.
    pub(crate) fn config(&self) -> tcp::Freeze {
        tcp::Freeze { notices: self.notices as u8, reopenings: if self.tr_acks { 3 } else { 1 } }
    }
}

impl Receiver {
    /// Its buffer, where none is given; of a plain one the sender's window decides.
    pub(crate) fn buffer(self, mss: u32) -> Option<u32> {
        let whole = |bytes: u32| bytes.div_ceil(mss) * mss;
        match self {
            Self::Plain => None,
            // 87,380 B of tcp_rmem, less a quarter for overhead (tcp_adv_win_scale = 2).
            Self::Linux24 => Some(65_535),
            Self::Windows2000 => Some(whole(16_384)),
            Self::WindowsCe => Some(whole(8_192).max(4 * mss)),
        }
    }

    /// How its window comes to that size.
    pub(crate) const fn opening(self) -> tcp::WindowOpening {
        match self {
            Self::Linux24 => tcp::WindowOpening::Gradual { segments: 4 },
            Self::Plain | Self::Windows2000 | Self::WindowsCe => tcp::WindowOpening::Whole,
        }
    }
}

impl ShareState {
    /// As endpoints have it.
    pub(crate) const fn config(self) -> tcp::ShareState {
        match self {
            Self::Off => tcp::ShareState::Off,
            Self::Temporal => tcp::ShareState::Temporal,
            Self::Ensemble => tcp::ShareState::Ensemble,
        }
    }
}
