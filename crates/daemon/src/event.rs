//! The events of a proxy's log.

use proxy::LogLevel;

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $event:ident = $name:literal, $level:ident;)+) => {
        /// Events, each with its name in the log and its level.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Event {
            $($(#[doc = $doc])+ $event,)+
        }

        impl Event {
            /// All there are.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$event,)+];

            /// Its name in the log.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$event => $name,)+
                }
            }

            /// Its level.
            pub(crate) fn level(self) -> LogLevel {
                match self {
                    $(Self::$event => LogLevel::$level,)+
                }
            }
        }
    };
}

events! {
    /// The daemon runs: its version, process and configuration file.
    Started = "started", Info;
    /// Packets are diverted to the worker from now on.
    Serving = "serving", Info;
    /// A process that handles packets was started: its process.
    WorkerStarted = "worker started", Info;
    /// The worker ended by itself or by a signal; its packets are forwarded plainly, or refused.
    WorkerDied = "worker died", Error;
    /// What ended a worker: why, and in a panic where.
    WorkerFailed = "worker failed", Error;
    /// The worker gave no sign of life for too long, and was killed.
    WorkerHung = "worker hung", Error;
    /// The worker is late since it waits for a processor, and is left alone: its process.
    WorkerStarved = "worker starved", Warning;
    /// Connections of a worker or a daemon that is gone were reset in both directions: how many.
    FlowsReset = "flows reset", Warning;
    /// The journal of a killed daemon cannot be used: why.
    JournalRefused = "journal refused", Warning;
    /// A reload took effect: names of profiles that only old connections still have.
    Reloaded = "reloaded", Info;
    /// A file could not be used; the previous configuration stays in force: why.
    ReloadRefused = "reload refused", Error;
    /// All connections of profiles that a reload took away are over: the names of these.
    Retired = "retired", Info;
    /// No new connections are taken, and those that can be are handed back: how long at most.
    Draining = "draining", Info;
    /// The last connection ended or was reset.
    Drained = "drained", Info;
    /// Rules, routes and the device are gone.
    Stopped = "stopped", Info;
    /// A change to the system could not be undone: why.
    NotUndone = "not undone", Error;
    /// A problem of this machine that may hinder the proxy.
    Host = "host", Warning;
    /// The largest packets of the interfaces have changed: wired and radio, in bytes.
    MtuChanged = "mtu changed", Info;
    /// The metrics or the control socket do not work: why.
    Unobservable = "unobservable", Warning;
    /// Handshakes went on without the proxy to make room for newer ones: how many since the last
    /// such line.
    HandshakesDisplaced = "handshakes displaced", Warning;
    /// A connection is over. Only where log.flows is on.
    FlowEnded = "flow ended", Info;
}

impl Event {
    /// How many may be logged in a row.
    pub(super) fn burst(self) -> u32 {
        if self == Self::FlowEnded { 10_000 } else { 20 }
    }
}
