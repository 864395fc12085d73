//! A path that takes less than was thought (RFC 1191 §6.4, RFC 8201 §5.4).

use base::{Observe, Time};

use crate::recovery::Order;
use crate::{Payload, Sender};

impl<P: Payload> Sender<P> {
    /// No segment carries more than `bytes` from now on. What is on its way and larger cannot have
    /// arrived: it goes again at once in smaller pieces, and that is no sign of congestion
    /// (RFC 1191 §6.4, RFC 8201 §5.4). A limit of no less than a full segment changes nothing.
    pub fn limit_segment<O: Observe>(&mut self, now: Time, bytes: u32, observe: &mut O) {
        let bytes = bytes.max(1);
        if bytes >= self.mss {
            return;
        }
        self.mss = bytes;
        if !self.board.cut(bytes, self.buffer.end()) {
            return;
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.cut(self.board.iter());
        }
        self.timed = None;
        self.recovery.on_cut(self.max, &mut self.board);
        match self.recovery.order(&self.board) {
            Order::Stream => self.go_back(),
            Order::Lost { .. } => {}
        }
        self.restart_timer(now);
        self.update_window(now, observe);
    }
}
