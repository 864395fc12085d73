//! Profiles of one name as one: that of the configuration and those that it has replaced.

use proxy::{Histogram, LegFigures, ProfileFigures, Volume};

/// One of each name, in the order in which they first come. A reload gives a profile that it
/// changes a new box under the old name, beside the one for connections that stand.
pub(super) fn merged(profiles: &[ProfileFigures]) -> Vec<ProfileFigures> {
    let mut merged: Vec<ProfileFigures> = Vec::new();
    for profile in profiles {
        match merged.iter_mut().find(|other| other.name == profile.name) {
            Some(other) => add(other, profile),
            None => merged.push(profile.clone()),
        }
    }
    merged
}

/// What `sum` is called, how it serves and what it may hold stays.
fn add(sum: &mut ProfileFigures, other: &ProfileFigures) {
    let counts = [
        (&mut sum.flows.opening, other.flows.opening),
        (&mut sum.flows.open, other.flows.open),
        (&mut sum.connections.taken, other.connections.taken),
        (&mut sum.connections.bypassed, other.connections.bypassed),
        (&mut sum.connections.released, other.connections.released),
        (&mut sum.connections.reset, other.connections.reset),
        (&mut sum.syns.seen, other.syns.seen),
        (&mut sum.syns.held, other.syns.held),
        (&mut sum.syns.refused, other.syns.refused),
        (&mut sum.stalls, other.stalls),
        (&mut sum.stalled_mobiles, other.stalled_mobiles),
        (&mut sum.mobiles, other.mobiles),
        (&mut sum.queued_bytes, other.queued_bytes),
        (&mut sum.in_flight_bytes, other.in_flight_bytes),
        (&mut sum.cwnd_bytes, other.cwnd_bytes),
        (&mut sum.held_bytes, other.held_bytes),
        (&mut sum.zero_windows, other.zero_windows),
        (&mut sum.timeouts, other.timeouts),
        (&mut sum.suppressed_acks, other.suppressed_acks),
        (&mut sum.discarded_bytes, other.discarded_bytes),
    ];
    for (count, more) in counts {
        *count += more;
    }
    sum.retired &= other.retired;
    sum.stalled_seconds += other.stalled_seconds;
    sum.held_max_bytes = sum.held_max_bytes.max(other.held_max_bytes);
    add_leg(&mut sum.wired, &other.wired);
    add_leg(&mut sum.radio, &other.radio);
}

fn add_leg(sum: &mut LegFigures, other: &LegFigures) {
    add_volume(&mut sum.received, other.received);
    add_volume(&mut sum.sent, other.sent);
    sum.retransmissions += other.retransmissions;
    add_times(&mut sum.round_trip, &other.round_trip);
}

fn add_volume(sum: &mut Volume, other: Volume) {
    sum.packets += other.packets;
    sum.bytes += other.bytes;
}

fn add_times(sum: &mut Histogram, other: &Histogram) {
    for (count, more) in sum.counts.iter_mut().zip(other.counts) {
        *count += more;
    }
    sum.sum_ns = sum.sum_ns.saturating_add(other.sum_ns);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::observation::Observation;
    use super::*;

    /// Every number that there is of a profile is the sum of both, but for what is no count.
    #[test]
    fn nothing_is_forgotten() {
        let one = Observation::example(7).look.snapshot.profiles.remove(0);
        let all = merged(&[one.clone(), one.clone()]);
        assert_eq!(all.len(), 1);
        let json = |profile| serde_json::to_value(profile).expect("names and numbers");
        compare("", &json(&one), &json(&all[0]));
    }

    fn compare(at: &str, one: &Value, both: &Value) {
        match (one, both) {
            (Value::Object(one), Value::Object(both)) => {
                for (name, value) in one {
                    compare(&format!("{at}.{name}"), value, &both[name]);
                }
            }
            (Value::Array(one), Value::Array(both)) => {
                one.iter().zip(both).for_each(|(one, both)| compare(at, one, both));
            }
            (Value::Number(one), Value::Number(both)) => {
                let times = if at.ends_with(".budget_bytes") || at.ends_with(".held_max_bytes") {
                    1.0
                } else {
                    2.0
                };
                assert_eq!(both.as_f64(), one.as_f64().map(|value| times * value), "{at}");
                assert_ne!(one.as_f64(), Some(0.0), "{at}: the example shows nothing");
            }
            _ => assert_eq!(one, both, "{at}"),
        }
    }

    #[test]
    fn those_of_other_names_stay_apart() {
        let all = Observation::example(7).look.snapshot.profiles;
        assert_eq!(merged(&all), all);
    }
}
