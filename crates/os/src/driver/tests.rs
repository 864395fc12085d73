//! The driver between socket pairs.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use base::Duration;

use super::*;

/// Packets that a socket holds on any Linux (`net.unix.max_dgram_qlen`).
const QUEUE: u8 = 10;

/// An end of a socket pair; what begins with an exclamation mark fails with an error.
struct Socket(UnixDatagram, Errno);

/// The same, of a device that is offloading.
struct Offloading(Socket);

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Port for Socket {
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.0.recv(buffer) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&self, packet: &[u8]) -> io::Result<()> {
        if packet.first() == Some(&b'!') {
            Err(self.1.into())
        } else {
            self.0.send(packet).map(drop)
        }
    }
}

impl AsFd for Offloading {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Port for Offloading {
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.0.receive(buffer)
    }

    fn send(&self, frame: &[u8]) -> io::Result<()> {
        self.0.send(frame)
    }

    fn is_offloading(&self) -> bool {
        true
    }
}

/// Two ports, and the far ends of them.
fn ports(error: Errno) -> ([Socket; 2], [UnixDatagram; 2]) {
    let pairs = [(); 2].map(|()| UnixDatagram::pair().expect("sockets"));
    let mut far = Vec::new();
    let near = pairs.map(|(near, other)| {
        near.set_nonblocking(true).expect("it may");
        far.push(other);
        Socket(near, error)
    });
    (near, far.try_into().expect("two"))
}

/// Passes each packet on to the other port after a while, and is over after a number of them. Fails
/// if more than a batch comes in while one is due.
#[derive(Default)]
struct Delay {
    span: Duration,
    packets: VecDeque<(Time, usize, Vec<u8>)>,
    limit: usize,
    outcomes: Vec<Written>,
    wakes: usize,
    ahead: usize,
    /// Packets that were polled since a departure.
    unannounced: usize,
    joining: Option<Joining>,
}

impl Machine for Delay {
    fn handle_packet(&mut self, now: Time, port: usize, packet: &[u8]) -> io::Result<()> {
        let is_due = self.poll_timeout().is_some_and(|due| due <= now);
        self.ahead = if is_due { self.ahead + 1 } else { 0 };
        if self.ahead > self.batch() {
            return Err(io::Error::other("one that is due waits for what comes in"));
        }
        self.packets.push_back((now + self.span, 1 - port, packet.to_vec()));
        Ok(())
    }

    fn handle_timeout(&mut self, _now: Time) -> io::Result<()> {
        Ok(())
    }

    fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let Some((_, port, bytes)) = self.packets.pop_front_if(|(due, ..)| *due <= now) else {
            return Ok(None);
        };
        self.ahead = 0;
        self.unannounced += 1;
        *packet = bytes;
        Ok(Some(port))
    }

    fn handle_departure(&mut self) {
        self.unannounced = 0;
    }

    fn joining(&self) -> Joining {
        self.joining.unwrap_or(Joining::Flow)
    }

    fn handle_written(&mut self, _now: Time, written: Written) {
        assert_eq!(self.unannounced, 0, "a packet left before the machine was told");
        self.outcomes.push(written);
    }

    fn handle_wake(&mut self, _now: Time) {
        self.wakes += 1;
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.packets.front().map(|(due, ..)| *due)
    }

    fn is_over(&self) -> bool {
        self.wakes > 0 || self.outcomes.len() >= self.limit
    }
}

fn as_ports(sockets: &[Socket]) -> Vec<&dyn Port> {
    sockets.iter().map(|socket| socket as _).collect()
}

/// Segment `number` from that port, of 100 bytes that say so.
fn segment(source_port: u16, number: u32) -> Vec<u8> {
    let addresses = wire::Addresses::V4 { source: [10; 4].into(), destination: [11; 4].into() };
    let (seq, flags) = (base::Seq::new(100 * number), base::Flags::ACK);
    let header = base::TcpHeader { source_port, seq, flags, ..base::TcpHeader::default() };
    let (payload, mut packet) = ([number as u8; 100], Vec::new());
    let payload = wire::Payload::Bytes(&payload);
    wire::emit(&header, base::Ecn::NotCapable, &addresses, payload, &mut packet).expect("short");
    packet
}

