//! The box of a subscriber ahead of a modem: what it does to any flows.

use std::collections::VecDeque;

use base::{Duration, Ecn, Rate, Time};
use middlebox::{
    Address, Aside, AtcpConfig, AtcpKeys, Leg, Managed, Opaque, RadioReport, Reception, Release,
    Role, SchemeKeys, Setup,
};
use observe::BoxContext;
use proptest::prelude::*;
use tcp::Length;

type Machine = Box<dyn Managed<Length>>;

/// A modem that sends one packet after the other, and the hosts beyond it.
#[derive(Debug)]
struct Modem {
    rate: Rate,
    /// Time from the modem to each host and back.
    round_trips: Vec<Duration>,
    /// Hosts that answer echo requests.
    answers: Vec<bool>,
    free_at: Time,
    replies: VecDeque<(Time, Address, u32)>,
}

impl Modem {
    /// When a packet of `bytes` that is handed to it `now` has left it.
    fn send(&mut self, now: Time, bytes: u32) -> Time {
        let nanos = u64::from(bytes) * 8_000_000_000 / self.rate.as_bps();
        self.free_at = self.free_at.max(now) + Duration::from_nanos(nanos);
        self.free_at
    }

    fn echo(&mut self, now: Time, host: Address, number: u32) {
        let place = host.host as usize;
        let left = self.send(now, 32);
        if self.answers[place] {
            self.replies.push_back((left + self.round_trips[place], host, number));
            self.replies.make_contiguous().sort_by_key(|reply| reply.0);
        }
    }
}

/// A packet that came from behind the box.
#[derive(Clone, Copy, Debug)]
struct Offered {
    flow: u32,
    bytes: u32,
    /// End of its wait, and when that was.
    ended: Option<(Time, Release)>,
}

/// A box, its modem, and what became of each packet.
struct Home {
    machine: Machine,
    modem: Modem,
    now: Time,
    /// By number.
    packets: Vec<Offered>,
    /// Numbers in the order in which they left.
    left: Vec<u32>,
    /// Echo requests by host.
    asked: Vec<u32>,
}

impl Home {
    fn new(config: AtcpConfig, modem: Modem) -> Self {
        let keys = AtcpKeys { atcp: config, ..AtcpKeys::default() };
        let asked = vec![0; modem.answers.len()];
        let machine = keys.build(Setup::unlimited(1));
        Self { machine, modem, now: Time::ZERO, packets: Vec::new(), left: Vec::new(), asked }
    }

