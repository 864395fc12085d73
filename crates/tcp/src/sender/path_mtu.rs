//! A path whose MTU is smaller than was assumed (RFC 1191 §6.4, RFC 8201 §5.4).

use observe::{Context, Observe};

use super::Sender;
use crate::Payload;
use crate::recovery::RepairOrder;

/// What happens to segments larger than their path's MTU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Larger {
    /// None arrives.
    Lost,
    /// They go in pieces (RFC 8200 §4.5).
    InPieces,
}

impl<P: Payload> Sender<P> {
    /// No new segment carries more than `bytes`; what is on its way arrives.
    pub(crate) fn limit_new_segments(&mut self, bytes: u32) {
        self.mss = self.mss.min(bytes.max(1));
    }

    /// No segment carries more than `bytes` from now on. What is on its way and larger cannot have
    /// arrived: it is retransmitted at once in smaller pieces, and that is no sign of congestion
    /// (RFC 1191 §6.4, RFC 8201 §5.4). A limit of no less than a full segment changes nothing.
    pub fn limit_segment(&mut self, cx: &mut Context<'_, impl Observe>, bytes: u32) {
        let bytes = bytes.max(1);
        if bytes >= self.mss {
            return;
        }
        self.mss = bytes;
        if !self.buffer.board.cut(bytes, self.buffer.end()) {
            return;
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.cut(self.buffer.board.iter());
        }
        self.timer.stop_timing();
        self.recovery.on_cut(cx.now, self.buffer.max(), u64::from(bytes), &mut self.buffer.board);
        if self.order() == RepairOrder::Stream {
            self.go_back();
        }
        self.restart_timer(cx.now);
        self.update_window(cx);
    }
}
