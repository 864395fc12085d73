//! The state of a daemon, as metrics and status show it.

use std::borrow::Cow;

use proxy::{Mobile, Snapshot};
use serde::{Deserialize, Serialize};

/// The most mobiles that the control socket lists, those with the most waiting bytes first.
pub(crate) const MOBILES: usize = 10_000;

/// A daemon at one moment, as serialised for metrics and status.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Observation {
    /// `serving` or `draining`.
    pub(crate) state: Cow<'static, str>,
    /// The state of its processes.
    #[serde(flatten)]
    pub(crate) health: Health,
    /// What its worker counts and holds.
    #[serde(flatten)]
    pub(crate) look: Look,
}

/// The state of the processes of a daemon.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Health {
    /// Since the daemon started, in seconds.
    pub(crate) uptime_seconds: f64,
    /// How many workers the configuration asks for.
    pub(crate) workers: u32,
    /// How many of them packets are diverted to.
    pub(crate) workers_serving: u32,
    /// Since its worker did, in seconds; of several, the last one.
    pub(crate) worker_uptime_seconds: f64,
    /// Since the worker last gave a sign of life, in seconds; of several, the most silent one.
    pub(crate) heartbeat_age_seconds: f64,
    /// Workers that died or hung.
    pub(crate) worker_restarts: u64,
    /// Reloads that took effect.
    pub(crate) reloads: u64,
    /// Reloads that failed.
    pub(crate) reloads_refused: u64,
}

/// A look at a worker.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Look {
    /// Connections in the journal: those that would be reset if the worker died now.
    pub(crate) journal_flows: u32,
    /// Packets that the kernel dropped because they were not received in time.
    pub(crate) device_overflow_packets: u64,
    /// Packets that the kernel did not take back.
    pub(crate) device_refused_packets: u64,
    /// What its gateway has counted and holds.
    #[serde(flatten)]
    pub(crate) snapshot: Snapshot,
    /// Mobiles with connections, as many as were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mobiles: Option<Vec<Mobile>>,
}

impl Look {
    /// Adds that at another worker, with as many mobiles as either was asked for.
    pub(crate) fn add(&mut self, other: Self) {
        self.journal_flows += other.journal_flows;
        self.device_overflow_packets += other.device_overflow_packets;
        self.device_refused_packets += other.device_refused_packets;
        self.snapshot.add(other.snapshot);
        if let Some(mobiles) = &mut self.mobiles {
            mobiles.extend(other.mobiles.into_iter().flatten());
            proxy::busiest(mobiles, MOBILES);
        }
    }
}

impl Observation {
    /// Both together.
    pub(crate) fn new(health: Health, look: Look) -> Self {
        let state = if look.snapshot.draining { "draining" } else { "serving" };
        Self { state: state.into(), health, look }
    }
}

#[cfg(test)]
impl Observation {
    /// Two profiles, stats that differ, and so many mobiles.
    pub(super) fn example(mobiles: u64) -> Self {
        let reason = |reason, packets| proxy::Reason { reason: Cow::Borrowed(reason), packets };
        let snapshot = Snapshot {
            version: "1.2.3".into(),
            received: proxy::Volume { packets: 12, bytes: 3456 },
            sent: proxy::Volume { packets: 11, bytes: 3210 },
            bypassed: vec![reason("not_tcp", 5), reason("never_host", 0)],
            dropped: vec![reason("fragment", 1)],
            icmp: vec![reason("other", 2), reason("path_mtu", 1)],
            limit_bytes: 256_000_000,
            journal_places: 65_536,
            profiles: vec![profile("gprs", mobiles), profile("umts", 0)],
            ..Snapshot::default()
        };
        let look = Look {
            journal_flows: 9,
            device_overflow_packets: 7,
            device_refused_packets: 8,
            snapshot,
            mobiles: (mobiles > 0).then(|| (0..mobiles).map(mobile).collect()),
        };
        let health = Health {
            uptime_seconds: 7260.0,
            workers: 1,
            workers_serving: 1,
            worker_uptime_seconds: 90.0,
            heartbeat_age_seconds: 0.012,
            worker_restarts: 3,
            reloads: 4,
            reloads_refused: 1,
        };
        Self::new(health, look)
    }
}

