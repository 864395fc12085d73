//! Positions: the choice of cells, handover, and loss of coverage.

use base::{Direction, Time};
use observe::{Context, HandoverEvent, HandoverFact, Observe};

use super::config::CellConfig;
use super::machine::{LOOK, UmtsCells};
use crate::Sdu;
use crate::umts::Coverage;
use crate::umts::conditions::FRAME;
use crate::umts::handover::{ActiveSet, Decision, Kind, LinkMonitor, LinkState, Serving};
use crate::umts::interference::ErrorRates;
use crate::umts::interference::Rates;
use crate::umts::rrc::{Channels, Input};

impl<T: Sdu> UmtsCells<T> {
    /// Makes `ue` camp on the best cell where it is, without signalling.
    pub(super) fn select_cell(&mut self, now: Time, ue: u32) {
        if let Some(change) = self.choose(now, ue) {
            self.tell(now, ue, change);
        }
    }

    /// Measures where `ue` is.
    pub(super) fn move_ue(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32) {
        let now = cx.now;
        if self.mobiles[ue as usize].links.is_none() {
            let lost = self.mobiles[ue as usize].cells.is_empty();
            if let Some(change) = self.choose(now, ue) {
                if lost {
                    self.handed_over(cx, ue, HandoverEvent::Found);
                }
                self.tell(now, ue, change);
            }
            return;
        }
        let pilots = self.pilots(now, ue);
        let mobile = &mut self.mobiles[ue as usize];
        let Some(links) = &mut mobile.links else { return };
        let before = links.active.clone();
        mobile.pilot_db = pilots[before.best(&pilots) as usize];
        let frames = LOOK.whole(FRAME);
        let start = Time::ZERO + now.saturating_since(Time::ZERO + LOOK);
        let monitored =
            (1..=frames).map(|frame| links.monitor.measure(start + FRAME * frame, mobile.pilot_db));
        if monitored.last() == Some(LinkState::Failed) {
            return self.fail(cx, ue);
        }
        let decision = links.active.measure(now, &self.config.topology, &pilots);
        let carried_out = decision.is_none_or(|decision| self.hand_over(cx, ue, decision));
        if let Some(links) = &mut self.mobiles[ue as usize].links
            && !carried_out
        {
            links.active = before;
        }
        self.link(ue);
    }

    /// After all measurements: settles powers, and sets error rates.
    pub(super) fn set_powers(&mut self, now: Time, watched: &[u32]) {
        match self.config.interference.error_rates {
            ErrorRates::Given => {}
            ErrorRates::FromPlace => self.radio.settle(),
        }
        for ue in watched {
            self.open(now, *ue);
        }
    }

    /// The dedicated channels of `ue` have begun, in the cell where it has its code.
    pub(super) fn begin_links(&mut self, now: Time, ue: u32) {
        let CellConfig { mobility, topology, .. } = &self.config;
        let mobile = &mut self.mobiles[ue as usize];
        let cell = mobile.codes.first().map(|(cell, _)| *cell);
        let cell = cell.expect("dedicated channels have a code");
        mobile.cells.clear();
        mobile.cells.push(cell);
        let active = ActiveSet::new(*mobility, topology, cell);
        mobile.links = Some(Links { active, monitor: LinkMonitor::new(*mobility) });
        let pilots = self.pilots(now, ue);
        self.mobiles[ue as usize].pilot_db = pilots[cell as usize];
        self.link(ue);
    }

    /// Gives the interference model the position and the links of `ue`.
    fn link(&mut self, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        let (Some(links), Channels::Dedicated(dedicated)) = (&mobile.links, mobile.channels) else {
            return;
        };
        mobile.cells.clear();
        mobile.cells.extend_from_slice(links.active.members());
        if self.config.interference.error_rates == ErrorRates::FromPlace {
            let rate = |direction, sf| {
                let rate = self.config.spreading.rate_of(direction, sf);
                rate.expect("a factor of the channel's direction")
            };
            let rates = Rates {
                downlink: rate(Direction::Downlink, dedicated.downlink),
                uplink: rate(Direction::Uplink, dedicated.uplink),
            };
            self.radio.set_link(ue, mobile.gains.clone(), &mobile.cells, rates);
        }
    }

