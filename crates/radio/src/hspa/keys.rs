//! `[radio]` with `kind = "umts-hs"`.

use base::{Direction, Duration, Probability, Rate, Schedule};
use settings::{
    Always, Chance, Count, Each, Fault, Flat, OfTime, Speed, Table, Word, join, section, words,
};

use super::config::{HsConfig, Iub, Timing};
use super::formats::{self, Category, Formats, MAC_E_HEADER, TTI};
use crate::channel::{Driven, Mobiles, Radio, Reception, UeKeys, drives, scheduler};
use crate::keys::{Keys, Queues, RadioContext};
use crate::umts::pdcp::PdcpConfig;
use crate::umts::power::DchPower;
use crate::umts::rlc::am::{Poll, Status, pdu_bytes};
use crate::umts::rlc::{self, Arq, Mode};

section! {
    /// `[radio]` of a UMTS cell with HSDPA and HSUPA.
    pub struct HsKeys {
        /// Towards the mobile.
        pub downlink: Downlink as Always<Downlink> = Downlink::default();
        /// From the mobile.
        pub uplink: Uplink as Always<Uplink> = Uplink::default();
        /// The mobiles' category, and what they report.
        pub hs: Hs as Always<Hs> = Hs::default();
        /// Between RNC and `NodeB`.
        pub iub: IubKeys as Always<IubKeys> = IubKeys::default();
        /// How the `NodeB` chooses between mobiles.
        pub scheduler: scheduler::SchedulerConfig as Always<scheduler::SchedulerConfig> =
            scheduler::SchedulerConfig::default();
        /// Link control of both directions: acknowledged mode, selective repeat.
        pub rlc: rlc::RlcConfig as Always<rlc::RlcConfig> = usual_link_control();
        /// Convergence of both directions.
        pub pdcp: PdcpConfig as Always<PdcpConfig> = PdcpConfig::default();
        /// What the radio of a mobile draws, which is always in `CELL_DCH`.
        pub power: DchPower as Always<DchPower> = DchPower::default();
        /// Mobiles whose radio is not that of the others.
        pub ue: Vec<UeKeys> as Each<UeKeys> = Vec::new();
        /// The mobiles, and what befalls their radio.
        pub mobiles: Mobiles as Flat<Mobiles> = Mobiles::default();
    }
    check(Self::check)
}

section! {
    /// `[radio.downlink]`: how good HS-DSCH is.
    pub struct Downlink {
        /// How good it is.
        pub reception: Reception as Flat<Reception> =
            Reception { snr: 10.0, ..Reception::default() };
    }
}

section! {
    /// `[radio.uplink]`: E-DCH, whose power is controlled so that a share of blocks errs.
    pub struct Uplink {
        /// What a mobile is granted, all headers included. Default: our choice.
        pub rate: Rate as Speed = Rate::from_bps(384_000);
        /// Transmission time interval.
        pub tti: UplinkTti as Word<UplinkTti> = UplinkTti::Long;
        /// How many blocks err that are sent for the first time. Default: our choice.
        pub bler: Probability as Chance = Probability::new(0.1).unwrap_or(Probability::NEVER);
        /// How often a block is sent at most. Default: our choice.
        pub transmissions: u32 as Count<u32, 1, 16> = 4;
    }
}

words! {
    /// A TTI of E-DCH (TS 25.211 §5.2.1.3).
    pub enum UplinkTti {
        /// 2 ms, with 8 processes.
        Short = "2 ms",
        /// 10 ms, with 4 processes.
        Long = "10 ms",
    }
}

