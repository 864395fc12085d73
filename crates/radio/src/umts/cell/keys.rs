//! `[radio]` with `kind = "umts-cell"`: the base stations and mobiles of a network of cells.

use base::{Direction, Probability, Rate, Schedule, Stream, Time};
use mobility::motion::{Motion, Position};
use settings::{
    Always, Count, Distance, Each, Fault, Flat, Label, Labels, Metres, MetresPerSecond, Or, Pair,
    Table, Tbler, as_key, named, section,
};

use super::config::{CellConfig, Fach, Rach, UeConfig};
use crate::keys::{Keys, Queues, RadioContext};
use crate::umts::admission::AdmissionLimits;
use crate::umts::channels::CodeTree;
use crate::umts::channels::spreading::{Spreading, SpreadingFactor};
use crate::umts::handover::{Iur, Mobility, Site, Topology};
use crate::umts::interference::{Air, Antenna, ErrorRates, Interference};
use crate::umts::keys::{ChannelKeys, UmtsKeys};
use crate::umts::power::CellPower;
use crate::umts::rrc::{self, Dedicated};
use crate::umts::{BlockErrorRate, Channel, DchConfig};

section! {
    /// `[[radio.node_b]]`: a base station. If none is given there is one, `NodeB`, at the origin.
    pub struct NodeB {
        /// Its name in settings (`radio.node_b.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Its position.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// The RNC that it belongs to, one of `radio.rncs`.
        pub rnc: String as Label = "RNC".to_owned();
        /// How many sectors it has, each a cell with a code tree of its own; the first looks north.
        pub sectors: u32 as Count<u32, 1, 6> = 1;
    }
}

named!(NodeB);

section! {
    /// `[[radio.ue]]`: a mobile.
    pub struct Ue {
        /// Its name in settings (`radio.ue.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Its position at the start.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// How fast it goes, and where to.
        pub velocity: [f64; 2] as Pair<MetresPerSecond> = [0.0; 2];
        /// Its transport block error rate in both directions.
        pub tbler: Option<Probability> as Or<as_key::RadioTbler, Tbler> = None;
    }
}

named!(Ue);

section! {
    /// `[radio.place]`: where the mobiles counted by `radio.ues` are.
    pub struct Placement {
        /// Their greatest distance from their base station, around which they are spread evenly;
        /// they are assigned to base stations in turn.
        pub radius: f64 as Distance = 500.0;
    }
}

section! {
    /// `[radio]` of a network of cells.
    pub struct CellKeys {
        /// The keys that it shares with `umts-dch`.
        pub umts: UmtsKeys as Flat<UmtsKeys> = UmtsKeys::default();
        /// Towards the mobile.
        pub downlink: ChannelKeys as Always<ChannelKeys> = ChannelKeys::default();
        /// From the mobile. Default: 64 kbit/s in TTIs of 20 ms.
        pub uplink: ChannelKeys as Always<ChannelKeys> = ChannelKeys::usual_uplink();
        /// How many mobiles there are, in addition to those of `[[radio.ue]]`; 0 is one called UE
        /// if there are none of those either, but for `umts-cell`. Where mobiles share nothing,
        /// each has a bearer of its own. Flows are assigned in turn.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
        /// `umts-cell`: where the mobiles counted by `ues` are.
        pub place: Placement as Always<Placement> = Placement::default();
        /// `umts-cell`: mobiles with positions of their own.
        pub ue: Vec<Ue> as Each<Ue> = Vec::new();
        /// `umts-cell`: base stations.
        pub node_b: Vec<NodeB> as Each<NodeB> = Vec::new();
        /// `umts-cell`: the RNCs. A mobile is served by the RNC of its first base station.
        pub rncs: Vec<String> as Labels = vec!["RNC".to_owned()];
        /// `umts-cell`: how connections come and go.
        pub rrc: rrc::RrcConfig as Always<rrc::RrcConfig> = rrc::RrcConfig::default();
        /// What mobiles' radios draw.
        pub power: CellPower as Always<CellPower> = CellPower::default();
        /// `umts-cell`: the shared channel downlink.
        pub fach: Fach as Always<Fach> = Fach::default();
        /// `umts-cell`: the shared channel uplink.
        pub rach: Rach as Always<Rach> = Rach::default();
        /// `umts-cell`: powers, noise and path loss.
        pub interference: Air as Always<Air> = Air::default();
        /// `umts-cell`: how much load dedicated channels may bring.
        pub admission: AdmissionLimits as Always<AdmissionLimits> = AdmissionLimits::default();
        /// `umts-cell`: how mobiles go from cell to cell.
        pub mobility: Mobility as Always<Mobility> = Mobility::default();
    }
}

