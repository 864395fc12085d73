//! The emulator in virtual time: made-up clocks, some of them late.

use std::sync::mpsc::channel;

use base::{Duration, Stream};
use scenario::Scenario;

use super::*;
use crate::packet_ledger::Lane;
use crate::recorder::Tape;

fn scenario(settings: &[(&str, &str)]) -> Scenario {
    let source = "link.rate = \"1 Mbit/s\"\nlink.delay = \"20 ms\"\n";
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::parse(source, "test", &settings).expect("valid")
}

fn emulator(scenario: &Scenario, link_header_bytes: usize) -> (Emulator, Sender<Call>) {
    let (calls, called) = channel();
    let ledger = PacketLedger::new(Tape::default());
    (Emulator::new(scenario, link_header_bytes, ledger, called), calls)
}

fn micros(micros: u64) -> Time {
    Time::ZERO + Duration::from_micros(micros)
}

/// An IPv4 packet that carries UDP.
fn udp(bytes: usize) -> Vec<u8> {
    let mut packet = vec![0; bytes];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&(bytes as u16).to_be_bytes());
    packet[9] = 17;
    packet
}

/// Writes what there is to write at `now`, and says the due times and ports.
fn write(emulator: &mut Emulator, now: Time, written: Written) -> Vec<(Time, usize)> {
    let (mut packet, mut dues) = (Vec::new(), Vec::new());
    while let Some(port) = emulator.poll_packet(now, &mut packet).expect("it never fails") {
        dues.push((emulator.writing.back().expect("it is being written").due, port));
        emulator.handle_written(now, written);
    }
    dues
}

/// Lets 300 packets through while the clock is looked at up to `lag` after each deadline.
fn run(lag: Duration) -> (Vec<(Time, usize)>, Emulator) {
    let (mut emulator, _calls) =
        emulator(&scenario(&[("queue.packets", "3"), ("link.loss", "3 %")]), 0);
    let mut chance = Stream::named(1, "arrivals");
    let mut lags = Stream::named(2, "lags");
    let mut late = || Duration::from_nanos((lag.as_nanos() as f64 * lags.next_f64()) as u64);
    let (mut now, mut dues) = (Time::ZERO, Vec::new());
    for _ in 0..300 {
        now += Duration::from_micros(u64::from(chance.below(8000)));
        let port = chance.below(2) as usize;
        // The clock has moved past the arrivals before; this packet is stamped when it is read.
        while let Some(next) = emulator.poll_timeout().filter(|next| *next + lag < now) {
            dues.extend(write(&mut emulator, next + late(), Written::Taken));
        }
        emulator.handle_packet(now, port, &udp(28 + chance.below(1400) as usize)).expect("fine");
        dues.extend(write(&mut emulator, now, Written::Taken));
    }
    while let Some(next) = emulator.poll_timeout() {
        now = now.max(next + late());
        dues.extend(write(&mut emulator, now, Written::Taken));
    }
    emulator.close().expect("packets are conserved");
    (dues, emulator)
}

#[test]
fn lateness_moves_no_due_time_and_is_counted() {
    let (dues, punctual) = run(Duration::ZERO);
    assert_eq!(punctual.held(Direction::Downlink), Traffic::default());
    let dropped = punctual.ledger.lane(Direction::Downlink).dropped;
    assert!(dropped.queue > 0 && dropped.loss > 0, "{dropped:?}");
    for lag in [Duration::from_micros(300), Duration::from_millis(40), Duration::from_secs(2)] {
        let (late_dues, late) = run(lag);
        assert_eq!(late_dues, dues, "at {lag:?}");
        let most = late.ledger.lateness.max();
        assert!(most > 0 && most <= lag.as_nanos() * 1001 / 1000, "{most} ns at {lag:?}");
        for direction in Direction::BOTH {
            let [counted, expected] = [&late, &punctual].map(|emulator| {
                let Lane { entered, left, dropped, .. } = emulator.ledger.lane(direction);
                (*entered, *left, *dropped)
            });
            assert_eq!(counted, expected);
        }
    }
}

