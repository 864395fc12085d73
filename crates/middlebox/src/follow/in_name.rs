//! What a box may send in the name of a host.

use base::{Flags, SackBlocks};
use tcp::{Payload, Segment};

use crate::Packet;

/// The newest acknowledgement of a host, without payload.
#[derive(Debug)]
pub(crate) struct InName<P> {
    last: Option<Packet<P>>,
}

impl<P: Payload> InName<P> {
    /// Nothing has been said yet.
    pub(crate) const fn new() -> Self {
        Self { last: None }
    }

    /// The host sent this, as the other end receives it.
    pub(crate) fn remember(&mut self, packet: &Packet<P>) {
        let mut header = packet.segment.header;
        header.seq = header.seq + packet.segment.numbers();
        if let Some(last) = &self.last
            && header.seq.before(last.segment.header.seq)
        {
            header.seq = last.segment.header.seq;
        }
        header.flags = Flags::ACK;
        header.options.sack = SackBlocks::NONE;
        let segment = Segment { header, ..Segment::default() };
        self.last = Some(Packet { segment, ..*packet });
    }

    /// The same once more; `None` if the host has said nothing yet.
    pub(crate) fn repeat(&self) -> Option<Packet<P>> {
        self.last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, IpFields, Leg};
    use base::{Seq, TcpHeader};
    use tcp::Length;

    #[test]
    fn the_number_is_the_hosts_next_and_payload_and_blocks_stay_out() {
        let said = |seq, length, ack| {
            let mut header = TcpHeader { seq: Seq::new(seq), ack: Seq::new(ack), ..<_>::default() };
            header.flags = Flags::ACK | Flags::PSH;
            header.options.sack.push(Seq::new(1), Seq::new(2));
            let [source, destination] =
                [Leg::Radio, Leg::Wired].map(|leg| Address { leg, host: 1 });
            let segment = Segment { header, payload: Length(length), ..<_>::default() };
            Packet { source, destination, ip: IpFields { dscp: 3, ..<_>::default() }, segment }
        };
        let mut name = InName::new();
        assert_eq!(name.repeat(), None);
        name.remember(&said(100, 50, 7));
        name.remember(&said(90, 10, 8));
        let packet = name.repeat().expect("it has spoken");
        let header = &packet.segment.header;
        assert_eq!((header.seq, header.ack), (Seq::new(150), Seq::new(8)));
        assert_eq!((header.flags, packet.segment.numbers(), packet.ip.dscp), (Flags::ACK, 0, 3));
        assert!(header.options.sack.is_empty());
    }
}
