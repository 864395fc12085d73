//! `[radio]` with `kind = "nr"`.

use base::{Direction, Duration, EnergyPerBit, Power};
use settings::{
    Always, Bytes, Count, Each, Fault, Flat, OfTime, Off, Or, Perhaps, Table, Word, section,
};

use super::pattern::{Letter, Pattern};
use super::tables::{McsTable, Shape, Spacing};
use crate::channel::{
    Blockage, Frame, Mobiles, Part, Radio, Reception, Scheme, Sizes, UeKeys, UplinkPower, harq,
};
use crate::keys::{Keys, RadioContext};
use crate::lte::Adaptive;
use crate::rlc36::{self, RlcMode};
use crate::scheduled::{
    Access, Background, BaseStation, Carrier, Handover, Headers, ScheduledConfig, of_cell, power,
    rrc::InactiveKeys,
};

section! {
    /// `[radio]` of an NR cell.
    pub struct NrKeys {
        /// Towards the mobile.
        pub downlink: NrChannel as Always<NrChannel> =
            NrChannel { layers: 2, mcs_table: McsTable::Qam256, ..NrChannel::default() };
        /// From the mobile.
        pub uplink: NrUplink as Always<NrUplink> = NrUplink::default();
        /// The cell and its mobiles.
        pub nr: NrCell as Always<NrCell> = NrCell::default();
        /// Hybrid ARQ.
        pub harq: NrHarq as Always<NrHarq> = NrHarq::default();
        /// The base station, and when mobiles are there for it.
        pub station: BaseStation as Flat<BaseStation> = BaseStation::default();
        /// RRC_INACTIVE, as networks have it that do not lean on LTE. Without it there is none.
        pub inactive: Option<InactiveKeys> as Perhaps<InactiveKeys> = None;
        /// What the radio of a mobile draws.
        pub power: power::Keys as Always<power::Keys> = power::Keys::default();
        /// Handovers. Without it there are none.
        pub handover: Option<Handover> as Perhaps<Handover> = None;
        /// What stands in the way of a mobile from time to time. Without it, nothing does.
        pub blockage: Option<Blockage> as Perhaps<Blockage> = None;
        /// Mobiles whose radio is not that of the others.
        pub ue: Vec<UeKeys> as Each<UeKeys> = Vec::new();
        /// The mobiles, and what befalls their radio.
        pub mobiles: Mobiles as Flat<Mobiles> = Mobiles::default();
    }
    only_with(inactive: rrc)
    check(Self::check)
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: how good the radio of one direction is.
    pub struct NrChannel {
        /// How good the radio is.
        pub reception: Reception as Flat<Reception> = Reception::default();
        /// The index of modulation and coding, or `adaptive`: the best that a report allows.
        pub mcs: Option<u8> as Or<Adaptive, Count<u8, 0, 28>> = None;
        /// The schemes of modulation and coding (TS 38.214 tables 5.1.3.1-1, 5.1.3.1-2). Default:
        /// uplink; downlink it is 256qam.
        pub mcs_table: McsTable as Word<McsTable> = McsTable::Qam64;
        /// The most layers that a block has, which share the power of the sender and are all as
        /// good; with a fixed index, how many. Up to 4 in the uplink. Default: uplink; downlink it
        /// is 2. Our choice.
        pub layers: u16 as Count<u16, 1, 8> = 1;
    }
}

section! {
    /// `[radio.uplink]`: how good the radio is, and what power mobiles have for it.
    pub struct NrUplink {
        /// How good the radio is.
        pub channel: NrChannel as Flat<NrChannel> = NrChannel::default();
        /// What power there is.
        pub power: UplinkPower as Flat<UplinkPower> = UplinkPower::default();
    }
}

