//! `[radio]`: the mobile's bearer.

use base::{Duration, Probability, Rate};

use super::Rlc;
use crate::form::{
    Always, Bytes, Flag, Leaf, OfTime, Or, Speed, Tbler, Word, as_key, section, words,
};
use crate::tree::Scalar;

section! {
    /// `[radio]`: a bearer over a UMTS dedicated channel. Defaults: lo2005 Table 3, and where its
    /// text leaves a value open, what fits its results.
    pub struct Radio {
        /// The kind of bearer.
        pub kind: RadioKind as Word<RadioKind> = RadioKind::UmtsDch;
        /// Transport block error rate of both directions: every block is in error with this
        /// probability, independently of all others.
        pub tbler: Probability as Tbler = Probability::NEVER;
        /// Towards the mobile.
        pub downlink: Channel as Always<Channel> = Channel::default();
        /// From the mobile. Default: 64 kbit/s in TTIs of 20 ms.
        pub uplink: Channel as Always<Channel> = Channel {
            rate: Rate::from_bps(64_000),
            tti: Duration::from_millis(20),
            ..Channel::default()
        };
        /// The convergence protocol, alike in both directions.
        pub pdcp: Pdcp as Always<Pdcp> = Pdcp::default();
        /// The link control, alike in both directions.
        pub rlc: Rlc as Always<Rlc> = Rlc::default();
    }
}

impl Radio {
    /// Transport block error rate of `channel`, one of this radio's.
    pub fn tbler_of(&self, channel: &Channel) -> Probability {
        channel.tbler.unwrap_or(self.tbler)
    }
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: the dedicated channel of one direction.
    pub struct Channel {
        /// RLC payload per time, without RLC headers.
        pub rate: Rate as Speed = Rate::from_bps(384_000);
        /// Transmission time interval.
        pub tti: Duration as Tti = Duration::from_millis(10);
        /// Transport block error rate of this direction.
        pub tbler: Option<Probability> as Or<as_key::RadioTbler, Tbler> = None;
    }
}

section! {
    /// `[radio.pdcp]`: the convergence protocol (TS 25.323).
    pub struct Pdcp {
        /// Bytes in front of each packet. Default: lo2005 §4, a packet of 552 B makes 553 B.
        pub header_bytes: u32 as Bytes<u32, 0, 3> = 1;
        /// Compression of TCP/IP headers after RFC 2507.
        pub header_compression: bool as Flag = false;
    }
}

words! {
    /// A kind of radio bearer.
    pub enum RadioKind {
        /// Dedicated channels of UMTS in both directions.
        UmtsDch = "umts-dch",
    }
}

/// A transmission time interval of a dedicated channel (TS 25.302 §7.1.6).
pub(crate) struct Tti;

impl Leaf for Tti {
    type Value = Duration;

    fn expected() -> String {
        "10 ms, 20 ms, 40 ms or 80 ms".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<Duration, String> {
        let tti = OfTime::<0>::parse(scalar)?;
        [10, 20, 40, 80]
            .map(Duration::from_millis)
            .contains(&tti)
            .then_some(tti)
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &Duration) -> String {
        OfTime::<0>::show(value)
    }
}
