//! From `[radio]` to the configuration of a network of cells.

use base::{Direction, Rate, Stream};
use mobility::motion::{Motion, Position};
use observe::RrcState;
use radio::umts::BlockErrorRate;
use radio::umts::admission::Limits;
use radio::umts::cell::{CellConfig, ErrorRates, Fach, Movement, Rach, UeConfig};
use radio::umts::channels::SpreadingFactor;
use radio::umts::handover::{self, Diversity, Iur, LinkTimers, Site, Topology};
use radio::umts::interference::{self, Antenna, ErrorCurve, PathLoss};
use radio::umts::rrc::{self, Dedicated};

use crate::schema::{
    Activity, AfterDch, Air, Channel, ErrorRatesName, FirstChannel, HandoverName, InitialState,
    Mobility, NodeB, Rest, Spreading,
};
use crate::{Radio, Scenario};

impl Scenario {
    /// The network of cells that `radio`, this scenario's, describes.
    pub(crate) fn cells(&self, radio: &Radio) -> CellConfig {
        let node_bs = radio.node_bs();
        let topology = radio.topology(&node_bs);
        CellConfig {
            bearer: radio.config(&self.queue),
            cells: Radio::antennas(&node_bs),
            ues: self.ues(radio, &node_bs),
            rrc: radio.rrc_config(),
            fach: Fach { rate: radio.fach.rate, sf: radio.fach.sf },
            rach: Rach { rate: radio.rach.rate, access_delay: radio.rach.access_delay },
            admission: Limits {
                noise_rise_db: radio.admission.noise_rise,
                power_share: radio.admission.power_share.value(),
                thinnest: Dedicated {
                    downlink: radio.admission.downlink_sf,
                    uplink: radio.admission.uplink_sf,
                },
            },
            radio: radio.interference.config(),
            error_rates: match radio.interference.error_rates {
                ErrorRatesName::Given => ErrorRates::Given,
                ErrorRatesName::FromPlace => ErrorRates::FromPlace,
            },
            movement: radio.mobility.config(topology),
            pilot_min_db: radio.mobility.pilot_min,
        }
    }

    /// Those that have a name, then those that are counted.
    fn ues(&self, radio: &Radio, node_bs: &[NodeB]) -> Vec<UeConfig> {
        let errors = |tbler: Option<base::Probability>| -> [BlockErrorRate; 2] {
            [&radio.downlink, &radio.uplink]
                .map(|channel| tbler.map_or_else(|| radio.errors(channel), Into::into))
        };
        let named = radio.ue.iter().map(|ue| {
            let motion = Motion::with_velocity(position(ue.position), position(ue.velocity));
            (ue.name.clone(), motion, errors(ue.tbler))
        });
        let mut chance = Stream::named(self.seed, "places");
        let counted = (0..radio.ues as usize).map(|index| {
            let centre = position(node_bs[index % node_bs.len()].position);
            let motion = Motion::resting(within(centre, radio.place.radius, &mut chance));
            (format!("UE-{}", radio.ue.len() + index), motion, errors(None))
        });
        let all: Vec<_> = named.chain(counted).collect();
        let count = all.len() as u32;
        let ue = |(index, (name, motion, tbler)): (usize, (String, Motion, _))| UeConfig {
            name,
            motion,
            flows: self.asked_of(radio, index, count as usize),
            tbler,
        };
        all.into_iter().enumerate().map(ue).collect()
    }

    /// What the flows of mobile number `ue` of `count` ask for, where that picks the spreading
    /// factor.
    fn asked_of(&self, radio: &Radio, ue: usize, count: usize) -> Vec<(Direction, Rate)> {
        let directions =
            [(Direction::Downlink, &radio.downlink), (Direction::Uplink, &radio.uplink)];
        let auto =
            directions.into_iter().filter(|(_, channel)| channel.sf == Some(Spreading::Auto));
        let rates = self.groups().flat_map(|group| {
            let flows = group.flows_of(ue, count);
            group.rate.into_iter().flat_map(move |rate| std::iter::repeat_n(rate, flows))
        });
        let rates: Vec<_> = rates.collect();
        auto.flat_map(|(direction, _)| rates.iter().map(move |rate| (direction, *rate))).collect()
    }
}

impl Radio {
    /// How many mobiles there are.
    pub(crate) fn mobiles(&self) -> usize {
        self.ue.len() + self.ues as usize
    }