section! {
    /// `[radio.nr]`: the cell.
    pub struct NrCell {
        /// How far subcarriers are apart: a slot takes 1 ms with 15 kHz, half of it with twice as
        /// much.
        pub spacing: Spacing as Word<Spacing> = Spacing::Khz30;
        /// Resource blocks (TS 38.101-1, 38.101-2 table 5.3.2-1): 273 for 100 MHz, 106 for 40 and
        /// 51 for 20 with 30 kHz; 106 for 20 MHz with 15 kHz; 66, 132 and 264 for 100, 200 and 400
        /// MHz with 120 kHz.
        pub resource_blocks: u16 as Count<u16, 11, 275> = 273;
        /// Which slots are of which direction. Without it, all are of both: two carriers.
        pub tdd: Option<Tdd> as Perhaps<Tdd> = None;
        /// Symbols at the beginning of a slot of the downlink for control. Default: our choice; TS
        /// 38.211 §7.3.2.2 has 1 to 3.
        pub control_symbols: u32 as Count<u32, 0, 3> = 1;
        /// Resource elements of a resource block for reference signals (`N_DMRS`, TS 38.214
        /// §5.1.3.2). Default: one symbol.
        pub dmrs: u32 as Count<u32, 0, 72> = 12;
        /// Those for other purposes (`N_oh`, xOverhead: 0, 6, 12 or 18).
        pub overhead: u32 as Count<u32, 0, 18> = 0;
        /// How often a mobile may request to send. Default: our choice; TS 38.331 has 1 to 640
        /// slots, and less.
        pub request_period: Duration as OfTime<125_000> = Duration::from_millis(5);
        /// From a grant to the first slot that it may be for, in slots (N2, K2). Default: of
        /// 5G-LENA.
        pub grant_delay: u32 as Count<u32, 1, 20> = 2;
        /// What a request is granted before it is known how much waits. Default: our choice.
        pub first_grant: u32 as Bytes<u32, 8, 10_000> = 100;
        /// Link control.
        pub rlc: Rlc as Always<Rlc> = Rlc::default();
        /// What puts SDUs in order.
        pub pdcp: Pdcp as Always<Pdcp> = Pdcp::default();
        /// How often the ratio of signal to noise is reported. Default: our choice.
        pub report_period: Duration as OfTime<125_000> = Duration::from_millis(5);
        /// How old a report is when it is used. Default: our choice.
        pub report_age: Duration as OfTime = Duration::from_millis(5);
    }
}

section! {
    /// `[radio.nr.tdd]`: time division duplex (TS 38.213 §11.1).
    pub struct Tdd {
        /// What slots are for, one after the other: D downlink, U uplink, S some symbols of each.
        pub pattern: Pattern as Pattern = Pattern::default();
        /// Symbols of the downlink in a slot S, those for control included. Default: our choice.
        pub special_downlink: u32 as Count<u32, 0, 14> = 10;
        /// Symbols of the uplink in a slot S. What is left is the gap. Default: our choice.
        pub special_uplink: u32 as Count<u32, 0, 14> = 2;
    }
}

section! {
    /// `[radio.harq]`: hybrid ARQ with soft combining (TS 38.321 §5.3.2, §5.4.2).
    #[derive(Copy)]
    pub struct NrHarq {
        /// How many blocks may be in flight. Default: the most that nrofHARQ-ProcessesForPDSCH has
        /// before release 17 (TS 38.331); a mobile that is not told has 8.
        pub processes: u32 as Count<u32, 1, 32> = 16;
        /// How often a block is sent again before link control has to repair the loss. Default: our
        /// choice.
        pub repeats: u32 as Count<u32, 0, 31> = 3;
        /// From a block of the downlink to the slot in which the mobile can say at the soonest
        /// whether it came, in slots (N1, K1). Default: of 5G-LENA.
        pub feedback: u32 as Count<u32, 1, 20> = 2;
        /// How many slots a receiver takes to decode a block after its slot. Default: the 100 us of
        /// 5G-LENA, in whole slots.
        pub decoding: u32 as Count<u32, 0, 20> = 1;
    }
}