section! {
    /// `[radio.hs]`: HS-DSCH, its reports and its hybrid ARQ with soft combining.
    pub struct Hs {
        /// The category of the mobiles.
        pub category: Category as Word<Category> = Category::Six;
        /// How often a mobile reports its CQI (feedback cycle, TS 25.214 §6A.1.2). Default: EURANE.
        pub cqi_period: Duration as OfTime<2_000_000> = TTI;
        /// How old a report is when it is used. Default: three TTIs, as EURANE has it.
        pub cqi_age: Duration as OfTime = Duration::from_millis(6);
        /// For how long a gap of blocks is waited for (T1, TS 25.321 §11.6.2). Default: our choice;
        /// longer than HARQ repeats a block.
        pub reordering: Duration as OfTime<2_000_000> = Duration::from_millis(60);
        /// How many blocks may be in flight.
        pub processes: u32 as Count<u32, 1, 8> = 6;
        /// How often a block is sent at most before link control has to repair the loss. Default:
        /// our choice.
        pub transmissions: u32 as Count<u32, 1, 16> = 4;
        /// From a block to when the same process sends again. Default: six TTIs.
        pub round_trip: Duration as OfTime<8_000_000, 100_000_000> = Duration::from_millis(12);
    }
}

section! {
    /// `[radio.iub]`: between RNC and `NodeB`.
    pub struct IubKeys {
        /// One way. Default: our choice.
        pub delay: Duration as OfTime = Duration::from_millis(6);
        /// How often the `NodeB` grants (capacity allocation, TS 25.435 §5.9). Default: our choice.
        pub period: Duration as OfTime<2_000_000> = Duration::from_millis(10);
        /// How much is to wait in the `NodeB`, as the time that the mobile's share of the radio
        /// takes for it. Default: our choice; less than twice `delay` and `period` leaves TTIs
        /// empty.
        pub target: Duration as OfTime<2_000_000> = Duration::from_millis(50);
    }
}

/// Timers for a loop over Iub, queue and HARQ of a `NodeB`: our choice.
fn usual_link_control() -> rlc::RlcConfig {
    rlc::RlcConfig {
        poll: Poll {
            every_pdus: Some(128),
            timer: Some(Duration::from_millis(250)),
            ..Poll::default()
        },
        status: Status { prohibit: Some(Duration::from_millis(100)), ..Status::default() },
        ..rlc::RlcConfig::default()
    }
}

/// From the end of a block to when it is decoded: TS 25.211 §7.7 has 5 ms until the answer.
const DECODING: u64 = 2;

impl HsKeys {
    /// The cell and its mobiles.
    pub fn config(&self, context: &RadioContext<'_>) -> HsConfig {
        let slots = |time: Duration| time.ceil_to(TTI).whole(TTI);
        let downlink = Timing {
            tti: 1,
            processes: self.hs.processes,
            transmissions: self.hs.transmissions,
            round_trip: slots(self.hs.round_trip),
            decoding: DECODING,
        };
        let (tti, processes) = match self.uplink.tti {
            UplinkTti::Short => (1, 8),
            UplinkTti::Long => (5, 4),
        };
        let uplink = Timing {
            tti,
            processes,
            transmissions: self.uplink.transmissions,
            round_trip: tti * u64::from(processes),
            decoding: DECODING,
        };
        let radios = self.radios();
        HsConfig {
            formats: self.formats(),
            grant: self.grant(),
            timings: [downlink, uplink],
            reordering: slots(self.hs.reordering),
            iub: Iub {
                delay: slots(self.iub.delay),
                period: slots(self.iub.period),
                target: slots(self.iub.target),
            },
            scheduler: self.scheduler,
            queues: context.queues,
            rlc: self.rlc.clone(),
            pdcp: self.pdcp.clone(),
            power: self.power.model(),
            ues: self.mobiles.ues(self.ue.iter().map(|ue| ue.alike(&radios)), &radios),
        }
    }

    fn formats(&self) -> Formats {
        Formats::new(self.hs.category, pdu_bytes(&self.rlc))
    }

    /// How many PDUs a block uplink carries.
    fn grant(&self) -> u32 {
        let tti = match self.uplink.tti {
            UplinkTti::Short => TTI,
            UplinkTti::Long => TTI * 5,
        };
        let bits = self.uplink.rate.bytes_in(tti) * 8;
        let pdus = bits.saturating_sub(u64::from(MAC_E_HEADER)) / self.pdu_bits();
        u32::try_from(pdus).unwrap_or(u32::MAX)
    }

    fn pdu_bits(&self) -> u64 {
        u64::from(pdu_bytes(&self.rlc)) * 8
    }

