//! Whether the keys of `[radio]` go together, and which rates its spreading factors have.

use base::{Direction, Duration, Probability, Rate};
use radio::umts::Blocks;
use radio::umts::channels::{DedicatedChannels, DedicatedError, SpreadingFactor};

use crate::schema::{Channel, HandoverKind, Manager, Radio, Spreading};
use crate::validate::Check;
use settings::Fault;
use settings::{Leaf, Speed};

impl Check<'_> {
    /// The radio, in which each spreading factor has become the rate that it has.
    pub(crate) fn radio(&self) -> Result<Option<Radio>, Fault> {
        let Some(radio) = &self.scenario.radio else { return Ok(None) };
        self.kind(radio)?;
        let mut radio = radio.clone();
        self.steps(&radio)?;
        self.spikes(&radio)?;
        self.handovers(&radio)?;
        self.error_rates("radio", radio.tbler_limits)?;
        if radio.buffer.manager == Manager::Bdp && radio.buffer.rtt.is_none() {
            let message =
                "radio.buffer.manager = bdp needs radio.buffer.rtt, as in rtt = \"150 ms\"";
            return self.clash(&["radio.buffer.manager"], message).map(|()| None);
        }
        self.rates(&mut radio)?;
        for (channel, at) in [(&radio.downlink, "radio.downlink"), (&radio.uplink, "radio.uplink")]
        {
            self.error_rates(at, channel.tbler_limits)?;
            self.blocks(&radio, channel, at)?;
        }
        Ok(Some(radio))
    }

    /// Each step changes something, and says a rate in one way.
    fn steps(&self, radio: &Radio) -> Result<(), Fault> {
        let own = |channel: &Channel| {
            let step = |step: &crate::ChannelStep| {
                (step.rate.is_some(), step.sf.is_some(), step.tbler.is_some(), "sf or tbler")
            };
            channel.schedule.iter().map(step).collect::<Vec<_>>()
        };
        let step = |step: &crate::RadioStep| {
            let errors = step.tbler.is_some() || step.coverage.is_some();
            (step.rate.is_some(), step.sf.is_some(), errors, "sf, tbler or coverage")
        };
        let schedules = [
            ("radio.schedule", radio.schedule.iter().map(step).collect()),
            ("radio.downlink.schedule", own(&radio.downlink)),
            ("radio.uplink.schedule", own(&radio.uplink)),
        ];
        for (key, steps) in schedules {
            for (index, (rate, sf, errors, others)) in steps.into_iter().enumerate() {
                if rate && sf {
                    let message = format!("{key}[{index}]: give rate or sf, not both");
                    return self.clash(&[key], message);
                }
                if !(rate || sf || errors) {
                    let message = format!("{key}[{index}] changes nothing: give rate, {others}");
                    return self.clash(&[key], message);
                }
            }
        }
        Ok(())
    }

    fn spikes(&self, radio: &Radio) -> Result<(), Fault> {
        let key = "radio.spikes";
        let mut before = Duration::ZERO;
        for (index, spike) in radio.spikes.iter().enumerate() {
            let Some(lasts) = spike.lasts else {
                let message = format!("{key}[{index}]: lasts is missing, as in lasts = \"3 s\"");
                return self.clash(&[key], message);
            };
            if spike.at < before {
                let message = format!("{key}[{index}] must not begin before the last one ends");
                return self.clash(&[key], message);
            }
            before = spike.at + lasts;
        }
        Ok(())
    }

    fn handovers(&self, radio: &Radio) -> Result<(), Fault> {
        let key = "radio.handovers";
        let mut before = Duration::ZERO;
        for (index, handover) in radio.handovers.iter().enumerate() {
            match handover.kind {
                HandoverKind::Hard => {}
                HandoverKind::Soft | HandoverKind::Softer if handover.gap.is_none() => {}
                HandoverKind::Soft | HandoverKind::Softer => {
                    let kind = handover.kind.name();
                    let message = format!("{key}[{index}]: a {kind} handover has no gap");
                    return self.clash(&[key], message);
                }
            }
            if handover.at < before {
                let message = format!("{key}[{index}] must not begin before the last one ends");
                return self.clash(&[key], message);
            }
            before = handover.end();
        }
        Ok(())
    }

    /// An error rate is constant or drawn, and lets something through.
    fn error_rates(&self, at: &str, limits: Option<[Probability; 2]>) -> Result<(), Fault> {
        let [tbler, key] = ["tbler", "tbler_limits"].map(|field| format!("{at}.{field}"));
        let Some([low, _]) = limits else { return Ok(()) };
        if self.tree.find(&tbler).is_some() && self.tree.find(&key).is_some() {
            let message = format!("give {tbler} or {key}, not both");
            return self.clash(&[&key, &tbler], message);
        }
        if low.hit(u32::MAX) {
            let message = format!("{key}: the lower limit must be below 100 %");
            return self.clash(&[&key], message);
        }
        Ok(())
    }

    /// Puts the rate that each spreading factor has in its place.
    fn rates(&self, radio: &mut Radio) -> Result<(), Fault> {
        let table = radio.spreading.table();
        let (down, up) = (radio.downlink.dpdch, radio.uplink.dpdch);
        let rate_of = |direction, sf: SpreadingFactor, key: &str| {
            let (dpdchs, count) = match direction {
                Direction::Downlink => (down, "radio.downlink.dpdch"),
                Direction::Uplink => (up, "radio.uplink.dpdch"),
            };
            let channels = DedicatedChannels::new(table, direction, sf, dpdchs);
            channels.map(|channels| channels.rate()).map_err(|error| {
                let to_blame = match error {
                    DedicatedError::Spreading(_) => key,
                    DedicatedError::Count { .. } => count,
                };
                self.fault(&[to_blame], error.to_string())
            })
        };
        let directions = [
            (Direction::Downlink, "radio.downlink", &mut radio.downlink),
            (Direction::Uplink, "radio.uplink", &mut radio.uplink),
        ];
        for (direction, at, channel) in directions {
            let key = format!("{at}.schedule");
            for step in &mut channel.schedule {
                if let Some(sf) = step.sf {
                    step.rate = Some(rate_of(direction, sf, &key)?);
                }
            }
            let [rate, key] = ["rate", "sf"].map(|field| format!("{at}.{field}"));
            self.several(channel, at)?;
            let Some(sf) = channel.sf else { continue };
            if self.tree.find(&rate).is_some() {
                if self.tree.find(&key).is_some() {
                    return self.clash(&[&key, &rate], format!("give {rate} or {key}, not both"));
                }
                channel.sf = None;
                continue;
            }
            let factor = match sf {
                Spreading::Factor(factor) => factor,
                Spreading::Auto => {
                    let asked = self.asked(&key)?;
                    let keys = ["flow.rate", "flow.count", &key];
                    let refused = |error| self.fault(&keys, format!("{key}: {error}"));
                    table.least_for(direction, asked).map_err(refused)?
                }
            };
            channel.rate = rate_of(direction, factor, &key)?;
        }
        for step in &mut radio.schedule {
            if let Some(sf) = step.sf {
                step.rate = Some(rate_of(Direction::Downlink, sf, "radio.schedule")?);
            }
        }
        Ok(())
    }

    /// Only channels of a known spreading factor have rates that can be added up.
    fn several(&self, channel: &Channel, at: &str) -> Result<(), Fault> {
        let has_factor = match channel.sf {
            Some(Spreading::Factor(_)) => self.tree.find(&format!("{at}.rate")).is_none(),
            Some(Spreading::Auto) | None => false,
        };
        if channel.dpdch == 1 || has_factor {
            return Ok(());
        }
        let key = format!("{at}.dpdch");
        self.clash(&[&key], format!("several DPDCHs need a factor: {at}.sf, as in sf = 4"))
    }

    /// What all flows of a mobile ask of the radio together.
    fn asked(&self, key: &str) -> Result<Rate, Fault> {
        let mobiles = self.scenario.radio.as_ref().map_or(1, Radio::mobiles).max(1);
        let rates = self.scenario.groups().filter_map(|group| {
            let flows = (0..mobiles.min(2)).map(|ue| group.flows_of(ue, mobiles)).max();
            Some(group.rate?.as_bps() * flows.unwrap_or(0) as u64)
        });
        if self.scenario.groups().any(|group| group.rate.is_some()) {
            return Ok(Rate::from_bps(rates.sum()));
        }
        let message = format!("{key} = auto needs flow.rate, as in rate = \"140 kbit/s\"");
        Err(self.fault(&[key, "flow"], message))
    }

    /// RLC can number what a TTI carries.
    fn blocks(&self, radio: &Radio, channel: &Channel, at: &str) -> Result<(), Fault> {
        let payload = radio.rlc.block_bytes();
        let steps = channel.schedule.iter().filter_map(|step| step.rate);
        let common = radio.schedule.iter().filter_map(|step| step.rate);
        let common = common.filter(|_| at == "radio.downlink");
        let [rate, tti] = ["rate", "tti"].map(|field| format!("{at}.{field}"));
        let schedule = format!("{at}.schedule");
        let most = MOST_BLOCKS * u64::from(payload) * 8_000_000_000 / channel.tti.as_nanos();
        let too_many = |bps: &Rate| {
            let blocks = Blocks::of_rate(*bps, channel.tti, payload);
            blocks.is_none_or(|blocks| u64::from(blocks.most()) > MOST_BLOCKS)
        };
        if std::iter::once(channel.rate).chain(steps).chain(common).any(|bps| too_many(&bps)) {
            let message = format!(
                "more than {MOST_BLOCKS} blocks in a TTI, which RLC cannot number: {rate} must be \
                 at most {}",
                Speed::show(&Rate::from_bps(most))
            );
            let keys = [&*rate, &*tti, "radio.rlc.pdu_payload", &*schedule, "radio.schedule"];
            return self.clash(&keys, message);
        }
        Ok(())
    }
}

/// RLC tells no more PDUs apart than its largest window has.
const MOST_BLOCKS: u64 = 4095;
