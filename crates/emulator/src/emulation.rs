//! An emulator at work: its namespaces, its packet thread and its record.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use base::{Duration, Time};
use scenario::{Change, LiveState, Scenario};
use wire::LinkLayer;

use crate::emulator::{Call, Emulator};
use crate::long_queues;
use crate::netns::Devices;
use crate::packet_ledger::{PacketLedger, Reader};
use crate::record::{self, Directions, Lateness, Moment, Record};
use crate::recorder::{Recorder, Recording};
use crate::{NetnsSetup, Side};
use os::today;
use os::{Clock, Port, Scheduling, SetupError, Waker, hurry, setup_error};

/// Where and how an emulator shall run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmulationConfig {
    /// The largest IP packet of a fresh namespace in bytes.
    pub mtu: u16,
    /// Two existing interfaces to stand between, the network's side first; without, a fresh
    /// namespace.
    pub between: Option<[String; 2]>,
    /// What is written of the run.
    pub recording: Recording,
}

/// An emulator that runs from [`Emulation::start`] to [`Emulation::finish`].
#[derive(Debug)]
pub struct Emulation {
    packets: PacketThread,
    recorder: Recorder,
    netns: NetnsSetup,
    notes: Vec<String>,
    scenario: String,
    seed: u64,
    mtu: Option<u16>,
    started: String,
}

impl Emulation {
    /// Sets up the namespaces and lets packets through `scenario`.
    ///
    /// # Errors
    /// One line: what is missing, refused or cannot be written.
    pub fn start(scenario: &Scenario, config: &EmulationConfig) -> Result<Self, SetupError> {
        let (layer, (netns, devices)) = match &config.between {
            Some([network, mobile]) => {
                (LinkLayer::Ethernet, NetnsSetup::bridge([network, mobile])?)
            }
            None => (LinkLayer::Ip, NetnsSetup::create_namespace(config.mtu)?),
        };
        let (clock, (since_1970, started)) = (Clock::start(), today());
        let (recorder, tape) = Recorder::start(&config.recording, layer, since_1970)?;
        let (calls, called) = channel();
        let ledger = PacketLedger::new(tape);
        let link_header_bytes = devices[0].link_header_bytes();
        let emulator = Emulator::new(scenario, link_header_bytes, ledger, called);
        let packets = PacketThread::start(clock, devices, emulator, calls)?;
        Ok(Self {
            packets,
            recorder,
            notes: [netns.notes(), &long_queues::notes(scenario, config.mtu)].concat(),
            netns,
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            mtu: config.between.is_none().then_some(config.mtu),
            started,
        })
    }

    /// What programs on either side may want to know.
    pub fn environment(&self) -> Vec<(String, String)> {
        self.netns.environment()
    }

    /// Remarks of one line for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Starts `command` on a side, with `environment` besides its own, and tells its process id.
    ///
    /// # Errors
    /// The kernel's: `NotFound`, `PermissionDenied`.
    pub fn spawn(
        &self,
        side: Side,
        command: &[OsString],
        environment: &[(OsString, OsString)],
    ) -> io::Result<u32> {
        self.netns.spawn(side, command, environment)
    }

    /// How the link fares; rates and delays are those since `reader` read it last.
    ///
    /// # Errors
    /// The emulator has failed; [`Emulation::finish`] says why.
    pub fn meter(&self, reader: Reader) -> Result<Moment, SetupError> {
        self.packets.ask(|answer| Call::Read(reader, answer))
    }

    /// What can be changed, and what it is like now.
    ///
    /// # Errors
    /// The emulator has failed; [`Emulation::finish`] says why.
    pub fn state(&self) -> Result<LiveState, SetupError> {
        self.packets.ask(Call::State)
    }

    /// Makes `change` at once.
    ///
    /// # Errors
    /// The emulator has failed; [`Emulation::finish`] says why.
    pub fn change(&self, change: Change) -> Result<(), SetupError> {
        self.packets.ask(|done| Call::Change(change, done))
    }

    /// From now on nothing gets through for as long as `lasts`; zero ends that.
    ///
    /// # Errors
    /// The emulator has failed; [`Emulation::finish`] says why.
    pub fn black_out(&self, lasts: Duration) -> Result<(), SetupError> {
        self.packets.ask(|done| Call::BlackOut(lasts, done))
    }

