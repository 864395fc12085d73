//! What of a scenario can be changed while its world runs.

use base::{Direction, Duration, Probability, Schedule, Time};
use link::{Bottleneck, LinkConfig, LinkStep, Service};
use observe::{Context, Observe};
use radio::Radio;
use radio::nbiot::NbIotKeys;
use radio::umts::{BlockErrorRate, DchKeys};
use settings::{Along, Chance, Decibels, Leaf, OfTime, Off, Or, Speed, Unlimited, words};
use world::{Body, MachineId, World};

use crate::Scenario;

words! {
    /// A key that some scenarios let change while they run, with the meaning that it has in a
    /// scenario.
    pub enum LiveKey {
        /// The rate towards the mobile.
        LinkRate = "link.rate",
        /// The delay, of both directions until the reverse one gets its own.
        LinkDelay = "link.delay",
        /// The loss rate towards the mobile.
        LinkLoss = "link.loss",
        /// The rate of the reverse direction.
        BackRate = "link.back.rate",
        /// The delay of the reverse direction.
        BackDelay = "link.back.delay",
        /// The loss rate of the reverse direction.
        BackLoss = "link.back.loss",
        /// The block error rate of both directions.
        RadioTbler = "radio.tbler",
        /// The rate of the downlink; of a satellite, that without rain.
        DownlinkRate = "radio.downlink.rate",
        /// The rate of the uplink, likewise.
        UplinkRate = "radio.uplink.rate",
        /// The ratio of signal to noise of the downlink, where mobiles are alike.
        DownlinkSnr = "radio.downlink.snr",
        /// That of the uplink.
        UplinkSnr = "radio.uplink.snr",
        /// How many blocks of the downlink err that are sent for the first time, likewise.
        DownlinkBler = "radio.downlink.bler",
        /// Those of the uplink.
        UplinkBler = "radio.uplink.bler",
        /// The coupling loss, where mobiles are alike.
        CouplingLoss = "radio.coupling_loss",
    }
}

/// A change that a scenario lets happen: what it is like, and which of its keys count.
#[derive(Clone, Debug)]
pub struct Change {
    keys: Vec<LiveKey>,
    wanted: Box<Scenario>,
}

/// A scenario whose world runs. A change is one more step of a schedule, at the time when it comes;
/// later steps hold from their times on.
#[derive(Clone, Debug)]
pub struct Live {
    scenario: Scenario,
    /// The last black-out.
    cut: Option<[Duration; 2]>,
}

/// What can be changed, and what it is like now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveState {
    /// Each key that can be changed with its value, as in a scenario.
    pub values: Vec<(&'static str, String)>,
    /// For how long nothing gets through yet; zero without a black-out.
    pub black_out: Duration,
}

impl Scenario {
    /// The keys that can be changed while it runs.
    pub fn live_keys(&self) -> Vec<LiveKey> {
        LiveKey::ALL.iter().copied().filter(|key| key.is_of(self)).collect()
    }

    /// Those of them that `names` are.
    ///
    /// # Errors
    /// One line: which cannot be changed, and what can.
    pub fn live_keys_of<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<LiveKey>, String> {
        let live = self.live_keys();
        let find = |name: &str| {
            let found = live.iter().copied().find(|live| live.name() == name.trim());
            found.ok_or_else(|| {
                format!("{}: cannot be changed while it runs; {}", name.trim(), can(&live))
            })
        };
        names.into_iter().map(find).collect()
    }

    /// Checks that there can be a black-out.
    ///
    /// # Errors
    /// One line: that there cannot, and what else there can.
    pub fn check_black_out(&self) -> Result<(), String> {
        let can_cut = |radio: &Radio| radio.clone().keys_mut().cut([Duration::ZERO; 2]);
        if self.link.is_some() || self.radio.as_ref().is_some_and(can_cut) {
            return Ok(());
        }
        let kinds = Radio::all().into_iter().filter(can_cut).map(|radio| radio.name());
        let kinds: Vec<_> = kinds.collect();
        let Some((last, others)) = kinds.split_last() else { return Err(can(&self.live_keys())) };
        Err(format!(
            "black-out: needs [link] or a radio of kind {} or {last}; {}",
            others.join(", "),
            can(&self.live_keys())
        ))
    }
}