/// A frame of three segments.
fn frame_of_three() -> Vec<u8> {
    let (mut coalescer, mut frame) = (wire::Coalescer::default(), vec![]);
    (0..3).for_each(|number| coalescer.push(&segment(1, number)));
    coalescer.finish();
    assert_eq!(coalescer.poll_frame(&mut frame), Some(3));
    frame
}

fn drive(ports: &[Socket], machine: &mut Delay) -> io::Result<()> {
    let waker = Waker::new().expect("a waker");
    run(&Clock::start(), &as_ports(ports), &waker, Scheduling::Normal, machine)
}

#[test]
fn packets_pass_when_they_are_due_and_not_before() {
    let (near, [left, right]) = ports(Errno::NOBUFS);
    for number in 0..QUEUE {
        left.send(&[number]).expect("it may");
        right.send(&[100 + number]).expect("it may");
    }
    let span = Duration::from_millis(5);
    let mut machine = Delay { span, limit: 2 * usize::from(QUEUE), ..Delay::default() };
    let clock = Clock::start();
    drive(&near, &mut machine).expect("nothing fails");
    assert!(clock.now().saturating_since(Time::ZERO) >= span);
    for (far, first) in [(&left, 100), (&right, 0)] {
        for number in 0..QUEUE {
            let mut packet = [0; 9];
            assert_eq!(far.recv(&mut packet).expect("it is there"), 1);
            assert_eq!(packet[0], first + number);
        }
    }
}

/// A machine sees packets, whichever way the ports have them, and each of them is accounted for.
#[test]
fn a_port_that_is_offloading_has_frames() {
    let ([one, other], [left, right]) = ports(Errno::NOBUFS);
    let (one, waker) = (Offloading(one), Waker::new().expect("a waker"));
    let ports: [&dyn Port; 2] = [&one, &other];
    let drive = |limit| {
        let mut machine = Delay { limit, ..Delay::default() };
        run(&Clock::start(), &ports, &waker, Scheduling::Normal, &mut machine)
            .expect("nothing fails");
        assert_eq!(machine.outcomes, vec![Written::Taken; limit]);
    };
    let frame = frame_of_three();
    left.send(&frame).expect("it may");
    drive(3);
    let mut packets = Vec::new();
    for number in 0..3 {
        let mut packet = [0; 999];
        let bytes = right.recv(&mut packet).expect("it is there");
        assert_eq!((bytes, packet[139]), (140, number));
        packets.push(packet[..bytes].to_vec());
    }
    for packet in &packets {
        right.send(packet).expect("it may");
    }
    drive(3);
    let mut back = [0; 999];
    let bytes = left.recv(&mut back).expect("it is there");
    assert_eq!(bytes, frame.len());
    assert_eq!(back[10 + 40..bytes], frame[10 + 40..]);
}

#[test]
fn a_refused_packet_ends_nothing() {
    let refusals =
        [Errno::IO, Errno::NOBUFS, Errno::INVAL, Errno::MSGSIZE, Errno::AGAIN, Errno::NETDOWN];
    for error in refusals {
        let (near, [left, _right]) = ports(error);
        for packet in ["!", "passes"] {
            left.send(packet.as_bytes()).expect("it may");
        }
        let mut machine = Delay { limit: 2, ..Delay::default() };
        drive(&near, &mut machine).expect("nothing fails");
        assert_eq!(machine.outcomes, [Written::Refused, Written::Taken], "{error}");
    }
}

#[test]
fn a_device_that_is_gone_ends_the_run_in_one_line() {
    for error in [Errno::BADFD, Errno::NODEV, Errno::NXIO] {
        let (near, [_left, right]) = ports(error);
        right.send(b"!").expect("it may");
        let failure = drive(&near, &mut Delay { limit: 9, ..Delay::default() }).unwrap_err();
        let line = failure.to_string();
        assert!(
            line.starts_with("the device at port 0 is gone: ") && !line.contains('\n'),
            "{line}"
        );
    }
}

#[test]
fn a_waker_wakes_a_machine_that_waits_for_nothing() {
    let (near, _far) = ports(Errno::IO);
    let waker = Waker::new().expect("a waker");
    let mut machine = Delay { limit: 1, ..Delay::default() };
    thread::scope(|scope| {
        scope.spawn(|| waker.wake().and_then(|()| waker.wake()).expect("it wakes"));
        run(&Clock::start(), &as_ports(&near), &waker, Scheduling::Normal, &mut machine)
            .expect("it ends");
    });
    assert_eq!(machine.wakes, 1);
}

