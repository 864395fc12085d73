//! Logs and captures, written by a thread of their own: files never hold up packets.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "logs and captures are files; this module talks to the system"
)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use base::{Direction, Duration, Time};
use bytes::Bytes;
use observe::DropReason;
use serde::Serialize;
use wire::{Capture, LinkLayer};

use crate::Side;
use crate::packet_ledger::Arrival;
use os::{SetupError, setup_error};

/// What is written of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// One row a packet, as JSON lines.
    pub log: Option<PathBuf>,
    /// The directory for `network.pcapng` and `mobile.pcapng`.
    pub captures: Option<PathBuf>,
    /// The bytes of a packet that a capture keeps at most.
    pub snap: Option<u32>,
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PacketOutcome {
    /// It left.
    Delivered,
    /// Left with a wrong bit.
    Corrupted,
    /// Copy of a packet, which left beside it and has its number.
    Duplicate,
    /// It was still held at the end.
    Queued,
    /// It was dropped by the model.
    Dropped(DropReason),
    /// It was not taken in, since too much was held.
    Memory,
    /// The kernel did not take it.
    Refused,
}

impl PacketOutcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Corrupted => "corrupted",
            Self::Duplicate => "duplicate",
            Self::Queued => "queued",
            Self::Memory => "memory",
            Self::Refused => "refused",
            Self::Dropped(reason) => reason.name(),
        }
    }
}

/// A row of the log. Times are seconds since the start.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Row {
    uid: u64,
    direction: &'static str,
    bytes: u32,
    protocol: Option<u8>,
    entered_s: f64,
    due_s: Option<f64>,
    left_s: Option<f64>,
    fate: &'static str,
    backlog_packets: u32,
}

impl Row {
    pub(crate) fn new(
        direction: Direction,
        arrival: &Arrival,
        due: Option<Time>,
        left: Option<Time>,
        outcome: PacketOutcome,
    ) -> Self {
        Self {
            uid: arrival.number,
            direction: ["down", "up"][direction as usize],
            bytes: arrival.bytes,
            protocol: arrival.protocol,
            entered_s: arrival.at.as_secs_f64(),
            due_s: due.map(Time::as_secs_f64),
            left_s: left.map(Time::as_secs_f64),
            fate: outcome.name(),
            backlog_packets: arrival.backlog,
        }
    }
}

/// Something to write.
enum Item {
    Row(Row),
    Frame { side: Side, at: Time, frame: Bytes },
}

impl Item {
    /// The memory that it takes, in bytes.
    fn weight(&self) -> u64 {
        let frame = match self {
            Self::Row(_) => 0,
            Self::Frame { frame, .. } => frame.len(),
        };
        (size_of::<Self>() + frame) as u64
    }
}

/// The most memory that what waits to be written may take, in bytes: where packets come faster than
/// a disk takes them, the recording fails and not the machine.
const MOST_WAITING: u64 = 256 << 20;

/// The memory that what waits to be written takes, in bytes. Once it was too much it stays so: a
/// log with a gap would be believed.
#[derive(Debug, Default)]
struct Waiting(AtomicU64);

impl Waiting {
    fn change(&self, change: impl Fn(u64) -> u64) {
        let change = |waiting| (waiting <= MOST_WAITING).then(|| change(waiting));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).ok();
    }

    fn is_too_much(&self) -> bool {
        self.0.load(Ordering::Relaxed) > MOST_WAITING
    }
}

/// The end of a recorder that packets see: it takes what is wanted, and writes nothing itself.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    rows: Option<Sender<Item>>,
    frames: Option<Sender<Item>>,
    waiting: Arc<Waiting>,
}

impl Tape {
    /// The end of what `recording` wants, and the other one.
    fn of(recording: &Recording) -> (Self, Receiver<Item>) {
        let (sender, items) = channel();
        let rows = recording.log.is_some().then(|| sender.clone());
        let frames = recording.captures.is_some().then_some(sender);
        (Self { rows, frames, waiting: Arc::default() }, items)
    }

    pub(crate) fn row(&self, row: impl FnOnce() -> Row) {
        if let Some(sender) = &self.rows {
            self.put(sender, Item::Row(row()));
        }
    }

    pub(crate) fn frame(&self, side: Side, at: Time, frame: &Bytes) {
        if let Some(sender) = &self.frames {
            self.put(sender, Item::Frame { side, at, frame: frame.clone() });
        }
    }

    fn put(&self, sender: &Sender<Item>, item: Item) {
        self.waiting.change(|waiting| waiting + item.weight());
        if !self.waiting.is_too_much() {
            // A writer that is gone says why at the end.
            sender.send(item).ok();
        }
    }
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Recorder(JoinHandle<Result<(), SetupError>>);

/// The files of a recording.
struct Files {
    log: Option<(PathBuf, BufWriter<File>)>,
    captures: Option<[(PathBuf, Capture<BufWriter<File>>); 2]>,
    waiting: Arc<Waiting>,
}

impl Recorder {
    /// Begins the files of `recording`. Captures hold packets of `layer`, and their stamps count
    /// from `started`, itself counted from 1970.
    pub(crate) fn start(
        recording: &Recording,
        layer: LinkLayer,
        started: Duration,
    ) -> Result<(Self, Tape), SetupError> {
        let log = recording.log.as_ref().map(|path| create(path.clone())).transpose()?;
        let capture = |directory: &Path, name: &str| {
            let (path, file) = create(directory.join(name).with_extension("pcapng"))?;
            let capture = Capture::at(file, name, layer, started, recording.snap);
            let capture = capture.map_err(|error| unwritable(&path, &error))?;
            Ok::<_, SetupError>((path, capture))
        };
        let captures = match &recording.captures {
            Some(directory) => {
                Some([capture(directory, "network")?, capture(directory, "mobile")?])
            }
            None => None,
        };
        let (tape, items) = Tape::of(recording);
        let mut files = Files { log, captures, waiting: Arc::clone(&tape.waiting) };
        let thread = thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || files.write_all(&items).and_then(|()| files.flush()))
            .map_err(|error| setup_error!("cannot start the recorder: {error}"))?;
        Ok((Self(thread), tape))
    }

