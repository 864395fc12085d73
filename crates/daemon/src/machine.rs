//! The machine of a worker: a gateway, its journal and its heartbeat.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use base::{Duration, Time};
use proxy::Config;
use proxy::Gateway;
use serde_json::json;

use super::call::Calls;
use super::event::Event;
use super::journal::Journal;
use super::log::Log;
use super::message::{Order, WorkerEvent};
use super::observation::Look;
use super::shared_status::{SharedStatus, Word, WorkerWord};
use os::{Device, Machine, Tun, Written};
use wire::Split;

/// The numbers of the ports: packets of mobiles and hosts, and messages from and to the supervisor.
const PACKETS: usize = 0;
const ORDERS: usize = 1;

/// What a worker shares with its supervisor.
#[derive(Clone, Debug)]
pub(super) struct Shared<'a> {
    /// The number of the worker.
    pub(super) number: u32,
    pub(super) journal: &'a Journal,
    pub(super) status: Arc<SharedStatus>,
    pub(super) device: &'a Tun,
}

/// A gateway that notes in a journal how its connections would have to be reset without it, before
/// a packet leaves that changes that.
#[derive(Debug)]
pub(super) struct Relay<'a> {
    gateway: Gateway,
    shared: Shared<'a>,
    calls: Calls,
    log: Arc<Log>,
    words: VecDeque<Vec<u8>>,
    is_draining: bool,
    /// Whether the supervisor knows that no connection depends on it.
    is_drained: bool,
    is_over: bool,
    /// Whether the supervisor waits for retired profiles to lose their last connection.
    is_retiring: bool,
    /// Whether it waits for mobiles in no profile any more to lose their last connection, and when
    /// to look next.
    narrows: Option<Time>,
    exposed: u32,
    refused: u64,
    /// Displaced handshakes at the last log line about them, and when the next line may come.
    displaced: (u64, Time),
    beats: Duration,
}

/// Packets handled in one batch. The segments of a connection in a batch get one acknowledgement,
/// as from a kernel that merges segments (RFC 5681 §4.2: every second one is a SHOULD), so that
/// with many connections a batch has to be long. It delays nothing unless that many wait, and takes
/// a few milliseconds.
const BATCH: usize = 1024;

/// How often all mobiles are looked at, if they have to be.
const LOOKS: Duration = Duration::from_secs(1);

/// How often a flood is logged.
const FLOODS: Duration = Duration::from_secs(60);

/// The number of beats in the time that a supervisor waits for one.
const BEATS: u64 = 5;

impl<'a> Relay<'a> {
    /// Of `gateway`, which was made from `config`.
    pub(super) fn new(
        gateway: Gateway,
        config: &Config,
        shared: Shared<'a>,
        calls: Calls,
        log: Arc<Log>,
    ) -> io::Result<Self> {
        let mut relay = Self {
            gateway,
            shared,
            calls,
            log,
            words: VecDeque::new(),
            is_draining: false,
            is_drained: false,
            is_over: false,
            is_retiring: false,
            narrows: None,
            exposed: 0,
            refused: 0,
            displaced: (0, Time::ZERO),
            beats: config.heartbeat / BEATS,
        };
        relay.send_message(&WorkerEvent::Ready)?;
        Ok(relay)
    }

    fn obey(&mut self, now: Time, order: Order) -> io::Result<()> {
        match order {
            Order::Reload { name, text } => self.reload(now, &name, &text)?,
            Order::Mtu(mtu) => self.gateway.set_mtu(mtu),
            Order::Drain => {
                self.is_draining = true;
                self.gateway.drain(now);
            }
            Order::End => self.gateway.reset_all(now),
            Order::Leave => self.is_over = true,
        }
        Ok(())
    }

    fn reload(&mut self, now: Time, name: &str, text: &str) -> io::Result<()> {
        let config = match Config::parse(text, name) {
            Ok(config) => config,
            Err(error) => {
                return self.send_message(&WorkerEvent::Refused { why: error.to_string() });
            }
        };
        let retired = self.gateway.reload(now, &config.of_worker(self.shared.number));
        self.log.set(&config.log);
        self.beats = config.heartbeat / BEATS;
        self.is_retiring |= !retired.is_empty();
        self.narrows = Some(now);
        self.send_message(&WorkerEvent::Reloaded { retired })
    }