#[test]
fn what_is_held_takes_at_most_so_much_memory() {
    let (mut emulator, _calls) = emulator(&scenario(&[("queue.packets", "unlimited")]), 0);
    for number in 0..60_000 {
        emulator.handle_packet(micros(number), 0, &udp(1500)).expect("it never fails");
    }
    let lane = emulator.ledger.lane(Direction::Downlink);
    assert!(lane.memory > 20_000 && lane.held.packets > 30_000, "{lane:?}");
    assert!(emulator.ledger.weight_with(0) <= MOST_MEMORY);
    let before = lane.memory;
    emulator.handle_packet(micros(60_000), 1, &udp(1500)).expect("it never fails");
    let lanes = Direction::BOTH.map(|direction| emulator.ledger.lane(direction));
    assert_eq!(lanes.map(|lane| lane.memory), [before, 1], "memory is that of both directions");
    emulator.close().expect("packets are conserved");
}

#[test]
fn what_the_kernel_refuses_is_counted() {
    let (mut emulator, _calls) = emulator(&scenario(&[]), 0);
    emulator.handle_packet(Time::ZERO, 1, &udp(100)).expect("it never fails");
    let dues = write(&mut emulator, micros(90_000), Written::Refused);
    assert_eq!(dues, [(micros(20_000), 0)]);
    let lane = emulator.ledger.lane(Direction::Uplink);
    assert_eq!((lane.refused, lane.left.packets, lane.drops()), (1, 0, 1));
    emulator.close().expect("packets are conserved");
}

/// Only where nothing spaces packets does a receiver get those together that came together: behind
/// a rate, a trace or a radio it acknowledges each as it comes.
#[test]
fn what_leaves_together_may_share_a_frame() {
    let joined = |settings: &[(&str, &str)]| {
        let (mut emulator, _calls) = emulator(&scenario(settings), 0);
        for (at, port) in [(0, 0), (0, 0), (1, 0), (1, 0), (1, 1), (2, 0)] {
            emulator.handle_packet(micros(at), port, &udp(100)).expect("it never fails");
        }
        let (mut packet, mut joining, end) = (Vec::new(), Vec::new(), micros(900_000));
        while emulator.poll_packet(end, &mut packet).expect("it never fails").is_some() {
            joining.push(emulator.joining());
        }
        // Frames are written later, and tell of their packets in the same order.
        for written in joining.iter().enumerate().map(|(number, _)| number % 2) {
            let written = if written == 0 { Written::Taken } else { Written::Refused };
            emulator.handle_written(end, written);
        }
        assert!(emulator.writing.is_empty());
        let lanes = Direction::BOTH.map(|direction| emulator.ledger.lane(direction));
        assert_eq!(lanes.map(|lane| lane.left.packets + lane.refused), [5, 1]);
        emulator.close().expect("packets are conserved");
        joining
    };
    let (alone, behind) = (Joining::Nothing, Joining::Previous);
    let unlimited = ("link.rate", "unlimited");
    let delayed = [alone, behind, alone, behind, alone, alone];
    assert_eq!(joined(&[unlimited]), delayed);
    assert_eq!(joined(&[unlimited, ("link.loss", "0.001 %")]), delayed);
    assert_eq!(joined(&[unlimited, ("link.back.rate", "1 Gbit/s")]), [alone; 6]);
    let later = ("link.schedule", "[{at='60 min', rate='1 Mbit/s'}]");
    assert_eq!(joined(&[unlimited, later]), [alone; 6]);
    assert_eq!(joined(&[("link.rate", "100 Gbit/s"), ("link.back.rate", "unlimited")]), [alone; 6]);
}

