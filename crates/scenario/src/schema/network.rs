//! `[flow]`, `[[flow.group]]`, `[[wired]]` and `[[route]]`: what is transferred, and over what
//! wires.

use std::ops::Range;

use base::{Duration, Rate, Schedule, Time};
use link::disorder::{self, jitter};
use link::queue::{self, Queues};
use link::{LinkConfig, Service, loss};
use radio::Radio;
use world::{Application, Applications};

use crate::form::{Capture, Differing, Ends, OfAll, OfBoth, Start, Starting};
use settings::{
    Always, Bytes, Count, Each, File, Flag, Flat, Label, Nothing, OfTime, Off, Or, Perhaps, Speed,
    Steps, Timed, Unlimited, Word, absent, as_key, named, section, words,
};

absent! {
    All = "all",
}

section! {
    /// `[flow]`: what the fixed host sends to the mobile: files, pages that it asks for, or
    /// datagrams. Give `bytes` or `segments`, not both.
    pub struct Flow {
        /// What results call these flows, and settings those of a `[[flow.group]]`
        /// (`flow.group.NAME.bytes`), where it is required.
        pub name: String as Label = "flow".to_owned();
        /// How many: from one host to the other at most the ports that a host has. Default: one;
        /// none of `[flow]` where that has no key of its own and there is a `[[flow.group]]`.
        pub count: u32 as Count<u32, 0, 1_000_000> = 1;
        /// Whether all flows run between the same two hosts or each between hosts of its own,
        /// beside the first and the last node of the network.
        pub hosts: Hosts as Word<Hosts> = Hosts::Shared;
        /// Which way the data go. With several mobiles the flows go to them, or come from them, in
        /// turn; one between mobiles goes to the one after its sender.
        pub direction: FlowDirection as Word<FlowDirection> = FlowDirection::Downlink;
        /// Between which mobiles and the fixed host: those called by a name of `[[radio.ue]]`, or
        /// all.
        pub mobiles: Option<String> as Or<All, Label> = None;
        /// Payload of each file, or of all datagrams; pages have no end, and keystrokes and probes
        /// a number. Default: data for the whole run, as in lo2005 §4.
        pub bytes: Option<u64> as Or<Unlimited, Bytes<u64, 1, { u64::MAX }>> = None;
        /// Payload of each in full segments.
        pub segments: Option<u64> as Or<as_key::FlowBytes, Count<u64, 1, 1_000_000_000_000>> =
            None;
        /// What is transferred.
        pub application: Application as Word<Application> = Application::File;
        /// Which end opens the connection of a file or of probes. What is asked for is opened by
        /// the one who asks.
        pub opened_by: Opener as Word<Opener> = Opener::Sender;
        /// The server's port; the other end takes the next from 1024 on. The server is the sender
        /// of pages and echoes, and of files and probes the fixed host (between mobiles the
        /// sender); datagrams go to this port of their receiver. By application (IANA): 9 for
        /// files, probes and UDP, 80 for pages, 23 for telnet, 5004 for calls; for arrivals what
        /// the capture has.
        pub port: Option<u16> as Or<as_key::Application, Count<u16, 1, 65_535>> = None;
        /// The code point of the service that their packets ask for, in both directions (DSCP, RFC
        /// 2474 §3), by which a bearer may be chosen.
        pub dscp: u8 as Count<u8, 0, 63> = 0;
        /// Whether middleboxes see nothing of their packets above IP but the ports, as of QUIC: to
        /// them they are datagrams.
        pub encrypted: bool as Flag = false;
        /// When both ends stop, counted from the start of each: from then on neither sends anything
        /// new, and what has been sent still arrives.
        pub stop: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// When the reader resets the connection and goes, counted from the start of each.
        pub abort: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// The keys of applications.
        pub applications: Applications as Flat<Applications> = Applications::default();
        /// A capture (pcap or pcapng) whose TCP connections are the flows: when they start, and
        /// how much either side sends. Each is opened by the mobile, which asks; then the fixed
        /// host answers and closes. The clients of the capture are the mobiles in turn.
        pub arrivals: Option<File<Capture>> as Or<Nothing, File<Capture>> = None;
        /// What each asks of the radio, where that picks the spreading factor (`sf = "auto"`).
        pub rate: Option<Rate> as Or<Nothing, Speed> = None;
        /// When the first begins; or `spread over` a time, before whose end each begins at a moment
        /// of its own, drawn from the seed.
        pub start: Start as Starting = Start::At(Duration::ZERO);
        /// From the start of one to the start of the next.
        pub interval: Duration as OfTime = Duration::ZERO;
        /// The node of `[[wired]]` beside which these flows have a host of their own, in the place
        /// of the fixed host: traffic that joins on the way.
        pub from: Option<String> as Or<as_key::First, Label> = None;
        /// The node of `[[wired]]` beside which they have one in the place of the mobile: traffic
        /// that leaves on the way.
        pub to: Option<String> as Or<as_key::Mobile, Label> = None;
        /// One way, on the wire of a host that these flows then have for themselves, beside the
        /// fixed host.
        pub delay: Duration as OfTime = Duration::ZERO;
        /// The same in the direction towards that host.
        pub return_delay: Option<Duration> as Or<as_key::Delay, OfTime> = None;
        /// How the delay of that wire strays.
        pub jitter: jitter::Keys as Flat<jitter::Keys> = jitter::Keys::default();
        /// How far the delay of each packet strays in the direction towards that host.
        pub return_jitter: Option<Duration> as Or<as_key::Jitter, OfTime> = None;
        /// `[flow.tcp]`: both ends of these flows, in what they differ from `[tcp]`.
        pub tcp: Option<tcp::Config> as Differing<OfAll> = None;
        /// `[flow.peer]`: the ends that receive.
        pub peer: Peer as Always<Peer> = Peer::default();
        /// `[[flow.group]]`: further flows, numbered on, each group with the keys of `[flow]`.
        pub group: Vec<Flow> as Each<Flow> = Vec::new();
    }
    supersedes(arrivals: count, bytes, segments, application)
    supersedes(bytes: segments)
    supersedes(segments: bytes)
    only_with(bytes: application is ["file", "mixed", "udp"])
    only_with(segments: application is ["file", "mixed"])
    only_with(abort: application not "udp")
    only_with(abort: application not "voip")
    only_with(opened_by: application not "udp")
    only_with(opened_by: application not "voip")
    only_with(web: application is ["web", "mixed"])
    only_with(telnet: application is ["telnet"])
    only_with(probe: application is ["probe"])
    only_with(udp: application is ["udp"])
    only_with(voip: application is ["voip"])
}

