//! Fail-open: whatever a box was doing when it vanished, a connection of which its journal says
//! nothing goes on without it and arrives whole, and both ends of every other one can be reset by
//! what the journal says.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Rate, TcpHeader};
use bytes::Bytes;
use middlebox::{
    Atcp, AtcpConfig, Connection, Exposure, IpFields, Journal, Managed, Packet, PerFlowSplit,
    SocketBuffers, SplitConfig, Splitter,
};
use observe::BoxContext;
use proptest::prelude::*;
use tcp::{EcnFeedback, Offers, Segment, State};

use crate::support::random::{
    Flow, Operation, Weather, Who, flow, opening, operation, set_fair, set_weather, weather,
};
use crate::support::{Gone, Network, Opening, Passing, PeerId, aggregating, modern};

const KEPT: SplitConfig = SplitConfig { journal: Journal::Kept, ..SplitConfig::PLAIN };

#[derive(Clone, Copy, Debug)]
enum Kind {
    Atcp,
    PerFlow,
}

fn middlebox(kind: Kind, config: SplitConfig) -> Box<dyn Managed<Bytes>> {
    match kind {
        Kind::Atcp => Box::new(Splitter::new(config, Atcp::new(quick()))),
        Kind::PerFlow => {
            let buffers = SocketBuffers::fixed(80_000, 20_000);
            Box::new(PerFlowSplit::per_flow(config, &Arc::new(modern()), buffers))
        }
    }
}

fn quick() -> AtcpConfig {
    AtcpConfig {
        rate: Rate::from_bps(80_000),
        round_trip: Duration::from_millis(600),
        min_rto: Duration::from_secs(1),
        ..aggregating()
    }
}

/// What a supervisor has of the box.
#[derive(Debug, Default)]
struct Notes(BTreeMap<u32, Exposure>);

impl Notes {
    fn read(&mut self, middlebox: &mut dyn Managed<Bytes>) {
        while let Some((place, exposure)) = middlebox.poll_exposure() {
            match exposure {
                Some(exposure) => self.0.insert(place, exposure),
                None => self.0.remove(&place),
            };
        }
    }

    fn has(&self, of: &Opening) -> bool {
        let is_it = |connection: Connection| {
            (connection.source, connection.source_port) == (of.client, of.client_port)
        };
        self.0.values().any(|it| is_it(it.connection) || is_it(it.connection.reversed()))
    }

    /// Packets that end what it names.
    fn endings(&self) -> Vec<Packet<Bytes>> {
        let endings = self.0.values().flat_map(Exposure::endings);
        endings.map(|(way, header)| packet(way, header)).collect()
    }
}

fn packet(way: Connection, header: TcpHeader) -> Packet<Bytes> {
    let Connection { source, destination, .. } = way;
    let segment = Segment { header, ..Segment::default() };
    Packet { source, destination, ip: IpFields::default(), segment }
}

/// Resets that a journal's connections get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Resets {
    /// Each once, whether it is lost or not.
    Once,
    /// Several times, of which the path may lose the first.
    Repeated,
    /// Several times, over paths that lose nothing.
    Sure,
}

/// A network whose box vanishes.
struct Story {
    net: Network<Bytes>,
    notes: Notes,
    openings: Vec<Opening>,
    peers: Vec<PeerId>,
    aborted: Vec<bool>,
}

impl Story {
    fn new(seed: u64, kind: Kind, config: SplitConfig, flows: &[Flow], weather: &Weather) -> Self {
        let mut net = Network::new(seed, middlebox(kind, config));
        set_weather(&mut net, weather);
        let openings: Vec<_> = (0..).zip(flows).map(|(nth, flow)| opening(nth, flow)).collect();
        let pairs = openings.iter().map(|opening| net.open(opening));
        let peers = pairs.flat_map(|(client, server)| [client, server]).collect();
        let aborted = vec![false; flows.len()];
        Self { net, notes: Notes::default(), openings, peers, aborted }
    }

    fn act(&mut self, (which, operation): (usize, Operation)) {
        let index = which % self.peers.len();
        let (net, peer) = (&mut self.net, self.peers[index]);
        match operation {
            Operation::Write(bytes) => net.write(peer, u64::from(bytes)),
            Operation::Close => net.close(peer),
            Operation::Abort => {
                net.abort(peer);
                self.aborted[index / 2] = true;
            }
            Operation::Pause => net.pause(peer),
            Operation::Resume => net.resume(peer),
            Operation::Wait(millis) => net.run_for(Duration::from_millis(u64::from(millis))),
        }
        self.notes.read(&mut *self.net.middlebox);
    }

    /// The box is gone, and after a while somebody notices.
    fn kill(&mut self, after: Duration) {
        self.net.middlebox = Box::new(Gone);
        self.net.run_for(after);
    }

