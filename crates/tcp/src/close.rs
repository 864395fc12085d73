//! The ends of a connection: closed, aborted, reset, refused.

use base::{Flags, Options, Seq, TcpHeader, Time};
use observe::{Context, Observe};

use crate::{Endpoint, Event, Payload, Segment, State};

/// A reset that is to be sent.
#[derive(Debug)]
pub(crate) struct Reset {
    seq: Seq,
    ack: Seq,
    flags: Flags,
}

impl Reset {
    /// The answer to a segment that belongs to no connection (RFC 9293 §3.10.7.1); none to a reset.
    fn refusing<P: Payload>(segment: &Segment<P>) -> Option<Self> {
        if segment.has(Flags::RST) {
            return None;
        }
        Some(if segment.has(Flags::ACK) {
            Self { seq: segment.header.ack, ack: Seq::new(0), flags: Flags::RST }
        } else {
            let ack = segment.header.seq + segment.numbers();
            Self { seq: Seq::new(0), ack, flags: Flags::RST | Flags::ACK }
        })
    }
}

/// What a host without an endpoint for `segment` answers: a reset, unless it is one.
pub fn refusal<P: Payload>(segment: &Segment<P>) -> Option<Segment<P>> {
    let Reset { seq, ack, flags } = Reset::refusing(segment)?;
    let header = TcpHeader {
        source_port: segment.header.destination_port,
        destination_port: segment.header.source_port,
        seq,
        ack,
        flags,
        ..TcpHeader::default()
    };
    Some(Segment { header, ..Segment::default() })
}

impl<P: Payload> Endpoint<P> {
    /// Nothing more will be written: a FIN follows the last byte. Data still arrive until the peer
    /// closes, too (half-close, RFC 9293 §3.6). A connection that is still being opened is closed
    /// once it is established and everything written is sent.
    pub fn close(&mut self) {
        self.sender.close();
        if let Some(next) = self.state.after(Event::Close) {
            self.state = next;
        }
    }

    /// Takes back what was written and has never been sent, and closes: so ends a program whose
    /// data are not yet all in the buffer of its socket.
    pub fn break_off(&mut self) {
        self.sender.break_off();
        self.close();
    }

    /// Ends the connection at once; the peer learns of it by a reset (RFC 9293 §3.10.5).
    pub fn abort(&mut self, cx: &mut Context<'_, impl Observe>) {
        if self.state.is_synchronized() && self.state != State::TimeWait {
            let (seq, ack) = (self.sender.idle_seq(), self.receiver.next_seq());
            self.reset = Some(Reset { seq, ack, flags: Flags::RST | Flags::ACK });
        }
        self.advance(cx, Event::Abort);
    }

    /// True if all that the peer sent has been read and it will send no more.
    pub fn is_at_end(&self) -> bool {
        self.receiver.is_finished()
    }

    /// A reset within the window (RFC 9293 §3.10.7.4, second check). Only the very next number
    /// resets; any other is challenged (RFC 5961 §3).
    pub(crate) fn reset_in(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        if segment.header.seq != self.receiver.next_seq() {
            self.challenge(cx.now);
        } else if !self.listen_again(cx) {
            self.advance(cx, Event::Abort);
        }
    }

    /// Answers a segment that belongs to no connection with a reset (RFC 9293 §3.10.7.1).
    pub(crate) fn refuse(&mut self, segment: &Segment<P>) {
        if let Some(reset) = Reset::refusing(segment) {
            self.reset = Some(reset);
        }
    }

    /// A reset, too, should carry timestamps where they were agreed upon (RFC 7323 §3.2); one that
    /// acknowledges nothing has none to echo.
    pub(crate) fn resetting(&self, now: Time, reset: &Reset) -> Segment<P> {
        let Reset { seq, ack, flags } = *reset;
        let timestamps = self.receiver.timestamps(now).filter(|_| flags.contains(Flags::ACK));
        let options = Options { timestamps, ..Options::default() };
        let header = TcpHeader { ack, options, ..self.bare_header(seq, flags) };
        Segment { header, ..Segment::default() }
    }
}
