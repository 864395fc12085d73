//! Whether the interfaces are there and hand over packets as they came.
//!
//! Of all offloads only LRO is a problem: what it merges cannot be split again as it was. Packets
//! that GRO merges, or that a sender on the same machine leaves unsegmented and without a checksum
//! (TSO, GSO), are segmented and completed by the kernel before they come to a TUN device, which
//! offers no offload.

use proxy::Config;
use serde_json::Value;

use super::super::SMALLEST_MTU_6;
use super::super::leg::Legs;
use super::{Report, families};
use os::interface;
use os::iproute::{self, Family};

pub(super) fn check(config: &Config, report: &mut Report) {
    for name in super::interfaces(config) {
        match iproute::link(name) {
            Ok(link) => one(name, link.as_ref(), &interface::merging(name), report),
            Err(trouble) => return report.error(trouble.to_string()),
        }
    }
    if let Ok(legs) = Legs::read(config) {
        sizes(legs.mtu(), legs.largest(), &families(config), report);
    }
}

fn one(name: &str, link: Option<&Value>, merging: &[&str], report: &mut Report) {
    let Some(link) = link else {
        return report.error(format!("there is no interface {name}: see `ip link`"));
    };
    let has = |wanted: &str| {
        link["flags"].as_array().is_some_and(|flags| flags.iter().any(|flag| flag == wanted))
    };
    if !has("UP") {
        return report.error(format!("{name} is down: say `ip link set {name} up`"));
    }
    if merging.contains(&"lro") {
        return report.error(format!(
            "{name} merges packets (large receive offload): say `ethtool -K {name} lro off`"
        ));
    }
    if let Some(master) = link["master"].as_str() {
        return report
            .error(format!("{name} belongs to {master}: packets come in by {master}, name that"));
    }
    if !has("LOWER_UP") {
        return report.warning(format!("{name} has no carrier"));
    }
    report.ok(format!("{name} is up, of {} B, with no offload in the way", link["mtu"]));
}

fn sizes([wired, radio]: [u16; 2], largest: u16, families: &[Family], report: &mut Report) {
    report.ok(format!("packets: wired {wired} B, radio {radio} B, at the device {largest} B"));
    if families.contains(&Family::V6) && wired.min(radio) < SMALLEST_MTU_6 {
        report.warning(format!(
            "IPv6 takes packets of {SMALLEST_MTU_6} B, and one side has less: see `ip link`"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_interface_may_lack() {
        let check = |link: &str, merging: &[&str], expect: &str| {
            let link: Option<Value> = serde_json::from_str(link).expect("JSON");
            let lines = Report::lines_of(|report| one("wl0", link.as_ref(), merging, report));
            assert_eq!(lines, [expect]);
        };
        let up = r#"{"flags": ["UP", "LOWER_UP"], "mtu": 1400}"#;
        check(up, &["gro"], "ok: wl0 is up, of 1400 B, with no offload in the way");
        check(
            up,
            &["gro", "lro"],
            "error: wl0 merges packets (large receive offload): say `ethtool -K wl0 lro off`",
        );
        check("null", &[], "error: there is no interface wl0: see `ip link`");
        check(r#"{"flags": []}"#, &[], "error: wl0 is down: say `ip link set wl0 up`");
        check(r#"{"flags": ["UP"]}"#, &[], "warning: wl0 has no carrier");
        check(
            r#"{"flags": ["UP", "LOWER_UP"], "master": "br0"}"#,
            &[],
            "error: wl0 belongs to br0: packets come in by br0, name that",
        );
    }

    #[test]
    fn sizes_of_either_side() {
        let families = [Family::V4, Family::V6];
        assert_eq!(
            Report::lines_of(|report| sizes([1500, 576], 1500, &families, report)),
            [
                "ok: packets: wired 1500 B, radio 576 B, at the device 1500 B",
                "warning: IPv6 takes packets of 1280 B, and one side has less: see `ip link`"
            ]
        );
    }
}