impl CellKeys {
    /// The network of cells.
    pub(crate) fn config(&self, context: &RadioContext<'_>) -> CellConfig {
        let node_bs = self.node_bs();
        let channel = |keys: &ChannelKeys, queue| Channel {
            rate: keys.rate.into(),
            tti: keys.tti,
            tbler: self.umts.errors(keys).into(),
            limit: UmtsKeys::limit(queue, context),
        };
        let [forth, back] = &context.queues;
        CellConfig {
            bearer: DchConfig {
                dpcch: self.umts.dpcch,
                buffer: self.umts.buffer.config(),
                ..DchConfig::new(
                    channel(&self.downlink, forth),
                    channel(&self.uplink, back),
                    self.umts.pdcp.clone(),
                    self.umts.rlc.clone(),
                )
            },
            cells: antennas(&node_bs),
            ues: self.ues(context, &node_bs),
            rrc: self.rrc.clone(),
            power: self.power.model(),
            dedicated: Dedicated {
                downlink: self.factor(Direction::Downlink, &self.downlink),
                uplink: self.factor(Direction::Uplink, &self.uplink),
            },
            spreading: self.umts.spreading,
            fach: self.fach.clone(),
            rach: self.rach.clone(),
            admission: self.admission.clone(),
            interference: self.interference,
            topology: self.topology(&node_bs),
            mobility: self.mobility,
        }
    }

    /// Whether `radio.tbler` determines how many blocks of all mobiles err.
    pub fn has_tbler(&self) -> bool {
        let channels = [&self.downlink, &self.uplink];
        self.interference.error_rates == ErrorRates::Given
            && self.umts.tbler_limits.is_none()
            && channels.iter().all(|keys| keys.tbler.is_none() && keys.tbler_limits.is_none())
            && self.ue.iter().all(|ue| ue.tbler.is_none())
    }

    /// The named mobiles, then the counted ones.
    fn ues(&self, context: &RadioContext<'_>, node_bs: &[NodeB]) -> Vec<UeConfig> {
        let errors = |tbler: Option<Probability>| -> [BlockErrorRate; 2] {
            [&self.downlink, &self.uplink]
                .map(|channel| tbler.map_or_else(|| self.umts.errors(channel), Into::into))
        };
        let named = self.ue.iter().map(|ue| {
            let motion = Motion::with_velocity(position(ue.position), position(ue.velocity));
            (ue.name.clone(), motion, errors(ue.tbler))
        });
        let mut chance = Stream::named(context.seed, "places");
        let counted = (0..self.ues as usize).map(|index| {
            let centre = position(node_bs[index % node_bs.len()].position);
            let motion = Motion::resting(within(centre, self.place.radius, &mut chance));
            (format!("UE-{}", self.ue.len() + index), motion, errors(None))
        });
        let all: Vec<_> = named.chain(counted).collect();
        let count = all.len();
        let ue = |(index, (name, motion, tbler)): (usize, (String, Motion, _))| UeConfig {
            name,
            motion,
            flows: self.asked_of(&(context.asked_of)(index, count)),
            tbler,
        };
        all.into_iter().enumerate().map(ue).collect()
    }

