//! `[middlebox.atcp]`: the aggregating proxy of Chakravorty et al. 2003. Sections, equations and
//! figures are theirs.

use base::{Duration, Rate};
use middlebox::{AtcpConfig, Class, Estimation, FlowControl, Fraction, Kind};

use settings::{
    Bytes, Count, Each, Factor, Flag, Label, Nothing, OfTime, Off, Or, Positive, Speed, Word,
    as_key, named, section, words,
};

section! {
    /// `[middlebox.atcp]`: the aggregating proxy of Chakravorty et al. 2003.
    pub struct AtcpKeys {
        /// What may be in flight to a mobile; where it is estimated, what it starts with. Default:
        /// Chakravorty et al. 2003, §VI.
        pub clamp: u64 as Bytes<u64, 1, { u32::MAX as u64 }> = 10_000;
        /// What the clamp is afterwards: static, as in the paper; estimated after TCP Westwood, its
        /// future work; or what the radio reports, where one does: to no daemon.
        pub estimator: Estimator as Word<Estimator> = Estimator::Static;
        /// What may be in flight ÷ (rate · round-trip time), where it is estimated. Default:
        /// Chakravorty et al. 2003, §IV.C, "around 30 % larger".
        pub headroom: f64 as Positive = 1.3;
        /// What the radio carries; at less than half of it a stall is suspected. Default:
        /// Chakravorty et al. 2003, §II, three slots.
        pub rate: Rate as Speed = Rate::from_bps(33_200);
        /// The usual round-trip time over the radio. Default: what makes the clamp 1.3 times
        /// rate · round-trip time.
        pub round_trip: Duration as OfTime = Duration::from_millis(1_850);
        /// β: bytes held for a mobile ÷ (rate · round-trip time). Default: Chakravorty et al. 2003,
        /// §IV.D, "more than 50 %".
        pub overprovision: f64 as Positive = 1.5;
        /// Most bytes held for a mobile: waiting, in flight, and allowed to senders. Default:
        /// a segment in a hurry for each of 64 connections, and the clamp.
        pub budget: u64 as Bytes<u64, 10_000, { u32::MAX as u64 }> = 128_000;
        /// a of equation (2), in 1/s. Default: stable up to a wired round-trip time of 6 s.
        pub a: f64 as Positive = 0.25;
        /// b of equation (2), in bytes/s. Default: none.
        pub b: f64 as Factor = 0.0;
        /// c of equation (1), in bytes/s. Default: what makes (b + c) ÷ a, where the queue settles,
        /// overprovision · rate · round-trip time.
        pub c: Option<f64> as Or<as_key::Overprovision, Factor> = None;
        /// Later packets whose arrival makes a packet lost. Default: Chakravorty et al. 2003,
        /// §IV.E.
        pub skip_threshold: u32 as Count<u32, 1, 1_000> = 3;
        /// How much longer a packet may take to be acknowledged than later ones of other flows:
        /// their mobile may delay its acknowledgements. Default: Chakravorty et al. 2003, which
        /// has no such time; about 500 ms helps where that is several segments' time.
        pub patience: Duration as OfTime = Duration::ZERO;
        /// The least retransmission timeout. Default: RFC 2988's first one.
        pub min_rto: Duration as OfTime = Duration::from_secs(3);
        /// Whether small segments wait to be filled. Default: Chakravorty et al. 2003, §IV.B.
        pub coalescing: bool as Flag = true;
        /// How long they wait at most. Default: a usual delay of acknowledgements.
        pub coalescing_delay: Duration as OfTime = Duration::from_millis(200);
        /// What the first window after an idle time is shaped to. Default: Chakravorty et al. 2003,
        /// §IV.C, not needed for GPRS.
        pub shaping: Option<Rate> as Or<Off, Speed> = None;
        /// What lower priorities may send while a higher one is active ÷ rate. Default: an echo
        /// under a file transfer takes less than 1.2 times what it takes alone and a segment's time
        /// more, for about 5 % of the transfer's rate.
        pub deference: Option<f64> as Or<Off, Positive> = Some(0.9);
        /// Whether room for less than a segment counts: the segment then leaves once what there is
        /// no room for would have drained at rate. Default: Chakravorty et al. 2003, §IV.B, a
        /// segment leaves when there is room for all of it.
        pub fractions: bool as Flag = false;
        /// What the radio carries from a mobile. Default: unknown, and the uplink is left alone, as
        /// in the paper.
        pub uplink_rate: Option<Rate> as Or<Off, Speed> = None;
        /// Most bytes that a mobile's uploads together may have under way over the radio. Default,
        /// where `uplink_rate` is known: headroom times what that carries in `round_trip`, with a
        /// full packet up in place of one down, and a packet more, which a host's delayed
        /// acknowledgement may hold back.
        pub uplink_clamp: Option<u32> as Or<as_key::UplinkRate, Bytes<u32, 1, 4_294_967_295>> =
            None;
        /// Flows that are not treated as all others.
        pub classes: Vec<AtcpClass> as Each<AtcpClass> = Vec::new();
    }
}

