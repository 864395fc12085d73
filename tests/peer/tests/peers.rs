//! Two peers on a bad wire in virtual time: the machine that the driver drives, without it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use base::{Duration, Probability, Time};
use bytes::Bytes;
use os::Machine;
use peer::{Application, Close, Ends, Impairments, Opening, Peer, Report};
use tcp::{Config, State};

/// What one side reads.
#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn peer(
    opening: Opening,
    data: &Bytes,
    close: Close,
    sink: &Sink,
    impairments: &Impairments,
) -> Peer {
    let [one, other] = ["[fd00::1]:1", "[fd00::2]:2"].map(|end| end.parse().expect("an address"));
    let (local, remote, seed) = match opening {
        Opening::Connect => (one, other, 1),
        Opening::Listen => (other, one, 2),
    };
    let application = Application::new(Box::new(sink.clone()), None, close);
    let ends = Ends { local, remote };
    Peer::new(opening, &Arc::new(Config::plain()), &ends, application, data.clone(), seed)
        .expect("both ends are IPv6")
        .impaired(impairments, seed)
        .limited(Some(Duration::from_secs(100_000)))
}

/// Lets packets pass between two machines until both are over.
fn talk(mut sides: [Peer; 2]) -> [Report; 2] {
    let mut now = Time::ZERO;
    let mut packet = Vec::new();
    while !sides.iter().all(Machine::is_over) {
        for from in [0, 1, 0] {
            sides[from].handle_timeout(now).expect("no capture");
            while sides[from].poll_packet(now, &mut packet).expect("no capture").is_some() {
                sides[1 - from].handle_packet(now, 0, &packet).expect("no capture");
            }
        }
        now = sides.iter().filter_map(Machine::poll_timeout).min().expect("a limit").max(now);
    }
    sides.map(|side| side.finish().expect("no capture"))
}

fn on(impairments: &Impairments) -> [Report; 2] {
    let data: Bytes = (0..400_000_u32).map(|number| number as u8).collect();
    let sink = Sink::default();
    let sides = [
        peer(Opening::Connect, &data, Close::Sent, &Sink::default(), impairments),
        peer(Opening::Listen, &Bytes::new(), Close::Peer, &sink, impairments),
    ];
    let reports = talk(sides);
    assert_eq!(*sink.0.borrow(), data);
    reports
}

#[test]
fn bytes_arrive_whole_and_both_ends_close() {
    let impairments = Impairments { delay: Duration::from_millis(5), ..Impairments::default() };
    let [client, server] = on(&impairments);
    assert_eq!(client.states.last(), Some(&State::Closed));
    assert_eq!(server.states.last(), Some(&State::Closed));
    assert_eq!((client.retransmissions, client.unreadable, server.unreadable), (0, 0, 0));
}

#[test]
fn the_same_seed_is_the_same_run() {
    let percent = |value: f64| Probability::new(value / 100.0).expect("at most 100 %");
    let impairments = Impairments {
        delay: Duration::from_millis(5),
        loss: percent(2.0),
        duplication: percent(1.0),
        reordering: percent(2.0),
        lateness: Duration::from_millis(3),
    };
    let reports = on(&impairments);
    assert!(reports[0].retransmissions > 0 && reports[0].outward.lost > 0);
    assert_eq!(on(&impairments), reports);
}
