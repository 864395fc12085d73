//! `[radio]` with `kind = "lte"`.

use base::{Direction, Duration, EnergyPerBit, Power};
use settings::{
    Absent, Always, Bytes, Count, Each, Fault, Flat, OfTime, Off, Or, Perhaps, Table, Word, section,
};

use super::lte_m::{self, Duplex, Timing};
use super::tables::{self, Category};
use crate::channel::{Frame, Mobiles, Radio, Reception, UeKeys, UplinkPower, curve, harq};
use crate::keys::{Keys, RadioContext};
use crate::rlc36;
use crate::scheduled::{
    Access, Background, BaseStation, Carrier, Handover, Headers, ScheduledConfig, of_cell, power,
};

/// A subframe (TS 36.211 §4.1).
pub(super) const SUBFRAME: Duration = Duration::from_millis(1);

section! {
    /// `[radio]` of an LTE cell.
    pub struct LteKeys {
        /// Towards the mobile.
        pub downlink: LteChannel as Always<LteChannel> = LteChannel::default();
        /// From the mobile.
        pub uplink: LteUplink as Always<LteUplink> = LteUplink::default();
        /// The cell and its mobiles.
        pub lte: LteCell as Always<LteCell> = LteCell::default();
        /// Hybrid ARQ.
        pub harq: LteHarq as Always<LteHarq> = LteHarq::default();
        /// The base station, and when mobiles are there for it.
        pub station: BaseStation as Flat<BaseStation> = BaseStation::default();
        /// What the radio of a mobile draws.
        pub power: power::Keys as Always<power::Keys> = power::Keys::default();
        /// Handovers. Without it there are none.
        pub handover: Option<Handover> as Perhaps<Handover> = None;
        /// Mobiles whose radio is not that of the others.
        pub ue: Vec<UeKeys> as Each<UeKeys> = Vec::new();
        /// The mobiles, and what befalls their radio.
        pub mobiles: Mobiles as Flat<Mobiles> = Mobiles::default();
    }
    check(Self::check)
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: how good the radio of one direction is.
    pub struct LteChannel {
        /// How good the radio is.
        pub reception: Reception as Flat<Reception> = Reception::default();
        /// The index of modulation and coding (TS 36.213 tables 7.1.7.1-1, 8.6.1-1), or `adaptive`:
        /// the best that a report allows. Uplink the best of categories 1 to 4 is 23.
        pub mcs: Option<u8> as Or<Adaptive, Count<u8, 0, 28>> = None;
    }
}

/// In place of an index of modulation and coding: the best that a report allows.
#[derive(Debug)]
pub(crate) struct Adaptive;

impl Absent for Adaptive {
    const WORD: &'static str = "adaptive";
}

section! {
    /// `[radio.harq]`: hybrid ARQ with soft combining (TS 36.321 §5.3.2, §5.4.2).
    #[derive(Copy)]
    pub struct LteHarq {
        /// How many blocks may be in flight. Default: LTE; of NR, 16.
        pub processes: u32 as Count<u32, 1, 32> = 8;
        /// How often a block is sent again before link control has to repair the loss.
        pub repeats: u32 as Count<u32, 0, 31> = 3;
        /// From the slot of a transmission to the one in which the same process sends again, in
        /// slots. Default: 8 ms, TS 36.213 §8.
        pub round_trip: u32 as Count<u32, 1, 63> = 8;
        /// How many slots a receiver takes to decode a block after its last slot. Default: our
        /// choice for LTE, where TR 36.912 §B.2 has 1.5 ms; of NR, 1.
        pub decoding: u32 as Count<u32, 0, 62> = 2;
    }
}

impl LteHarq {
    const fn config(self) -> harq::HarqConfig {
        let Self { processes, repeats, round_trip, decoding } = self;
        let feedback = harq::Feedback::Fixed { round_trip };
        harq::HarqConfig { processes, repeats, decoding, feedback }
    }
}

section! {
    /// `[radio.uplink]`: how good the radio is, and what power mobiles have for it.
    pub struct LteUplink {
        /// How good the radio is.
        pub channel: LteChannel as Flat<LteChannel> = LteChannel::default();
        /// What power there is.
        pub power: UplinkPower as Flat<UplinkPower> = UplinkPower::default();
    }
}

