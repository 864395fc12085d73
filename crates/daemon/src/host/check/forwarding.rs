//! Whether the kernel forwards packets between the sides, and drops none on the way.

use proxy::Config;

use super::super::{strict_everywhere, sysctl};
use super::{Report, families, interfaces};
use os::iproute::Family;

/// Reverse-path filtering as RFC 3704 §2.2 has it: by the very interface.
const STRICT: i64 = 1;

pub(super) fn check(config: &Config, report: &mut Report) {
    for family in families(config) {
        if !Family::known().contains(&family) {
            report.warning("this kernel has no IPv6: mobiles with IPv6 addresses are not served");
            continue;
        }
        match family {
            Family::V4 => forwarding_4(config, report),
            Family::V6 => forwarding_6(report),
        }
    }
    match strict_everywhere() {
        Some(trouble) => report.error(trouble.to_string()),
        None => reverse_paths(config, report),
    }
}

fn forwarding_4(config: &Config, report: &mut Report) {
    let is_off = |name: &&String| sysctl::get(&format!("ipv4/conf/{name}/forwarding")) == Some(0);
    match interfaces(config).find(is_off) {
        Some(name) => report
            .error(format!("{name} does not forward IPv4: say `sysctl -w net.ipv4.ip_forward=1`")),
        None => report.ok("IPv4 is forwarded"),
    }
}

fn forwarding_6(report: &mut Report) {
    if sysctl::get("ipv6/conf/all/forwarding") == Some(1) {
        report.ok("IPv6 is forwarded");
    } else {
        let line = "IPv6 is not forwarded: say `sysctl -w net.ipv6.conf.all.forwarding=1`";
        report.error(line);
    }
}

/// Where a side has several interfaces, packets may come in by a different one than the reverse
/// path uses.
fn reverse_paths(config: &Config, report: &mut Report) {
    let filter = |name: &String| sysctl::get(&format!("ipv4/conf/{name}/rp_filter"));
    for side in [&config.radio.interfaces, &config.wired.interfaces] {
        let strict = side.iter().find(|name| filter(name) == Some(STRICT));
        if let Some(name) = strict.filter(|_| side.len() > 1) {
            return report.warning(format!(
                "{name} drops what comes in by another interface than the way back: say \
                 `sysctl -w net.ipv4.conf.{name}.rp_filter=2`"
            ));
        }
    }
    report.ok("no reverse-path filter is in the way");
}
