//! Stats from the facts of a box, and from the packets that pass it.

use base::{Duration, Time};
use middlebox::{Address, Class, Counters, Leg, Usage};
use observe::MiddleboxFact;
use rustc_hash::FxHashMap;

use crate::{ClassStats, Connections, EchoStats, Flows, LegStats, Mobile, ProfileStats, hosts};

/// Counters and gauges of one box.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    /// What is counted here. Of bypassed connections those that were not shown to the box, or that
    /// gave way to others; what the box counts itself [`Stats::report`] adds.
    pub(crate) counted: ProfileStats,
    /// Packets that are not TCP and wait for their turn.
    pub(crate) others: OthersTally,
    /// Of stalls that are over.
    stalled: Duration,
    /// Names of mobiles ([`Address::handset`]), by the numbers that the box gives them. Numbers are
    /// reused: the name is that of the latest mobile.
    names: Vec<u128>,
    /// Mobiles with established connections, by their names.
    mobiles: FxHashMap<u128, State>,
}

/// Packets that are not TCP, where they wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct OthersTally {
    /// Packets in each class of the profile, then those in none.
    classes: Vec<ClassStats>,
    pub(crate) echoes: EchoStats,
}

/// The end of a packet's wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Way on.
    Sent { is_marked: bool, waited: Duration },
    /// Loss: it has waited too long.
    Late,
    /// Loss: there is no room for it.
    Crowded,
}

impl OthersTally {
    /// None yet, of classes with these names; `None` where none wait.
    pub(crate) fn new(classes: Option<Vec<String>>) -> Self {
        let named = |name| ClassStats { name, ..ClassStats::default() };
        let none = classes.as_ref().map(|_| Class::NONE.to_owned());
        let classes = classes.into_iter().flatten().chain(none).map(named).collect();
        Self { classes, echoes: EchoStats::default() }
    }

    /// True if none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.classes.iter().all(|class| class.waiting.packets == 0)
    }

    fn class(&mut self, class: Option<u32>) -> &mut ClassStats {
        let none = self.classes.len() - 1;
        &mut self.classes[class.map_or(none, |class| class as usize)]
    }

    /// A packet has come that waits.
    pub(crate) fn came(&mut self, class: Option<u32>, bytes: usize) {
        let class = self.class(class);
        class.received.add(bytes);
        class.waiting.add(bytes);
    }

    /// A packet waits no longer.
    pub(crate) fn went(&mut self, class: Option<u32>, bytes: usize, ended: Ended) {
        let class = self.class(class);
        class.waiting.take(bytes);
        match ended {
            Ended::Sent { is_marked, waited } => {
                class.sent.add(bytes);
                class.marked += u64::from(is_marked);
                class.waited.add(waited);
            }
            Ended::Late => class.late += 1,
            Ended::Crowded => class.crowded += 1,
        }
    }
}

/// What is known of a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The address that it used last for a new one.
    host: u128,
    /// Its established connections.
    flows: u64,
    queued: u64,
    in_flight: u64,
    cwnd: u64,
    round_trip: Option<Duration>,
    stalled: Option<Time>,
}

impl Stats {
    pub(crate) fn new(others: OthersTally) -> Self {
        Self { others, ..Self::default() }
    }

    pub(crate) const fn leg(&mut self, leg: Leg) -> &mut LegStats {
        match leg {
            Leg::Wired => &mut self.counted.wired,
            Leg::Radio => &mut self.counted.radio,
        }
    }

