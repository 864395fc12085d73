//! Fail-open: whatever a box was doing when it vanished, a connection of which its journal says
//! nothing goes on without it and arrives whole, and both ends of every other one can be reset by
//! what the journal says.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Flags, Rate, Seq, TcpHeader};
use bytes::Bytes;
use middlebox::{
    Atcp, AtcpConfig, Connection, Exposure, IpFields, Journal, Managed, Packet, PerFlowSplit,
    SocketBuffers, SplitConfig, Splitter,
};
use proptest::prelude::*;
use tcp::{Offers, Segment, State};

use crate::support::random::{
    Flow, Operation, Weather, Who, flow, opening, operation, set_weather, weather,
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
            let buffers = SocketBuffers { receive_buffer: 80_000, send_buffer: 20_000 };
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

    /// Resets for both ends.
    fn resets(&self) -> Vec<Packet<Bytes>> {
        let resets = self.0.values().flat_map(Exposure::resets);
        resets.map(|(way, seq, ack)| reset(way, seq, ack)).collect()
    }
}

fn reset(way: Connection, seq: Seq, ack: Seq) -> Packet<Bytes> {
    let Connection { source, destination, source_port, destination_port } = way;
    let flags = Flags::RST | Flags::ACK;
    let header = TcpHeader { source_port, destination_port, seq, ack, flags, ..<_>::default() };
    let segment = Segment { header, ..Segment::default() };
    Packet { source, destination, ip: IpFields::default(), segment }
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
        self.net.middlebox = Box::<Passing<Bytes>>::default();
    }

    /// The box ends what it takes part in.
    fn end(&mut self) {
        let lost = self.notes.0.clone();
        let now = self.net.now;
        self.net.middlebox.reset_all(now, &mut |_| {});
        assert_eq!(self.net.middlebox.flows(), 0);
        self.net.resume(self.peers[0]);
        self.notes.read(&mut *self.net.middlebox);
        assert_eq!(self.notes.0.len(), 0);
        self.net.middlebox = Box::<Passing<Bytes>>::default();
        self.notes.0.extend(lost);
    }

    fn finish(&mut self) {
        for (index, &peer) in self.peers.iter().enumerate() {
            self.net.resume(peer);
            if !self.aborted[index / 2] {
                self.net.close(peer);
            }
        }
    }

    /// What the journal named not is whole. Of what it named either both ends are closed, but for
    /// one that has nothing to say any more, or none: then all resets were lost, or came before
    /// what was lost. A reset of what is half open makes a listener listen again (RFC 9293
    /// §3.10.7.4).
    fn check(&mut self) {
        let exposed: Vec<bool> = self.openings.iter().map(|of| self.notes.has(of)).collect();
        let (peers, aborted) = (&self.peers, &self.aborted);
        let whole = |net: &Network<Bytes>, nth: usize| {
            aborted[nth / 2] || exposed[nth / 2] || net.is_at_end(peers[nth])
        };
        let ended = |net: &Network<Bytes>, nth: usize| match net.state(peers[nth]) {
            State::Closed | State::Listen | State::FinWait2 | State::TimeWait => true,
            State::SynSent
            | State::SynReceived
            | State::Established
            | State::FinWait1
            | State::CloseWait
            | State::Closing
            | State::LastAck => false,
        };
        let reset = |net: &Network<Bytes>, flow: usize| {
            let closed = [2 * flow, 2 * flow + 1].map(|nth| net.state(peers[nth]) == State::Closed);
            !exposed[flow]
                || aborted[flow]
                || closed == [false; 2]
                || (2 * flow..2 * flow + 2).all(|nth| ended(net, nth))
        };
        let over = |net: &Network<Bytes>| {
            (0..peers.len()).all(|nth| whole(net, nth))
                && (0..exposed.len()).all(|nth| reset(net, nth))
        };
        if !self.net.run_while(Duration::from_secs(5_000), over) {
            let net = &self.net;
            let ends: Vec<_> = (0..peers.len())
                .filter(|&nth| !whole(net, nth) || !reset(net, nth / 2))
                .map(|nth| (nth, exposed[nth / 2], net.state(peers[nth]), net.read(peers[nth])))
                .collect();
            panic!("{ends:?} {:?}", self.notes);
        }
    }
}

proptest! {
    /// Losses, outages, disorder: at any moment, and however long it takes to notice.
    #[test]
    fn what_is_not_in_the_journal_survives(
        seed in any::<u64>(),
        kind in prop_oneof![Just(Kind::Atcp), Just(Kind::PerFlow)],
        flows in prop::collection::vec(flow(), 1..6),
        operations in prop::collection::vec((0_usize..1_000, operation()), 1..60),
        weather in weather(),
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
        // A radio may lose the first.
        for _ in 0..3 {
            for packet in story.notes.resets() { story.net.emit(packet); }
            story.net.run_for(Duration::from_secs(1));
        }
        for &operation in after { story.act(operation); }
        story.finish();
        story.check();
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
                story.net.middlebox.drain(now, &mut |_| {});
            }
            if nth == ended_at {
                story.end();
            }
            story.act(operation);
        }
        if ended_at >= operations.len() {
            story.end();
        }
        story.finish();
        story.check();
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
        let from = story.net.log.len();
        let resets = story.notes.resets();
        for packet in &resets { story.net.emit(packet.clone()); }
        story.net.run_for(Duration::from_secs(2));
        for (index, of) in story.openings.iter().enumerate() {
            if story.notes.has(of) && !story.aborted[index] {
                for peer in [2 * index, 2 * index + 1] {
                    let state = story.net.state(story.peers[peer]);
                    prop_assert_eq!(state, State::Closed, "{} of {:?}", peer, story.notes);
                }
            }
        }
        prop_assert!(story.net.log.len() >= from);
    }
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
                let offers = [Offers { sack: true, timestamps: true, ecn: false }; 2];
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