    /// Whether packets are under way, or the mobile side has a TCP connection that is not over.
    ///
    /// # Errors
    /// The emulator has failed; [`Emulation::finish`] says why.
    pub fn is_busy(&self) -> Result<bool, SetupError> {
        let Moment { down, up, .. } = self.meter(Reader::Run)?;
        Ok(down.queue.packets + up.queue.packets > 0 || self.netns.has_open_connections())
    }

    /// Stops, takes the namespaces away and says what became of all packets.
    ///
    /// # Errors
    /// One line: why the emulator had stopped, or what could not be written.
    pub fn finish(mut self) -> Result<Record, SetupError> {
        let ended = self.packets.stop();
        let left_behind = self.netns.close();
        let Ended { mut emulator, at, scheduling, dropped_before } = match ended {
            Ok(ended) => ended,
            Err(trouble) => {
                // What stopped the emulator matters more than a file that lacks its end.
                self.recorder.finish().ok();
                return Err(trouble);
            }
        };
        let balance = emulator.close();
        let directions = Directions::of(&emulator, dropped_before);
        let (links, radio, energy) = record::machines(&emulator, at);
        let lateness_s = Lateness::of(&emulator.ledger.lateness);
        // With the emulator goes its tape, so that the recorder comes to an end.
        drop(emulator);
        self.recorder.finish()?;
        balance.map_err(SetupError::new)?;
        Ok(Record {
            scenario: self.scenario,
            seed: self.seed,
            started: self.started,
            wall_s: at.as_secs_f64(),
            mtu: self.mtu,
            scheduling,
            left_behind,
            command: None,
            exit_status: None,
            directions,
            links,
            radio,
            energy,
            lateness_s,
        })
    }
}

/// The thread that carries packets. It ends with its owner.
#[derive(Debug)]
struct PacketThread {
    waker: Arc<Waker>,
    calls: Sender<Call>,
    thread: Option<JoinHandle<Result<Ended, SetupError>>>,
}

/// What the thread leaves behind.
#[derive(Debug)]
struct Ended {
    emulator: Emulator,
    at: Time,
    scheduling: Scheduling,
    dropped_before: [u64; 2],
}

impl PacketThread {
    fn start(
        clock: Clock,
        devices: Devices,
        mut emulator: Emulator,
        calls: Sender<Call>,
    ) -> Result<Self, SetupError> {
        let cannot = |error: io::Error| setup_error!("cannot start the emulator: {error}");
        let waker = Arc::new(Waker::new().map_err(cannot)?);
        let rung = Arc::clone(&waker);
        let stopped = |error: io::Error| setup_error!("the emulator stopped: {error}");
        let uncounted = |error: io::Error| {
            setup_error!("cannot say how many packets the kernel dropped: {error}")
        };
        let carry = move || {
            let scheduling = hurry();
            let ports = devices.each_ref().map(|device| &**device as &dyn Port);
            os::run(&clock, &ports, &rung, scheduling, &mut emulator).map_err(stopped)?;
            let [network, mobile] = devices.each_ref().map(|device| device.dropped());
            let dropped_before = [network.map_err(uncounted)?, mobile.map_err(uncounted)?];
            Ok(Ended { emulator, at: clock.now(), scheduling, dropped_before })
        };
        let thread = thread::Builder::new().name("packets".to_owned()).spawn(carry);
        Ok(Self { waker, calls, thread: Some(thread.map_err(cannot)?) })
    }

    /// What the thread answers to a call.
    fn ask<T: Send + Sync + 'static>(
        &self,
        call: impl FnOnce(Sender<T>) -> Call,
    ) -> Result<T, SetupError> {
        let (answer, answered) = channel();
        self.call(call(answer))
            .and_then(|()| answered.recv().map_err(io::Error::other))
            .map_err(|_| SetupError::new("the emulator has stopped"))
    }

    fn call(&self, call: Call) -> io::Result<()> {
        self.calls.send(call).map_err(io::Error::other)?;
        self.waker.wake()
    }

    fn stop(&mut self) -> Result<Ended, SetupError> {
        let thread = self.thread.take().expect("it is stopped once");
        // One that has stopped already says why.
        self.call(Call::Stop).ok();
        thread.join().unwrap_or_else(|_| Err(SetupError::new("the emulator failed: see above")))
    }
}

impl Drop for PacketThread {
    fn drop(&mut self) {
        if self.thread.is_some() {
            drop(self.stop());
        }
    }
}