section! {
    /// `[radio.nr.rlc]`: radio link control (TS 38.322). Default of timers and retransmissions: the
    /// example of srsRAN 4G (`rb.conf`) for a bearer of 5QI 9.
    pub struct Rlc {
        /// How SDUs are carried.
        pub mode: RlcMode as Word<RlcMode> = RlcMode::Am;
        /// AM: a PDU asks for a status report after so many (pollPDU). Default: our choice.
        pub poll_pdus: Option<u32> as Or<Off, Count<u32, 1, 65_536>> = Some(64);
        /// AM: the same after so many bytes (pollByte).
        pub poll_bytes: Option<u32> as Or<Off, Bytes<u32, 1, 100_000_000>> = None;
        /// AM: after so long without an answer a PDU asks again (t-PollRetransmit).
        pub poll_retransmit: Duration as OfTime<1> = Duration::from_millis(50);
        /// AM: how often an SDU is sent again before the radio link fails (maxRetxThreshold).
        pub max_retransmissions: u32 as Count<u32, 1, 255> = 4;
        /// How long a receiver waits for HARQ to complete an SDU before that counts as lost
        /// (t-Reassembly).
        pub reassembly: Duration as OfTime<1> = Duration::from_millis(50);
        /// AM: from one status report to the next at least (t-StatusProhibit).
        pub status_prohibit: Duration as OfTime = Duration::from_millis(50);
        /// AM: how many SDUs may be without acknowledgement (TS 38.322 §7.2). Default: half of 18
        /// bits. The example has 12 bits: 2048 SDUs, 490 Mbit/s with a report each 50 ms.
        pub window: u32 as Count<u32, 1, 131_072> = 131_072;
    }
}

