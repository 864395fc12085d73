//! What the tests of acknowledged mode share.

use base::Duration;

use super::{Poll, Repetition, Status};
use crate::umts::rlc::block::{DataKind, Run};
use crate::umts::rlc::{RlcConfig, Sn};

/// PDUs of 40 bytes, every trigger off.
pub(in crate::umts::rlc) fn config() -> RlcConfig {
    RlcConfig {
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
        ..RlcConfig::default()
    }
}

pub(super) use crate::testing::of as share;
pub(super) use crate::umts::rlc::testing::{at, sdus, show, tti};

/// New PDUs `sn..sn + pdus`.
pub(super) fn run(sn: u64, pdus: u32) -> Run {
    Run { sn: Sn::new(sn), pdus, kind: DataKind::New, poll: false }
}
