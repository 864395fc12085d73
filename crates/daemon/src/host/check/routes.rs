//! Whether routes and rules lead packets of mobiles through the proxy in both directions.

use std::net::IpAddr;

use ipnet::IpNet;
use proxy::Config;
use serde_json::Value;

use super::super::rule::{self, Listed, Target};
use super::super::table;
use super::{Report, families, interfaces};
use os::SetupError;
use os::iproute::{self, Family};

/// How many addresses of a prefix are tried for one that is not this host's own.
const TRIES: usize = 4;

pub(super) fn check(config: &Config, is_running: bool, report: &mut Report) {
    // That `ip` does not work has been reported with the interfaces.
    if iproute::link("lo").is_err() {
        return;
    }
    for prefix in config.profile.iter().flat_map(|profile| &profile.mobiles) {
        if Family::known().contains(&Family::of(prefix)) {
            to_mobiles(config, prefix, report);
        }
    }
    for family in families(config).iter().filter(|family| Family::known().contains(family)) {
        if let Err(trouble) = of_family(config, *family, is_running, report) {
            report.error(trouble.to_string());
        }
    }
}

fn of_family(
    config: &Config,
    family: Family,
    is_running: bool,
    report: &mut Report,
) -> Result<(), SetupError> {
    let routes = iproute::list(&[family.option(), "route", "show", "default"])?;
    to_hosts(config, family, &routes, report);
    let rules = rule::listed(family)?;
    let owns = (0..config.workers).map(|number| config.of_worker(number));
    let (owns, devices): (Vec<_>, Vec<_>) =
        owns.map(|own| (Target::of(&own), own.routing.device)).unzip();
    ahead(&rules, &owns, family, &interfaces(config).collect::<Vec<_>>(), report);
    let mut left = 0;
    for (own, device) in owns.iter().zip(&devices) {
        let contents = table::contents(own.table, device, family)?;
        if contents.foreign > 0 {
            report.error(super::super::table_is_taken(own.table, family).to_string());
        }
        left += rules.iter().filter(|rule| rule.target == Some(*own)).count() + contents.refusals;
    }
    if left > 0 && !is_running {
        let name = family.name();
        report.warning(format!(
            "{left} {name} rules and routes of a proxy that was killed: the next one removes them"
        ));
    }
    Ok(())
}

/// The route to mobiles leads to a radio interface.
fn to_mobiles(config: &Config, prefix: &IpNet, report: &mut Report) {
    match way_to(prefix) {
        Ok(Some((address, interface))) if config.radio.interfaces.contains(&interface) => {
            report.ok(format!("{prefix}: {address} is reached by {interface}"));
        }
        Ok(Some((address, interface))) => report.error(format!(
            "{prefix}: {address} is reached by {interface}, which is none of radio.interfaces: \
             see `ip route get {address}`"
        )),
        Ok(None) => report.warning(format!("{prefix} holds no address but this host's own")),
        Err(trouble) => report.error(format!("{prefix}: no route to mobiles: {trouble}")),
    }
}

/// An address of `prefix` that is not this host's own, and the interface by which it is reached.
fn way_to(prefix: &IpNet) -> Result<Option<(IpAddr, String)>, SetupError> {
    let addresses: Vec<_> = prefix.hosts().take(TRIES).collect();
    for address in addresses.into_iter().rev() {
        let routes = iproute::list(&["route", "get", &address.to_string()])?;
        let route = routes.into_iter().next().unwrap_or_default();
        let is_own = route["type"] == "local" || route["dev"] == "lo";
        if let Some(interface) = route["dev"].as_str().filter(|_| !is_own) {
            return Ok(Some((address, interface.to_owned())));
        }
    }
    Ok(None)
}

