//! Whether the keys of a network of cells go together.

use base::Direction;
use radio::umts::channels::CodeTree;
use radio::umts::interference::Interference;

use crate::schema::{Hosts, Radio, RadioKind};
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// Mobiles that have names of their own and a cell where they are; base stations that have an
    /// RNC; codes for the shared channels.
    pub(crate) fn cell(&self, radio: &Radio) -> Result<(), Fault> {
        match radio.kind {
            RadioKind::UmtsDch | RadioKind::Gprs => return self.no_members(radio),
            RadioKind::UmtsCell => {}
        }
        self.members(radio)?;
        self.rncs(radio)?;
        if self.scenario.flow.hosts == Hosts::Own {
            let message = "flows of a network of cells run from one host to its mobiles: \
                           flow.hosts must be shared";
            return self.clash(&["flow.hosts", "radio.kind"], message);
        }
        for (is_absent, key) in [
            (radio.schedule.is_empty(), "radio.schedule"),
            (radio.downlink.schedule.is_empty(), "radio.downlink.schedule"),
            (radio.uplink.schedule.is_empty(), "radio.uplink.schedule"),
            (radio.spikes.is_empty(), "radio.spikes"),
            (radio.handovers.is_empty(), "radio.handovers"),
            (radio.downlink.dpdch == 1, "radio.downlink.dpdch"),
            (radio.uplink.dpdch == 1, "radio.uplink.dpdch"),
        ] {
            if !is_absent {
                let message = format!("{key} is for radio.kind = umts-dch alone");
                return self.clash(&[key, "radio.kind"], message);
            }
        }
        let (direction, key) = (Direction::Uplink, "radio.admission.uplink_sf");
        if let Err(error) = radio.spreading.table().rate_of(direction, radio.admission.uplink_sf) {
            return self.clash(&[key], error.to_string());
        }
        self.coverage(radio)
    }

    /// Mobiles with bearers of their own have no place.
    fn no_members(&self, radio: &Radio) -> Result<(), Fault> {
        if radio.ues > 0 && self.scenario.flow.hosts == Hosts::Own {
            let message = "flows of several mobiles run from one host to them: flow.hosts must be \
                           shared";
            return self.clash(&["flow.hosts", "radio.ues"], message);
        }
        let usual = Radio::default();
        for (is_usual, key) in [
            (radio.place == usual.place, "radio.place"),
            (radio.ue == usual.ue, "radio.ue"),
            (radio.node_b == usual.node_b, "radio.node_b"),
            (radio.rncs == usual.rncs, "radio.rncs"),
            (radio.rrc == usual.rrc, "radio.rrc"),
            (radio.fach == usual.fach, "radio.fach"),
            (radio.rach == usual.rach, "radio.rach"),
            (radio.interference == usual.interference, "radio.interference"),
            (radio.admission == usual.admission, "radio.admission"),
            (radio.mobility == usual.mobility, "radio.mobility"),
        ] {
            if !is_usual {
                let message = format!("{key} is for radio.kind = umts-cell alone");
                return self.clash(&[key, "radio.kind"], message);
            }
        }
        Ok(())
    }

    fn members(&self, radio: &Radio) -> Result<(), Fault> {
        if radio.mobiles() == 0 {
            let message = "no mobile: needs radio.ues above zero, as in ues = 50, or [[radio.ue]]";
            return self.clash(&["radio.ues", "radio"], message);
        }
        let node_bs = radio.node_b.iter().map(|node_b| &node_b.name).collect::<Vec<_>>();
        let ues = radio.ue.iter().map(|ue| &ue.name).collect::<Vec<_>>();
        for (kind, names) in [("node_b", node_bs), ("ue", ues)] {
            for (index, name) in names.iter().enumerate() {
                let list = format!("radio.{kind}");
                if name.is_empty() {
                    let message = format!("every [[{list}]] needs a name, as in name = \"A\"");
                    return self.clash(&[&list], message);
                }
                if names[..index].contains(name) {
                    let message = format!("two [[{list}]] have the name {name}");
                    return self.clash(&[&list], message);
                }
            }
        }
        Ok(())
    }

    fn rncs(&self, radio: &Radio) -> Result<(), Fault> {
        for (index, rnc) in radio.rncs.iter().enumerate() {
            if radio.rncs[..index].contains(rnc) {
                let message = format!("radio.rncs has {rnc} twice; names must differ");
                return self.clash(&["radio.rncs"], message);
            }
        }
        for node_b in &radio.node_b {
            if !radio.rncs.contains(&node_b.rnc) {
                let key = format!("radio.node_b.{}.rnc", node_b.name);
                let message = format!(
                    "{} belongs to {}, which is no RNC: radio.rncs has {}",
                    node_b.name,
                    node_b.rnc,
                    radio.rncs.join(", ")
                );
                return self.clash(&[&key, "radio.rncs", "radio.node_b"], message);
            }
        }
        Ok(())
    }

    /// Each mobile hears a pilot where it starts.
    fn coverage(&self, radio: &Radio) -> Result<(), Fault> {
        let config = self.scenario.cells(radio);
        let air = Interference::new(config.radio, &config.cells, self.scenario.seed, "cells");
        for ue in &config.ues {
            let pilots = air.pilots_db(&air.gains(ue.motion.at(base::Time::ZERO)));
            let best = pilots.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if best < config.pilot_min_db {
                let key = format!("radio.ue.{}.position", ue.name);
                let message = format!(
                    "{} is in no cell: its best pilot has {best:.1} dB, and \
                     radio.mobility.pilot_min is {} dB",
                    ue.name, config.pilot_min_db
                );
                let keys = [&*key, "radio.place.radius", "radio.mobility.pilot_min", "radio"];
                return self.clash(&keys, message);
            }
        }
        CodeTree::of_cell(&[config.fach.sf]).map(|_| ()).or_else(|error| {
            self.clash(&["radio.fach.sf", "radio"], format!("radio.fach.sf: {error}"))
        })
    }
}
