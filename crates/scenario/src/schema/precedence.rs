//! What settings may name, and what they take away.

use settings::Schema;

/// What the settings of a scenario are checked against.
pub(crate) fn schema() -> Schema<'static> {
    Schema { keys: super::keys(), given: &GIVEN, superseded: &SUPERSEDED }
}

/// The tables and lists that settings do not make.
const GIVEN: [&str; 6] =
    ["link", "radio", "wired", "flow.group", "middlebox.atcp.classes", "route"];

/// Keys which, when set, take away what the file says in (table, key): a setting wins over the
/// file in whatever words.
const SUPERSEDED: [(&str, &str, &str); 37] = [
    ("link.rate", "link.trace", "down"),
    ("link.trace.down", "link", "rate"),
    ("link.back.rate", "link.trace", "up"),
    ("link.trace.up", "link.back", "rate"),
    ("radio.trace", "radio", "recorded"),
    ("radio.trace", "radio", "gateways"),
    ("radio.recorded", "radio", "trace"),
    ("tcp.variant", "tcp", "congestion_control"),
    ("tcp.variant", "tcp", "recovery"),
    ("radio.tbler", "radio.downlink", "tbler"),
    ("radio.tbler", "radio.uplink", "tbler"),
    ("flow.arrivals", "flow", "count"),
    ("flow.arrivals", "flow", "bytes"),
    ("flow.arrivals", "flow", "segments"),
    ("flow.arrivals", "flow", "application"),
    ("flow.bytes", "flow", "segments"),
    ("flow.segments", "flow", "bytes"),
    ("flow.group.NAME.bytes", "flow.group.NAME", "segments"),
    ("flow.group.NAME.segments", "flow.group.NAME", "bytes"),
    ("radio.tbler", "radio", "tbler_limits"),
    ("radio.tbler", "radio.downlink", "tbler_limits"),
    ("radio.tbler", "radio.uplink", "tbler_limits"),
    ("radio.tbler_limits", "radio", "tbler"),
    ("radio.tbler_limits", "radio.downlink", "tbler"),
    ("radio.tbler_limits", "radio.uplink", "tbler"),
    ("radio.tbler_limits", "radio.downlink", "tbler_limits"),
    ("radio.tbler_limits", "radio.uplink", "tbler_limits"),
    ("radio.downlink.tbler", "radio.downlink", "tbler_limits"),
    ("radio.downlink.tbler_limits", "radio.downlink", "tbler"),
    ("radio.uplink.tbler", "radio.uplink", "tbler_limits"),
    ("radio.uplink.tbler_limits", "radio.uplink", "tbler"),
    ("radio.downlink.rate", "radio.downlink", "sf"),
    ("radio.downlink.sf", "radio.downlink", "rate"),
    ("radio.uplink.rate", "radio.uplink", "sf"),
    ("radio.uplink.sf", "radio.uplink", "rate"),
    ("wan.rtt", "wired.wan", "delay"),
    ("wired.wan.delay", "wan", "rtt"),
];
