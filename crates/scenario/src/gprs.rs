//! From `[radio]` and `[queue]` to the configuration of a GPRS bearer.

use std::iter::successors;

use base::{Duration, Rate, Time};
use link::queue::Queues;
use radio::gprs::{
    self, Arq, BLOCK_PERIOD, Channel, CodingScheme, Config, CoreDelay, Coupling, Errors, Gap,
    GapKind, Quality, SetUp, State,
};

use crate::Radio;
use crate::schema::{RadioKind, RadioStateName, RandomOutages, SchemeName};

impl Radio {
    /// How a GPRS bearer called `name` behaves in a run of `duration`, with `queue` ahead of it in
    /// either direction. Random outages are drawn by `seed` and the name.
    pub fn gprs_config(&self, queue: &Queues, duration: Duration, seed: u64, name: &str) -> Config {
        let tbf = &self.gprs.tbf;
        let core = |median| CoreDelay {
            median,
            jitter: self.gprs.core.jitter,
            coherence: self.gprs.core.coherence,
        };
        let scheme = self.coding_scheme();
        let is_adaptive = self.gprs.coding_scheme.is_none();
        Config {
            downlink: Channel {
                slots: self.downlink.slots,
                core: core(self.gprs.core.downlink),
                queue: queue.forth(),
                lifetime: self.gprs.lifetime,
                keep: tbf.delayed_release,
            },
            uplink: Channel {
                slots: self.uplink.slots,
                core: core(self.gprs.core.uplink),
                queue: queue.back(),
                lifetime: None,
                keep: tbf.extended_uplink,
            },
            scheme,
            adaptation: is_adaptive.then_some(gprs::Adaptation {
                up: self.gprs.adaptation.up,
                down: self.gprs.adaptation.down,
                blocks: self.gprs.adaptation.blocks,
            }),
            arq: Arq {
                window: self.gprs.window.unwrap_or_else(|| self.usual_window()),
                poll_blocks: self.gprs.poll_blocks,
                round_trip: self.gprs.round_trip,
            },
            set_up: SetUp {
                associated: tbf.associated,
                common: tbf.common,
                access: tbf.access,
                t3192: tbf.t3192,
                coupling: tbf.coupling.map_or(Coupling::Off, Coupling::Piggybacked),
            },
            control_every: self.gprs.control_every,
            errors: self.gprs_errors(),
            gaps: self.gaps(duration, seed, name),
            keep: self.gprs.keep,
        }
    }

    /// The rate that throughput is compared with: the downlink's; of time slots that of their
    /// payload, without errors and before headers, in the fastest scheme that may be chosen.
    pub fn bottleneck(&self) -> Rate {
        match self.kind {
            RadioKind::UmtsDch | RadioKind::UmtsCell => return self.downlink.rate,
            RadioKind::Gprs => {}
        }
        let first = self.coding_scheme();
        let scheme = match self.gprs.coding_scheme {
            Some(_) => first,
            None => successors(Some(first), |scheme| scheme.faster()).last().unwrap_or(first),
        };
        let bits = u64::from(scheme.bytes() * self.downlink.slots) * 8;
        Rate::from_bps(bits * 1_000_000_000 / BLOCK_PERIOD.as_nanos())
    }

    /// The coding scheme at the start.
    fn coding_scheme(&self) -> CodingScheme {
        self.gprs.coding_scheme.unwrap_or(self.gprs.initial_scheme).scheme()
    }

    /// 64 blocks; with EDGE 64 and twice as many for each slot, within the limits of TS 44.060
    /// Table 9.1.9.2.1.
    fn usual_window(&self) -> u32 {
        let slots = self.downlink.slots.max(self.uplink.slots);
        if self.coding_scheme().is_edge() { 64 + 64 * 2 * slots.min(7) } else { 64 }
    }