    /// Sends what ends the connections of the journal.
    fn reset(&mut self) {
        for packet in self.notes.endings() {
            self.net.emit(packet);
        }
    }

    /// The box ends what it takes part in.
    fn end(&mut self) {
        let lost = self.notes.0.clone();
        let now = self.net.now;
        self.net.middlebox.reset_all(&mut BoxContext { now, observe: &mut |_| {} });
        assert_eq!(self.net.middlebox.flows(), 0);
        self.net.resume(self.peers[0]);
        self.notes.read(&mut *self.net.middlebox);
        assert_eq!(self.notes.0.len(), 0);
        self.net.middlebox = Box::<Passing<Bytes>>::default();
        self.notes.0.extend(lost);
    }

    /// Ends close; where resets are repeated not those that the journal names, which would wait
    /// for ever.
    fn finish(&mut self, resets: Resets) {
        for (index, &peer) in self.peers.iter().enumerate() {
            self.net.resume(peer);
            let waits = resets != Resets::Once && self.notes.has(&self.openings[index / 2]);
            if !self.aborted[index / 2] && !waits {
                self.net.close(peer);
            }
        }
    }

    /// Connections that the journal does not name arrive whole. Of each that it names either
    /// neither end lacks anything, or both are closed. If all first resets are lost, neither is:
    /// what passes then changes the numbers that both expect.
    fn check(&mut self, resets: Resets) {
        let exposed: Vec<bool> = self.openings.iter().map(|of| self.notes.has(of)).collect();
        let (peers, aborted) = (&self.peers, &self.aborted);
        let both = |flow: usize, is_so: &dyn Fn(PeerId) -> bool| {
            peers[2 * flow..2 * flow + 2].iter().all(|&peer| is_so(peer))
        };
        let is_right = |net: &Network<Bytes>, flow: usize| {
            if !exposed[flow] {
                return both(flow, &|peer| net.is_at_end(peer));
            }
            both(flow, &|peer| net.has_all(peer))
                || both(flow, &|peer| is_over(net.state(peer), resets))
                || resets != Resets::Sure && both(flow, &|peer| net.state(peer) != State::Closed)
        };
        let all_right = |net: &Network<Bytes>| {
            (0..exposed.len()).all(|flow| aborted[flow] || is_right(net, flow))
        };
        if !self.net.run_while(seconds(5_000), all_right) {
            let net = &self.net;
            let wrong: Vec<_> = (0..exposed.len())
                .filter(|&flow| !aborted[flow] && !is_right(net, flow))
                .flat_map(|flow| [2 * flow, 2 * flow + 1])
                .map(|nth| (nth, exposed[nth / 2], net.state(peers[nth]), net.read(peers[nth])))
                .collect();
            panic!("{wrong:?} {:?}", self.notes);
        }
    }
}

/// Whether nothing is left of a connection but what a timer ends. A reset of what is half open
/// makes a listener listen again (RFC 9293 §3.10.7.4).
fn is_over(state: State, resets: Resets) -> bool {
    match state {
        State::Closed | State::Listen | State::TimeWait => true,
        State::FinWait2 => resets == Resets::Once,
        State::SynSent
        | State::SynReceived
        | State::Established
        | State::FinWait1
        | State::CloseWait
        | State::Closing
        | State::LastAck => false,
    }
}