    /// What flows of these `rates` ask for, if that determines the spreading factor.
    fn asked_of(&self, rates: &[Rate]) -> Vec<(Direction, Rate)> {
        let directions = [(Direction::Downlink, &self.downlink), (Direction::Uplink, &self.uplink)];
        let auto =
            directions.into_iter().filter(|(_, channel)| channel.sf == Some(Spreading::Auto));
        auto.flat_map(|(direction, _)| rates.iter().map(move |rate| (direction, *rate))).collect()
    }

    /// The base stations: one at the origin if none is given.
    fn node_bs(&self) -> Vec<NodeB> {
        if !self.node_b.is_empty() {
            return self.node_b.clone();
        }
        let rnc = self.rncs.first().cloned().unwrap_or_default();
        vec![NodeB { name: "NodeB".to_owned(), rnc, ..NodeB::default() }]
    }

    fn topology(&self, node_bs: &[NodeB]) -> Topology {
        let sites = |(number, node_b): (usize, &NodeB)| {
            let rnc = self.rncs.iter().position(|rnc| *rnc == node_b.rnc).unwrap_or(0) as u32;
            (0..node_b.sectors).map(move |_| Site { node_b: number as u32, rnc, carrier: 0 })
        };
        Topology {
            cells: node_bs.iter().enumerate().flat_map(sites).collect(),
            iur: if self.mobility.iur { Iur::Connected } else { Iur::Absent },
        }
    }

    /// The spreading factor of `channel`: its own, or the one that carries its rate.
    fn factor(&self, direction: Direction, channel: &ChannelKeys) -> SpreadingFactor {
        match channel.sf {
            Some(Spreading::Factor(factor)) => factor,
            Some(Spreading::Auto) | None => {
                let fits = self.umts.spreading.least_for(direction, channel.rate);
                fits.unwrap_or(SpreadingFactor::MIN)
            }
        }
    }

    /// Checks that there are mobiles, and that names of base stations are unique.
    fn check_members(&self, tree: &Table) -> Result<(), Fault> {
        if self.mobiles() == 0 {
            let message = "no mobile: needs radio.ues above zero, as in ues = 50, or [[radio.ue]]";
            return tree.clash(&["radio.ues", "radio"], message);
        }
        let names: Vec<_> = self.node_b.iter().map(|node_b| &node_b.name).collect();
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() {
                let message = "every [[radio.node_b]] needs a name, as in name = \"A\"";
                return tree.clash(&["radio.node_b"], message);
            }
            if names[..index].contains(name) {
                let message = format!("two [[radio.node_b]] have the name {name}");
                return tree.clash(&["radio.node_b"], message);
            }
        }
        Ok(())
    }

    /// Checks that each base station has an RNC.
    fn check_rncs(&self, tree: &Table) -> Result<(), Fault> {
        for (index, rnc) in self.rncs.iter().enumerate() {
            if self.rncs[..index].contains(rnc) {
                let message = format!("radio.rncs has {rnc} twice; names must differ");
                return tree.clash(&["radio.rncs"], message);
            }
        }
        for node_b in &self.node_b {
            if !self.rncs.contains(&node_b.rnc) {
                let key = format!("radio.node_b.{}.rnc", node_b.name);
                let message = format!(
                    "{} belongs to {}, which is no RNC: radio.rncs has {}",
                    node_b.name,
                    node_b.rnc,
                    self.rncs.join(", ")
                );
                return tree.clash(&[&key, "radio.rncs", "radio.node_b"], message);
            }
        }
        Ok(())
    }

    /// Checks that each mobile hears a pilot where it starts, and that there are codes for the
    /// shared channels.
    fn check_coverage(&self, tree: &Table, context: &RadioContext<'_>) -> Result<(), Fault> {
        let config = self.config(context);
        let air = Interference::new(config.interference, &config.cells, context.seed, "cells");
        for ue in &config.ues {
            let pilots = air.pilots_db(&air.gains(ue.motion.at(Time::ZERO)));
            let best = pilots.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if best < self.mobility.pilot_min {
                let key = format!("radio.ue.{}.position", ue.name);
                let message = format!(
                    "{} is in no cell: its best pilot has {best:.1} dB, and \
                     radio.mobility.pilot_min is {} dB",
                    ue.name, self.mobility.pilot_min
                );
                let keys = [&*key, "radio.place.radius", "radio.mobility.pilot_min", "radio"];
                return tree.clash(&keys, message);
            }
        }
        CodeTree::of_cell(&[config.fach.sf]).map(|_| ()).or_else(|error| {
            tree.clash(&["radio.fach.sf", "radio"], format!("radio.fach.sf: {error}"))
        })
    }
}

