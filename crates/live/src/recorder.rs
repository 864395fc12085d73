//! Logs and captures, written by a thread of their own: files never hold up packets.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "logs and captures are files; this room talks to the system"
)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use base::{Direction, DropReason, Duration, Time};
use bytes::Bytes;
use serde::Serialize;
use wire::{Capture, LinkLayer};

use crate::books::{Arrival, index};
use crate::{Side, Trouble};

/// What is written of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// One row a packet, as JSON lines.
    pub log: Option<PathBuf>,
    /// The directory for `network.pcapng` and `mobile.pcapng`.
    pub captures: Option<PathBuf>,
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It left.
    Delivered,
    /// It was still held at the end.
    Queued,
    /// It was dropped by the model.
    Dropped(DropReason),
    /// It was not taken in, since too much was held.
    Memory,
    /// The kernel did not take it.
    Refused,
}

impl Fate {
    const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Queued => "queued",
            Self::Memory => "memory",
            Self::Refused => "refused",
            Self::Dropped(DropReason::Queue) => "queue",
            Self::Dropped(DropReason::Aqm) => "aqm",
            Self::Dropped(DropReason::Loss) => "loss",
            Self::Dropped(DropReason::List) => "list",
            Self::Dropped(DropReason::Outage) => "outage",
            Self::Dropped(DropReason::Discarded) => "discarded",
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
        fate: Fate,
    ) -> Self {
        Self {
            uid: arrival.number,
            direction: ["down", "up"][index(direction)],
            bytes: arrival.bytes,
            protocol: arrival.protocol,
            entered_s: arrival.at.as_secs_f64(),
            due_s: due.map(Time::as_secs_f64),
            left_s: left.map(Time::as_secs_f64),
            fate: fate.name(),
            backlog_packets: arrival.backlog,
        }
    }
}

/// Something to write.
enum Item {
    Row(Row),
    Frame { side: Side, at: Time, frame: Bytes },
}

/// The end of a recorder that packets see: it takes what is wanted, and writes nothing itself.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    rows: Option<Sender<Item>>,
    frames: Option<Sender<Item>>,
}

impl Tape {
    pub(crate) fn row(&self, row: impl FnOnce() -> Row) {
        if let Some(sender) = &self.rows {
            // A writer that is gone says why at the end.
            sender.send(Item::Row(row())).ok();
        }
    }

    pub(crate) fn frame(&self, side: Side, at: Time, frame: &Bytes) {
        if let Some(sender) = &self.frames {
            sender.send(Item::Frame { side, at, frame: frame.clone() }).ok();
        }
    }
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Recorder(JoinHandle<Result<(), Trouble>>);

/// The files of a recording.
struct Files {
    log: Option<(PathBuf, BufWriter<File>)>,
    captures: Option<[(PathBuf, Capture<BufWriter<File>>); 2]>,
}

impl Recorder {
    /// Begins the files of `recording`. Captures hold packets of `layer`, and their stamps count
    /// from `started`, itself counted from 1970.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn start(
        recording: &Recording,
        layer: LinkLayer,
        started: Duration,
    ) -> Result<(Self, Tape), Trouble> {
        let log = recording.log.as_ref().map(|path| create(path.clone())).transpose()?;
        let capture = |directory: &Path, name: &str| {
            let (path, file) = create(directory.join(name).with_extension("pcapng"))?;
            let capture = Capture::at(file, name, layer, started);
            let capture = capture.map_err(|error| unwritable(&path, &error))?;
            Ok((path, capture))
        };
        let captures = match &recording.captures {
            Some(directory) => {
                Some([capture(directory, "network")?, capture(directory, "mobile")?])
            }
            None => None,
        };
        let (sender, items) = channel();
        let tape = Tape {
            rows: log.is_some().then(|| sender.clone()),
            frames: captures.is_some().then_some(sender),
        };
        let mut files = Files { log, captures };
        let thread = thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || files.write_all(&items).and_then(|()| files.flush()))
            .map_err(|error| Trouble::new(format!("cannot start the recorder: {error}")))?;
        Ok((Self(thread), tape))
    }

    /// Waits until all is written.
    ///
    /// # Errors
    /// A file could not be written to its end.
    ///
    /// # Panics
    /// If the recorder did.
    pub(crate) fn finish(self) -> Result<(), Trouble> {
        self.0.join().expect("the recorder does not panic")
    }
}

/// Between two looks for something to write: a packet need not wake the writer.
const REST: std::time::Duration = std::time::Duration::from_millis(20);

impl Files {
    /// Writes what comes until the tape is gone.
    fn write_all(&mut self, items: &Receiver<Item>) -> Result<(), Trouble> {
        loop {
            match items.try_recv() {
                Ok(item) => self.write(&item)?,
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    self.flush()?;
                    thread::sleep(REST);
                }
            }
        }
    }

    fn write(&mut self, item: &Item) -> Result<(), Trouble> {
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
    fn flush(&mut self) -> Result<(), Trouble> {
        if let Some((path, log)) = &mut self.log {
            log.flush().map_err(|error| unwritable(path, &error))?;
        }
        for (path, capture) in self.captures.iter_mut().flatten() {
            capture.flush().map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn create(path: PathBuf) -> Result<(PathBuf, BufWriter<File>), Trouble> {
    let file = File::create(&path).map_err(|error| unwritable(&path, &error))?;
    Ok((path, BufWriter::new(file)))
}

fn unwritable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::new(format!("cannot write {}: {error}", path.display()))
}
