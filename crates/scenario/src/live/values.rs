//! The values of keys that can be changed.

use base::{Direction, Probability, Schedule, Time};
use link::{LinkConfig, Service};
use radio::Radio;
use radio::umts::BlockErrorRate;
use settings::{Along, Chance, Decibels, Leaf, OfTime, Off, Or, Speed, Unlimited};

use super::{Live, LiveKey, dch, disorder, gprs, nb_iot};
use crate::Scenario;

impl Live {
    /// The value of `key` at `now`, as in a scenario.
    pub(super) fn value(&self, key: LiveKey, now: Time) -> Option<String> {
        let Scenario { link, radio, queue, .. } = &self.scenario;
        let ways = link.as_ref().map(|link| [link.down(queue), link.up(queue)]);
        let (down, up) = (ways.as_ref().map(|ways| &ways[0]), ways.as_ref().map(|ways| &ways[1]));
        let sky = radio.as_ref().and_then(|radio| radio.keys().satellite());
        let reception = |way| radio.as_ref().and_then(|radio| radio.keys().reception(way));
        let snr = |way| Some(Along::<Decibels>::show(&reception(way)?.snr_at(now)));
        let bler = |way| Some(Or::<Off, Chance>::show(&reception(way)?.bler));
        let carrier = radio.as_ref().and_then(nb_iot);
        let slots = radio.as_ref().and_then(gprs);
        let rate = |direction| {
            let of_sky = sky.map(|sky| sky.rate(direction));
            let rate =
                of_sky.or_else(|| Some(radio.as_ref().and_then(dch)?.rate_at(now, direction)));
            Some(Speed::show(&rate?))
        };
        match key {
            LiveKey::LinkRate => rate_of(down?, now),
            LiveKey::BackRate => rate_of(up?, now),
            LiveKey::LinkDelay => Some(OfTime::<0>::show(&down?.delay.at(now))),
            LiveKey::BackDelay => Some(OfTime::<0>::show(&up?.delay.at(now))),
            LiveKey::LinkLoss => Some(loss_of(down?, now)),
            LiveKey::LinkJitter
            | LiveKey::LinkReorder
            | LiveKey::LinkDuplicate
            | LiveKey::LinkCorrupt => Some(disorder::value(key, &down?.disorder, now)),
            LiveKey::BackJitter
            | LiveKey::BackReorder
            | LiveKey::BackDuplicate
            | LiveKey::BackCorrupt => Some(disorder::value(key, &up?.disorder, now)),
            LiveKey::BackLoss => Some(loss_of(up?, now)),
            LiveKey::RadioTbler => tbler_of(radio.as_ref()?, now),
            LiveKey::RadioCi => Some(Or::<Off, Along<Decibels>>::show(&slots?.ci)),
            LiveKey::DownlinkRate => rate(Direction::Downlink),
            LiveKey::UplinkRate => rate(Direction::Uplink),
            LiveKey::DownlinkSnr => snr(Direction::Downlink),
            LiveKey::UplinkSnr => snr(Direction::Uplink),
            LiveKey::DownlinkBler => bler(Direction::Downlink),
            LiveKey::UplinkBler => bler(Direction::Uplink),
            LiveKey::CouplingLoss => Some(Along::<Decibels>::show(&carrier?.coupling_loss_at(now))),
        }
    }
}

fn tbler_of(radio: &Radio, now: Time) -> Option<String> {
    if let Some(keys) = dch(radio) {
        let [down, up] = Direction::BOTH.map(|way| errors(keys.tbler_at(now, way)));
        return Some(if down == up { down } else { format!("{down} down, {up} up") });
    }
    let of_cells = radio.keys().cells().map(|keys| &keys.umts.tbler);
    of_cells.or_else(|| Some(&gprs(radio)?.tbler)).map(Chance::show)
}

fn rate_of(config: &LinkConfig, now: Time) -> Option<String> {
    let Service::Rate(rate) = &config.service else { return None };
    Some(Or::<Unlimited, Speed>::show(&rate.at(now)))
}

fn loss_of(config: &LinkConfig, now: Time) -> String {
    let at = |schedule: &Schedule<Probability>| schedule.at(now);
    Chance::show(&config.loss.bernoulli.as_ref().map_or(Probability::NEVER, at))
}

fn errors(rate: BlockErrorRate) -> String {
    match rate {
        BlockErrorRate::Constant(tbler) => Chance::show(&tbler),
        BlockErrorRate::Drawn { low, high } => {
            format!("{} to {}", Chance::show(&low), Chance::show(&high))
        }
    }
}