impl Keys for CellKeys {
    fn interface(&self) -> &'static str {
        "Uu"
    }

    fn umts_mut(&mut self) -> Option<&mut UmtsKeys> {
        Some(&mut self.umts)
    }

    fn cells(&self) -> Option<&CellKeys> {
        Some(self)
    }

    fn queues(&self) -> Queues {
        Queues::DropTail("UMTS")
    }

    fn settle(&mut self, tree: &Table, context: &RadioContext<'_>) -> Result<(), Fault> {
        let both =
            [(Direction::Downlink, &mut self.downlink), (Direction::Uplink, &mut self.uplink)];
        for (direction, channel) in both {
            self.umts.settle_rate(channel, direction, 1, (tree, context))?;
            self.umts.check_channel(tree, channel, direction, std::iter::empty())?;
        }
        self.check_members(tree)?;
        self.check_rncs(tree)?;
        let (direction, key) = (Direction::Uplink, "radio.admission.uplink_sf");
        if let Err(error) = self.umts.spreading.rate_of(direction, self.admission.uplink_sf) {
            return tree.clash(&[key], error.to_string());
        }
        self.check_coverage(tree, context)
    }

    fn listed(&self) -> Vec<(&str, u32)> {
        self.ue.iter().map(|ue| (&*ue.name, 1)).collect()
    }

    fn mobiles(&self) -> usize {
        self.ue.len() + self.ues as usize
    }

    fn rates(&self, _: &RadioContext<'_>, _: usize) -> Option<[Schedule<Option<Rate>>; 2]> {
        Some([self.downlink.rate, self.uplink.rate].map(|rate| Schedule::constant(Some(rate))))
    }

    /// Of the dedicated channel, or of the common one where that is quicker.
    fn bottlenecks(&self, _: &RadioContext<'_>, _: usize) -> [Rate; 2] {
        [self.downlink.rate.max(self.fach.rate), self.uplink.rate.max(self.rach.rate)]
    }
}

/// The antenna of each cell.
fn antennas(node_bs: &[NodeB]) -> Vec<Antenna> {
    let antennas = |(number, node_b): (usize, &NodeB)| {
        let (position, sectors) = (position(node_b.position), node_b.sectors);
        (0..sectors).map(move |sector| Antenna {
            position,
            azimuth: (sectors > 1).then(|| 360.0 * f64::from(sector) / f64::from(sectors)),
            node_b: number as u32,
            carrier: 0,
        })
    };
    node_bs.iter().enumerate().flat_map(antennas).collect()
}

const fn position([x, y]: [f64; 2]) -> Position {
    Position::new(x, y)
}

/// A position drawn evenly within `radius` of `centre`.
fn within(centre: Position, radius: f64, chance: &mut Stream) -> Position {
    loop {
        let [x, y] = [(); 2].map(|()| radius * (2.0 * chance.next_f64() - 1.0));
        if x * x + y * y <= radius * radius {
            return Position::new(centre.x + x, centre.y + y);
        }
    }
}