named!(Flow);

section! {
    /// `[flow.peer]`: the ends of flows that receive.
    pub struct Peer {
        /// `[flow.peer.tcp]`: in what they differ from the ends that send.
        pub tcp: Option<tcp::Config> as Differing<OfBoth> = None;
    }
}

impl Flow {
    /// Settings of the ends that send and of those that receive, where all are told `hosts`.
    pub fn endpoints<'a>(&'a self, hosts: &'a tcp::Config) -> [&'a tcp::Config; 2] {
        let both = self.tcp.as_ref().unwrap_or(hosts);
        [both, self.peer.tcp.as_ref().unwrap_or(both)]
    }

    /// Payload bytes of each flow in segments of `mss` bytes, which UDP does not have; `None` is
    /// without end.
    pub fn payload(&self, mss: u32) -> Option<u64> {
        let segments = self.segments.filter(|_| !self.application.has_datagrams());
        segments.map(|segments| segments * u64::from(mss)).or(self.bytes)
    }

    /// How many flows there are.
    pub fn number(&self) -> u32 {
        self.arrivals.as_ref().map_or(self.count, |capture| capture.content().0.len() as u32)
    }

    /// The numbers of the mobiles that they run to or from, of `radio` or else of `count`.
    pub(crate) fn mobiles_of(&self, radio: Option<&Radio>, count: usize) -> Range<usize> {
        let ranges = radio.map_or_else(Vec::new, |radio| radio.keys().ranges());
        let named = ranges.into_iter().filter(|(name, _)| name.is_some());
        let mut own = named.filter(|(name, _)| *name == self.mobiles.as_deref());
        own.next().map_or(0..count, |(_, range)| range)
    }

    /// The wire of their own host: away from it, and towards it.
    pub(crate) fn wire(&self) -> [LinkConfig; 2] {
        let back = self.return_jitter.unwrap_or(self.jitter.jitter);
        let ways = [(self.delay, self.jitter.jitter), (self.delays()[1], back)];
        ways.map(|(delay, jitter)| wire(delay, jitter::Keys { jitter, ..self.jitter }))
    }

    /// The delays of the wire of their own host: away from it, and towards it.
    fn delays(&self) -> [Duration; 2] {
        [self.delay, self.return_delay.unwrap_or(self.delay)]
    }

    /// True if packets meet chance on the wire of their own host.
    pub(crate) fn has_chance(&self) -> bool {
        self.wire().iter().any(|way| !way.disorder.is_none())
    }

    /// True if they have a host of their own in the place of the fixed host.
    pub(crate) fn has_own_host(&self) -> bool {
        self.from.is_some() || self.delays() != [Duration::ZERO; 2]
    }

    /// How many of them mobile number `ue` takes part in, if they run to or from `mobiles`.
    pub(crate) fn flows_of(&self, ue: usize, mobiles: &Range<usize>) -> usize {
        if !mobiles.contains(&ue) {
            return 0;
        }
        let (number, count) = (self.number() as usize, mobiles.len());
        let place = ue - mobiles.start;
        let from = |first: usize| (first..number).step_by(count).count();
        match self.direction {
            FlowDirection::Downlink | FlowDirection::Uplink => from(place),
            FlowDirection::BetweenMobiles => from(place) + from((place + count - 1) % count),
        }
    }
}