section! {
    /// `[radio.lte]`: the cell.
    pub struct LteCell {
        /// What mobiles can do.
        pub category: Category as Word<Category> = Category::Four;
        /// Whether mobiles receive and send at once; `half` needs category m1.
        pub duplex: Duplex as Word<Duplex> = Duplex::Full;
        /// How often a block is sent as one, in both directions; above 1 needs category m1 (modes A
        /// and B of coverage enhancement have up to 32 and 2048, TS 36.331 §6.3.2).
        pub repetitions: u32 as Count<u32, 1, 2048> = 1;
        /// Resource blocks: 6, 15, 25, 50, 75 or 100 for 1.4, 3, 5, 10, 15 or 20 MHz (TS 36.101
        /// table 5.6-1).
        pub resource_blocks: u16 as Count<u16, 6, 100> = 100;
        /// How often a mobile may request to send. Default: our choice; TS 36.213 table 10.1.5-1
        /// has 1 to 80 ms.
        pub request_period: Duration as OfTime<1_000_000> = Duration::from_millis(10);
        /// From a grant to what is sent (TS 36.213 §8.0).
        pub grant_delay: Duration as OfTime<1_000_000, 40_000_000> = Duration::from_millis(4);
        /// What a request is granted before it is known how much waits. Default: our choice.
        pub first_grant: u32 as Bytes<u32, 8, 10_000> = 100;
        /// Link control.
        pub rlc: rlc36::Rlc36Config as Always<rlc36::Rlc36Config> = rlc36::Rlc36Config::default();
        /// An SDU that has waited longer for its first transmission is discarded (PDCP, TS 36.323
        /// §5.4).
        pub discard: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// How often the ratio of signal to noise is reported. Default: our choice.
        pub report_period: Duration as OfTime<1_000_000> = Duration::from_millis(5);
        /// How old a report is when it is used. Default: our choice.
        pub report_age: Duration as OfTime = Duration::from_millis(5);
    }
    only_with(duplex: category is ["m1"])
    only_with(repetitions: category is ["m1"])
}

/// What the radio of any mobile draws that hears nothing: that of NB-IoT, near what TR 45.820 §5.4
/// assumes for the life of a battery.
pub(super) const PSM: Power = Power::from_microwatts(15);

/// A phone of 2012 (Huang et al., 2012, as AT&T ARO has it). Without a connection it draws
/// 0.594 W for 43 ms of each paging cycle of 1.28 s; our choice.
const PHONE: power::Device = power::Device {
    idle: Power::from_milliwatts(20),
    promotion: Power::from_milliwatts(1210),
    active: Power::from_milliwatts(1288),
    tail: Power::from_milliwatts(1060),
    psm: PSM,
    downlink: EnergyPerBit::from_nanojoules(52),
    uplink: EnergyPerBit::from_nanojoules(438),
};

/// For how long nothing is sent in a handover, and after a radio link failure. Our choice.
const GAP: Duration = Duration::from_millis(30);

/// PDCP (TS 36.323 §6.2.3), and a length field of RLC (TS 36.322 §6.2.1.4).
const SDU_HEADER: u32 = 4;

/// RLC (TS 36.322 §6.2.1.4) and MAC (TS 36.321 §6.1.2).
const BLOCK_HEADER: u32 = 5;

impl LteKeys {
    /// The cell and its mobiles.
    pub fn config(&self, context: &RadioContext<'_>) -> ScheduledConfig {
        let Timing { slot, half_duplex, grant_delay, harq } = self.timing();
        let rrc = self.station.times(slot, None);
        let mut radios = self.radios();
        let moves = self.station.lead(context, &mut radios);
        let handovers = self.handover.clone().unwrap_or_default().in_slots(slot, GAP);
        ScheduledConfig {
            slot,
            frame: Frame::both(),
            half_duplex,
            carriers: self.carriers(),
            harq,
            bearers: self.station.bearers(self.lte.rlc.clone(), &context.queues, self.lte.discard),
            reordering: None,
            background: Background::new(self.station.background),
            scheduler: self.station.scheduler,
            access: Access {
                request_every: self.lte.request_period.ceil_to(slot).whole(slot).max(1),
                grant_delay,
                first_grant: u64::from(self.lte.first_grant),
            },
            headers: Headers { sdu: SDU_HEADER, block: BLOCK_HEADER },
            drx: self.station.drx,
            power: self.power.of(self.device()).model(rrc.as_ref()),
            rrc,
            failure_gap: handovers.gap,
            handover: match moves {
                Some(moves) => Some(handovers.at(&moves, slot)),
                None => self.handover.as_ref().map(|_| handovers),
            },
            ues: self.mobiles.ues(self.ue.iter().map(|ue| ue.alike(&radios)), &radios),
        }
    }