#[test]
fn frames_of_any_kind_pass() {
    let (mut emulator, _calls) = emulator(&scenario(&[]), 14);
    let frame = |kind: &[u8], packet: &[u8]| [&[9; 12], kind, packet].concat();
    let frames = [
        frame(&[0x08, 0x00], &udp(100)),
        frame(&[0x81, 0x00, 0, 5, 0x08, 0x00], &udp(100)),
        frame(&[0x08, 0x06], &[1; 28]),
        vec![1, 2, 3],
        Vec::new(),
    ];
    let sizes = [100, 100, 28, 1, 1];
    for (number, bytes) in frames.iter().enumerate() {
        emulator.handle_packet(micros(number as u64), 0, bytes).expect("it never fails");
    }
    let lane = emulator.ledger.lane(Direction::Downlink);
    assert_eq!((lane.entered.bytes, lane.unreadable), (sizes.iter().sum(), 3));
    let (mut packet, mut out) = (Vec::new(), Vec::new());
    while emulator.poll_packet(micros(900_000), &mut packet).expect("it never fails").is_some() {
        out.push(packet.clone());
        emulator.handle_written(micros(900_000), Written::Taken);
    }
    assert_eq!(out, frames);
}

#[test]
fn a_meter_reads_what_passed_since() {
    let (mut emulator, calls) = emulator(&scenario(&[]), 0);
    let ask_as = |reader, emulator: &mut Emulator, now| {
        let (answer, moment) = channel();
        calls.send(Call::Read(reader, answer)).expect("the emulator is there");
        emulator.handle_wake(now);
        moment.recv().expect("it answers")
    };
    let ask = |emulator: &mut Emulator, now| ask_as(Reader::Run, emulator, now);
    for _ in 0..3 {
        emulator.handle_packet(Time::ZERO, 0, &udp(1000)).expect("it never fails");
    }
    write(&mut emulator, micros(36_000), Written::Taken);
    let moment = ask(&mut emulator, micros(40_000));
    assert_eq!(moment.down.queue, Traffic { packets: 1, bytes: 1000 });
    assert_eq!((moment.down.rate_bps, moment.down.delay_s), (400_000.0, Some(0.036)));
    assert_eq!((moment.up.rate_bps, moment.up.delay_s, moment.up.drops), (0.0, None, 0));
    assert_eq!(moment.down.left, Traffic { packets: 2, bytes: 2000 });
    let later = ask(&mut emulator, micros(50_000));
    assert_eq!(later.down.left, moment.down.left);
    assert_eq!((later.down.rate_bps, later.down.delay_s), (0.0, None));
    assert_eq!(later.late_s, None);
    let Moment { down: guest, late_s, .. } = ask_as(Reader::Guest, &mut emulator, micros(80_000));
    // Kept to three digits.
    assert!(late_s.is_some_and(|late_s| (late_s - 0.008).abs() < 1e-5), "{late_s:?}");
    assert_eq!((guest.rate_bps, guest.delay_s), (200_000.0, Some(0.036)), "readers are apart");
    calls.send(Call::Stop).expect("the emulator is there");
    emulator.handle_wake(micros(50_000));
    // What waits at a port is taken in before it ends.
    for round in 0..3 {
        emulator.handle_timeout(micros(50_001 + round)).expect("it never fails");
        assert!(!emulator.is_over());
        emulator.handle_packet(micros(50_001 + round), 0, &udp(1000)).expect("it never fails");
    }
    emulator.handle_timeout(micros(50_010)).expect("it never fails");
    emulator.handle_timeout(micros(50_011)).expect("it never fails");
    assert!(emulator.is_over());
    assert_eq!(emulator.ledger.lane(Direction::Downlink).entered.packets, 6);
    // But not for ever.
    let mut flooded = Emulator { course: Course::Ending(micros(60_000)), ..emulator };
    flooded.handle_packet(micros(59_999), 0, &udp(1000)).expect("it never fails");
    flooded.handle_timeout(micros(59_999)).expect("it never fails");
    assert!(!flooded.is_over());
    flooded.handle_packet(micros(60_000), 0, &udp(1000)).expect("it never fails");
    flooded.handle_timeout(micros(60_000)).expect("it never fails");
    assert!(flooded.is_over());
}