    fn gprs_errors(&self) -> Errors {
        let ci = Quality::CarrierToInterference;
        let of = |scheme: CodingScheme, rate| ci(scheme.ci_of(rate));
        let good = of(CodingScheme::Cs2, 0.04);
        let fair = of(CodingScheme::Cs2, 0.15);
        let bad = of(CodingScheme::Cs1, 0.4);
        let lasting = |quality| Errors::States(vec![State { quality, mean: None }]);
        let state =
            |(quality, seconds)| State { quality, mean: Some(Duration::from_secs(seconds)) };
        match (self.gprs.state, &self.gilbert_elliott, self.ci) {
            (RadioStateName::Good, _, _) => lasting(good),
            (RadioStateName::Fair, _, _) => lasting(fair),
            (RadioStateName::Bad, _, _) => lasting(bad),
            (RadioStateName::Varying, _, _) => {
                Errors::States([(good, 30), (fair, 10), (bad, 5)].map(state).to_vec())
            }
            (RadioStateName::Given, Some(bursts), _) => Errors::States(vec![
                State { quality: Quality::ErrorRate(bursts.good), mean: Some(bursts.good_mean) },
                State { quality: Quality::ErrorRate(bursts.bad), mean: Some(bursts.bad_mean) },
            ]),
            (RadioStateName::Given, None, Some(carrier)) => lasting(ci(carrier)),
            (RadioStateName::Given, None, None) => Errors::Constant(self.tbler),
        }
    }

    /// When nothing gets through, in order: of two gaps that overlap the later one begins when the
    /// earlier one ends.
    fn gaps(&self, duration: Duration, seed: u64, name: &str) -> Vec<Gap> {
        let at = |time: Duration| Time::ZERO + time;
        let outage = |[from, to]: [Time; 2]| Gap { from, to, kind: GapKind::Outage };
        let reselections = self.reselections.iter().map(|one| Gap {
            from: at(one.at),
            to: at(one.at + one.lasts),
            kind: GapKind::Reselection(one.forward),
        });
        let resets = self.resets.iter().map(|from| Gap {
            from: at(*from),
            to: at(*from + self.gprs.restart),
            kind: GapKind::Reset,
        });
        let outages = self.all_outages(duration, seed, name).into_iter().map(outage);
        let mut gaps: Vec<_> = outages.chain(reselections).chain(resets).collect();
        gaps.sort_by_key(|gap| gap.from);
        let mut end = Time::ZERO;
        gaps.retain_mut(|gap| {
            gap.from = gap.from.max(end);
            end = end.max(gap.to);
            gap.from < gap.to
        });
        gaps
    }

    /// The outages of a bearer called `name`, given and drawn, in order of their beginnings: what
    /// whoever foresees them must know.
    pub fn all_outages(&self, duration: Duration, seed: u64, name: &str) -> Vec<[Time; 2]> {
        let given = self.outages.iter().map(|outage| outage.map(|time| Time::ZERO + time));
        let mut outages: Vec<_> = given.collect();
        if let Some(every) = self.outage.every {
            let RandomOutages { least, most, median, sigma, .. } = self.outage;
            let random = gprs::RandomOutages { every, least, most, median, sigma };
            outages.extend(random.draw(Time::ZERO + duration, seed, &format!("{name}/outages")));
        }
        outages.sort_unstable();
        outages
    }
}

impl SchemeName {
    /// The scheme of that name.
    const fn scheme(self) -> CodingScheme {
        match self {
            Self::Cs1 => CodingScheme::Cs1,
            Self::Cs2 => CodingScheme::Cs2,
            Self::Cs3 => CodingScheme::Cs3,
            Self::Cs4 => CodingScheme::Cs4,
            Self::Mcs1 => CodingScheme::Mcs1,
            Self::Mcs2 => CodingScheme::Mcs2,
            Self::Mcs3 => CodingScheme::Mcs3,
            Self::Mcs4 => CodingScheme::Mcs4,
            Self::Mcs5 => CodingScheme::Mcs5,
            Self::Mcs6 => CodingScheme::Mcs6,
            Self::Mcs7 => CodingScheme::Mcs7,
            Self::Mcs8 => CodingScheme::Mcs8,
            Self::Mcs9 => CodingScheme::Mcs9,
        }
    }
}