/// Packets share a frame with as many as the machine says.
#[test]
fn frames_have_what_may_be_joined() {
    let ([one, other], [left, right]) = ports(Errno::NOBUFS);
    let (one, waker) = (Offloading(one), Waker::new().expect("a waker"));
    let ports: [&dyn Port; 2] = [&one, &other];
    left.set_nonblocking(true).expect("it may");
    let packets = [(1, 0), (1, 1), (2, 0), (1, 2), (2, 1)].map(|(port, it)| segment(port, it));
    for (joining, frames) in [
        (Joining::Flow, vec![3, 2]),
        (Joining::Previous, vec![2, 1, 1, 1]),
        (Joining::Nothing, vec![1; 5]),
    ] {
        for packet in &packets {
            right.send(packet).expect("it may");
        }
        let limit = packets.len();
        let mut machine = Delay { limit, joining: Some(joining), ..Delay::default() };
        run(&Clock::start(), &ports, &waker, Scheduling::Normal, &mut machine)
            .expect("nothing fails");
        assert_eq!(machine.outcomes, vec![Written::Taken; limit]);
        let (mut sizes, mut back, mut frame) = (Vec::new(), Vec::new(), [0; 999]);
        while let Ok(bytes) = left.recv(&mut frame) {
            let mut split = Split::new(&mut frame[..bytes]);
            let before = back.len();
            while let Some(packet) = split.next_packet() {
                back.push(packet.to_vec());
            }
            sizes.push(back.len() - before);
        }
        if joining == Joining::Flow {
            // Whichever flow is first.
            sizes.sort_by_key(|size| std::cmp::Reverse(*size));
        } else {
            assert_eq!(back.iter().map(|it| it[139]).collect::<Vec<_>>(), [0, 1, 0, 2, 1]);
        }
        assert_eq!(sizes, frames, "{joining:?}");
    }
}

/// Notes how many packets it is handed before it is asked for what they call for.
#[derive(Default)]
struct Rows {
    row: usize,
    rows: Vec<usize>,
}

impl Rows {
    const BATCH: usize = 4;
}

impl Machine for Rows {
    fn handle_packet(&mut self, _now: Time, _port: usize, _packet: &[u8]) -> io::Result<()> {
        self.row += 1;
        Ok(())
    }

    fn handle_timeout(&mut self, _now: Time) -> io::Result<()> {
        Ok(())
    }

    fn poll_packet(&mut self, _now: Time, _packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let row = std::mem::take(&mut self.row);
        self.rows.extend((row > 0).then_some(row));
        Ok(None)
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn batch(&self) -> usize {
        Self::BATCH
    }

    fn is_over(&self) -> bool {
        self.rows.iter().sum::<usize>() >= QUEUE.into()
    }
}

#[test]
fn a_batch_is_taken_in_before_it_is_answered() {
    let (near, [left, _right]) = ports(Errno::NOBUFS);
    for number in 0..QUEUE {
        left.send(&[number]).expect("it may");
    }
    let (waker, mut machine) = (Waker::new().expect("a waker"), Rows::default());
    run(&Clock::start(), &as_ports(&near), &waker, Scheduling::Normal, &mut machine)
        .expect("nothing fails");
    assert_eq!(machine.rows, [Rows::BATCH, Rows::BATCH, 2]);
}

/// A flood from one side does not keep what is due at the other from leaving.
#[test]
fn a_flood_starves_nobody() {
    let (near, [left, right]) = ports(Errno::NOBUFS);
    let mut machine = Delay { span: Duration::from_millis(1), limit: 5000, ..Delay::default() };
    left.set_nonblocking(true).expect("it may");
    right.set_nonblocking(true).expect("it may");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                left.send(&[0; 1000]).ok();
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                right.recv(&mut [0; 1000]).ok();
            }
        });
        let outcome = drive(&near, &mut machine);
        is_over.store(true, Ordering::Relaxed);
        outcome.expect("nothing fails");
    });
    assert!(machine.outcomes.len() >= machine.limit);
}
