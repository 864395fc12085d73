//! What of a scenario can be changed while its world runs.

mod disorder;
mod values;

use base::{Direction, Duration, Time};
use link::{Bottleneck, LinkStep};
use observe::{Context, Observe};
use radio::Radio;
use radio::channel::Reception;
use radio::gprs::GprsKeys;
use radio::nbiot::NbIotKeys;
use radio::umts::DchKeys;
use radio::umts::cell::CellKeys;
use settings::words;
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
        /// The jitter towards the mobile.
        LinkJitter = "link.jitter",
        /// The share of packets towards the mobile that are held back.
        LinkReorder = "link.reorder",
        /// The share that arrives twice.
        LinkDuplicate = "link.duplicate",
        /// The share that arrives with a wrong bit.
        LinkCorrupt = "link.corrupt",
        /// The rate of the reverse direction.
        BackRate = "link.back.rate",
        /// The delay of the reverse direction.
        BackDelay = "link.back.delay",
        /// The loss rate of the reverse direction.
        BackLoss = "link.back.loss",
        /// The jitter of the reverse direction.
        BackJitter = "link.back.jitter",
        /// The share of its packets that are held back.
        BackReorder = "link.back.reorder",
        /// The share that arrives twice.
        BackDuplicate = "link.back.duplicate",
        /// The share that arrives with a wrong bit.
        BackCorrupt = "link.back.corrupt",
        /// The block error rate of both directions.
        RadioTbler = "radio.tbler",
        /// The ratio of carrier to interference, where it determines how many blocks err.
        RadioCi = "radio.ci",
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
            Self::LinkDelay
            | Self::LinkLoss
            | Self::LinkJitter
            | Self::LinkReorder
            | Self::LinkDuplicate
            | Self::LinkCorrupt
            | Self::BackDelay
            | Self::BackLoss
            | Self::BackJitter
            | Self::BackReorder
            | Self::BackDuplicate
            | Self::BackCorrupt => link.is_some(),
            Self::RadioTbler => scenario.radio.as_ref().is_some_and(has_tbler),
            Self::RadioCi => scenario.radio.as_ref().and_then(gprs).is_some_and(has_ci),
            Self::DownlinkRate => has_rate(scenario, Direction::Downlink),
            Self::UplinkRate => has_rate(scenario, Direction::Uplink),
            Self::DownlinkSnr | Self::DownlinkBler => has_reception(scenario, Direction::Downlink),
            Self::UplinkSnr | Self::UplinkBler => has_reception(scenario, Direction::Uplink),
            Self::CouplingLoss => scenario.radio.as_ref().and_then(nb_iot).is_some(),
        }
    }

    /// From `at` on it is as in `wanted`: by one more step of a schedule, where it has one.
    fn change(self, at: Duration, scenario: &mut Scenario, wanted: &Scenario) {
        let step = LinkStep { at, ..LinkStep::default() };
        let link = (scenario.link.as_mut(), wanted.link.as_ref());
        let radio = (scenario.radio.as_mut(), wanted.radio.as_ref());
        match self {
            Self::LinkRate => change_part(link, |link, wanted| {
                link.change(LinkStep { rate: Some(wanted.rate), ..step });
            }),
            Self::LinkDelay => change_part(link, |link, wanted| {
                change_delay(link, at, wanted.delay);
            }),
            Self::LinkLoss => change_part(link, |link, wanted| {
                link.change(LinkStep { loss: Some(wanted.losses.loss), ..step });
            }),
            Self::LinkJitter | Self::LinkReorder | Self::LinkDuplicate | Self::LinkCorrupt => {
                change_part(link, |link, wanted| {
                    link.change(disorder::step(self, at, &wanted.disorder));
                });
            }
            Self::BackJitter | Self::BackReorder | Self::BackDuplicate | Self::BackCorrupt => {
                change_part(link, |link, wanted| {
                    link.change_back(disorder::step(self, at, &wanted.back.disorder));
                });
            }
            Self::BackRate => change_part(link, |link, wanted| {
                link.change_back(LinkStep { rate: Some(wanted.back.rate), ..step });
            }),
            Self::BackDelay => change_part(link, |link, wanted| {
                change_back_delay(link, at, wanted.back.delay);
            }),
            Self::BackLoss => change_part(link, |link, wanted| {
                link.change_back(LinkStep { loss: Some(wanted.back.losses.loss), ..step });
            }),
            Self::RadioTbler => change_part(radio, |radio, wanted| {
                change_tbler(radio, at, wanted);
            }),
            Self::RadioCi => change_part(radio, change_ci),
            Self::DownlinkRate => change_part(radio, |radio, wanted| {
                change_rate(radio, at, Direction::Downlink, wanted);
            }),
            Self::UplinkRate => change_part(radio, |radio, wanted| {
                change_rate(radio, at, Direction::Uplink, wanted);
            }),
            Self::DownlinkSnr => {
                change_part(receptions(Direction::Downlink, radio), |reception, wanted| {
                    reception.change_snr(at, wanted.snr);
                });
            }
            Self::UplinkSnr => {
                change_part(receptions(Direction::Uplink, radio), |reception, wanted| {
                    reception.change_snr(at, wanted.snr);
                });
            }
            Self::DownlinkBler => {
                change_part(receptions(Direction::Downlink, radio), change_bler);
            }
            Self::UplinkBler => {
                change_part(receptions(Direction::Uplink, radio), change_bler);
            }
            Self::CouplingLoss => change_part(radio, |radio, wanted| {
                change_coupling_loss(radio, at, wanted);
            }),
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
        for key in &change.keys {
            key.change(at, &mut self.scenario, &change.wanted);
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
}

/// A part of a scenario that runs, and of one that it is to be like.
type Parts<'a, T> = (Option<&'a mut T>, Option<&'a T>);

fn change_part<T>(parts: Parts<'_, T>, change: impl FnOnce(&mut T, &T)) {
    if let (Some(part), Some(wanted)) = parts {
        change(part, wanted);
    }
}

/// How good the radio of `direction` is.
fn receptions(direction: Direction, (radio, wanted): Parts<'_, Radio>) -> Parts<'_, Reception> {
    (
        radio.and_then(|radio| radio.keys_mut().reception_mut(direction)),
        wanted.and_then(|wanted| wanted.keys().reception(direction)),
    )
}

/// The delay of both directions until the reverse one has its own.
fn change_delay(link: &mut Bottleneck, at: Duration, delay: Duration) {
    let step = LinkStep { at, delay: Some(delay), ..LinkStep::default() };
    if link.back.delay.is_none() {
        link.change_back(step.clone());
    }
    link.change(step);
}

/// The delay of the reverse direction: the one forth, where it is to be the same.
fn change_back_delay(link: &mut Bottleneck, at: Duration, delay: Option<Duration>) {
    let forth = link.down(&link::queue::Queues::default()).delay.at(Time::ZERO + at);
    link.back.delay = delay;
    let delay = Some(delay.unwrap_or(forth));
    link.change_back(LinkStep { at, delay, ..LinkStep::default() });
}

fn change_tbler(radio: &mut Radio, at: Duration, wanted: &Radio) {
    if let (Radio::UmtsDch { keys }, Some(wanted)) = (&mut *radio, dch(wanted)) {
        keys.set_tbler(at, wanted.umts.tbler);
    } else if let (Radio::UmtsCell { keys }, Some(wanted)) = (&mut *radio, wanted.keys().cells()) {
        keys.umts.tbler = wanted.umts.tbler;
    } else if let (Radio::Gprs { keys }, Some(wanted)) = (radio, gprs(wanted)) {
        keys.tbler = wanted.tbler;
    }
}

fn change_ci(radio: &mut Radio, wanted: &Radio) {
    if let (Radio::Gprs { keys }, Some(wanted)) = (radio, gprs(wanted)) {
        keys.ci = wanted.ci;
    }
}

fn change_rate(radio: &mut Radio, at: Duration, direction: Direction, wanted: &Radio) {
    if let (Radio::UmtsDch { keys }, Some(wanted)) = (&mut *radio, dch(wanted)) {
        let wanted = direction.of(&wanted.downlink, &wanted.uplink);
        keys.set_rate(at, direction, wanted.channel.rate);
    } else if let (Some(sky), Some(wanted)) =
        (radio.keys_mut().satellite_mut(), wanted.keys().satellite())
    {
        sky.set_rate(direction, wanted.rate(direction));
    }
}

fn change_coupling_loss(radio: &mut Radio, at: Duration, wanted: &Radio) {
    if let (Radio::NbIot { keys }, Some(wanted)) = (radio, nb_iot(wanted)) {
        keys.change_coupling_loss(at, wanted.coupling_loss);
    }
}

fn change_bler(reception: &mut Reception, wanted: &Reception) {
    reception.bler = wanted.bler;
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

/// The keys of dedicated channels, if `radio` has such.
fn dch(radio: &Radio) -> Option<&DchKeys> {
    if let Radio::UmtsDch { keys } = radio { Some(keys) } else { None }
}

/// The keys of GPRS, if `radio` is such.
fn gprs(radio: &Radio) -> Option<&GprsKeys> {
    if let Radio::Gprs { keys } = radio { Some(keys) } else { None }
}

fn has_ci(keys: &GprsKeys) -> bool {
    keys.ci.is_some()
}

/// Whether `radio.tbler` determines how many blocks of `radio` err.
fn has_tbler(radio: &Radio) -> bool {
    let of_cells = radio.keys().cells().is_some_and(CellKeys::has_tbler);
    dch(radio).is_some() || of_cells || gprs(radio).is_some_and(GprsKeys::has_tbler)
}

/// The last machine of that name: links are added behind wires.
fn named<B: Body>(world: &World<B>, name: &str) -> Option<MachineId> {
    world.machines().filter(|machine| machine.1 == name).map(|machine| machine.0).last()
}