    /// Waits until all is written.
    ///
    /// # Errors
    /// A file could not be written to its end.
    ///
    /// # Panics
    /// If the recorder did.
    pub(crate) fn finish(self) -> Result<(), SetupError> {
        self.0.join().expect("the recorder does not panic")
    }
}

/// Between two looks for something to write: a packet need not wake the writer.
const REST: std::time::Duration = std::time::Duration::from_millis(20);

impl Files {
    /// Writes what comes until the tape is gone.
    fn write_all(&mut self, items: &Receiver<Item>) -> Result<(), SetupError> {
        loop {
            if self.waiting.is_too_much() {
                return Err(setup_error!(
                    "the log or the captures were given up: packets came faster than they could \
                     be written, and {} MiB waited",
                    MOST_WAITING >> 20
                ));
            }
            match items.try_recv() {
                Ok(item) => {
                    self.waiting.change(|waiting| waiting - item.weight());
                    self.write(&item)?;
                }
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    self.flush()?;
                    thread::sleep(REST);
                }
            }
        }
    }

    fn write(&mut self, item: &Item) -> Result<(), SetupError> {
        match item {
            Item::Row(row) => {
                let Some((path, log)) = &mut self.log else { return Ok(()) };
                let line = serde_json::to_writer(&mut *log, row).map_err(io::Error::from);
                line.and_then(|()| log.write_all(b"\n")).map_err(|error| unwritable(path, &error))
            }
            Item::Frame { side, at, frame } => {
                let Some([network, mobile]) = &mut self.captures else { return Ok(()) };
                let (path, capture) = match side {
                    Side::Network => network,
                    Side::Mobile => mobile,
                };
                capture.write_packet(*at, frame).map_err(|error| unwritable(path, &error))
            }
        }
    }

    /// Lets readers see what is written so far.
    fn flush(&mut self) -> Result<(), SetupError> {
        if let Some((path, log)) = &mut self.log {
            log.flush().map_err(|error| unwritable(path, &error))?;
        }
        for (path, capture) in self.captures.iter_mut().flatten() {
            capture.flush().map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn create(path: PathBuf) -> Result<(PathBuf, BufWriter<File>), SetupError> {
    let file = File::create(&path).map_err(|error| unwritable(&path, &error))?;
    Ok((path, BufWriter::new(file)))
}

fn unwritable(path: &Path, error: &io::Error) -> SetupError {
    setup_error!("cannot write {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts frames of 64 KiB, which share their bytes, on a tape.
    fn put_frames(tape: &Tape, number: u64) {
        let frame = Bytes::from(vec![0; 1 << 16]);
        for _ in 0..number {
            tape.frame(Side::Mobile, Time::ZERO, &frame);
        }
    }

    #[test]
    fn what_a_disk_cannot_follow_is_given_up_whole() {
        let recording = Recording { captures: Some(PathBuf::new()), ..Recording::default() };
        for (number, is_given_up) in [(4000, false), (4200, true)] {
            let (tape, items) = Tape::of(&recording);
            put_frames(&tape, number);
            let mut files = Files { log: None, captures: None, waiting: tape.waiting.clone() };
            drop(tape);
            let said = files.write_all(&items).err().map(|trouble| trouble.to_string());
            assert_eq!(said.is_some(), is_given_up, "{said:?}");
        }
    }

    #[test]
    fn what_was_written_waits_no_more() {
        let recording = Recording { captures: Some(PathBuf::new()), ..Recording::default() };
        let (tape, items) = Tape::of(&recording);
        for _ in 0..3 {
            put_frames(&tape, 4000);
            for item in items.try_iter() {
                tape.waiting.change(|waiting| waiting - item.weight());
            }
        }
        assert!(!tape.waiting.is_too_much());
    }

    #[test]
    fn a_full_disk_is_one_line() {
        let full = PathBuf::from("/dev/full");
        let recording = Recording { log: Some(full), ..Recording::default() };
        let (recorder, tape) =
            Recorder::start(&recording, LinkLayer::Ip, Duration::ZERO).expect("it can be opened");
        let arrival = Arrival {
            at: Time::ZERO,
            unseen: Duration::ZERO,
            bytes: 100,
            protocol: Some(6),
            delivery: PacketOutcome::Delivered,
            number: 0,
            backlog: 0,
        };
        for _ in 0..1000 {
            tape.row(|| Row::new(Direction::Uplink, &arrival, None, None, PacketOutcome::Memory));
        }
        drop(tape);
        let said = recorder.finish().expect_err("the disk is full").to_string();
        assert!(said.starts_with("cannot write /dev/full: No space left"), "{said}");
    }
}
