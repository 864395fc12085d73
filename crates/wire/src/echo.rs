//! Echo requests and replies (RFC 792; RFC 4443 §4.1 and §4.2) that carry a number.

use etherparse::{Icmpv6Slice, IpNumber, IpSlice, Ipv4Header, Ipv6Header};

use crate::checksum::{of_bytes, of_segment};
use crate::emit::put_ip;
use crate::{Addresses, IpFields};
use base::Ecn;

/// Types of messages: request and reply of either family.
const REQUEST_4: u8 = 8;
const REPLY_4: u8 = 0;
const REQUEST_6: u8 = 128;
const REPLY_6: u8 = 129;

/// Bytes of a message: the header, and the number as data.
const MESSAGE: usize = 12;

/// A message of an echo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Echo {
    /// Number of the one who asks.
    pub identifier: u16,
    /// Number of the request: the lower half is its sequence number, all of it is its data.
    pub number: u32,
}

impl Echo {
    /// Replaces what is in `packet` with an IP packet of a request.
    pub fn emit(self, addresses: &Addresses, packet: &mut Vec<u8>) {
        let (ip_bytes, kind, number) = match addresses {
            Addresses::V4 { .. } => (Ipv4Header::MIN_LEN, REQUEST_4, IpNumber::ICMP),
            Addresses::V6 { .. } => (Ipv6Header::LEN, REQUEST_6, IpNumber::IPV6_ICMP),
        };
        packet.clear();
        packet.resize(ip_bytes + MESSAGE, 0);
        let (head, message) = packet.split_at_mut(ip_bytes);
        put_ip(addresses, IpFields::from(Ecn::NotCapable), (MESSAGE as u16, number.0), head);
        message[0] = kind;
        message[4..6].copy_from_slice(&self.identifier.to_be_bytes());
        message[6..8].copy_from_slice(&(self.number as u16).to_be_bytes());
        message[8..].copy_from_slice(&self.number.to_be_bytes());
        let checksum = match addresses {
            Addresses::V4 { .. } => of_bytes(message),
            Addresses::V6 { .. } => of_segment(addresses, number, [message, &[]]),
        };
        message[2..4].copy_from_slice(&checksum);
    }

    /// The reply to a request that [`Echo::emit`] made, and its ends; `None` for everything else.
    pub fn read_reply(packet: &[u8]) -> Option<(Addresses, Self)> {
        let ip = IpSlice::from_slice(packet).ok()?;
        let payload = ip.payload();
        if payload.fragmented {
            return None;
        }
        let message: &[u8; MESSAGE] = payload.payload.try_into().ok()?;
        let is_reply = match &ip {
            IpSlice::Ipv4(_) => {
                payload.ip_number == IpNumber::ICMP
                    && message[0] == REPLY_4
                    && of_bytes(message) == [0; 2]
            }
            IpSlice::Ipv6(ip) => {
                let (source, destination) = (ip.header().source(), ip.header().destination());
                let slice = Icmpv6Slice::from_slice(message).ok()?;
                payload.ip_number == IpNumber::IPV6_ICMP
                    && message[0] == REPLY_6
                    && slice.is_checksum_valid(source, destination)
            }
        };
        let [high, low, sequence @ ..] = [message[4], message[5], message[6], message[7]];
        let number = u32::from_be_bytes([message[8], message[9], message[10], message[11]]);
        let is_own = message[1] == 0 && u16::from_be_bytes(sequence) == number as u16;
        let echo = Self { identifier: u16::from_be_bytes([high, low]), number };
        (is_reply && is_own).then_some((Addresses::of(&ip), echo))
    }
}