/// What can be changed, in words.
fn can(keys: &[LiveKey]) -> String {
    let names: Vec<_> = keys.iter().map(|key| key.name()).collect();
    if names.is_empty() {
        "no key can be changed".to_owned()
    } else {
        format!("these can: {}", names.join(", "))
    }
}

impl Change {
    /// From now on each of `keys` is as in `wanted`, the same scenario with other settings.
    pub fn new(mut keys: Vec<LiveKey>, wanted: Scenario) -> Self {
        keys.sort_unstable_by_key(|key| *key as usize);
        Self { keys, wanted: Box::new(wanted) }
    }
}

impl LiveKey {
    /// Whether `scenario` lets it change: where a trace is, no rate is.
    fn is_of(self, scenario: &Scenario) -> bool {
        let link = scenario.link.as_ref();
        match self {
            Self::LinkRate => link.is_some_and(|link| link.trace.down.is_none()),
            Self::BackRate => link.is_some_and(|link| link.trace.up.is_none()),
            Self::LinkDelay | Self::LinkLoss | Self::BackDelay | Self::BackLoss => link.is_some(),
            Self::RadioTbler => scenario.radio.as_ref().and_then(dch).is_some(),
            Self::DownlinkRate => has_rate(scenario, Direction::Downlink),
            Self::UplinkRate => has_rate(scenario, Direction::Uplink),
            Self::DownlinkSnr | Self::DownlinkBler => has_reception(scenario, Direction::Downlink),
            Self::UplinkSnr | Self::UplinkBler => has_reception(scenario, Direction::Uplink),
            Self::CouplingLoss => scenario.radio.as_ref().and_then(nb_iot).is_some(),
        }
    }
}

impl Live {
    /// One that nothing has changed yet.
    pub const fn new(scenario: Scenario) -> Self {
        Self { scenario, cut: None }
    }

    /// What it is like at `now`.
    pub fn state(&self, now: Time) -> LiveState {
        let value = |key: LiveKey| Some((key.name(), self.value(key, now)?));
        let values = self.scenario.live_keys().into_iter().filter_map(value).collect();
        let end = self.cut.map_or(Time::ZERO, |[_, to]| Time::ZERO + to);
        LiveState { values, black_out: end.saturating_since(now) }
    }

    /// From now on it is as `change` says.
    pub fn change<B: Body>(
        &mut self,
        world: &mut World<B>,
        cx: &mut Context<'_, impl Observe>,
        change: &Change,
    ) {
        let at = cx.now.saturating_since(Time::ZERO);
        let Change { keys, wanted } = change;
        for key in keys {
            if let (Some(link), Some(wanted)) = (&mut self.scenario.link, &wanted.link) {
                change_link(link, *key, at, wanted);
            }
            let radio = self.scenario.radio.as_mut().and_then(dch_mut);
            if let (Some(radio), Some(wanted)) = (radio, wanted.radio.as_ref().and_then(dch)) {
                change_radio(radio, *key, at, wanted);
            }
            if let (Some(radio), Some(wanted)) = (&mut self.scenario.radio, &wanted.radio) {
                change_reception(radio, *key, at, wanted);
            }
            let sky =
                self.scenario.radio.as_mut().and_then(|radio| radio.keys_mut().satellite_mut());
            let wanted = wanted.radio.as_ref().and_then(|radio| radio.keys().satellite());
            if let (Some(sky), Some(wanted), Some(direction)) = (sky, wanted, direction_of(*key)) {
                sky.set_rate(direction, wanted.rate(direction));
            }
        }
        self.apply(world, cx);
    }

    /// From now on nothing gets through for as long as `lasts`; zero ends a black-out.
    pub fn black_out<B: Body>(
        &mut self,
        world: &mut World<B>,
        cx: &mut Context<'_, impl Observe>,
        lasts: Duration,
    ) {
        let now = cx.now.saturating_since(Time::ZERO);
        let from = self.cut.filter(|[_, to]| *to > now).map_or(now, |[from, _]| from);
        self.cut = Some([from, now + lasts]).filter(|[from, to]| from < to);
        self.apply(world, cx);
    }