    /// Carries `decision` out, if there are codes for it.
    fn hand_over(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        decision: Decision,
    ) -> bool {
        let now = cx.now;
        let Channels::Dedicated(dedicated) = self.mobiles[ue as usize].channels else {
            return false;
        };
        let joined = match decision {
            Decision::Add { cell, .. } => Some(cell),
            Decision::Replace { new, .. } => Some(new),
            Decision::Hard { to, .. } => Some(to),
            Decision::Remove { .. } | Decision::Relocate { .. } => None,
        };
        if joined.is_some_and(|cell| !self.allocate(cx, ue, cell, dedicated)) {
            return false;
        }
        let links = self.mobiles[ue as usize].links.as_ref();
        let members = links.map_or(Vec::new(), |links| links.active.members().to_vec());
        self.release_but(cx, ue, &members);
        let machine = self.mobiles.machine;
        let mut say = |cell, event| {
            cx.observe.handover(now, HandoverFact { machine, ue, cell, event });
        };
        let joins = |kind| match kind {
            Kind::Soft => HandoverEvent::Soft,
            Kind::Softer => HandoverEvent::Softer,
        };
        let mobile = &mut self.mobiles[ue as usize];
        match decision {
            Decision::Add { cell, kind } => say(cell, joins(kind)),
            Decision::Remove { cell } => say(cell, HandoverEvent::Removed),
            Decision::Replace { old, new, kind } => {
                say(new, joins(kind));
                say(old, HandoverEvent::Removed);
            }
            Decision::Hard { to, serving } => {
                say(to, HandoverEvent::Hard);
                mobile.close(now);
                mobile.gap = Some(now + self.config.mobility.gap);
                match serving {
                    Serving::Kept => {}
                    Serving::Moved => mobile.bearer.relocate(now),
                }
            }
            Decision::Relocate { .. } => {
                say(members[0], HandoverEvent::Relocated);
                mobile.bearer.relocate(now);
            }
        }
        true
    }

    /// The radio link of `ue` has failed: it searches for a cell, which may be the same.
    fn fail(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32) {
        self.handed_over(cx, ue, HandoverEvent::Failed);
        self.tell(cx.now, ue, Input::RadioLinkFailure);
        self.apply_rrc_actions(cx, ue);
        self.select_cell(cx.now, ue);
    }

    /// Chooses the cell that `ue` should camp on: returns what RRC must know.
    fn choose(&mut self, now: Time, ue: u32) -> Option<Input> {
        let pilots = self.pilots(now, ue);
        let CellConfig { mobility, topology, .. } = &self.config;
        let best =
            (0..pilots.len()).max_by(|a, b| pilots[*a].total_cmp(&pilots[*b]).then(b.cmp(a)));
        let best = best.filter(|cell| pilots[*cell] >= self.config.mobility.pilot_min);
        let mobile = &mut self.mobiles[ue as usize];
        let now_on = mobile.cells.first().map(|cell| *cell as usize);
        mobile.cells.truncate(1);
        match (now_on, best) {
            (_, None) => {
                mobile.cells.clear();
                let was = std::mem::replace(&mut mobile.coverage, Coverage::Lost);
                (was == Coverage::There).then_some(Input::CoverageLost)
            }
            (None, Some(best)) => {
                mobile.cells.push(best as u32);
                let was = std::mem::replace(&mut mobile.coverage, Coverage::There);
                (was == Coverage::Lost).then_some(Input::CoverageFound)
            }
            (Some(old), Some(best)) => {
                let stays = pilots[old] >= self.config.mobility.pilot_min
                    && pilots[best] < pilots[old] + mobility.hard_hysteresis;
                if old == best || stays {
                    return None;
                }
                mobile.cells[0] = best as u32;
                let same_area = topology.cells[old].rnc == topology.cells[best].rnc;
                Some(if same_area { Input::CellReselected } else { Input::UraReselected })
            }
        }
    }

    /// The pilots that `ue` hears where it is at `now`, in dB.
    fn pilots(&mut self, now: Time, ue: u32) -> Vec<f64> {
        let mobile = &mut self.mobiles[ue as usize];
        if mobile.gains.is_empty() || !mobile.motion.rests() {
            mobile.gains = self.radio.gains(mobile.motion.at(now));
        }
        self.radio.pilots_db(&self.mobiles[ue as usize].gains)
    }

    fn handed_over(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32, event: HandoverEvent) {
        let cell = self.mobiles[ue as usize].cells.first().copied().unwrap_or(0);
        cx.observe
            .handover(cx.now, HandoverFact { machine: self.mobiles.machine, ue, cell, event });
    }
}

/// The radio links of a UE on dedicated channels.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) active: ActiveSet,
    pub(super) monitor: LinkMonitor,
}
