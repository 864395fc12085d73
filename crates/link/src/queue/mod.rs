//! What waits ahead of a link, and what is dropped.
//!
//! A `Judge`, as RED and `CoDel` are, sees facts of the queue and answers with a [`Verdict`]; it
//! holds no packets. The packets are in a [`Queue`], in one lane with its judge (`fifo`), in many
//! that take turns (`turns`), or in two that are coupled (`dual`). The keys of a scenario for all
//! this are [`Queues`].

pub mod cake;
pub mod codel;
pub mod droptail;
mod dual;
pub mod dualpi2;
pub mod fair;
mod fifo;
pub mod fq_codel;
mod keys;
mod lane;
pub mod pie;
pub mod red;
mod ticks;
mod turns;
mod waiting;

use std::fmt;

use base::{Stream, Time};
use settings::{Always, section, words};

pub use aqm::{Departure, Verdict};
pub use keys::{Queues, ReverseQueue};
pub use waiting::{Queue, Queued, Transmission};

/// Longest wait that may be aimed at, in nanoseconds: where packets wait for a minute every
/// retransmission timer may have run out (RFC 6298 §2.5).
const LONGEST_WAIT: u64 = 60_000_000_000;

/// Declares the disciplines, each with the module of the same name, which has its parameters, its
/// state and its table of keys.
macro_rules! disciplines {
    ($($(#[doc = $doc:literal])* $name:ident: $module:ident = $word:literal,)*) => {
        words! {
            /// Which packets are dropped before a queue is full.
            pub enum Kind {
                /// None.
                DropTail = "droptail",
                $($(#[doc = $doc])* $name = $word,)*
            }
        }

        /// A [`Kind`] with its parameters.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Discipline {
            /// None.
            DropTail,
            $($(#[doc = $doc])* $name($module::Config),)*
        }

        impl Discipline {
            /// Its state at an empty queue; `chance` gives it sources of chance by name.
            fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start {
                match self {
                    Self::DropTail => Start::Fifo(None),
                    $(Self::$name(parameters) => parameters.start(chance),)*
                }
            }
        }

        section! {
            /// The parameters of all disciplines, those of each in a table of its own.
            #[derive(Copy)]
            pub struct Disciplines {
                $($(#[doc = $doc])*
                pub $module: $module::Config as Always<$module::Config> =
                    $module::Config::default();)*
            }
            $(only_with($module: kind, back.kind is [$word]))*
        }

        impl Disciplines {
            /// That of the `kind`.
            pub const fn of(&self, kind: Kind) -> Discipline {
                match kind {
                    Kind::DropTail => Discipline::DropTail,
                    $(Kind::$name => Discipline::$name(self.$module),)*
                }
            }
        }

        impl Kind {
            /// True if it notifies senders of congestion before the queue is full, in the way that
            /// [`Config::notice`] says.
            pub const fn notifies(self) -> bool {
                match self {
                    Self::DropTail => false,
                    $(Self::$name => <$module::Config as Parameters>::NOTIFIES,)*
                }
            }

            /// Packets that fit, unless a key says so.
            pub const fn packets(self) -> u32 {
                match self {
                    Self::DropTail => droptail::PACKETS,
                    $(Self::$name => <$module::Config as Parameters>::PACKETS,)*
                }
            }

            /// The names of those that do.
            fn notifying() -> Vec<&'static str> {
                Self::ALL.iter().filter(|kind| kind.notifies()).map(|kind| kind.name()).collect()
            }
        }
    };
}

disciplines! {
    /// Some on arrival, with a chance that grows with the average queue: Floyd and Jacobson 1993.
    Red: red = "red",
    /// Some on departure, while packets have waited too long for some time: RFC 8289.
    CoDel: codel = "codel",
    /// Flows take turns, and the longest one loses a packet when all is full: RFC 8290 without
    /// `CoDel`.
    Fair: fair = "fair",
    /// Flows take turns, with `CoDel` for each: RFC 8290.
    FqCoDel: fq_codel = "fq-codel",
    /// Some on arrival, with a chance that a controller of the wait adjusts: RFC 8033.
    Pie: pie = "pie",
    /// Some on departure, from two coupled queues of which one is for L4S: RFC 9332.
    DualPi2: dualpi2 = "dualpi2",
    /// Some on departure, behind a shaper, where hosts and then flows take turns: CAKE.
    Cake: cake = "cake",
}

/// The parameters of a discipline.
trait Parameters {
    /// True if it notifies senders of congestion before the queue is full, in the way that
    /// [`Config::notice`] says.
    const NOTIFIES: bool = false;

    /// Packets that fit, unless a key says so.
    const PACKETS: u32 = droptail::PACKETS;

    /// Its state at an empty queue; `chance` gives it sources of chance by name.
    fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start;
}

/// The state that a discipline starts with.
#[derive(Debug)]
enum Start {
    /// One FIFO of packets, and who decides on them, if anybody does.
    Fifo(Option<Box<dyn Judge>>),
    /// Flows take turns.
    Turns(turns::Config),
    /// Two coupled lanes, which mark whatever can be marked.
    Dual(dualpi2::Config),
    /// Flows of hosts take turns behind a shaper, with a source of chance.
    Cake(cake::Config, Stream),
}

impl Start {
    /// One FIFO of packets, on which `judge` decides.
    fn judged(judge: impl Judge + 'static) -> Self {
        Self::Fifo(Some(Box::new(judge)))
    }
}

/// Who decides on single packets.
trait Judge: fmt::Debug + Send + Sync {
    /// Decides on a packet that arrives.
    fn on_arrival(&mut self, _now: Time, _arrival: Arrival) -> Verdict {
        Verdict::Pass
    }

    /// The packet that arrived did not fit, whatever was decided on it.
    fn on_refusal(&mut self) {}

    /// Decides on the packet whose turn it is. If that is dropped, it is asked about the next.
    fn on_departure(&mut self, _now: Time, _departure: Departure) -> Verdict {
        Verdict::Pass
    }

    /// Whether it matters how long the transmitter was idle.
    fn uses_idle_time(&self) -> bool {
        false
    }
}

/// How a sender is notified of congestion before the queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// By dropping the packet.
    Drop,
    /// By a mark on packets that can carry one (RFC 3168 §5), else by dropping them.
    Mark,
}

/// A queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Its limits.
    pub limit: droptail::Limit,
    /// Which packets are dropped before it is full.
    pub discipline: Discipline,
    /// How their senders are notified.
    pub notice: Notice,
}

impl Config {
    /// A drop-tail queue of any length.
    pub const UNLIMITED: Self = Self {
        limit: droptail::Limit { packets: None, bytes: None },
        discipline: Discipline::DropTail,
        notice: Notice::Drop,
    };
}

/// What a link holds that has not left its transmitter. The packet in transmission counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u32,
    /// Their bytes at the IP layer.
    pub bytes: u64,
}

/// A packet that arrives, as a discipline sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// What is there already.
    pub backlog: Backlog,
    /// The bytes of it that wait: all but those of the packet in transmission.
    pub waiting_bytes: u64,
    /// How many bytes the link could have sent since it fell idle; 0 while it is not.
    pub idle_bytes: u64,
}
