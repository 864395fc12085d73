//! The states of a connection (RFC 9293 §3.3.2) and all transitions between them.

/// A connection's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// No connection: over, or never opened.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Sent a SYN.
    SynSent,
    /// Sent and received a SYN, and waits for the acknowledgement of its own.
    SynReceived,
    /// Open.
    Established,
    /// Closed here, and the FIN not yet acknowledged.
    FinWait1,
    /// Closed here, the FIN acknowledged; the peer still sends.
    FinWait2,
    /// Closed by the peer.
    CloseWait,
    /// Closed by both at once, this side's FIN not yet acknowledged.
    Closing,
    /// Closed by the peer first and then here, this side's FIN not yet acknowledged.
    LastAck,
    /// Over, but old segments may still come.
    TimeWait,
}

/// What moves a connection from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A SYN arrived without an acknowledgement of this side's SYN.
    Syn,
    /// This side's SYN was acknowledged, by a segment with a SYN if none had come before.
    SynAcknowledged,
    /// The application closed its side.
    Close,
    /// The peer's FIN was reached: everything before it has arrived.
    Fin,
    /// This side's FIN was acknowledged.
    FinAcknowledged,
    /// The peer reset a connection that this side had listened for, before it was established.
    Withdraw,
    /// Reset, aborted or given up.
    Abort,
    /// TIME-WAIT is over.
    Expire,
}

impl State {
    /// The state after `event`; `None` if the event means nothing in this state. A connection that
    /// is still being opened is closed once it is established.
    pub const fn after(self, event: Event) -> Option<Self> {
        Some(match (self, event) {
            (Self::Listen | Self::SynSent, Event::Syn) => Self::SynReceived,
            (Self::SynReceived, Event::Withdraw) => Self::Listen,
            (Self::SynSent | Self::SynReceived, Event::SynAcknowledged) => Self::Established,
            (Self::Established, Event::Close) => Self::FinWait1,
            (Self::FinWait1, Event::FinAcknowledged) => Self::FinWait2,
            (Self::Established, Event::Fin) => Self::CloseWait,
            (Self::FinWait1, Event::Fin) => Self::Closing,
            (Self::CloseWait, Event::Close) => Self::LastAck,
            (Self::FinWait2, Event::Fin) | (Self::Closing, Event::FinAcknowledged) => {
                Self::TimeWait
            }
            (Self::Closed, Event::Abort) => return None,
            (Self::Listen, Event::Close)
            | (Self::LastAck, Event::FinAcknowledged)
            | (Self::TimeWait, Event::Expire)
            | (_, Event::Abort) => Self::Closed,
            _ => return None,
        })
    }

    /// True while the peer's data are taken in.
    pub const fn receives(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// True while this side may send data or a FIN.
    pub const fn sends(self) -> bool {
        matches!(
            self,
            Self::Established | Self::FinWait1 | Self::CloseWait | Self::Closing | Self::LastAck
        )
    }

    /// True once both sides know each other's sequence numbers, until all is over.
    pub const fn is_synchronized(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Abort, Close, Expire, Fin, FinAcknowledged, Syn, SynAcknowledged, Withdraw};
    use State::{
        CloseWait, Closed, Closing, Established, FinWait1, FinWait2, LastAck, Listen, SynReceived,
        SynSent, TimeWait,
    };

    const STATES: [State; 11] = [
        Closed,
        Listen,
        SynSent,
        SynReceived,
        Established,
        FinWait1,
        FinWait2,
        CloseWait,
        Closing,
        LastAck,
        TimeWait,
    ];

    /// The arrows of RFC 9293 figure 5, and no other.
    #[test]
    fn the_arrows_of_figure_5() {
        let arrows = [
            (Listen, Syn, SynReceived),
            (Listen, Close, Closed),
            (SynSent, Syn, SynReceived),
            (SynSent, SynAcknowledged, Established),
            (SynReceived, SynAcknowledged, Established),
            (SynReceived, Withdraw, Listen),
            (Established, Close, FinWait1),
            (Established, Fin, CloseWait),
            (FinWait1, Fin, Closing),
            (FinWait1, FinAcknowledged, FinWait2),
            (FinWait2, Fin, TimeWait),
            (CloseWait, Close, LastAck),
            (Closing, FinAcknowledged, TimeWait),
            (LastAck, FinAcknowledged, Closed),
            (TimeWait, Expire, Closed),
        ];
        for state in STATES {
            for event in [Syn, SynAcknowledged, Withdraw, Close, Fin, FinAcknowledged, Expire] {
                let expect = arrows
                    .iter()
                    .find(|(from, by, _)| (*from, *by) == (state, event))
                    .map(|(_, _, to)| *to);
                assert_eq!(state.after(event), expect, "{state:?} after {event:?}");
            }
            let expect = (state != Closed).then_some(Closed);
            assert_eq!(state.after(Abort), expect, "{state:?} aborted");
        }
    }
}