/// The default route leads to a wired interface.
fn to_hosts(config: &Config, family: Family, routes: &[Value], report: &mut Report) {
    let name = family.name();
    let devices: Vec<_> = routes.iter().flat_map(devices).collect();
    let wired = &config.wired.interfaces;
    match devices.iter().find(|device| !wired.iter().any(|wired| wired == *device)) {
        Some(device) => report.warning(format!(
            "the {name} default route leads to {device}, which is none of wired.interfaces: \
             connections over it are not served"
        )),
        None if devices.is_empty() => report.warning(format!(
            "there is no {name} default route: only hosts with a route of their own are reached"
        )),
        None => report.ok(format!("the {name} default route leads to {}", devices.join(", "))),
    }
}

/// The interfaces of a route: one, or those of its next hops.
fn devices(route: &Value) -> Vec<&str> {
    let hops = route["nexthops"].as_array().map_or(&[][..], Vec::as_slice);
    std::iter::once(route).chain(hops).filter_map(|hop| hop["dev"].as_str()).collect()
}

/// No foreign rule ahead of ours applies to packets from our interfaces.
fn ahead(
    rules: &[Listed],
    owns: &[Target],
    family: Family,
    interfaces: &[&String],
    report: &mut Report,
) {
    let priority = owns[0].priority;
    let is_ahead = |rule: &&Listed| {
        // The first rule leads to this host's own addresses.
        let is_own = rule.target.is_some_and(|target| owns.contains(&target));
        (1..=priority).contains(&rule.priority) && !is_own
    };
    let concerns = |rule: &&Listed| {
        rule.interface.as_ref().is_none_or(|interface| interfaces.contains(&interface))
    };
    let name = family.name();
    match rules.iter().filter(is_ahead).find(concerns) {
        Some(rule) => report.warning(format!(
            "the {name} rule {} stands ahead of the proxy's at {}: packets that it takes are not \
             served; see `ip {} rule`",
            rule.priority,
            priority,
            family.option()
        )),
        None => report.ok(format!("no {name} rule stands ahead of the proxy's")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    #[test]
    fn default_routes_lead_to_the_wired_side() {
        let mut config = config("", "");
        config.wired.interfaces.push("eth1".to_owned());
        let check = |routes: &str, expect: &str| {
            let routes: Vec<Value> = serde_json::from_str(routes).expect("JSON");
            let lines = Report::lines_of(|it| to_hosts(&config, Family::V4, &routes, it));
            assert!(lines[0].starts_with(expect), "{lines:?}");
        };
        check(r#"[{"dst": "default", "dev": "eth0"}]"#, "ok: the IPv4 default route leads to eth0");
        check(
            r#"[{"dst": "default", "nexthops": [{"dev": "eth0"}, {"dev": "eth1"}]}]"#,
            "ok: the IPv4 default route leads to eth0, eth1",
        );
        check(
            r#"[{"dst": "default", "dev": "eth0"}, {"dst": "default", "dev": "eth7"}]"#,
            "warning: the IPv4 default route leads to eth7",
        );
        check("[]", "warning: there is no IPv4 default route");
    }

    #[test]
    fn rules_ahead_are_told_from_those_behind() {
        let own = Target { priority: 1000, table: 101 };
        let check = |rule: Listed, expect: &str| {
            let wl0 = "wl0".to_owned();
            let lines = Report::lines_of(|it| ahead(&[rule], &[own], Family::V4, &[&wl0], it));
            assert!(lines[0].starts_with(expect), "{lines:?}");
        };
        let rule = |priority, interface: Option<&str>, table| Listed {
            priority,
            interface: interface.map(str::to_owned),
            target: Some(Target { priority, table }),
        };
        check(rule(0, None, 255), "ok");
        check(rule(500, None, 7), "warning: the IPv4 rule 500 stands ahead of the proxy's at 1000");
        check(rule(500, Some("wl0"), 7), "warning");
        check(rule(500, Some("tun7"), 7), "ok");
        check(rule(1000, None, 7), "warning");
        check(rule(1000, None, 101), "ok");
        check(rule(1001, None, 7), "ok");
    }

    #[test]
    fn an_address_of_a_prefix_is_one_of_its_own() {
        // The loopback prefix is this host's own.
        let prefix: IpNet = "127.0.0.0/8".parse().expect("a prefix");
        assert!(matches!(way_to(&prefix), Ok(None) | Err(_)));
    }
}