section! {
    /// `[radio.nr.pdcp]`: PDCP (TS 38.323).
    #[derive(Copy)]
    pub struct Pdcp {
        /// How long SDUs wait for one before them (t-Reordering); then it is given up. `off` is for
        /// ever. Default: the example of srsRAN 4G for a bearer of 5QI 9.
        pub reordering: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_millis(50));
        /// An SDU that has waited longer for its first transmission is discarded (discardTimer).
        pub discard: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

/// For how long nothing is sent in a handover between cells of a network that is not standalone, as
/// it is said to be, and after a radio link failure. Not checked.
const GAP: Duration = Duration::from_millis(108);

/// PDCP (TS 38.323 §6.2.2.3), RLC (TS 38.322 §6.2.2.4), both with 18 bits, and MAC (TS 38.321
/// §6.1.2).
const SDU_HEADER: u32 = 3 + 3 + 3;

/// RLC and MAC again, with an offset, for the SDU of which a block carries the rest.
const BLOCK_HEADER: u32 = 5 + 3;

const WAYS: [Direction; 2] = Direction::BOTH;

/// A phone of NR, which draws 2.5 times as much as one of LTE in each state, and so much for each
/// bit that this is also so at 600 Mbit/s down or 60 up, beside LTE's 13 and 6. Our choice; Xu et
/// al., SIGCOMM 2020, have 2 to 3 times as much.
const PHONE: power::Device = power::Device {
    idle: Power::from_milliwatts(50),
    promotion: Power::from_milliwatts(3025),
    active: Power::from_milliwatts(3220),
    tail: Power::from_milliwatts(2650),
    psm: Power::from_microwatts(38),
    downlink: EnergyPerBit::from_nanojoules(3),
    uplink: EnergyPerBit::from_nanojoules(110),
};

impl NrKeys {
    /// The cell and its mobiles.
    pub fn config(&self, context: &RadioContext<'_>) -> ScheduledConfig {
        let slot = self.nr.spacing.slot();
        let mut radios = WAYS.map(|way| self.radio(way));
        let rrc = self.station.times(slot, self.inactive);
        let moves = self.station.lead(context, &mut radios);
        let handovers = self.handover.clone().unwrap_or_default().in_slots(slot, GAP);
        ScheduledConfig {
            slot,
            frame: self.frame().unwrap_or_else(Frame::both),
            half_duplex: None,
            carriers: WAYS.map(|way| self.carrier(way)),
            harq: self.harq.config(),
            bearers: self.station.bearers(
                self.nr.rlc.config(),
                &context.queues,
                self.nr.pdcp.discard,
            ),
            reordering: Some(self.nr.pdcp.reordering),
            background: Background::new(self.station.background),
            scheduler: self.station.scheduler,
            access: Access {
                request_every: self.nr.request_period.ceil_to(slot).whole(slot).max(1),
                grant_delay: u64::from(self.nr.grant_delay),
                first_grant: u64::from(self.nr.first_grant),
            },
            headers: Headers { sdu: SDU_HEADER, block: BLOCK_HEADER },
            drx: self.station.drx,
            power: self.power.of(PHONE).model(rrc.as_ref()),
            rrc,
            failure_gap: handovers.gap,
            handover: match moves {
                Some(moves) => Some(handovers.at(&moves, slot)),
                None => self.handover.as_ref().map(|_| handovers),
            },
            ues: self.mobiles.ues(self.ue.iter().map(|ue| ue.alike(&radios)), &radios),
        }
    }

    fn radio(&self, way: Direction) -> Radio {
        let reports = [self.nr.report_period, self.nr.report_age];
        let radio = self.channel(way).reception.radio(&self.mobiles, reports);
        Radio { blockage: self.blockage, ..radio }
    }

    fn channel(&self, way: Direction) -> &NrChannel {
        way.of(&self.downlink, &self.uplink.channel)
    }

    /// What a block has of a resource block where a slot has so many symbols of its direction.
    fn shape(&self, way: Direction, symbols: u32) -> Shape {
        let NrCell { control_symbols, dmrs, overhead, .. } = self.nr;
        let control = way.of(control_symbols, 0);
        Shape { symbols: symbols.saturating_sub(control), dmrs, overhead }
    }

    /// What a block has of a resource block of a slot S.
    fn special(&self, way: Direction) -> Option<Shape> {
        let tdd = self.nr.tdd.as_ref()?;
        Some(self.shape(way, way.of(tdd.special_downlink, tdd.special_uplink)))
    }

    /// Which slots are of which direction; `None` without a pattern, or if a direction has none.
    fn frame(&self) -> Option<Frame> {
        let special = |way| match self.special(way) {
            Some(shape) if shape.elements() > 0 => Part::Special,
            Some(_) | None => Part::None,
        };
        let slot = |letter: &Letter| match letter {
            Letter::Downlink => [Part::Whole, Part::None],
            Letter::Special => WAYS.map(special),
            Letter::Uplink => [Part::None, Part::Whole],
        };
        let slots: Vec<_> = self.nr.tdd.as_ref()?.pattern.letters().iter().map(slot).collect();
        let has = |way: usize| slots.iter().any(|slot| slot[way] != Part::None);
        (has(0) && has(1)).then(|| Frame::new(&slots))
    }

    fn carrier(&self, way: Direction) -> Carrier {
        let NrChannel { mcs_table, mcs, layers, .. } = *self.channel(way);
        let (width, needed) = (self.nr.resource_blocks, mcs_table.needed());
        let whole = self.shape(way, SYMBOLS);
        let schemes = match mcs {
            Some(mcs) => vec![Scheme::new(layers, mcs, &needed)],
            None => Scheme::adaptive(layers, &needed, |of| whole.bits(mcs_table, of, width)),
        };
        let sizes = |shape: Shape| {
            Sizes::new(&schemes, width, |of, blocks| shape.bits(mcs_table, of, blocks) / 8)
        };
        let headroom = way.of(None, self.uplink.power.headroom);
        let has_whole = self.frame().is_none_or(|frame| frame.count(way, Part::Whole) > 0);
        let special = self.special(way).map(sizes);
        Carrier { has_whole, ..Carrier::new(&schemes, sizes(whole), special, headroom) }
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        self.check_slots(tree, at)?;
        let is_alone = self.mobiles.ues <= 1 && self.ue.is_empty();
        let receptions = [&self.downlink.reception, &self.uplink.channel.reception];
        self.station.check_journey(is_alone, receptions, tree, at)?;
        self.station.check_handover(self.handover.as_ref(), GAP, tree, at)?;
        for (way, channel) in [("downlink", &self.downlink), ("uplink", &self.uplink.channel)] {
            let last = channel.mcs_table.schemes() - 1;
            if channel.mcs.is_some_and(|mcs| mcs > last) {
                let message = format!("{at}.{way}.mcs must be at most {last} of this mcs_table");
                let keys = [format!("{way}.mcs"), format!("{way}.mcs_table")];
                return tree.clash_at(at, &[&keys[0], &keys[1]], message);
            }
        }
        if self.uplink.channel.layers > 4 {
            let message = format!("{at}.uplink.layers must be at most 4");
            return tree.clash_at(at, &["uplink.layers"], message);
        }
        if self.harq.decoding > self.harq.feedback {
            let message = format!("{at}.harq.decoding must not be more than {at}.harq.feedback");
            return tree.clash_at(at, &["harq.decoding", "harq.feedback"], message);
        }
        if self.nr.pdcp.reordering.is_none()
            && let Some(bearer) = self.station.bearer.iter().find(|it| it.mode == RlcMode::Um)
        {
            let mode = format!("bearer.{}.mode", bearer.name);
            let message = format!(
                "{at}.nr.pdcp.reordering = off needs {at}.{mode} = am: what is lost would be \
                 waited for without end"
            );
            return tree.clash_at(at, &["nr.pdcp.reordering", &mode], message);
        }
        if self.nr.rlc.mode == RlcMode::Um && self.nr.pdcp.reordering.is_none() {
            let message = format!(
                "{at}.nr.pdcp.reordering = off needs {at}.nr.rlc.mode = am: what is lost would be \
                 waited for without end"
            );
            return tree.clash_at(at, &["nr.pdcp.reordering", "nr.rlc.mode"], message);
        }
        Ok(())
    }

    fn check_slots(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let Some(tdd) = &self.nr.tdd else { return Ok(()) };
        let symbols = ["nr.tdd.special_downlink", "nr.tdd.special_uplink"];
        if tdd.special_downlink + tdd.special_uplink > SYMBOLS {
            let [down, up] = symbols;
            let message = format!("{at}.{down} and {at}.{up} are more than 14 symbols");
            return tree.clash_at(at, &symbols, message);
        }
        let Some(frame) = self.frame() else {
            let message =
                format!("{at}.nr.tdd.pattern must have slots of both directions that carry blocks");
            return tree.clash_at(at, &["nr.tdd.pattern", symbols[0], symbols[1]], message);
        };
        let period = self.nr.spacing.slot() * frame.period();
        if self.station.drx.is_some_and(|drx| drx.on < period) {
            let message = format!(
                "{at}.drx.on must not be less than the period of {at}.nr.tdd.pattern, in which a \
                 mobile can be reached"
            );
            return tree.clash_at(at, &["drx.on", "nr.tdd.pattern", "nr.spacing"], message);
        }
        Ok(())
    }
}

/// Symbols of a slot (TS 38.211 §4.3.2).
const SYMBOLS: u32 = 14;

impl NrHarq {
    const fn config(self) -> harq::HarqConfig {
        let Self { processes, repeats, feedback, decoding } = self;
        let feedback = harq::Feedback::Granted { after: feedback, then: 1 };
        harq::HarqConfig { processes, repeats, decoding, feedback }
    }
}

impl Rlc {
    const fn config(&self) -> rlc36::Rlc36Config {
        rlc36::Rlc36Config {
            mode: self.mode.mode(),
            poll_pdus: self.poll_pdus,
            poll_bytes: self.poll_bytes,
            poll_retransmit: self.poll_retransmit,
            max_retransmissions: self.max_retransmissions,
            reordering: self.reassembly,
            status_prohibit: self.status_prohibit,
            window: self.window,
            numbered: rlc36::Numbered::Sdus,
        }
    }
}

impl Keys for NrKeys {
    of_cell!("NR");

    fn needed(&self, direction: Direction) -> Vec<f64> {
        self.channel(direction).mcs_table.needed()
    }
}
