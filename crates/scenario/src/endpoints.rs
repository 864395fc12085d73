//! The endpoints of flows that differ from those of others: `[flow.tcp]` over `[tcp]`, and
//! `[flow.peer.tcp]` over that.

use cc::Custom;
use settings::{Fault, Node, Section, Table};
use tcp::Config;

use crate::{Flow, Scenario};

/// The congestion controls that lie outside a scenario, each with the table that names it.
pub(crate) type Customs = Vec<(String, Custom)>;

/// Takes the congestion controls out of `tree` that are among `customs`, which no schema knows.
pub(crate) fn take_customs(tree: &mut Table, customs: &[Custom]) -> Customs {
    let mut taken = Vec::new();
    for at in tables(tree) {
        let Some(table) = tree.table_mut(&at) else { continue };
        let named = table.get("congestion_control").and_then(|item| item.scalar());
        let custom = named.and_then(|name| customs.iter().find(|it| it.name() == name.text));
        if let Some(custom) = custom {
            table.remove("congestion_control");
            taken.push((at, custom.clone()));
        }
    }
    taken
}

/// The tables of endpoints that there may be.
fn tables(tree: &Table) -> Vec<String> {
    let mut flows = vec!["flow".to_owned()];
    if let Some(Node::List(groups)) = tree.find("flow.group").map(|item| &item.node) {
        flows.extend(groups.iter().filter_map(|group| group.name()).map(group));
    }
    let of_flows =
        flows.iter().flat_map(|flow| [format!("{flow}.tcp"), format!("{flow}.peer.tcp")]);
    std::iter::once("tcp".to_owned()).chain(of_flows).collect()
}

/// The table of the group of flows called `name`.
pub(crate) fn group(name: &str) -> String {
    format!("flow.group.{name}")
}

/// The congestion control that the table `at` names.
pub(crate) fn give(config: &mut Config, customs: &Customs, at: &str) {
    if let Some((_, custom)) = customs.iter().find(|(table, _)| table == at) {
        config.congestion_control = Some(custom.clone().into());
    }
}

/// Lays what flows say of their endpoints over what holds for all.
pub(crate) fn lay_over(
    scenario: &mut Scenario,
    tree: &Table,
    customs: &Customs,
) -> Result<(), Fault> {
    let Scenario { tcp: hosts, flow, .. } = scenario;
    let lay = |flow: &mut Flow, at: &str| {
        flow.tcp = over(hosts, tree, &format!("{at}.tcp"), customs)?;
        let both = flow.tcp.as_ref().unwrap_or(hosts);
        flow.peer.tcp = over(both, tree, &format!("{at}.peer.tcp"), customs)?;
        Ok(())
    };
    lay(flow, "flow")?;
    flow.group.iter_mut().try_for_each(|flow| lay(flow, &group(&flow.name.clone())))
}

/// `parent` with what the table `at`, if there is one, says: its profile first, then its keys.
fn over(
    parent: &Config,
    tree: &Table,
    at: &str,
    customs: &Customs,
) -> Result<Option<Config>, Fault> {
    let Some(table) = tree.table(at) else { return Ok(None) };
    let mut config = parent.clone();
    config.yield_to(table);
    config.overlay(table, at)?;
    give(&mut config, customs, at);
    Ok(Some(config))
}