/// A wire on which nothing waits, and delays of `delay` stray by `jitter`.
pub(crate) fn wire(delay: Duration, jitter: jitter::Keys) -> LinkConfig {
    LinkConfig {
        service: Service::Rate(Schedule::constant(None)),
        delay: delay.into(),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Keys { jitter, ..disorder::Keys::default() }.config(),
    }
}

words! {
    /// Which way data go.
    pub enum FlowDirection {
        /// From the fixed host to a mobile.
        Downlink = "downlink",
        /// From a mobile to the fixed host.
        Uplink = "uplink",
        /// From a mobile to the next.
        BetweenMobiles = "between-mobiles",
    }
}

words! {
    /// Which end opens a connection.
    pub enum Opener {
        /// Where the data come from.
        Sender = "sender",
        /// Where they go.
        Receiver = "receiver",
    }
}

words! {
    /// Between which hosts the flows run.
    pub enum Hosts {
        /// All between the same two.
        Shared = "shared",
        /// Each between hosts of its own.
        Own = "own",
    }
}

section! {
    /// `[[wired]]`: a wired link without loss, alike in both directions.
    pub struct Wired {
        /// Its name in settings (`wired.NAME.delay`) and results; required.
        pub name: String as Label = String::new();
        /// The nodes that it joins, the one nearer to the fixed host first; required.
        pub between: [String; 2] as Ends = [String::new(), String::new()];
        /// Its rate. Default: sending takes no time.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// Steps of `rate`, in both directions.
        pub schedule: Vec<WiredStep> as Steps<WiredStep> = Vec::new();
        /// One way, from the last bit sent to the last bit received.
        pub delay: Duration as OfTime = Duration::ZERO;
        /// What the wire does to packets, in each direction on its own.
        pub disorder: disorder::Keys as Flat<disorder::Keys> = disorder::Keys::default();
        /// `[wired.queue]`: what waits ahead of it. Default: no limit, with `[mobile_ip]` as
        /// `[queue]`.
        pub queue: Option<Queues> as Perhaps<Queues> = None;
    }
    only_with(queue: rate not "unlimited")
    only_with(schedule: rate not "unlimited")
}

section! {
    /// A step of `wired.NAME.schedule`.
    pub struct WiredStep {
        /// Time from which it holds; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate.
        pub rate: Option<Option<Rate>> as Or<as_key::Before, Or<Unlimited, Speed>> = None;
    }
}

impl Timed for WiredStep {
    fn at(&self) -> Duration {
        self.at
    }
}

impl Wired {
    /// Both directions, where `queue` is ahead of each if it has none of its own.
    pub(crate) fn ways(&self, queue: &Queues) -> [LinkConfig; 2] {
        let queue = self.queue.as_ref().unwrap_or(queue);
        [queue.forth(), queue.back()].map(|queue| LinkConfig {
            service: Service::Rate(self.rates()),
            delay: Schedule::new(self.delay, Vec::new()),
            queue,
            drop_arrivals: Vec::new(),
            loss: loss::Config::default(),
            disorder: self.disorder.config(),
        })
    }

    fn rates(&self) -> Schedule<Option<Rate>> {
        let change = |step: &WiredStep| Some((Time::ZERO + step.at, step.rate?));
        Schedule::new(self.rate, self.schedule.iter().filter_map(change).collect())
    }

    /// True if packets on it meet chance.
    pub(crate) fn has_chance(&self) -> bool {
        !self.disorder.config().is_none()
    }
}

named!(Wired);

section! {
    /// `[[route]]`: a static route in the place of the way of the least delay, with `[mobile_ip]`.
    pub struct Route {
        /// Its name in settings (`route.NAME.via`); required.
        pub name: String as Label = String::new();
        /// The node of `[[wired]]` at which it holds; required.
        pub at: String as Label = String::new();
        /// The node of `[[wired]]` that packets are for, as are those for addresses of mobiles with
        /// its prefix: home addresses go with the home agent, regional ones with the MAP, local
        /// ones with their access router; required.
        pub to: String as Label = String::new();
        /// The neighbour that they are sent to, of several links to it over the quickest; required.
        pub via: String as Label = String::new();
    }
}

named!(Route);
