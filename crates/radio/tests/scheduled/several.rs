//! Bearers and handovers of any kind, for laws.

use base::Rate;
use link::Load;
use link::queue::droptail::Limit;
use proptest::prelude::*;
use radio::rlc36::RlcMode;
use radio::scheduled::{BearerKeys, Handover};

use super::support::{Exit, ms};

/// Handovers every so often or at a few times, of all mobiles at once or not.
pub(crate) fn handover() -> impl Strategy<Value = Handover> {
    let times = (400_u64..2000, prop::collection::btree_set(1_u64..9, 0..4));
    let gap = (0_u64..300, any::<bool>());
    (times, gap, 0_u64..1000).prop_map(|((every, at), (gap, forwarding), spread)| Handover {
        every: ms(every),
        at: at.into_iter().map(|turn| ms(turn * every)).collect(),
        spread: ms(spread),
        gap: Some(ms(gap)),
        forwarding,
    })
}

/// Bearers beside the default one, for some of the four code points.
pub(crate) fn bearers() -> impl Strategy<Value = Vec<BearerKeys>> {
    let one = (1_u8..=9, prop::option::of(8_000_u64..2_000_000), any::<bool>());
    prop::collection::btree_map(0_u8..4, one, 0..3).prop_map(|bearers| {
        let keys = |(dscp, (priority, guaranteed, is_acknowledged))| BearerKeys {
            name: format!("of-{dscp}"),
            dscp,
            priority,
            guaranteed: Option::map(guaranteed, Rate::from_bps),
            mode: if is_acknowledged { RlcMode::Am } else { RlcMode::Um },
            queue: Limit { packets: None, bytes: None },
            ..BearerKeys::default()
        };
        bearers.into_iter().map(keys).collect()
    })
}

/// Whether one of `bearers` is without acknowledgement.
pub(crate) fn loses(bearers: &[BearerKeys]) -> bool {
    bearers.iter().any(|bearer| bearer.mode == RlcMode::Um)
}

/// What packets are kept in order with: mobile, direction, and bearer.
pub(crate) fn order_of(bearers: &[BearerKeys], exit: &Exit) -> (u32, u8, Option<usize>) {
    let code = exit.packet.dscp();
    let bearer = bearers.iter().position(|bearer| bearer.dscp == code);
    (exit.ue, exit.direction as u8, bearer)
}