section! {
    /// `[[middlebox.atcp.classes]]`: how flows of a kind are scheduled (§IV.B). The first class
    /// that a flow fits counts; others have priority 0 and one ticket.
    pub struct AtcpClass {
        /// Its name in settings (`middlebox.atcp.classes.NAME.tickets`).
        pub name: String as Label = String::new();
        /// The port of either end; beside it, dscp must be none.
        pub port: Option<u16> as Or<Nothing, Count<u16, 0, 65_535>> = None;
        /// The differentiated services code point of the sender's packets.
        pub dscp: Option<u8> as Or<Nothing, Count<u8, 0, 63>> = None;
        /// Nothing of a lower priority is sent while something of a higher one waits. Above 0
        /// small segments never wait to be filled.
        pub priority: u8 as Count<u8, 0, 255> = 0;
        /// Flows of one priority share in proportion to these.
        pub tickets: u32 as Count<u32, 1, 1_000_000> = 1;
    }
}

named!(AtcpClass);

words! {
    /// Where the clamp comes from.
    pub enum Estimator {
        /// It stays.
        Static = "static",
        /// The rate at which packets arrive (Mascolo and others 2001).
        Westwood = "westwood",
        /// What the radio reports.
        Radio = "radio",
    }
}

/// A full packet on a path over Ethernet, in bytes.
const PACKET: u64 = 1_500;

impl AtcpKeys {
    /// Most bytes that a mobile's uploads may have under way over the radio, if it is known.
    #[must_use]
    pub fn uplink_clamp(&self) -> Option<u32> {
        let by_rate = |uplink: Rate| {
            let packet = PACKET as f64;
            let meanwhile = packet * uplink.as_bps() as f64 / self.rate.as_bps() as f64;
            let empty = (uplink.bytes_in(self.round_trip) as f64 - meanwhile).max(0.0);
            (self.headroom * (empty + packet) + packet).min(u32::MAX.into()) as u32
        };
        self.uplink_clamp.or_else(|| self.uplink_rate.map(by_rate))
    }

    /// The same as the box takes it.
    pub(crate) fn config(&self) -> AtcpConfig {
        let window = self.rate.bytes_in(self.round_trip) as f64 * self.overprovision;
        let (a, b) = (self.a, self.b);
        let c = self.c.unwrap_or_else(|| (a * window - b).max(0.0));
        AtcpConfig {
            clamp: self.clamp,
            estimator: match self.estimator {
                Estimator::Static => Estimation::Static,
                Estimator::Westwood => Estimation::Westwood,
                Estimator::Radio => Estimation::Radio,
            },
            headroom: self.headroom,
            rate: self.rate,
            round_trip: self.round_trip,
            overprovision: self.overprovision,
            budget: self.budget,
            flow_control: FlowControl { a, b, c },
            skip_threshold: self.skip_threshold,
            patience: self.patience,
            min_rto: self.min_rto,
            coalescing: self.coalescing.then_some(self.coalescing_delay),
            shaping: self.shaping,
            deference: self.deference,
            fraction: if self.fractions { Fraction::Timed } else { Fraction::Waits },
            classes: self.classes.iter().filter_map(AtcpClass::class).collect(),
        }
    }
}

impl AtcpClass {
    /// The same as the box takes it; `None` if it is not said which flows.
    pub(crate) fn class(&self) -> Option<Class> {
        let flows = match (self.port, self.dscp) {
            (Some(port), None) => Kind::Port(port),
            (None, Some(codepoint)) => Kind::Dscp(codepoint),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(Class { flows, priority: self.priority, tickets: self.tickets })
    }
}
