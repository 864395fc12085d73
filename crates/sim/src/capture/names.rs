//! What captures say of packets: their flow and its group, where groups differ.

use std::collections::BTreeMap;

use crate::{Metrics, Trace};

/// The names of flows, none where all are of one group.
#[derive(Debug)]
pub(super) struct FlowNames {
    /// By number of the flow.
    names: Vec<String>,
    /// The flow of each pair of ports, from and to; `None` of one that several flows have.
    by_ports: BTreeMap<[u16; 2], Option<u32>>,
}

impl FlowNames {
    /// Names of the flows of `metrics`; `flows` are those of the segments of `trace`, in order.
    pub(super) fn of(trace: &Trace, metrics: &Metrics, flows: &[(u32, u8)]) -> Self {
        let groups = || metrics.flows().iter().map(|flow| &flow.flow.group);
        let differ = groups().zip(groups().skip(1)).any(|(one, other)| one != other);
        let mut found = Self { names: Vec::new(), by_ports: BTreeMap::new() };
        if !differ {
            return found;
        }
        found.names = (0..).zip(groups()).map(|(flow, group)| name(flow, group)).collect();
        for (row, (flow, _)) in trace.segments.iter().zip(flows) {
            let [from, to] = row.way.ports;
            for ports in [[from, to], [to, from]] {
                let known = found.by_ports.entry(ports).or_insert(Some(*flow));
                *known = known.filter(|known| known == flow);
            }
        }
        found
    }

    /// The name of a flow by its number.
    pub(super) fn name(&self, flow: u32) -> &str {
        self.names.get(flow as usize).map_or("", String::as_str)
    }

    /// The name of the only flow whose segments have these ports, in either direction.
    pub(super) fn of_ports(&self, ports: [u16; 2]) -> &str {
        self.by_ports.get(&ports).copied().flatten().map_or("", |flow| self.name(flow))
    }
}

/// Name of a flow as in tables and pictures.
fn name(flow: usize, group: &str) -> String {
    format!("flow {flow}, {group}")
}
