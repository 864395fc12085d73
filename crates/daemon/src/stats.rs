//! The stats of a proxy in the form that Prometheus reads (`OpenMetrics` 1.0).

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::{Registry, Unit};
use proxy::{ClassStats, LegStats, ProfileStats, Reason, merged};

use super::families::{Families, Labels, Value};
use super::observation::Observation;

const BYTES: Option<&Unit> = Some(&Unit::Bytes);
const SECONDS: Option<&Unit> = Some(&Unit::Seconds);

/// All stats as text. Labels are profiles, legs, and what there are few of: reasons, states,
/// directions; never an address.
pub(crate) fn page(observation: Observation) -> Result<String, Error> {
    let mut registry = Registry::with_prefix("thinpipe");
    registry.register_collector(Box::new(Page(observation)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

#[derive(Debug)]
struct Page(Observation);

impl Collector for Page {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut to = Families(encoder);
        processes(&self.0, &mut to)?;
        packets(&self.0, &mut to)?;
        fragments(&self.0, &mut to)?;
        let profiles = merged(&self.0.look.snapshot.profiles);
        let profiles = Profiles(&profiles);
        profiles.connections(&mut to)?;
        profiles.legs(&mut to)?;
        profiles.radio(&mut to)?;
        profiles.buffers(&mut to)?;
        profiles.others(&mut to)
    }
}

fn processes(seen: &Observation, to: &mut Families<'_>) -> Result<(), Error> {
    use Value::{Counter, Gauge, Info, Seconds};
    let (look, health) = (&seen.look, &seen.health);
    let snapshot = &look.snapshot;
    to.single("build", None, "What runs.", Info("version", &snapshot.version))?;
    let draining = Gauge(u64::from(snapshot.draining));
    to.single("draining", None, "1 while no new connections are taken.", draining)?;
    let age = Seconds(health.uptime_seconds);
    to.single("uptime", SECONDS, "Since the daemon started.", age)?;
    let workers = Gauge(health.workers.into());
    to.single("workers", None, "Workers that the configuration asks for.", workers)?;
    let serving = Gauge(health.workers_serving.into());
    to.single("workers_serving", None, "Workers that packets are diverted to.", serving)?;
    let age = Seconds(health.worker_uptime_seconds);
    to.single("worker_uptime", SECONDS, "Since the worker started; counters begin then.", age)?;
    let age = Seconds(health.heartbeat_age_seconds);
    to.single("heartbeat_age", SECONDS, "Since the worker last gave a sign of life.", age)?;
    to.single(
        "worker_restarts",
        None,
        "Workers that died or hung.",
        Counter(health.worker_restarts),
    )?;
    to.write(
        "reloads",
        None,
        "Configurations read again since the daemon started.",
        [
            (vec![("result", "ok")], Counter(health.reloads)),
            (vec![("result", "refused")], Counter(health.reloads_refused)),
        ],
    )?;
    let exposed = Gauge(u64::from(look.journal_flows));
    to.single("journal_flows", None, "Connections that a failure now would reset.", exposed)?;
    let places = Gauge(u64::from(snapshot.journal_places));
    to.single("journal_places", None, "Connections that the journal has room for.", places)?;
    let limit = Gauge(snapshot.limit_bytes);
    to.single("limit", BYTES, "What may be held for all mobiles together.", limit)
}

fn packets(seen: &Observation, to: &mut Families<'_>) -> Result<(), Error> {
    use Value::Counter;
    let snapshot = &seen.look.snapshot;
    let ways = [("in", &snapshot.received), ("out", &snapshot.sent)];
    to.write(
        "device_packets",
        None,
        "Packets that the kernel diverted to the proxy, and that went back.",
        ways.map(|(way, volume)| (vec![("direction", way)], Counter(volume.packets))),
    )?;
    to.write(
        "device",
        BYTES,
        "Their bytes, IP headers included.",
        ways.map(|(way, volume)| (vec![("direction", way)], Counter(volume.bytes))),
    )?;
    let lost = Counter(seen.look.device_overflow_packets);
    to.single("device_overflow_packets", None, "Dropped by the kernel: its queue was full.", lost)?;
    let refused = Counter(seen.look.device_refused_packets);
    to.single("device_refused_packets", None, "Not taken back by the kernel.", refused)?;
    let help = "Packets that passed untouched.";
    to.write("bypassed_packets", None, help, by_reason(&snapshot.bypassed))?;
    let help = "Packets that ended in the proxy.";
    to.write("dropped_packets", None, help, by_reason(&snapshot.dropped))?;
    let help = "ICMP messages, by what was done with them.";
    to.write("icmp_packets", None, help, by_reason(&snapshot.icmp))?;
    let help = "Packets cut into several, since the leg takes no larger ones.";
    to.single("cut_packets", None, help, Counter(snapshot.cut))?;
    let help = "Segments whose urgent pointer or unknown options were not kept.";
    to.single("stripped_segments", None, help, Counter(snapshot.stripped))
}

fn fragments(seen: &Observation, to: &mut Families<'_>) -> Result<(), Error> {
    use Value::{Counter, Gauge};
    let fragments = &seen.look.snapshot.fragments;
    let help = "Pieces of IPv4 datagrams that came.";
    to.single("fragments", None, help, Counter(fragments.received))?;
    to.write(
        "fragmented_datagrams",
        None,
        "IPv4 datagrams that came in pieces and became whole or did not.",
        [
            (vec![("result", "completed")], Counter(fragments.completed)),
            (vec![("result", "failed")], Counter(fragments.failed)),
        ],
    )?;
    let help = "Pieces that wait for others.";
    to.single("fragments_held", None, help, Gauge(fragments.held))?;
    to.single("fragments_held", BYTES, "Their bytes.", Gauge(fragments.held_bytes))
}

fn by_reason(reasons: &[Reason]) -> impl Iterator<Item = (Labels<'_>, Value<'_>)> {
    reasons.iter().map(|each| (vec![("reason", &*each.reason)], Value::Counter(each.packets)))
}

/// A family: name, unit, help.
type Family = (&'static str, Option<&'static Unit>, &'static str);

struct Profiles<'a>(&'a [ProfileStats]);

impl<'a> Profiles<'a> {
    /// A family with one value for each profile.
    fn each(
        &self,
        to: &mut Families<'_>,
        (name, unit, help): Family,
        value: impl Fn(&'a ProfileStats) -> Value<'a>,
    ) -> Result<(), Error> {
        to.write(name, unit, help, self.0.iter().map(|it| (of(it), value(it))))
    }

    /// A family with several values for each profile, apart by `label`.
    fn by<const N: usize>(
        &self,
        to: &mut Families<'_>,
        (name, help): (&str, &str),
        label: &'static str,
        values: impl Fn(&'a ProfileStats) -> [(&'static str, Value<'a>); N],
    ) -> Result<(), Error> {
        let lines = self.0.iter().flat_map(|it| {
            values(it).map(|(text, value)| ([of(it), vec![(label, text)]].concat(), value))
        });
        to.write(name, None, help, lines)
    }

    fn connections(&self, to: &mut Families<'_>) -> Result<(), Error> {
        use Value::{Counter, Gauge, Info};
        let profile = ("profile", None, "The scheme of each profile.");
        self.each(to, profile, |it| Info("scheme", &it.scheme))?;
        let retired = ("profile_retired", None, "1 if only old connections still have it.");
        self.each(to, retired, |it| Gauge(u64::from(it.retired)))?;
        self.by(to, ("flows", "Connections now."), "state", |it| {
            [("opening", Gauge(it.flows.opening)), ("open", Gauge(it.flows.open))]
        })?;
        self.by(to, ("connections", "What became of connections."), "result", |it| {
            [
                ("taken", Counter(it.connections.taken)),
                ("bypassed", Counter(it.connections.bypassed)),
                ("released", Counter(it.connections.released)),
                ("reset", Counter(it.connections.reset)),
            ]
        })?;
        let syns = ("syns", None, "SYNs that came, repetitions included.");
        self.each(to, syns, |it| Counter(it.syns.seen))?;
        let held = ("syns_held", None, "Handshakes under way.");
        self.each(to, held, |it| Gauge(it.syns.held))?;
        let refused = ("syns_refused", None, "SYNs answered by a reset or an ICMP error.");
        self.each(to, refused, |it| Counter(it.syns.refused))?;
        let displaced = ("syns_displaced", None, "Handshakes that gave way to newer ones.");
        self.each(to, displaced, |it| Counter(it.syns.displaced))
    }

    fn legs(&self, to: &mut Families<'_>) -> Result<(), Error> {
        use Value::{Counter, Times};
        let packets = ("leg_packets", None, "Packets of connections that a box took part in.");
        self.by_direction(to, packets, |volume| volume.packets)?;
        let bytes = ("leg", BYTES, "Their bytes, IP headers included.");
        self.by_direction(to, bytes, |volume| volume.bytes)?;
        let again = ("leg_retransmissions", None, "Segments that the box sent again.");
        self.by_leg(to, again, |leg| Counter(leg.retransmissions))?;
        let round_trip = (
            "leg_round_trip",
            SECONDS,
            "Radio: from a segment to its acknowledgement. Wired: from SYN to SYN-ACK.",
        );
        self.by_leg(to, round_trip, |leg| Times(&leg.round_trip))
    }

    fn by_leg(
        &self,
        to: &mut Families<'_>,
        (name, unit, help): Family,
        value: impl Fn(&'a LegStats) -> Value<'a>,
    ) -> Result<(), Error> {
        let lines = self.legs_of_each().map(|(labels, leg)| (labels, value(leg)));
        to.write(name, unit, help, lines)
    }

    fn by_direction(
        &self,
        to: &mut Families<'_>,
        (name, unit, help): Family,
        value: impl Fn(&proxy::Volume) -> u64,
    ) -> Result<(), Error> {
        let lines = self.legs_of_each().flat_map(|(labels, leg)| {
            [("received", &leg.received), ("sent", &leg.sent)].map(|(way, volume)| {
                let labels = [&labels[..], &[("direction", way)]].concat();
                (labels, Value::Counter(value(volume)))
            })
        });
        to.write(name, unit, help, lines)
    }

    fn legs_of_each(&self) -> impl Iterator<Item = (Labels<'a>, &'a LegStats)> {
        self.0.iter().flat_map(|it| {
            [("wired", &it.wired), ("radio", &it.radio)]
                .map(|(name, leg)| ([of(it), vec![("leg", name)]].concat(), leg))
        })
    }

    fn radio(&self, to: &mut Families<'_>) -> Result<(), Error> {
        use Value::{Counter, Elapsed, Gauge};
        let mobiles = ("mobiles", None, "Mobiles with connections.");
        self.each(to, mobiles, |it| Gauge(it.mobiles))?;
        let stalled = ("stalled_mobiles", None, "Mobiles that were silent for too long.");
        self.each(to, stalled, |it| Gauge(it.stalled_mobiles))?;
        let stalls = ("stalls", None, "Times that a mobile was silent for too long.");
        self.each(to, stalls, |it| Counter(it.stalls))?;
        let silent = ("stalled", SECONDS, "How long mobiles were stalled, all together.");
        self.each(to, silent, |it| Elapsed(it.stalled_seconds))?;
        let timeouts = ("timeouts", None, "Retransmission timers of the radio leg that ran out.");
        self.each(to, timeouts, |it| Counter(it.timeouts))?;
        let windows = ("zero_windows", None, "Zero windows advertised to senders.");
        self.each(to, windows, |it| Counter(it.zero_windows))?;
        let acks = ("suppressed_acks", None, "Acknowledgements kept from a sender.");
        self.each(to, acks, |it| Counter(it.suppressed_acks))?;
        let discarded = ("discarded", BYTES, "Payload thrown away because of a reset.");
        self.each(to, discarded, |it| Counter(it.discarded_bytes))
    }

    fn buffers(&self, to: &mut Families<'_>) -> Result<(), Error> {
        use Value::Gauge;
        let queued = ("queued", BYTES, "Payload that waits for the radio.");
        self.each(to, queued, |it| Gauge(it.queued_bytes))?;
        let flight = ("in_flight", BYTES, "Payload on the radio leg, not acknowledged.");
        self.each(to, flight, |it| Gauge(it.in_flight_bytes))?;
        let cwnd = ("cwnd", BYTES, "What may be in flight to all mobiles together.");
        self.each(to, cwnd, |it| Gauge(it.cwnd_bytes))?;
        let held = ("held", BYTES, "Payload accepted and not yet acknowledged by its receiver.");
        self.each(to, held, |it| Gauge(it.held_bytes))?;
        let most = ("held_max", BYTES, "The most that was ever held for one mobile.");
        self.each(to, most, |it| Gauge(it.held_max_bytes))?;
        let budget = ("budget", BYTES, "What may be held for one mobile; 0 is no such limit.");
        self.each(to, budget, |it| Gauge(it.budget_bytes))
    }

    /// Packets that wait for their turn, by class.
    fn others(&self, to: &mut Families<'_>) -> Result<(), Error> {
        use Value::{Counter, Gauge, Times};
        let came = ("others_packets", "Packets without a box that waited for their turn.");
        self.by_outcome(to, came, |it| {
            [
                ("sent", Counter(it.sent.packets - it.marked)),
                ("marked", Counter(it.marked)),
                ("late", Counter(it.late)),
                ("crowded", Counter(it.crowded)),
            ]
        })?;
        let sent = ("others_sent", BYTES, "Bytes of those of them that went on.");
        self.by_class(to, sent, |it| Counter(it.sent.bytes))?;
        let packets = ("others_waiting_packets", None, "Packets that wait for their turn.");
        self.by_class(to, packets, |it| Gauge(it.waiting.packets))?;
        let bytes = ("others_waiting", BYTES, "Their bytes.");
        self.by_class(to, bytes, |it| Gauge(it.waiting.bytes))?;
        let waited = ("others_wait", SECONDS, "How long those that went on have waited.");
        self.by_class(to, waited, |it| Times(&it.waited))?;
        self.by(to, ("echoes", "Echo requests to mobiles behind them."), "state", |it| {
            [("sent", Counter(it.echoes.sent)), ("answered", Counter(it.echoes.answered))]
        })
    }

    fn classes(&self) -> impl Iterator<Item = (Labels<'a>, &'a ClassStats)> {
        self.0.iter().flat_map(|it| {
            let named = |class: &'a ClassStats| vec![("class", class.name.as_str())];
            it.others.iter().map(move |class| ([of(it), named(class)].concat(), class))
        })
    }

    fn by_class(
        &self,
        to: &mut Families<'_>,
        (name, unit, help): Family,
        value: impl Fn(&'a ClassStats) -> Value<'a>,
    ) -> Result<(), Error> {
        let lines = self.classes().map(|(labels, class)| (labels, value(class)));
        to.write(name, unit, help, lines)
    }

    fn by_outcome<const N: usize>(
        &self,
        to: &mut Families<'_>,
        (name, help): (&str, &str),
        values: impl Fn(&'a ClassStats) -> [(&'static str, Value<'a>); N],
    ) -> Result<(), Error> {
        let lines = self.classes().flat_map(|(labels, class)| {
            values(class).map(|(text, value)| ([&labels[..], &[("result", text)]].concat(), value))
        });
        to.write(name, None, help, lines)
    }
}

fn of(profile: &ProfileStats) -> Labels<'_> {
    vec![("profile", &profile.name)]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::fixtures::config;

    /// A line of a value: its name and labels, as they stand.
    fn series(text: &str) -> Vec<(&str, &str)> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let name = line.split(['{', ' ']).next().expect("a name");
                (name, &line[name.len()..line.rfind(' ').expect("a value")])
            })
            .collect()
    }

    /// What the format asks of a page (`OpenMetrics` 1.0, section 5): families whole and one
    /// after the other, each with its type, help and unit; no line twice; an end.
    #[test]
    fn a_page_is_well_formed() {
        let text = page(Observation::example(2)).expect("a page");
        let suffixes: BTreeMap<&str, &[&str]> = BTreeMap::from([
            ("counter", &["_total"][..]),
            ("gauge", &[""]),
            ("histogram", &["_bucket", "_count", "_sum"]),
            ("info", &["_info"]),
        ]);
        let (mut family, mut kind, mut seen) = ("", "", BTreeSet::new());
        let (body, end) = text.split_at(text.len() - "# EOF\n".len());
        assert_eq!(end, "# EOF\n");
        for line in body.lines() {
            let words: Vec<_> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "HELP", name, help] => {
                    assert!(name.starts_with("thinpipe_") && help.ends_with('.'), "{line}");
                    assert!(seen.insert(name), "{name} comes twice");
                    family = name;
                }
                ["#", "TYPE", name, is] => {
                    assert_eq!(name, family);
                    kind = is;
                }
                ["#", "UNIT", name, unit] => {
                    assert_eq!(name, family);
                    assert!(name.ends_with(&format!("_{unit}")), "{line}");
                }
                _ => {
                    let name = line.split(['{', ' ']).next().expect("a name");
                    let is = |suffix: &&str| name.strip_suffix(*suffix) == Some(family);
                    assert!(suffixes[kind].iter().any(is), "{line} in {kind} {family}");
                    let (_, value) = line.rsplit_once(' ').expect("a value");
                    assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
                }
            }
        }
        let all = series(&text);
        let once: BTreeSet<_> = all.iter().collect();
        assert_eq!(once.len(), all.len(), "a line comes twice");
    }

    /// However many mobiles there are, there are as many lines, and no label tells of them.
    #[test]
    fn labels_are_bounded() {
        let few = page(Observation::example(0)).expect("a page");
        let many = page(Observation::example(1000)).expect("a page");
        assert_eq!(series(&few), series(&many));
        let known =
            ["profile", "leg", "reason", "state", "result", "direction", "class", "le", "version"];
        for (name, labels) in series(&many) {
            assert!(!labels.contains("10.45."), "{name}{labels}");
            let inner = labels.trim_matches(['{', '}']);
            for label in inner.split(',').filter(|label| !label.is_empty()) {
                let (label, _) = label.split_once('=').expect("a label");
                assert!(known.contains(&label) || label == "scheme", "{name}{labels}");
            }
        }
    }

    #[test]
    fn a_value_stands_where_it_belongs() {
        let text = page(Observation::example(1000)).expect("a page");
        for line in [
            "thinpipe_build_info{version=\"1.2.3\"} 1",
            "thinpipe_worker_restarts_total 3",
            "thinpipe_reloads_total{result=\"refused\"} 1",
            "thinpipe_device_bytes_total{direction=\"out\"} 3210",
            "thinpipe_device_overflow_packets_total 7",
            "thinpipe_bypassed_packets_total{reason=\"not_tcp\"} 5",
            "thinpipe_flows{profile=\"gprs\",state=\"open\"} 1000",
            "thinpipe_leg_retransmissions_total{profile=\"umts\",leg=\"radio\"} 6",
            "thinpipe_leg_round_trip_seconds_sum{profile=\"umts\",leg=\"radio\"} 16.0",
            "thinpipe_leg_round_trip_seconds_bucket{le=\"1.28\",profile=\"gprs\",leg=\"radio\"} 8",
            "thinpipe_leg_round_trip_seconds_bucket{le=\"+Inf\",profile=\"gprs\",leg=\"radio\"} 16",
            "thinpipe_stalled_seconds_total{profile=\"gprs\"} 1.5",
            "thinpipe_queued_bytes{profile=\"gprs\"} 12345",
            "thinpipe_limit_bytes 256000000",
        ] {
            assert!(text.lines().any(|each| each == line), "no {line} in\n{text}");
        }
    }

    /// What a gateway of today tells, before and after a reload that replaces a profile by one of
    /// the same name.
    #[test]
    fn no_line_of_a_gateway_comes_twice() {
        let config =
            |rate: u32| config("", &format!("rate = '{rate} kbit/s'\nround_trip = '900 ms'"));
        let mut gateway = proxy::Gateway::new(&config(40), [1500, 1500], 1);
        let check = |gateway: &proxy::Gateway| {
            let mut seen = Observation::example(0);
            seen.look.snapshot = gateway.snapshot(base::Time::ZERO);
            let text = page(seen).expect("a page");
            let all = series(&text);
            let once: BTreeSet<_> = all.iter().collect();
            assert_eq!(once.len(), all.len(), "{text}");
        };
        check(&gateway);
        gateway.reload(base::Time::ZERO, &config(80));
        check(&gateway);
        let mut seen = Observation::example(0);
        let profile = seen.look.snapshot.profiles[0].clone();
        seen.look.snapshot.profiles.push(ProfileStats { retired: true, ..profile });
        let text = page(seen).expect("a page");
        assert!(text.contains("thinpipe_syns_total{profile=\"gprs\"} 24\n"), "{text}");
        assert!(text.contains("thinpipe_profile_retired{profile=\"gprs\"} 0\n"), "{text}");
    }

    #[test]
    fn a_name_may_have_any_character() {
        let mut seen = Observation::example(1);
        seen.look.snapshot.profiles[0].name = "a\"b\\c\nd".to_owned();
        let text = page(seen).expect("a page");
        assert!(text.contains("{profile=\"a\\\"b\\\\c\\nd\"}"), "{text}");
    }
}
