//! Queues packet by packet, what limits senders, and capacities: laws of every shipped scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use base::Time;
use scenario::Scenario;
use sim::{Outcome, QueueEvent, Recording, Threads, simulate};

fn run(text: &str, name: &str, settings: &[(&str, &str)]) -> Outcome {
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(text, name, &settings).expect("valid");
    simulate(&scenario, Recording::Everything, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// Some seconds of each shipped scenario, with losses where it has a radio.
fn each_shipped(check: impl Fn(&str, &Outcome)) {
    for shipped in scenario::shipped() {
        check(shipped.name, &run(shipped.text, shipped.name, &[("duration", "8 s")]));
    }
}

#[test]
fn what_waits_is_what_came_and_has_not_left() {
    each_shipped(|name, outcome| {
        let rows = &outcome.trace.as_ref().expect("recorded").queues;
        // A link without a rate has no queue.
        assert!(!rows.is_empty() || name == "link", "{name}");
        assert!(rows.is_sorted_by_key(|row| row.time), "{name}");
        let mut waiting: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
        let mut drops: BTreeMap<u32, u64> = BTreeMap::new();
        for row in rows {
            let (packets, bytes) = waiting.entry(row.link).or_default();
            let step = i64::from(row.packets) - *packets;
            match row.event {
                QueueEvent::Entered => assert_eq!(step, 1, "{name}: {row:?}"),
                QueueEvent::Dequeued(_) => assert_eq!(step, -1, "{name}: {row:?}"),
                QueueEvent::Dropped(_) => {
                    assert!((-1..=0).contains(&step), "{name}: {row:?}");
                    *drops.entry(row.link).or_default() += 1;
                }
            }
            let more = row.bytes as i64 - *bytes;
            assert_eq!(more.signum(), step, "{name}: {row:?}");
            (*packets, *bytes) = (i64::from(row.packets), row.bytes as i64);
            assert_eq!(row.packets == 0, row.bytes == 0, "{name}: {row:?}");
            // Of GPRS what is on its way through the core network waits, too; in cells and WLANs
            // each mobile or access point has a queue of its own.
            let link = &outcome.summary.links[row.link as usize];
            let most = link.queue_packets.max;
            let is_shared = outcome.summary.cell.is_some()
                || outcome.summary.mobility.is_some()
                || outcome.summary.mobiles.len() > 1;
            let fits = row.packets <= most || is_shared || link.name.starts_with("Um");
            assert!(fits, "{name}: {row:?} of {most}");
        }
        for (link, seen) in drops {
            let link = &outcome.summary.links[link as usize];
            assert_eq!(seen, link.drops, "{name}: {}", link.name);
        }
    });
}

#[test]
fn each_packet_waits_from_when_it_came_for_as_long_as_its_row_says() {
    each_shipped(|name, outcome| {
        let trace = outcome.trace.as_ref().expect("recorded");
        let hops: BTreeSet<_> = trace.hops.iter().map(|hop| (hop.time, hop.uid)).collect();
        let mut came = BTreeMap::new();
        for row in &trace.queues {
            match row.event {
                QueueEvent::Entered => {
                    assert!(hops.contains(&(row.time, row.uid)), "{name}: {row:?}");
                    came.insert((row.link, row.uid), row.time);
                }
                QueueEvent::Dequeued(waited) => {
                    let since = came.remove(&(row.link, row.uid));
                    assert_eq!(
                        since.map(|since| since + waited),
                        Some(row.time),
                        "{name}: {row:?}"
                    );
                }
                QueueEvent::Dropped(_) => {
                    assert!(hops.contains(&(row.time, row.uid)), "{name}: {row:?}");
                    came.remove(&(row.link, row.uid));
                }
            }
        }
    });
}

#[test]
fn what_limits_a_sender_adds_up_to_the_whole_time() {
    each_shipped(|name, outcome| {
        for flow in &outcome.summary.flows {
            let Some(of) = &flow.limited_by else { continue };
            let all = [of.cwnd, of.window, of.receiver, of.pacing, of.application, of.idle];
            assert!(all.iter().all(|share| (0.0..=1.0).contains(share)), "{name}: {of:?}");
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}: {of:?}");
        }
    });
}

#[test]
fn nothing_carries_more_than_its_capacity() {
    each_shipped(|name, outcome| {
        let end = Time::ZERO + base::Duration::from_secs(8);
        for (link, of) in (0..).zip(&outcome.summary.links) {
            let rows: Vec<_> = outcome.capacity.iter().filter(|row| row.link == link).collect();
            let until = rows.iter().skip(1).map(|row| row.time).chain([end]);
            let bits: f64 = rows
                .iter()
                .zip(until)
                .filter_map(|(row, until)| Some(row.bps? as f64 * (until - row.time).as_secs_f64()))
                .sum();
            if rows.is_empty() {
                continue;
            }
            // What is being sent at the end has begun only.
            let sent = sent_bytes(outcome, link);
            let whole: u64 = sent.iter().take(sent.len().saturating_sub(1)).sum();
            assert!(whole as f64 * 8.0 <= bits, "{name}: {} carried {whole} B", of.name);
        }
    });
}

/// The bytes of each packet that left a queue, in order.
fn sent_bytes(outcome: &Outcome, link: u32) -> Vec<u64> {
    let rows = &outcome.trace.as_ref().expect("recorded").queues;
    let mut before = 0;
    let mut sent = Vec::new();
    for row in rows.iter().filter(|row| row.link == link) {
        if let QueueEvent::Dequeued(_) = row.event {
            sent.push(before - row.bytes);
        }
        before = row.bytes;
    }
    sent
}

/// What limits the one flow of a scenario most of the time.
fn limit(settings: &[(&str, &str)]) -> String {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "bottleneck");
    let settings = [&[("duration", "20 s")], settings].concat();
    let outcome = run(shipped.expect("it ships").text, "bottleneck", &settings);
    let of = outcome.summary.flows[0].limited_by.expect("it is established");
    let all = [
        ("cwnd", of.cwnd),
        ("window", of.window),
        ("receiver", of.receiver),
        ("pacing", of.pacing),
        ("application", of.application),
        ("idle", of.idle),
    ];
    let most = all.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).expect("there are six");
    most.0.to_owned()
}

#[test]
fn each_limit_is_told_from_the_others() {
    let long = ("flow.bytes", "100MB");
    assert_eq!(limit(&[long, ("tcp.window", "1000"), ("link.loss", "2 %")]), "cwnd");
    assert_eq!(limit(&[long, ("tcp.window", "4")]), "window");
    assert_eq!(limit(&[long, ("tcp.window", "1000"), ("tcp.receive_buffer", "6 kB")]), "receiver");
    assert_eq!(limit(&[long, ("tcp.window", "1000"), ("tcp.variant", "bbr")]), "pacing");
    assert_eq!(limit(&[("flow.application", "telnet")]), "idle");
}