    fn with<R>(&mut self, act: impl FnOnce(&mut Machine, &mut BoxContext<'_>) -> R) -> R {
        act(&mut self.machine, &mut BoxContext { now: self.now, observe: &mut |_| {} })
    }

    /// A packet comes from behind the box.
    fn offer(&mut self, flow: u32, host: u128, bytes: u32) {
        let number = self.packets.len() as u32;
        self.packets.push(Offered { flow, bytes, ended: None });
        let source = Address { leg: Leg::Wired, host: 77 };
        let destination = Address { leg: Leg::Radio, host };
        let (ports, dscp, ecn) = (None, 0, Ecn::NotCapable);
        let packet = Opaque { number, source, destination, flow, ports, dscp, bytes, ecn };
        match self.with(|machine, cx| machine.handle_opaque(cx, &packet)) {
            Reception::Passes => self.end(number, Release::Sent),
            Reception::Waits => {}
        }
        self.drain();
    }

    fn end(&mut self, number: u32, release: Release) {
        let packet = &mut self.packets[number as usize];
        let before = packet.ended.replace((self.now, release));
        assert_eq!(before, None, "packet {number} left twice");
        if !release.is_loss() {
            let bytes = packet.bytes;
            self.modem.send(self.now, bytes);
            self.left.push(number);
        }
    }

    fn drain(&mut self) {
        let segment = self.with(|machine, cx| machine.poll_output(cx));
        assert!(segment.is_none(), "it has no connections");
        while let Some(aside) = self.machine.poll_aside() {
            match aside {
                Aside::Packet(number, release) => self.end(number, release),
                Aside::Echo([source, host], number) => {
                    assert_eq!(source.host, 77, "in the name of whoever talks to the host");
                    self.asked[host.host as usize] += 1;
                    self.modem.echo(self.now, host, number);
                }
            }
        }
    }

    /// Time passes until `end`.
    fn run_until(&mut self, end: Time) {
        loop {
            let reply = self.modem.replies.front().map(|reply| reply.0);
            let due = [self.machine.poll_timeout(), reply].into_iter().flatten().min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            if reply == Some(due) {
                let (_, host, number) = self.modem.replies.pop_front().expect("there is one");
                self.with(|machine, cx| machine.handle_echo(cx, host, number));
            } else {
                self.with(|machine, cx| machine.handle_timeout(cx));
            }
            self.drain();
        }
        self.now = end;
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn subscriber(rate: Option<u64>, round_trip: u64) -> AtcpConfig {
    AtcpConfig {
        role: Role::Subscriber,
        uplink_rate: rate.map(Rate::from_bps),
        round_trip: millis(round_trip),
        ..AtcpConfig::default()
    }
}

fn modem(rate: u64, round_trips: &[u64]) -> Modem {
    Modem {
        rate: Rate::from_bps(rate),
        round_trips: round_trips.iter().map(|trip| millis(*trip)).collect(),
        answers: vec![true; round_trips.len()],
        free_at: Time::ZERO,
        replies: VecDeque::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever comes, and whoever answers: each packet leaves once or is lost once, none overtakes
    /// another of its flow, and nothing stays behind.
    #[test]
    fn each_packet_goes_on_once_and_in_order(
        steps in prop::collection::vec((0_u32..5, 40_u32..1_500, 0_u64..60), 1..300),
        answers in prop::array::uniform5(any::<bool>()),
        rate in 50_000_u64..5_000_000,
        told in prop::option::of(50_000_u64..5_000_000),
    ) {
        let mut modem = modem(rate, &[20, 40, 80, 160, 300]);
        modem.answers = answers.to_vec();
        let mut home = Home::new(subscriber(told, 100), modem);
        for &(flow, bytes, wait) in &steps {
            home.offer(flow, flow.into(), bytes);
            home.run_until(home.now + millis(wait));
        }
        home.run_until(home.now + Duration::from_secs(120));
        prop_assert!(home.packets.iter().all(|packet| packet.ended.is_some()), "one stays behind");
        for flow in 0..5 {
            let of_it = |number: &&u32| home.packets[**number as usize].flow == flow;
            prop_assert!(home.left.iter().filter(of_it).is_sorted(), "flow {}", flow);
        }
        let counters = home.machine.counters();
        prop_assert_eq!(counters.packets_in, home.packets.len() as u64);
        prop_assert_eq!(counters.packets_out, home.left.len() as u64);
        prop_assert_eq!(counters.held_bytes, 0);
    }

    /// Of flows that always have something none gets less than its part.
    #[test]
    fn no_flow_gets_less_than_its_share(
        flows in prop::collection::vec(200_u32..1_500, 2..7),
        rate in 100_000_u64..3_000_000,
    ) {
        let mut home = Home::new(subscriber(Some(rate), 100), modem(rate, &[100]));
        // Twice the rate, of each flow as much.
        let each = 2 * rate / 8 / flows.len() as u64;
        let mut owed = vec![0; flows.len()];
        for _ in 0..1_000 {
            for ((flow, bytes), owed) in (0..).zip(&flows).zip(&mut owed) {
                *owed += each / 100;
                while *owed >= u64::from(*bytes) {
                    *owed -= u64::from(*bytes);
                    home.offer(flow, 0, *bytes);
                }
            }
            home.run_until(home.now + millis(10));
        }
        let mut carried = vec![0_u64; flows.len()];
        for number in &home.left {
            let Offered { flow, bytes, .. } = home.packets[*number as usize];
            carried[flow as usize] += u64::from(bytes);
        }
        let fair = carried.iter().sum::<u64>() / flows.len() as u64;
        prop_assert!(carried.iter().all(|&bytes| 10 * bytes >= 9 * fair), "{:?}", carried);
        let could = rate / 8 * 10;
        prop_assert!(10 * fair * flows.len() as u64 >= 9 * could, "{:?} of {}", carried, could);
    }
}

/// Without a rate it is as if there were no box, and nobody is asked. A report tells the rate.
#[test]
fn what_knows_nothing_holds_nothing_back() {
    let config = AtcpConfig { estimator: middlebox::Estimation::Radio, ..subscriber(None, 100) };
    let mut home = Home::new(config, modem(100_000, &[100]));
    let burst = |home: &mut Home| {
        (0..20).for_each(|_| home.offer(0, 0, 1_500));
        home.left.len()
    };
    assert_eq!((burst(&mut home), home.asked[0]), (20, 0));
    let modem = Address { leg: Leg::Radio, host: 9 };
    let report = RadioReport { rate: Some(Rate::from_bps(100_000)) };
    home.with(|machine, cx| machine.handle_report(cx, modem, report));
    assert!(burst(&mut home) < 25, "now there is a window");
    assert!(home.asked[0] > 0);
}

/// The nearest host that answers is asked, even if another was talked to first.
#[test]
fn the_nearest_that_answers_is_asked() {
    let mut modem = modem(384_000, &[900, 60, 500, 20]);
    modem.answers[3] = false;
    let mut home = Home::new(subscriber(Some(384_000), 100), modem);
    let mut carry = |seconds: u64, hosts: &[u128]| {
        let before = (home.left.len(), home.asked.clone());
        for _ in 0..seconds * 50 {
            for &host in hosts {
                home.offer(host as u32, host, 1_400);
            }
            home.run_until(home.now + millis(20));
        }
        let asked: Vec<u32> = home.asked.iter().zip(before.1).map(|(all, old)| all - old).collect();
        ((home.left.len() - before.0) as u64 * 1_400 * 8 / seconds, asked)
    };
    let (rate, _) = carry(20, &[0]);
    assert!(rate > 330_000, "far away, the window is as much wider: {rate}");
    carry(5, &[0, 1, 2, 3]);
    let (rate, asked) = carry(20, &[0, 1, 2, 3]);
    assert!(rate > 350_000, "{rate}");
    assert!(asked[1] > 4 * (asked[0] + asked[2] + asked[3]), "{asked:?}");
}

/// Where nobody answers, packets leave at the rate that is told.
#[test]
fn where_nobody_answers_the_rate_tells() {
    let mut modem = modem(384_000, &[60]);
    modem.answers[0] = false;
    let mut home = Home::new(subscriber(Some(384_000), 100), modem);
    let mut longest = Duration::ZERO;
    for _ in 0..1_500 {
        home.offer(0, 0, 1_400);
        home.run_until(home.now + millis(20));
        longest = longest.max(home.modem.free_at.saturating_since(home.now));
    }
    let carried = home.left.len() as u64 * 1_400 * 8 / 30;
    assert!(carried > 350_000, "{carried}");
    assert!(longest < millis(150), "in the modem: {longest:?}");
}