#[cfg(test)]
fn profile(name: &str, mobiles: u64) -> proxy::ProfileStats {
    let volume = |bytes| proxy::Volume { packets: 3, bytes };
    let mut round_trip = proxy::Histogram { counts: [1; 15], sum_ns: 13_000_000_000 };
    round_trip.add(base::Duration::from_secs(3));
    let leg = |retransmissions| proxy::LegStats {
        received: volume(1000),
        sent: volume(2000),
        retransmissions,
        round_trip,
    };
    proxy::ProfileStats {
        name: name.to_owned(),
        scheme: "atcp".into(),
        role: "network".into(),
        retired: false,
        flows: proxy::Flows { opening: 1, open: mobiles },
        connections: proxy::Connections { taken: 9, bypassed: 2, released: 3, reset: 4 },
        syns: proxy::Syns { seen: 12, held: 1, refused: 5, displaced: 2 },
        wired: leg(1),
        radio: leg(6),
        stalls: 2,
        stalled_seconds: 1.5,
        stalled_mobiles: 1,
        mobiles,
        queued_bytes: 12_345,
        in_flight_bytes: 3900,
        cwnd_bytes: 7800,
        held_bytes: 16_000,
        held_max_bytes: 20_000,
        budget_bytes: 128_000,
        zero_windows: 7,
        timeouts: 8,
        suppressed_acks: 10,
        discarded_bytes: 11,
        others: ["call", "none"].map(class).into(),
        echoes: proxy::EchoStats { sent: 21, answered: 20 },
    }
}

#[cfg(test)]
fn class(name: &str) -> proxy::ClassStats {
    let volume = |packets, bytes| proxy::Volume { packets, bytes };
    let waited = proxy::Histogram { counts: [1; 15], sum_ns: 450_000_000 };
    proxy::ClassStats {
        name: name.to_owned(),
        received: volume(40, 4_000),
        sent: volume(33, 3_300),
        marked: 3,
        late: 4,
        crowded: 1,
        waiting: volume(2, 200),
        waited,
    }
}

#[cfg(test)]
fn mobile(number: u64) -> Mobile {
    Mobile {
        address: std::net::Ipv4Addr::from_bits(0x0A2D_0000 + number as u32).into(),
        profile: "gprs".to_owned(),
        flows: 1,
        queued_bytes: 1000,
        in_flight_bytes: 3900,
        cwnd_bytes: 3900,
        round_trip_seconds: Some(0.9),
        stalled_seconds: None,
    }
}

#[cfg(test)]
mod tests {
    use proxy::merged;
    use serde_json::Value;

    use super::*;

    /// All numbers of `value`, with where they stand.
    fn numbers(value: &impl Serialize) -> Vec<(String, f64)> {
        fn add(at: &str, value: &Value, found: &mut Vec<(String, f64)>) {
            match value {
                Value::Object(fields) => {
                    fields.iter().for_each(|(name, it)| add(&format!("{at}.{name}"), it, found));
                }
                Value::Array(all) => all.iter().for_each(|it| add(at, it, found)),
                Value::Number(number) => {
                    found.extend(number.as_f64().map(|number| (at.to_owned(), number)));
                }
                Value::Null | Value::Bool(_) | Value::String(_) => {}
            }
        }
        let mut found = Vec::new();
        add("", &serde_json::to_value(value).expect("names and numbers"), &mut found);
        found
    }

    /// Every number of `sum` is twice that of `one`, but for what is no count.
    fn is_twice(sum: &impl Serialize, one: &impl Serialize) {
        let is_count = |at: &str| !at.ends_with(".budget_bytes") && !at.ends_with("held_max_bytes");
        let doubled = |(at, one): (String, f64)| {
            let times = if is_count(&at) { 2.0 } else { 1.0 };
            (at, times * one)
        };
        let expected: Vec<_> = numbers(one).into_iter().map(doubled).collect();
        assert_eq!(numbers(sum), expected);
    }

    #[test]
    fn nothing_is_forgotten() {
        let one = Observation::example(7).look.snapshot.profiles.remove(0);
        let all = merged(&[one.clone(), one.clone()]);
        assert_eq!(all.len(), 1);
        is_twice(&all[0], &one);
        let shows_nothing: Vec<_> = numbers(&one).into_iter().filter(|it| it.1 == 0.0).collect();
        assert_eq!(shows_nothing, []);
    }

    /// So it is with several workers.
    #[test]
    fn looks_at_workers_add_up() {
        let one = Observation::example(7).look;
        let mut sum = one.clone();
        sum.add(Look { mobiles: None, ..one.clone() });
        assert_eq!(sum.mobiles, one.mobiles);
        is_twice(&Look { mobiles: None, ..sum }, &Look { mobiles: None, ..one });
    }

    #[test]
    fn of_many_mobiles_the_busiest_are_told() {
        let mut sum = Observation::example(MOBILES as u64).look;
        let mut other = Observation::example(1).look;
        let busy = other.mobiles.as_mut().expect("one");
        busy[0].queued_bytes += 1;
        let busiest = busy[0].clone();
        sum.add(other);
        let told = sum.mobiles.expect("many");
        assert_eq!((told.len(), &told[0]), (MOBILES, &busiest));
    }

    #[test]
    fn those_of_other_names_stay_apart() {
        let all = Observation::example(7).look.snapshot.profiles;
        assert_eq!(merged(&all), all);
    }
}
