//! Whether the limits on bytes suffice for the permitted connections, and for a segment.

use proxy::{Config, Profile};

use super::super::leg::Legs;
use super::Report;

/// Headers of IPv4 and TCP without options (RFC 9293 §3.7.1); those of IPv6 leave less for data.
const HEADERS: u16 = 40;

/// MTU of interfaces that are not there yet.
const ETHERNET_MTU: u16 = 1500;

pub(super) fn check(config: &Config, report: &mut Report) {
    // Missing interfaces are told elsewhere, and may come later.
    let [wired, radio] = Legs::read(config).map_or([ETHERNET_MTU; 2], |legs| legs.mtu());
    let largest = wired.min(radio).saturating_sub(HEADERS);
    for profile in &config.profile {
        one(config, profile, profile.mss.unwrap_or(largest).min(largest), report);
        segments(profile, largest, report);
    }
}

/// Checks the sizes of a profile against the `largest` segment, in bytes, that the interfaces take.
fn segments(profile: &Profile, largest: u16, report: &mut Report) {
    let Profile { name, middlebox, mss: wanted, .. } = profile;
    let mss = wanted.unwrap_or(largest).min(largest);
    if let Some(wanted) = wanted.filter(|&wanted| wanted > largest) {
        report.warning(format!(
            "profile {name}: mss = {wanted}, and the interfaces take segments of {largest} B: \
             that is what hosts are told"
        ));
    }
    if let Some(odd) = middlebox.keys().and_then(|keys| keys.warning(mss, &profile.radio_link())) {
        report.warning(format!("profile {name}: {odd}"));
    }
}

/// Checks the connections of a profile whose segments carry up to `mss` bytes.
fn one(config: &Config, profile: &Profile, mss: u16, report: &mut Report) {
    // Mobiles have the limits of their worker.
    let all = config.of_worker(0).limits.bytes;
    let each = profile.bytes_of_connection(mss);
    let asked = config.limits.flows_per_mobile;
    let Some(room) = all.checked_div(each).filter(|room| *room < asked.into()) else { return };
    let line = format!(
        "profile {}: {} sets {each} B aside for a connection, so that limits.bytes has room for \
         {room} of all mobiles, where limits.flows_per_mobile lets one have {asked}: more pass \
         untouched",
        profile.name,
        profile.middlebox.name()
    );
    if room == 0 { report.error(line) } else { report.warning(line) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    #[test]
    fn what_no_segment_fits_is_told() {
        let check = |keys: &str, expect: &[&str]| {
            let config = config("", keys);
            let lines = Report::lines_of(|report| segments(&config.profile[0], 1460, report));
            assert_eq!(lines, expect, "{keys}");
        };
        let clamp = "warning: profile thin: middlebox.atcp.clamp of 1000 B is less than a segment, \
                     of which one is always let go: name a smaller mss, or a larger rate, \
                     round_trip or clamp";
        check("", &[]);
        check("mss = 1460", &[]);
        check(
            "mss = 1461",
            &["warning: profile thin: mss = 1461, and the interfaces take segments of 1460 B: \
               that is what hosts are told"],
        );
        check("middlebox.atcp.clamp = '1 kB'", &[clamp]);
        check("mss = 1000\nmiddlebox.atcp.clamp = '1 kB'", &[]);
        check("middlebox.kind = 'split'", &[]);
        let fat = |keys: &str, expect: &[&str]| {
            let radio = "rate = '50 Mbit/s'\nround_trip = '600 ms'\n";
            check(&format!("{radio}{keys}"), expect);
        };
        fat("middlebox.kind = 'split'", &[]);
        fat("middlebox.kind = 'atcp'", &[]);
        fat("middlebox = { kind = 'i-tcp', split.send_buffer = '128 kB' }", &[]);
        fat(
            "middlebox = { kind = 'i-tcp', split = { send_buffer = '1 MB', \
             receive_buffer = '500 kB' } }",
            &["warning: profile thin: middlebox.split.receive_buffer and send_buffer hold \
               1500000 B at most, and rate · round_trip is 3750000 B: no connection fills the \
               radio. Name larger ones"],
        );
        fat(
            "middlebox = { kind = 'split', split.receive_buffer = '1 kB' }",
            &["warning: profile thin: middlebox.split.receive_buffer of 1000 B holds no \
               segment of 1460 B: name a larger one, or auto"],
        );
        check("bdp = '5 MB'\nmiddlebox.kind = 'split'", &[]);
        check(
            "bdp = '11 MB'\nmiddlebox.kind = 'split'",
            &["warning: profile thin: middlebox.split.receive_buffer and send_buffer hold \
               10485760 B at most, and rate · round_trip is 11000000 B: no connection fills the \
               radio. Name larger ones"],
        );
    }

    #[test]
    fn a_mobile_that_gets_less_than_it_may_is_told() {
        let check = |keys: &str, expect: &[&str]| {
            let config = config("", keys);
            let lines = Report::lines_of(|report| one(&config, &config.profile[0], 1000, report));
            assert_eq!(lines, expect, "{keys}");
        };
        check("", &[]);
        check("split_uplink = true", &[]);
        check("middlebox.kind = 'snoop'", &[]);
        check("middlebox.kind = 'm-tcp'\n[limits]\nbytes = '10 kB'", &[]);
        check("middlebox = { kind = 'w-tcp', w_tcp.buffer_segments = 1000 }", &[]);
        check(
            "middlebox.kind = 'w-tcp'",
            &["warning: profile thin: w-tcp sets 4096000 B aside for a connection, so that \
               limits.bytes has room for 62 of all mobiles, where limits.flows_per_mobile lets \
               one have 256: more pass untouched"],
        );
        check(
            "middlebox.kind = 'split'\n[limits]\nbytes = '100 kB'",
            &["error: profile thin: split sets 218452 B aside for a connection, so that \
               limits.bytes has room for 0 of all mobiles, where limits.flows_per_mobile lets \
               one have 256: more pass untouched"],
        );
    }
}