/// A run and an emulator account alike: at the end, from when a state began, and bit by bit.
#[test]
fn a_mobile_uses_energy_as_in_a_simulation() {
    let source = "[radio]\nkind = \"umts-dch\"\n";
    let settings = [("radio.power.cell_dch", "1 W"), ("radio.power.downlink", "100 nJ/bit")];
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario = Scenario::parse(source, "test", &settings).expect("valid");
    let (mut emulator, _calls) = emulator(&scenario, 0);
    emulator.handle_packet(Time::ZERO, 0, &udp(1000)).expect("it never fails");
    while let Some(next) = emulator.poll_timeout() {
        write(&mut emulator, next, Written::Taken);
    }
    let end = Time::ZERO + Duration::from_secs(100);
    let (_, radio, energy) = crate::record::machines(&emulator, end);
    let (radio, energy) = (radio.expect("a radio"), energy.expect("it is known"));
    assert!(radio.downlink.bytes_sent >= 1000, "{radio:?}");
    let expect = 100.0 + radio.downlink.bytes_sent as f64 * 8.0 * 100e-9;
    assert!((energy.total_j - expect).abs() < 1e-9, "{energy:?}");
    assert_eq!((energy.per_megabyte_j, energy.states[0].time_s), (None, 100.0));
}

/// Ports, and when what leaves is due.
fn dues(emulator: &mut Emulator, now: u64) -> Vec<(Time, usize)> {
    write(emulator, micros(now), Written::Taken)
}

#[test]
fn it_changes_while_it_runs() {
    let scenario = scenario(&[("link.rate", "unlimited")]);
    let (mut emulator, calls) = emulator(&scenario, 0);
    let change = |settings: &[(&str, &str)]| {
        let keys = scenario.live_keys_of(settings.iter().map(|(key, _)| *key));
        Change::new(keys.expect("they can be changed"), self::scenario(settings))
    };
    let call = |emulator: &mut Emulator, now, call: &dyn Fn(Sender<()>) -> Call| {
        let (done, answer) = channel();
        calls.send(call(done)).expect("the emulator is there");
        emulator.handle_wake(micros(now));
        answer.recv().expect("it answers");
    };
    assert!(emulator.may_join);
    emulator.handle_packet(micros(0), 0, &udp(1000)).expect("it never fails");
    let slow = [("link.rate", "1 Mbit/s"), ("link.delay", "5 ms")];
    call(&mut emulator, 10_000, &|done| Call::Change(change(&slow), done));
    assert!(!emulator.may_join, "packets leave one by one behind a rate");
    // The first keeps its arrival, and none overtakes it.
    emulator.handle_packet(micros(10_000), 0, &udp(500)).expect("it never fails");
    assert_eq!(dues(&mut emulator, 19_999), []);
    assert_eq!(dues(&mut emulator, 20_000), [(micros(20_000), 1); 2]);
    emulator.handle_packet(micros(20_000), 0, &udp(1000)).expect("it never fails");
    assert_eq!(dues(&mut emulator, 90_000), [(micros(33_000), 1)]);

    call(&mut emulator, 100_000, &|done| Call::BlackOut(Duration::from_millis(50), done));
    for (now, port) in [(100_000, 0), (110_000, 1), (141_000, 0), (145_000, 0)] {
        emulator.handle_packet(micros(now), port, &udp(1000)).expect("it never fails");
    }
    assert_eq!(dues(&mut emulator, 200_000), [(micros(162_000), 1)], "sent until 157 ms");
    let (answer, state) = channel();
    calls.send(Call::State(answer)).expect("the emulator is there");
    emulator.handle_wake(micros(200_000));
    let state = state.recv().expect("it answers");
    assert_eq!(
        state.values[..2].to_vec(),
        [("link.rate", "1 Mbit/s".to_owned()), ("link.delay", "5 ms".to_owned()),]
    );
    let lanes = Direction::BOTH.map(|direction| emulator.ledger.lane(direction).dropped.outage);
    assert_eq!(lanes, [2, 1]);
    emulator.close().expect("packets are conserved");
}