    /// Hands links and radio what they are like from now on.
    fn apply<B: Body>(&self, world: &mut World<B>, cx: &mut Context<'_, impl Observe>) {
        let Scenario { link, radio, queue, seed, .. } = &self.scenario;
        if let Some(mut link) = link.clone() {
            if let Some(span) = self.cut {
                link.cut(span);
            }
            for (way, config) in [("down", link.down(queue)), ("up", link.up(queue))] {
                if let Some(id) = named(world, &format!("{}/{way}", link.name)) {
                    world.reconfigure_link(cx.now, id, &config, *seed);
                }
            }
        }
        if let Some(mut radio) = radio.clone() {
            if let Some(span) = self.cut {
                radio.keys_mut().cut(span);
            }
            let context = self.scenario.radio_context();
            let radios = world.machines().filter(|(.., machine)| machine.radio().is_some());
            let radios: Vec<_> = radios.map(|(id, ..)| id).collect();
            for id in radios {
                world.reconfigure_radio(cx, id, |cell, now, name| {
                    cell.reconfigure(now, &radio, &context, name);
                });
            }
        }
    }

    /// The value of `key` at `now`, as in a scenario.
    fn value(&self, key: LiveKey, now: Time) -> Option<String> {
        let Scenario { link, radio, queue, .. } = &self.scenario;
        let ways = link.as_ref().map(|link| [link.down(queue), link.up(queue)]);
        let (down, up) = (ways.as_ref().map(|ways| &ways[0]), ways.as_ref().map(|ways| &ways[1]));
        let sky = radio.as_ref().and_then(|radio| radio.keys().satellite());
        let reception = |way| radio.as_ref().and_then(|radio| radio.keys().reception(way));
        let snr = |way| Some(Along::<Decibels>::show(&reception(way)?.snr_at(now)));
        let bler = |way| Some(Or::<Off, Chance>::show(&reception(way)?.bler));
        let carrier = radio.as_ref().and_then(nb_iot);
        let radio = radio.as_ref().and_then(dch);
        let rate = |direction| {
            let of_sky = sky.map(|sky| sky.rate(direction));
            let rate = of_sky.or_else(|| Some(radio?.rate_at(now, direction)));
            Some(Speed::show(&rate?))
        };
        match key {
            LiveKey::LinkRate => rate_of(down?, now),
            LiveKey::BackRate => rate_of(up?, now),
            LiveKey::LinkDelay => Some(OfTime::<0>::show(&down?.delay.at(now))),
            LiveKey::BackDelay => Some(OfTime::<0>::show(&up?.delay.at(now))),
            LiveKey::LinkLoss => Some(loss_of(down?, now)),
            LiveKey::BackLoss => Some(loss_of(up?, now)),
            LiveKey::RadioTbler => {
                let [down, up] = Direction::BOTH.map(|way| Some(radio?.tbler_at(now, way)));
                let (down, up) = (errors(down?), errors(up?));
                Some(if down == up { down } else { format!("{down} down, {up} up") })
            }
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

/// One more step of a schedule of `link`: `key` is as in `wanted` from `at` on.
fn change_link(link: &mut Bottleneck, key: LiveKey, at: Duration, wanted: &Bottleneck) {
    let step = LinkStep { at, ..LinkStep::default() };
    match key {
        LiveKey::LinkRate => link.change(LinkStep { rate: Some(wanted.rate), ..step }),
        LiveKey::LinkLoss => link.change(LinkStep { loss: Some(wanted.losses.loss), ..step }),
        LiveKey::LinkDelay => {
            let step = LinkStep { delay: Some(wanted.delay), ..step };
            link.change(step.clone());
            if link.back.delay.is_none() {
                link.change_back(step);
            }
        }
        LiveKey::BackRate => link.change_back(LinkStep { rate: Some(wanted.back.rate), ..step }),
        LiveKey::BackLoss => {
            link.change_back(LinkStep { loss: Some(wanted.back.losses.loss), ..step });
        }
        LiveKey::BackDelay => {
            // The delay forth, where it is to be the same.
            let forth = link.down(&link::queue::Queues::default()).delay.at(Time::ZERO + at);
            let delay = Some(wanted.back.delay.unwrap_or(forth));
            link.back.delay = wanted.back.delay;
            link.change_back(LinkStep { delay, ..step });
        }
        _ => {}
    }
}

/// The same of a radio.
fn change_radio(radio: &mut DchKeys, key: LiveKey, at: Duration, wanted: &DchKeys) {
    match key {
        LiveKey::RadioTbler => radio.set_tbler(at, wanted.umts.tbler),
        LiveKey::DownlinkRate => {
            radio.set_rate(at, Direction::Downlink, wanted.downlink.channel.rate);
        }
        LiveKey::UplinkRate => radio.set_rate(at, Direction::Uplink, wanted.uplink.channel.rate),
        _ => {}
    }
}

/// The same of a radio with a ratio of signal to noise or a coupling loss.
fn change_reception(radio: &mut Radio, key: LiveKey, at: Duration, wanted: &Radio) {
    let way = match key {
        LiveKey::DownlinkSnr | LiveKey::DownlinkBler => Direction::Downlink,
        LiveKey::UplinkSnr | LiveKey::UplinkBler => Direction::Uplink,
        LiveKey::CouplingLoss => {
            if let (Radio::NbIot { keys }, Some(wanted)) = (radio, nb_iot(wanted)) {
                keys.change_coupling_loss(at, wanted.coupling_loss);
            }
            return;
        }
        _ => return,
    };
    let (keys, wanted) = (radio.keys_mut(), wanted.keys());
    if let (Some(reception), Some(wanted)) = (keys.reception_mut(way), wanted.reception(way)) {
        match key {
            LiveKey::DownlinkSnr | LiveKey::UplinkSnr => reception.change_snr(at, wanted.snr),
            _ => reception.bler = wanted.bler,
        }
    }
}

/// Whether keys of `scenario` say how good the radio of `direction` is, for all mobiles: those that
/// are listed may have a radio of their own.
fn has_reception(scenario: &Scenario, direction: Direction) -> bool {
    let keys = scenario.radio.as_ref().map(Radio::keys);
    keys.is_some_and(|keys| keys.reception(direction).is_some() && keys.listed().is_empty())
}

/// The keys of a carrier of NB-IoT, if `radio` is one whose mobiles are all alike.
fn nb_iot(radio: &Radio) -> Option<&NbIotKeys> {
    if let Radio::NbIot { keys } = radio {
        Some(keys).filter(|keys| keys.ue.is_empty())
    } else {
        None
    }
}

/// Whether `scenario` has a radio whose rate of `direction` can change.
fn has_rate(scenario: &Scenario, direction: Direction) -> bool {
    scenario.radio.as_ref().is_some_and(|radio| {
        let of_sky = radio.keys().satellite().is_some_and(|sky| !sky.is_recorded(direction));
        of_sky || dch(radio).is_some()
    })
}

/// The direction of a radio whose rate `key` is.
const fn direction_of(key: LiveKey) -> Option<Direction> {
    match key {
        LiveKey::DownlinkRate => Some(Direction::Downlink),
        LiveKey::UplinkRate => Some(Direction::Uplink),
        _ => None,
    }
}

/// The keys of dedicated channels, if `radio` has such.
fn dch(radio: &Radio) -> Option<&DchKeys> {
    if let Radio::UmtsDch { keys } = radio { Some(keys) } else { None }
}

fn dch_mut(radio: &mut Radio) -> Option<&mut DchKeys> {
    if let Radio::UmtsDch { keys } = radio { Some(keys) } else { None }
}

/// The last machine of that name: links are added behind wires.
fn named<B: Body>(world: &World<B>, name: &str) -> Option<MachineId> {
    world.machines().filter(|machine| machine.1 == name).map(|machine| machine.0).last()
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