    /// The base stations: one at the origin, if none is given.
    pub(crate) fn node_bs(&self) -> Vec<NodeB> {
        if !self.node_b.is_empty() {
            return self.node_b.clone();
        }
        let rnc = self.rncs.first().cloned().unwrap_or_default();
        vec![NodeB { name: "NodeB".to_owned(), rnc, ..NodeB::default() }]
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

    fn rrc_config(&self) -> rrc::Config {
        let rrc = &self.rrc;
        let volume = &rrc.traffic_volume;
        rrc::Config {
            initial: match rrc.initial {
                InitialState::Idle => RrcState::Idle,
                InitialState::CellDch => RrcState::CellDch,
                InitialState::CellFach => RrcState::CellFach,
                InitialState::CellPch => RrcState::CellPch,
                InitialState::UraPch => RrcState::UraPch,
            },
            setup_delay: rrc.setup_delay,
            dch_delay: rrc.dch_delay,
            release_delay: rrc.release_delay,
            update_delay: rrc.update_delay,
            paging_delay: rrc.paging_delay,
            inactivity: rrc::Inactivity {
                dch: rrc.inactivity.dch,
                fach: rrc.inactivity.fach,
                pch: rrc.inactivity.pch,
            },
            activity: match rrc.activity {
                Activity::Sdu => rrc::Activity::Sdu,
                Activity::Pdu => rrc::Activity::Pdu,
            },
            first_channel: match rrc.first_channel {
                FirstChannel::Dedicated => rrc::FirstChannel::Dedicated,
                FirstChannel::Shared => rrc::FirstChannel::Shared,
            },
            after_dch: match rrc.after_dch {
                AfterDch::Shared => rrc::AfterDch::Shared,
                AfterDch::Release => rrc::AfterDch::Release,
            },
            rest: match rrc.rest {
                Rest::CellPch => rrc::Rest::CellPch,
                Rest::UraPch => rrc::Rest::UraPch,
                Rest::Release => rrc::Rest::Release,
            },
            traffic_volume: rrc::TrafficVolume {
                downlink: volume.downlink,
                uplink: volume.uplink,
                time_to_trigger: volume.time_to_trigger,
                pending_time: volume.pending_time,
            },
            updates_before_ura: rrc.updates_before_ura,
            out_of_service: rrc.out_of_service,
            dedicated: Dedicated {
                downlink: self.factor(Direction::Downlink, &self.downlink),
                uplink: self.factor(Direction::Uplink, &self.uplink),
            },
            spreading: self.spreading.table(),
        }
    }

    /// The spreading factor of `channel`: its own, or what carries its rate.
    fn factor(&self, direction: Direction, channel: &Channel) -> SpreadingFactor {
        match channel.sf {
            Some(Spreading::Factor(factor)) => factor,
            Some(Spreading::Auto) | None => {
                let fits = self.spreading.table().least_for(direction, channel.rate);
                fits.unwrap_or(SpreadingFactor::MIN)
            }
        }
    }
}

impl Air {
    /// As the network has it.
    pub(crate) fn config(&self) -> interference::Config {
        let curve = |ebn0_db| ErrorCurve { ebn0_db, bler: 0.1, decade_db: self.decade };
        interference::Config {
            path_loss: PathLoss::MACRO,
            antenna_gain_db: self.antenna_gain,
            shadowing_db: self.shadowing,
            shadowing_grid_m: self.shadowing_grid,
            uplink_noise_dbm: self.uplink_noise,
            downlink_noise_dbm: self.downlink_noise,
            orthogonality: self.orthogonality,
            ue_dbm: self.ue_power,
            cell_dbm: self.cell_power,
            link_dbm: self.link_power,
            common_dbm: self.common_power,
            pilot_dbm: self.pilot_power,
            activity: self.activity,
            downlink_target: self.target,
            uplink_target: self.target,
            downlink_curve: curve(self.downlink_ebn0),
            uplink_curve: curve(self.uplink_ebn0),
        }
    }
}

impl Mobility {
    fn config(&self, topology: Topology) -> Movement {
        let trigger = self.time_to_trigger;
        Movement {
            topology,
            handover: handover::Config {
                add_range_db: self.add_range,
                remove_range_db: self.remove_range,
                hysteresis_db: self.hysteresis,
                hard_hysteresis_db: self.hard_hysteresis,
                add_time: trigger,
                remove_time: trigger,
                replace_time: trigger,
                size: self.cells as usize,
                diversity: match self.handover {
                    HandoverName::Soft => Diversity::Allowed,
                    HandoverName::Hard => Diversity::Never,
                },
                relocation_time: self.relocation_time,
            },
            timers: LinkTimers {
                out_db: self.pilot_min,
                in_db: self.pilot_min + IN_SYNC_DB,
                n313: self.n313,
                n315: self.n315,
                t313: self.t313,
            },
            gap: self.gap,
        }
    }
}

/// By how much a pilot must be better than the weakest for a frame to be in sync.
const IN_SYNC_DB: f64 = 2.0;

pub(crate) const fn position([x, y]: [f64; 2]) -> Position {
    Position::new(x, y)
}

/// A place evenly drawn within `radius` of `centre`.
fn within(centre: Position, radius: f64, chance: &mut Stream) -> Position {
    loop {
        let [x, y] = [(); 2].map(|()| radius * (2.0 * chance.next_f64() - 1.0));
        if x * x + y * y <= radius * radius {
            return Position::new(centre.x + x, centre.y + y);
        }
    }
}