proptest! {
    /// Losses, outages, disorder: whenever the box stops, and however long it takes to notice, each
    /// connection goes on without it or ends, and none hangs.
    #[test]
    fn none_hangs_when_the_box_stops(
        seed in any::<u64>(),
        kind in prop_oneof![Just(Kind::Atcp), Just(Kind::PerFlow)],
        flows in prop::collection::vec(flow(), 1..6),
        operations in prop::collection::vec((0_usize..1_000, operation()), 1..60),
        weather in prop_oneof![3 => weather(), 1 => weather().prop_map(without_losses)],
        killed_at in 0_usize..60,
        (gap, delayed) in (0_u64..1_500, any::<bool>()),
        clamps in any::<[bool; 2]>(),
    ) {
        let config = SplitConfig {
            uplink_clamp: clamps[0].then_some(3_000),
            delayed_ack: (delayed && clamps[1]).then_some(Duration::from_millis(100)),
            ..KEPT
        };
        let mut story = Story::new(seed, kind, config, &flows, &weather);
        let (before, after) = operations.split_at(killed_at.min(operations.len()));
        for &operation in before { story.act(operation); }
        story.notes.read(&mut *story.net.middlebox);
        story.kill(Duration::from_millis(gap));
        story.reset();
        story.net.middlebox = Box::<Passing<Bytes>>::default();
        // A radio may lose the first.
        for wait in [1, 2, 6] {
            story.net.run_for(seconds(wait));
            story.reset();
        }
        for &operation in after { story.act(operation); }
        set_fair(&mut story.net);
        story.reset();
        let loses = weather.loss > 0.0 || weather.outages.iter().any(|&(.., held)| !held);
        let resets = if loses { Resets::Repeated } else { Resets::Sure };
        story.finish(resets);
        story.check(resets);
    }

    /// A box that is told to end resets what could not go on, and nothing else.
    #[test]
    fn what_is_not_reset_at_the_end_survives(
        seed in any::<u64>(),
        kind in prop_oneof![Just(Kind::Atcp), Just(Kind::PerFlow)],
        flows in prop::collection::vec(flow(), 1..6),
        operations in prop::collection::vec((0_usize..1_000, operation()), 1..60),
        weather in weather(),
        (drained_at, ended_at) in (0_usize..60, 0_usize..60),
    ) {
        let mut story = Story::new(seed, kind, KEPT, &flows, &weather);
        for (nth, &operation) in operations.iter().enumerate() {
            if nth == drained_at.min(ended_at) {
                let now = story.net.now;
                story.net.middlebox.drain(&mut BoxContext { now, observe: &mut |_| {} });
            }
            if nth == ended_at {
                story.end();
            }
            story.act(operation);
        }
        if ended_at >= operations.len() {
            story.end();
        }
        story.finish(Resets::Once);
        story.check(Resets::Once);
    }

    /// Where nothing is lost or overtaken, and all that had left the box has arrived: each reset
    /// has the very next number, and nobody is challenged (RFC 5961 §3.2).
    #[test]
    fn resets_by_the_journal_are_exact(
        seed in any::<u64>(),
        kind in prop_oneof![Just(Kind::Atcp), Just(Kind::PerFlow)],
        flows in prop::collection::vec(flow(), 1..6),
        operations in prop::collection::vec((0_usize..1_000, operation()), 1..60),
    ) {
        let fair = Weather { loss: 0.0, jitter_millis: 0, outages: Vec::new(), rate: Some(9_000) };
        let mut story = Story::new(seed, kind, KEPT, &flows, &fair);
        for &operation in &operations { story.act(operation); }
        story.notes.read(&mut *story.net.middlebox);
        story.kill(Duration::from_secs(30));
        story.reset();
        story.net.run_for(Duration::from_secs(2));
        for (index, of) in story.openings.iter().enumerate() {
            if story.notes.has(of) && !story.aborted[index] {
                for peer in [2 * index, 2 * index + 1] {
                    let state = story.net.state(story.peers[peer]);
                    prop_assert_eq!(state, State::Closed, "{} of {:?}", peer, story.notes);
                }
            }
        }
    }
}

fn without_losses(mut weather: Weather) -> Weather {
    (weather.loss, weather.outages) = (0.0, Vec::new());
    weather
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A connection at rest is not exposed, whatever windows its ends have, and is while data wait.
#[test]
fn connections_at_rest_are_not_exposed() {
    for kind in [Kind::Atcp, Kind::PerFlow] {
        for who in [Who::MobileCallsHost, Who::HostCallsMobile, Who::MobileCallsMobile] {
            for receive_buffer in [2_000, 5_392, 60_000, 1_000_000] {
                let offers = [Offers { sack: true, timestamps: true, ecn: EcnFeedback::Off }; 2];
                let receive_buffers = [receive_buffer; 2];
                let flow =
                    Flow { who, host: 0, isns: [7, 99], offers, receive_buffers, mss: [1_000; 2] };
                let fair =
                    Weather { loss: 0.0, jitter_millis: 0, outages: Vec::new(), rate: Some(9_000) };
                let mut story = Story::new(1, kind, KEPT, &[flow], &fair);
                for round in 0..3 {
                    story.act((0, Operation::Write(30_000)));
                    story.act((1, Operation::Write(30_000)));
                    story.act((0, Operation::Wait(3_000)));
                    let case = format!("{kind:?} {who:?} {receive_buffer} {round}");
                    assert!(!story.notes.0.is_empty(), "{case}");
                    story.act((0, Operation::Wait(120_000)));
                    assert_eq!(story.notes.0.len(), 0, "{case}");
                    assert_eq!(story.net.middlebox.counters().held_bytes, 0);
                }
            }
        }
    }
}

/// Where nobody keeps a journal nothing is told.
#[test]
fn without_a_journal_nothing_is_told() {
    let mut net = Network::new(1, middlebox(Kind::Atcp, SplitConfig::PLAIN));
    let (_, server) = net.open(&Opening::of(5_000));
    net.run_for(seconds(3));
    net.write(server, 30_000);
    net.run_for(seconds(1));
    assert!(net.middlebox.counters().held_bytes > 0);
    assert_eq!(net.middlebox.poll_exposure(), None);
}
