//! What an aggregating proxy is told of its radio.

use base::{Duration, Rate};

use crate::Connection;

/// How the aggregates of all mobiles behave. Section, equation and page numbers are those of
/// Chakravorty et al. 2003.
#[derive(Clone, PartialEq, Debug)]
pub struct AtcpConfig {
    /// What may be in flight to a mobile, in bytes (§IV.C: `C_clamp`); where it is estimated, what
    /// it starts with.
    pub clamp: u64,
    /// Where it comes from afterwards.
    pub estimator: Estimation,
    /// `C_clamp` ÷ (rate × round-trip time), where it is estimated (§IV.C: "around 30 % larger").
    pub headroom: f64,
    /// What the radio carries (§IV.D: `C_init`). Half of it is the least that is not yet taken for
    /// a stall.
    pub rate: Rate,
    /// The usual round-trip time over the radio (§IV.D: `RTT_init`).
    pub round_trip: Duration,
    /// What is held for a mobile ÷ (rate × round-trip time) (§IV.D: β).
    pub overprovision: f64,
    /// The most that is ever held for a mobile, in bytes: what waits, what is in flight, and what
    /// senders have been allowed to send.
    pub budget: u64,
    /// How the windows that senders see follow the queue.
    pub flow_control: FlowControl,
    /// How many later packets must have arrived for a packet to be lost (§IV.E: 3).
    pub skip_threshold: u32,
    /// How much longer a packet may take to be acknowledged than later ones of other flows. The
    /// paper has none: zero.
    pub patience: Duration,
    /// The least retransmission timeout (§IV.E: "relatively conservative").
    pub min_rto: Duration,
    /// How long less than a full segment may wait for more; `None` sends it at once.
    pub coalescing: Option<Duration>,
    /// What the first packets after an idle time are shaped to (§IV.C); `None` sends them at once.
    pub shaping: Option<Rate>,
    /// What lower priorities may send while a higher one is active, ÷ `rate`; `None` as much as the
    /// window has room for.
    pub deference: Option<f64>,
    /// What room for less than a segment is worth.
    pub fraction: Fraction,
    /// Which flows are treated how; the first that fits counts. What none fits has priority 0 and
    /// one ticket.
    pub classes: Vec<Class>,
}

/// Equations (1) and (2): a window grows by c − (a·q − b)·s a second, where q bytes wait in the
/// aggregate and s is the flow's sending rate in units of its fair share. The queue settles at
/// (b + c) ÷ a.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowControl {
    /// a, in 1/s.
    pub a: f64,
    /// b, in bytes/s.
    pub b: f64,
    /// c, which the equation calls `μ_c`, in bytes/s.
    pub c: f64,
}

/// Where the congestion window of an aggregate comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimation {
    /// It stays as configured.
    Static,
    /// From the rate at which packets arrive, as TCP Westwood does.
    Westwood,
    /// From what the radio reports.
    Radio,
}

/// What room for less than a segment in the window is worth. Where the radio's round trip is a few
/// segments long, one segment more or less is a long queue or an idle radio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fraction {
    /// Nothing: a segment leaves when there is room for all of it (§IV.B).
    Waits,
    /// A segment leaves when what there is no room for has had the time that it takes at
    /// [`AtcpConfig::rate`]: as much as would have left a window that moved by bytes.
    Timed,
}

/// How flows of a kind are scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Which flows.
    pub flows: Kind,
    /// Nothing of a lower priority is sent while something of a higher one can be. Above 0 a flow
    /// is interactive: its segments never wait to be filled.
    pub priority: u8,
    /// Flows of one priority share in proportion to their tickets; above zero.
    pub tickets: u32,
}

/// How flows are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// By the port of either end.
    Port(u16),
    /// By the differentiated services code point of the sender's packets (RFC 2474).
    Dscp(u8),
}

impl AtcpConfig {
    /// How a flow is scheduled.
    pub(super) fn class(&self, connection: &Connection, dscp: u8) -> Share {
        let ports = [connection.source_port, connection.destination_port];
        let fits = |class: &&Class| match class.flows {
            Kind::Port(port) => ports.contains(&port),
            Kind::Dscp(codepoint) => codepoint == dscp,
        };
        self.classes.iter().find(fits).map_or(Share { priority: 0, tickets: 1 }, |class| Share {
            priority: class.priority,
            tickets: class.tickets.max(1),
        })
    }

    /// §IV.D: `w_init` = RTT·C·β, in bytes.
    pub(super) fn initial_window(&self) -> f64 {
        self.rate.bytes_in(self.round_trip) as f64 * self.overprovision
    }

    /// How long the radio needs for `bytes`.
    pub(super) fn transmission(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(self.rate.as_bps());
        Duration::from_nanos(nanos as u64)
    }

    /// How long the network may need for `clamp` bytes before that is a stall: twice as long as at
    /// the usual rate.
    pub(super) fn drain(&self, clamp: u64) -> Duration {
        self.transmission(2 * clamp)
    }
}

/// How a flow is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    pub(super) priority: u8,
    pub(super) tickets: u32,
}