    /// What its mobiles are, to which `by-device` refers.
    const fn device(&self) -> power::Device {
        match self.lte.category {
            Category::One | Category::Two | Category::Three | Category::Four => PHONE,
            Category::M1 => lte_m::device(self.lte.repetitions),
        }
    }

    fn timing(&self) -> Timing {
        let grant_delay = self.lte.grant_delay.ceil_to(SUBFRAME).whole(SUBFRAME).max(1);
        let harq = self.harq.config();
        if self.lte.category == Category::M1 {
            let (repetitions, round_trip) = (self.repetitions().into(), self.harq.round_trip);
            return Timing::new(self.lte.duplex, repetitions, harq, round_trip, grant_delay);
        }
        Timing { slot: SUBFRAME, half_duplex: None, grant_delay, harq }
    }

    /// The number of times that a block is sent as one.
    fn repetitions(&self) -> u32 {
        if self.lte.category == Category::M1 { self.lte.repetitions } else { 1 }
    }

    fn radios(&self) -> [Radio; 2] {
        let reports = [self.lte.report_period, self.lte.report_age];
        let channels = Direction::BOTH.map(|way| self.channel(way));
        channels.map(|channel| channel.reception.radio(&self.mobiles, reports))
    }

    fn channel(&self, way: Direction) -> &LteChannel {
        way.of(&self.downlink, &self.uplink.channel)
    }

    fn carriers(&self) -> [Carrier; 2] {
        // The energies of repetitions add up.
        let gain = curve::combining_gain(self.repetitions());
        let needed: Vec<_> = tables::needed().iter().map(|needed| needed - gain).collect();
        let (category, width) = (self.lte.category, self.lte.resource_blocks);
        Direction::BOTH.map(|way| {
            let fixed = self.channel(way).mcs.map(tables::scheme_of(way));
            let schemes = category.schemes(way, &needed, fixed);
            let sizes = category.sizes(way, &schemes, width);
            Carrier::new(&schemes, sizes, None, way.of(None, self.uplink.power.headroom))
        })
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.harq.decoding >= self.harq.round_trip {
            let message = format!("{at}.harq.decoding must be less than {at}.harq.round_trip");
            return tree.clash_at(at, &["harq.decoding", "harq.round_trip"], message);
        }
        let slots = self.lte.grant_delay.ceil_to(SUBFRAME).whole(SUBFRAME);
        if slots >= u64::from(self.harq.round_trip) {
            let message = format!(
                "{at}.lte.grant_delay must be shorter than {at}.harq.round_trip, so that a \
                 repeat is known before others are granted its place"
            );
            return tree.clash_at(at, &["lte.grant_delay", "harq.round_trip"], message);
        }
        let is_alone = self.mobiles.ues <= 1 && self.ue.is_empty();
        let receptions = [&self.downlink.reception, &self.uplink.channel.reception];
        self.station.check_journey(is_alone, receptions, tree, at)?;
        self.station.check_handover(self.handover.as_ref(), GAP, tree, at)?;
        self.check_lte_m(tree, at)
    }

    fn check_lte_m(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let Timing { slot, half_duplex, .. } = self.timing();
        let turns = half_duplex.map_or(Duration::ZERO, |frame| slot * frame.period());
        if self.station.drx.is_some_and(|drx| drx.on < turns) {
            let message = format!(
                "{at}.drx.on must be at least {} ms, the time in which a mobile in half duplex \
                 receives and sends once",
                turns.whole(Duration::from_millis(1))
            );
            let keys = ["drx.on", "lte.duplex", "lte.repetitions"];
            return tree.clash_at(at, &keys, message);
        }
        Ok(())
    }
}

impl Keys for LteKeys {
    of_cell!("LTE");

    fn needed(&self, direction: Direction) -> Vec<f64> {
        let needed = tables::needed();
        (0..=28).map(tables::scheme_of(direction)).map(|of| needed[usize::from(of)]).collect()
    }
}
