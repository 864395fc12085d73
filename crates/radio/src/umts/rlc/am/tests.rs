//! What the tests of acknowledged mode share.

use base::{Duration, Probability, Time};

use super::block::{DataKind, Run};
use super::segmentation::Sdus;
use super::{Concatenation, Config, OnLimit, Poll, Repetition, Status};
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::Sn;

/// PDUs of 40 bytes, every trigger off.
pub(super) fn config() -> Config {
    Config {
        pdu_payload: 40,
        window: 4095,
        concatenation: Concatenation::Allowed,
        in_order: true,
        max_retransmissions: None,
        on_limit: OnLimit::Reset,
        discard_timer: None,
        poll: Poll {
            last_in_buffer: false,
            last_in_retransmission_buffer: false,
            every_pdus: None,
            every_sdus: None,
            window_utilization: None,
            timer: None,
            prohibit: None,
        },
        status: Status {
            missing: false,
            periodic: None,
            prohibit: None,
            estimated_pdu_counter: None,
        },
        reset: Repetition { timer: Duration::from_millis(300), max: None },
        move_window: Repetition { timer: Duration::from_millis(200), max: None },
    }
}

pub(super) fn share(value: f64) -> Probability {
    Probability::new(value).expect("in range")
}

pub(super) fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// An empty TTI for `capacity` blocks that starts at `millis`.
pub(super) fn tti(millis: u64, capacity: u32) -> TransportBlocks {
    let mut blocks = TransportBlocks::new(capacity);
    blocks.begin(at(millis));
    blocks
}

/// New PDUs `sn..sn + pdus`.
pub(super) fn run(sn: u64, pdus: u32) -> Run {
    Run { sn: Sn::new(sn), pdus, kind: DataKind::New, poll: false }
}

/// `count` SDUs of `bytes` bytes.
pub(super) fn sdus(config: &Config, count: usize, bytes: u32) -> Sdus {
    let mut sdus = Sdus::new(config);
    (0..count).for_each(|_| sdus.push(Time::ZERO, bytes));
    sdus
}

/// What a TTI holds: data as `sn` or `sn-sn`, `r` before retransmissions, `?` after a poll.
pub(super) fn show(blocks: &TransportBlocks) -> String {
    let show = |run: &Run| {
        let first = run.sn.wire();
        let last = (run.sn + u64::from(run.pdus - 1)).wire();
        let again = if run.kind == DataKind::Again { "r" } else { "" };
        let poll = if run.poll { "?" } else { "" };
        let range = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        format!("{again}{range}{poll}")
    };
    blocks.data.iter().map(show).collect::<Vec<_>>().join(" ")
}