    /// The box reports a fact. Facts about a mobile without connections are ignored.
    pub(crate) fn note(&mut self, now: Time, fact: MiddleboxFact) {
        match fact {
            MiddleboxFact::Opened { mobile, host } => self.open(mobile, host),
            MiddleboxFact::Closed { mobile } => self.close(now, mobile),
            MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd } => {
                if let Some(state) = self.state(mobile) {
                    *state = State { queued, in_flight, cwnd, ..*state };
                }
            }
            MiddleboxFact::Rtt { mobile, rtt, .. } => {
                self.counted.radio.round_trip.add(rtt);
                if let Some(state) = self.state(mobile) {
                    state.round_trip = Some(smoothed(state.round_trip, rtt));
                }
            }
            MiddleboxFact::Stalled { mobile } => {
                if let Some(state) = self.state(mobile) {
                    state.stalled = Some(now);
                    self.counted.stalls += 1;
                }
            }
            MiddleboxFact::Recovered { mobile } => {
                let since = self.state(mobile).and_then(|state| state.stalled.take());
                self.end_stall(now, since);
            }
            // What waits is counted where it is kept.
            MiddleboxFact::Retransmitted { .. }
            | MiddleboxFact::Advertised { .. }
            | MiddleboxFact::Waits { .. }
            | MiddleboxFact::Released { .. }
            | MiddleboxFact::EchoSent { .. }
            | MiddleboxFact::EchoAnswered { .. }
            | MiddleboxFact::Estimate { .. } => {}
        }
    }

    fn open(&mut self, mobile: u32, host: u128) {
        let number = mobile as usize;
        if self.names.len() <= number {
            self.names.resize(number + 1, 0);
        }
        self.names[number] = name(host);
        let state = self.mobiles.entry(name(host)).or_default();
        state.host = host;
        state.flows += 1;
    }

    /// With its last connection a mobile is forgotten, and a stall is over.
    fn close(&mut self, now: Time, mobile: u32) {
        let Some(state) = self.state(mobile) else { return };
        state.flows -= 1;
        if state.flows == 0 {
            let since = state.stalled;
            let name = std::mem::take(&mut self.names[mobile as usize]);
            self.mobiles.remove(&name);
            self.end_stall(now, since);
        }
    }

    fn end_stall(&mut self, now: Time, since: Option<Time>) {
        self.stalled += since.map_or(Duration::ZERO, |since| now - since);
    }

    fn state(&mut self, mobile: u32) -> Option<&mut State> {
        self.mobiles.get_mut(self.names.get(mobile as usize)?)
    }

    /// Payload bytes under way to the mobile `host`.
    pub(crate) fn in_flight_to(&self, host: Option<u128>) -> u64 {
        host.and_then(|host| self.mobiles.get(&name(host))).map_or(0, |state| state.in_flight)
    }

    /// All stats of a box that has counted `counters`, with `usage` connections.
    pub(crate) fn report(&self, now: Time, counters: &Counters, usage: Usage) -> ProfileStats {
        let stalls = self.mobiles.values().filter_map(|state| state.stalled);
        let stalled = stalls.fold(self.stalled, |sum, since| sum + (now - since));
        let mut report = ProfileStats {
            flows: Flows { opening: usage.opening.into(), open: usage.established.into() },
            connections: Connections {
                taken: counters.flows,
                bypassed: counters.bypassed + self.counted.connections.bypassed,
                released: counters.released,
                reset: counters.resets,
            },
            stalled_seconds: stalled.as_secs_f64(),
            mobiles: self.mobiles.len() as u64,
            held_bytes: counters.held_bytes,
            held_max_bytes: counters.held_max,
            zero_windows: counters.zero_windows,
            timeouts: counters.timeouts - counters.wired.timeouts,
            suppressed_acks: counters.suppressed,
            discarded_bytes: counters.discarded_bytes,
            others: self.others.classes.clone(),
            echoes: self.others.echoes,
            ..self.counted.clone()
        };
        report.syns.held = usage.opening.into();
        report.wired.retransmissions = counters.wired.retransmissions;
        report.radio.retransmissions = counters.retransmissions - counters.wired.retransmissions;
        for state in self.mobiles.values() {
            report.stalled_mobiles += u64::from(state.stalled.is_some());
            report.queued_bytes += state.queued;
            report.in_flight_bytes += state.in_flight;
            report.cwnd_bytes += state.cwnd;
        }
        report
    }

    /// The mobiles that have connections, in no order.
    pub(crate) fn mobiles(&self, now: Time, profile: &str) -> impl Iterator<Item = Mobile> {
        self.mobiles.values().map(move |state| Mobile {
            address: hosts::address(state.host),
            profile: profile.to_owned(),
            flows: state.flows,
            queued_bytes: state.queued,
            in_flight_bytes: state.in_flight,
            cwnd_bytes: state.cwnd,
            round_trip_seconds: state.round_trip.map(Duration::as_secs_f64),
            stalled_seconds: state.stalled.map(|since| (now - since).as_secs_f64()),
        })
    }
}

/// The mobile of an address.
const fn name(host: u128) -> u128 {
    Address { leg: Leg::Radio, host }.handset().host
}

/// RFC 6298 §2.2 and §2.3.
fn smoothed(before: Option<Duration>, sample: Duration) -> Duration {
    before.map_or(sample, |before| before - before / 8 + sample / 8)
}