    fn send_message(&mut self, word: &WorkerEvent) -> io::Result<()> {
        self.words.push_back(serde_json::to_vec(word)?);
        Ok(())
    }

    /// Logs connections that have come to an end.
    fn tell_records(&mut self, now: Time) -> io::Result<()> {
        while let Some(record) = self.gateway.poll_record(now) {
            self.log.tell(Event::FlowEnded, &serde_json::to_value(record)?);
        }
        Ok(())
    }

    /// Logs handshakes that have given way to newer ones.
    fn tell_displaced(&mut self, now: Time) {
        let (told, next) = self.displaced;
        let all = self.gateway.displaced();
        if all > told && next <= now {
            self.displaced = (all, now + FLOODS);
            self.log.tell(Event::HandshakesDisplaced, &json!({ "handshakes": all - told }));
        }
    }

    /// Reports what has come to an end.
    fn tell_ends(&mut self, now: Time) -> io::Result<()> {
        if self.is_draining && !self.is_drained && self.gateway.flows() == 0 {
            self.is_drained = true;
            // There may be no later opportunity.
            self.gateway.hurry_records();
            self.tell_records(now)?;
            self.send_message(&WorkerEvent::Drained)?;
        }
        if self.is_retiring && !self.gateway.has_retired() {
            self.is_retiring = false;
            self.send_message(&WorkerEvent::Retired)?;
        }
        if self.narrows.is_some_and(|time| time <= now) {
            self.narrows = self.gateway.has_former().then(|| now + LOOKS);
            if self.narrows.is_none() {
                self.send_message(&WorkerEvent::Narrow)?;
            }
        }
        Ok(())
    }

    fn note_exposures(&mut self) {
        while let Some((place, exposure)) = self.gateway.poll_exposure() {
            let was = self.shared.journal.note(place, exposure.as_ref());
            self.exposed += u32::from(exposure.is_some());
            self.exposed -= u32::from(was);
        }
    }
}

impl Machine for Relay<'_> {
    fn handle_packet(&mut self, now: Time, port: usize, packet: &[u8]) -> io::Result<()> {
        if port == PACKETS {
            self.gateway.handle_packet(now, packet);
            return Ok(());
        }
        // A supervisor that is gone says nothing for ever.
        if packet.is_empty() {
            self.is_over = true;
            return Ok(());
        }
        self.obey(now, serde_json::from_slice(packet)?)
    }

    /// Only the device of the packets is offloading.
    fn handle_frame(&mut self, now: Time, _port: usize, frame: Split<'_>) -> io::Result<usize> {
        Ok(self.gateway.handle_frame(now, frame))
    }

    fn handle_timeout(&mut self, now: Time) -> io::Result<()> {
        self.shared.status.note(Word::Of(self.shared.number, WorkerWord::Beat), now);
        self.gateway.handle_timeout(now);
        self.tell_records(now)?;
        self.tell_displaced(now);
        self.tell_ends(now)
    }

    fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        if self.gateway.poll_packet(now, packet) {
            return Ok(Some(PACKETS));
        }
        self.note_exposures();
        Ok(self.words.pop_front().map(|word| {
            *packet = word;
            ORDERS
        }))
    }

    fn handle_departure(&mut self) {
        self.note_exposures();
    }

    fn handle_written(&mut self, _now: Time, written: Written) {
        self.refused += u64::from(written == Written::Refused);
    }

    fn handle_wake(&mut self, now: Time) {
        let Self { gateway, shared, exposed, refused, .. } = self;
        let look = |mobiles| {
            Ok(Look {
                journal_flows: *exposed,
                device_overflow_packets: shared.device.dropped()?,
                device_refused_packets: *refused,
                snapshot: gateway.snapshot(now),
                mobiles: (mobiles > 0).then(|| gateway.mobiles(now, mobiles)),
            })
        };
        // A question then gets no answer, which its thread reports.
        self.calls.answer(look).ok();
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.gateway.poll_timeout()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn longest_sleep(&self) -> Duration {
        self.beats
    }

    fn batch(&self) -> usize {
        BATCH
    }
}
