//! What a box tells of itself, and what passes it, as figures.

use base::{Duration, MiddleboxFact, Time};
use bytes::Bytes;
use middlebox::{Address, Counters, Leg, Middlebox};

use crate::{Flows, LegFigures, Mobile, ProfileFigures, hosts};

/// Counters and gauges of one box.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) wired: LegFigures,
    pub(crate) radio: LegFigures,
    pub(crate) syns_seen: u64,
    pub(crate) syns_refused: u64,
    /// Connections that were not shown to the box.
    pub(crate) bypassed: u64,
    stalls: u64,
    /// Of stalls that are over.
    stalled: Duration,
    /// By the numbers that the box gives them.
    mobiles: Vec<State>,
}

/// What is known of a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Zero until it is known.
    host: u128,
    queued: u64,
    in_flight: u64,
    cwnd: u64,
    round_trip: Option<Duration>,
    stalled: Option<Time>,
}

impl State {
    /// Connections of it that stand.
    fn flows(&self, machine: &dyn Middlebox<Bytes>) -> u64 {
        machine.usage(Some(Address { leg: Leg::Radio, host: self.host })).standing.into()
    }
}

impl Figures {
    pub(crate) const fn leg(&mut self, leg: Leg) -> &mut LegFigures {
        match leg {
            Leg::Wired => &mut self.wired,
            Leg::Radio => &mut self.radio,
        }
    }

    /// The box tells something while it has a packet in hand of the mobile `host`, if that is
    /// known.
    pub(crate) fn note(&mut self, now: Time, host: Option<u128>, fact: MiddleboxFact) {
        if let Some(host) = host {
            state(&mut self.mobiles, mobile_of(&fact)).host = host;
        }
        match fact {
            MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd } => {
                let state = state(&mut self.mobiles, mobile);
                *state = State { queued, in_flight, cwnd, ..*state };
            }
            MiddleboxFact::Rtt { mobile, rtt, .. } => {
                self.radio.round_trip.add(rtt);
                let state = state(&mut self.mobiles, mobile);
                state.round_trip = Some(smoothed(state.round_trip, rtt));
            }
            MiddleboxFact::Stalled { mobile } => {
                self.stalls += 1;
                state(&mut self.mobiles, mobile).stalled = Some(now);
            }
            MiddleboxFact::Recovered { mobile } => {
                let since = state(&mut self.mobiles, mobile).stalled.take();
                self.stalled += since.map_or(Duration::ZERO, |since| now - since);
            }
            MiddleboxFact::Retransmitted { .. } | MiddleboxFact::Advertised { .. } => {}
        }
    }

    /// Payload bytes under way to the mobile `host`.
    pub(crate) fn in_flight_to(&self, host: Option<u128>) -> u64 {
        let is_it = |state: &&State| host == Some(state.host);
        self.mobiles.iter().find(is_it).map_or(0, |state| state.in_flight)
    }

    /// All of a box that has counted `counters`.
    pub(crate) fn report(
        &self,
        now: Time,
        counters: &Counters,
        machine: &dyn Middlebox<Bytes>,
    ) -> ProfileFigures {
        let stalls = self.mobiles.iter().filter_map(|state| state.stalled);
        let stalled = stalls.fold(self.stalled, |sum, since| sum + (now - since));
        let mut radio = self.radio.clone();
        radio.retransmissions = counters.retransmissions;
        let usage = machine.usage(None);
        let mut report = ProfileFigures {
            wired: self.wired.clone(),
            radio,
            flows: Flows { opening: usage.opening.into(), open: usage.standing.into() },
            stalls: self.stalls,
            stalled_seconds: stalled.as_secs_f64(),
            held_bytes: counters.held_bytes,
            held_max_bytes: counters.held_max,
            zero_windows: counters.zero_windows,
            timeouts: counters.timeouts,
            suppressed_acks: counters.suppressed,
            discarded_bytes: counters.discarded_bytes,
            ..ProfileFigures::default()
        };
        for (state, _) in self.with_connections(machine) {
            report.mobiles += 1;
            report.stalled_mobiles += u64::from(state.stalled.is_some());
            report.queued_bytes += state.queued;
            report.in_flight_bytes += state.in_flight;
            report.cwnd_bytes += state.cwnd;
        }
        report.connections.taken = counters.flows;
        report.connections.bypassed = counters.bypassed + self.bypassed;
        report.connections.released = counters.released;
        report.connections.reset = counters.resets;
        report.syns.seen = self.syns_seen;
        report.syns.held = usage.opening.into();
        report.syns.refused = self.syns_refused;
        report
    }

    /// What is known of the mobiles that have connections, and how many.
    fn with_connections(
        &self,
        machine: &dyn Middlebox<Bytes>,
    ) -> impl Iterator<Item = (&State, u64)> {
        let with_flows = self.mobiles.iter().map(|state| (state, state.flows(machine)));
        with_flows.filter(|&(_, flows)| flows > 0)
    }

    /// The mobiles that have connections.
    pub(crate) fn mobiles(
        &self,
        now: Time,
        profile: &str,
        machine: &dyn Middlebox<Bytes>,
    ) -> impl Iterator<Item = Mobile> {
        self.with_connections(machine).map(move |(state, flows)| Mobile {
            address: hosts::address(state.host),
            profile: profile.to_owned(),
            flows,
            queued_bytes: state.queued,
            in_flight_bytes: state.in_flight,
            cwnd_bytes: state.cwnd,
            round_trip_seconds: state.round_trip.map(Duration::as_secs_f64),
            stalled_seconds: state.stalled.map(|since| (now - since).as_secs_f64()),
        })
    }
}

const fn mobile_of(fact: &MiddleboxFact) -> u32 {
    match *fact {
        MiddleboxFact::Backlog { mobile, .. }
        | MiddleboxFact::Rtt { mobile, .. }
        | MiddleboxFact::Retransmitted { mobile, .. }
        | MiddleboxFact::Stalled { mobile }
        | MiddleboxFact::Recovered { mobile }
        | MiddleboxFact::Advertised { mobile, .. } => mobile,
    }
}

fn state(mobiles: &mut Vec<State>, number: u32) -> &mut State {
    let at = number as usize;
    if mobiles.len() <= at {
        mobiles.resize(at + 1, State::default());
    }
    &mut mobiles[at]
}

/// RFC 6298 §2.2 and §2.3.
fn smoothed(before: Option<Duration>, sample: Duration) -> Duration {
    before.map_or(sample, |before| before - before / 8 + sample / 8)
}