    fn radios(&self) -> [Radio; 2] {
        let reports = [self.hs.cqi_period, self.hs.cqi_age];
        let down = self.downlink.reception.radio(&self.mobiles, reports);
        let bler = Some(self.uplink.bler.value());
        let up = Radio { snr: 0.0.into(), fading: None, bler, ..down.clone() };
        [down, up]
    }

    /// What link control carries at most over the `radio` of a mobile downlink, in the mean over
    /// fading, and over that uplink.
    fn most(&self, radio: &Radio) -> [Schedule<Rate>; 2] {
        let formats = self.formats();
        let carried = |pdus: u32| {
            Rate::from_bps((u64::from(pdus) * u64::from(self.rlc.pdu_payload) * 8).max(1))
        };
        let down = |snr| {
            let cqi = radio.bler.map_or_else(|| formats::cqi(snr), |_| 30);
            carried(formats.of_cqi(cqi).map_or(0, |format| formats.pdus(format)) * 500)
        };
        let up = self.grant() * if self.uplink.tti == UplinkTti::Short { 500 } else { 100 };
        [radio.mean_rate(down), Schedule::constant(carried(up))]
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.rlc.mode != Mode::Am || self.rlc.arq != Arq::SelectiveRepeat {
            let message = format!(
                "{at}.kind = umts-hs needs {at}.rlc.mode = am and {at}.rlc.arq = selective-repeat"
            );
            return tree.clash_at(at, &["rlc.mode", "rlc.arq"], message);
        }
        if self.formats().most() == 0 {
            let message = format!(
                "{at}.rlc.pdu_payload: no block of category {} carries such a PDU",
                base::Words::name(self.hs.category)
            );
            return tree.clash_at(at, &["rlc.pdu_payload", "hs.category"], message);
        }
        if self.grant() == 0 {
            let per_second = if self.uplink.tti == UplinkTti::Short { 500 } else { 100 };
            let least = (self.pdu_bits() + u64::from(MAC_E_HEADER)).div_ceil(8) * 8 * per_second;
            let message = format!(
                "{at}.uplink.rate must be at least {} for a PDU in each TTI",
                <Speed as settings::Leaf>::show(&Rate::from_bps(least))
            );
            return tree.clash_at(at, &["uplink.rate", "uplink.tti", "rlc.pdu_payload"], message);
        }
        let has_ratio = |ue: &&UeKeys| ue.uplink.has_ratio();
        if let Some(ue) = self.ue.iter().find(has_ratio) {
            let own = join("ue", &ue.name);
            let message = format!(
                "{at}.{own}.uplink has no ratio of signal to noise with {at}.kind = umts-hs: say \
                 how many blocks err, {at}.{own}.uplink.bler"
            );
            let keys = ["snr", "snrs", "trace"].map(|key| format!("{own}.uplink.{key}"));
            return tree.clash_at(at, &keys.each_ref().map(String::as_str), message);
        }
        Ok(())
    }
}

impl Keys for HsKeys {
    fn interface(&self) -> &'static str {
        "Uu"
    }

    fn queues(&self) -> Queues {
        Queues::Together("HSDPA")
    }

    fn reception(&self, direction: Direction) -> Option<&Reception> {
        direction.of(Some(&self.downlink.reception), None)
    }

    fn reception_mut(&mut self, direction: Direction) -> Option<&mut Reception> {
        direction.of(Some(&mut self.downlink.reception), None)
    }

    fn drives_mut(&mut self) -> Vec<Driven<'_>> {
        drives([(Direction::Downlink, &mut self.downlink.reception)], &mut self.ue)
    }

    fn listed(&self) -> Vec<(&str, u32)> {
        self.ue.iter().map(|ue| (&*ue.name, ue.count)).collect()
    }

    fn rates(&self, context: &RadioContext<'_>, ue: usize) -> Option<[Schedule<Option<Rate>>; 2]> {
        let [radio, _] = &self.config(context).ues[ue].radios;
        Some(self.most(radio).map(|rates| rates.map(Some)))
    }

    fn sharers(&self) -> Option<&Mobiles> {
        Some(&self.mobiles)
    }

    fn sharers_mut(&mut self) -> Option<&mut Mobiles> {
        Some(&mut self.mobiles)
    }
}
