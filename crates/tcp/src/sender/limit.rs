//! What keeps the sending half from sending more.

use observe::{Context, Observe, SendLimit, TcpFact};

use super::Sender;
use crate::Payload;

impl<P: Payload> Sender<P> {
    /// Nothing more leaves for now: reports why, unless that is known.
    pub(super) fn tell_limit<O: Observe>(&mut self, cx: &mut Context<'_, O>, is_paced: bool) {
        if !O::ON {
            return;
        }
        let by = self.limit_of_now(is_paced);
        if self.limit != Some(by) {
            self.limit = Some(by);
            self.report_limit(cx, by);
        }
    }

    /// Out of the way: it is asked with each segment, and seldom changes.
    #[cold]
    fn report_limit(&self, cx: &mut Context<'_, impl Observe>, by: SendLimit) {
        cx.tcp(self.id, TcpFact::Limited { by });
    }

    fn limit_of_now(&mut self, is_paced: bool) -> SendLimit {
        let (nxt, end) = (self.buffer.nxt(), self.buffer.end());
        if is_paced && (nxt < end || self.lost_waits()) {
            SendLimit::Pacing
        } else if self.window_limited && self.cwnd < self.cap {
            SendLimit::Cwnd
        } else if self.window_limited {
            SendLimit::Window
        } else if nxt >= end {
            if self.buffer.outstanding() == 0 { SendLimit::Idle } else { SendLimit::Application }
        } else if nxt + (end - nxt).min(u64::from(self.mss)) > self.peer_edge() {
            SendLimit::Receiver
        } else {
            // It waits for more, so as not to send a short segment.
            SendLimit::Application
        }
    }
}
