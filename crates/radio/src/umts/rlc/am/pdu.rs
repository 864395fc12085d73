//! Acknowledged-mode PDUs bit by bit (TS 25.322 §9.2).
//!
//! Inside a bearer PDUs travel as typed values; these are the same PDUs as encoded on the air.

use super::bitstream::{BitReader, BitWriter};
use super::superfield::SuperField;

/// The header of a data PDU with its length indicators (TS 25.322 §9.2.1.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataHeader {
    /// The sequence number, 12 bits.
    pub sn: u16,
    /// Whether a status report is asked for.
    pub poll: bool,
    /// Where SDUs end.
    pub indicators: Vec<LengthIndicator>,
}

/// A length indicator (TS 25.322 §9.2.2.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LengthIndicator {
    /// An SDU ends with this octet of the data, counted from 1.
    End(u16),
    /// The SDU before ended exactly with the previous PDU.
    PreviousFilled,
    /// The SDU before ended one octet before the end of the previous PDU (15 bits only).
    PreviousOneShort,
    /// The rest of the PDU holds a piggybacked status PDU.
    Status,
    /// The rest of the PDU is padding.
    Padding,
}

/// The width of all length indicators of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndicatorWidth {
    /// 7 bits, for PDUs of up to 126 octets.
    Seven,
    /// 15 bits.
    Fifteen,
}

/// A control PDU (TS 25.322 §§9.2.1.5–9.2.1.7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ControlPdu {
    /// Super-fields in their order. The coding ends the list with NO MORE where no ACK does.
    Status(Vec<SuperField>),
    /// RESET.
    Reset(ResetFields),
    /// RESET ACK.
    ResetAck(ResetFields),
}

/// The fields of RESET and RESET ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResetFields {
    /// The reset's number, one bit (RSN).
    pub number: bool,
    /// The hyper frame number, 20 bits (HFNI).
    pub hyper_frame: u32,
}

impl IndicatorWidth {
    const fn bits(self) -> usize {
        match self {
            Self::Seven => 7,
            Self::Fifteen => 15,
        }
    }
}

impl LengthIndicator {
    /// As the number that stands for it.
    fn code(self, width: IndicatorWidth) -> u32 {
        let ones = (1 << width.bits()) - 1;
        match self {
            Self::End(octets) => octets.into(),
            Self::PreviousFilled => 0,
            Self::PreviousOneShort => ones - 4,
            Self::Status => ones - 1,
            Self::Padding => ones,
        }
    }

    /// `None` if `code` is reserved.
    fn from_code(code: u32, width: IndicatorWidth) -> Option<Self> {
        let ones = (1 << width.bits()) - 1;
        match (ones - code, width) {
            (0, _) => Some(Self::Padding),
            (1, _) => Some(Self::Status),
            (2 | 3, _) | (5, IndicatorWidth::Fifteen) => None,
            (4, IndicatorWidth::Fifteen) => Some(Self::PreviousOneShort),
            (all, _) if all == ones => Some(Self::PreviousFilled),
            (_, _) => Some(Self::End(code as u16)),
        }
    }
}

impl DataHeader {
    /// The octets in front of the data.
    pub fn encode(&self, width: IndicatorWidth) -> Vec<u8> {
        let mut bits = BitWriter::default();
        bits.put(1, 1);
        bits.put(self.sn.into(), 12);
        bits.put(self.poll.into(), 1);
        bits.put(u32::from(!self.indicators.is_empty()), 2);
        for (index, indicator) in self.indicators.iter().enumerate() {
            bits.put(indicator.code(width), width.bits());
            bits.put(u32::from(index + 1 < self.indicators.len()), 1);
        }
        bits.finish()
    }

    /// The header of `pdu` and how many octets it takes; `None` if `pdu` is no data PDU or uses
    /// reserved codes.
    pub fn decode(pdu: &[u8], width: IndicatorWidth) -> Option<(Self, usize)> {
        let mut bits = BitReader::new(pdu);
        if bits.take(1)? != 1 {
            return None;
        }
        let sn = bits.take(12)? as u16;
        let poll = bits.take(1)? == 1;
        let mut more = match bits.take(2)? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let mut indicators = Vec::new();
        while more {
            indicators.push(LengthIndicator::from_code(bits.take(width.bits())?, width)?);
            more = bits.take(1)? == 1;
        }
        Some((Self { sn, poll, indicators }, bits.position() / 8))
    }
}

impl ControlPdu {
    /// The PDU, padded to `octets`; `None` if it needs more.
    pub fn encode(&self, octets: usize) -> Option<Vec<u8>> {
        let mut bits = BitWriter::default();
        bits.put(0, 1);
        match self {
            Self::Status(fields) => {
                bits.put(STATUS, 3);
                for field in fields {
                    field.encode(&mut bits);
                }
                if !matches!(fields.last(), Some(SuperField::Ack { .. })) {
                    SuperField::NoMore.encode(&mut bits);
                }
            }
            Self::Reset(fields) => fields.encode(RESET, &mut bits),
            Self::ResetAck(fields) => fields.encode(RESET_ACK, &mut bits),
        }
        let mut pdu = bits.finish();
        if pdu.len() > octets {
            return None;
        }
        pdu.resize(octets, 0);
        Some(pdu)
    }

    /// `None` if `pdu` is no control PDU or cannot be understood.
    pub fn decode(pdu: &[u8]) -> Option<Self> {
        let mut bits = BitReader::new(pdu);
        if bits.take(1)? != 0 {
            return None;
        }
        match bits.take(3)? {
            STATUS => {
                let mut fields = Vec::new();
                loop {
                    match SuperField::decode(&mut bits)? {
                        SuperField::NoMore => return Some(Self::Status(fields)),
                        last @ SuperField::Ack { .. } => {
                            fields.push(last);
                            return Some(Self::Status(fields));
                        }
                        field => fields.push(field),
                    }
                }
            }
            RESET => Some(Self::Reset(ResetFields::decode(&mut bits)?)),
            RESET_ACK => Some(Self::ResetAck(ResetFields::decode(&mut bits)?)),
            _ => None,
        }
    }
}

impl ResetFields {
    fn encode(self, kind: u32, bits: &mut BitWriter) {
        bits.put(kind, 3);
        bits.put(self.number.into(), 1);
        bits.put(0, 3);
        bits.put(self.hyper_frame, 20);
    }

    fn decode(bits: &mut BitReader<'_>) -> Option<Self> {
        let number = bits.take(1)? == 1;
        if bits.take(3)? != 0 {
            return None;
        }
        Some(Self { number, hyper_frame: bits.take(20)? })
    }
}

/// PDU types of control PDUs (TS 25.322 §9.2.2.2).
const STATUS: u32 = 0;
const RESET: u32 = 1;
const RESET_ACK: u32 = 2;

#[cfg(test)]
mod tests {
    use super::IndicatorWidth::{Fifteen, Seven};
    use super::LengthIndicator::{End, Padding, PreviousFilled, PreviousOneShort, Status};
    use super::*;

    fn check_data(width: IndicatorWidth, indicators: &[LengthIndicator], expect: &[u8]) {
        let header = DataHeader { sn: 0xABC, poll: true, indicators: indicators.to_vec() };
        let octets = header.encode(width);
        assert_eq!(octets, expect, "{indicators:?}");
        let mut pdu = octets;
        pdu.resize(42, 0xEE);
        assert_eq!(DataHeader::decode(&pdu, width), Some((header, expect.len())));
    }

    #[test]
    fn data_headers() {
        check_data(Seven, &[], &[0xD5, 0xE4]);
        check_data(Seven, &[End(33)], &[0xD5, 0xE5, 0x42]);
        check_data(Seven, &[End(33), Padding], &[0xD5, 0xE5, 0x43, 0xFE]);
        check_data(Seven, &[PreviousFilled, End(1), Status], &[0xD5, 0xE5, 0x01, 0x03, 0xFC]);
        check_data(Seven, &[End(123)], &[0xD5, 0xE5, 0xF6]);
        check_data(Fifteen, &[End(300)], &[0xD5, 0xE5, 0x02, 0x58]);
        check_data(Fifteen, &[PreviousOneShort, Padding], &[0xD5, 0xE5, 0xFF, 0xF7, 0xFF, 0xFE]);
    }

    #[test]
    fn sequence_numbers_have_twelve_bits() {
        let header = DataHeader { sn: 4095, poll: false, indicators: Vec::new() };
        assert_eq!(header.encode(Seven), [0xFF, 0xF8]);
    }

    #[test]
    fn reserved_codes_are_refused() {
        assert_eq!(DataHeader::decode(&[0xD5, 0xE5, 0x7C << 1], Seven), None);
        assert_eq!(DataHeader::decode(&[0xD5, 0xE6], Seven), None, "reserved HE");
        assert_eq!(DataHeader::decode(&[0x00, 0x00], Seven), None, "control");
        assert_eq!(DataHeader::decode(&[0xD5, 0xE5], Seven), None, "cut off");
    }

    #[test]
    fn resets() {
        let fields = ResetFields { number: true, hyper_frame: 0x12345 };
        let pdu = ControlPdu::Reset(fields).encode(5).expect("fits");
        assert_eq!(pdu, [0x18, 0x12, 0x34, 0x50, 0x00]);
        assert_eq!(ControlPdu::decode(&pdu), Some(ControlPdu::Reset(fields)));
        let pdu = ControlPdu::ResetAck(fields).encode(4).expect("fits");
        assert_eq!(pdu, [0x28, 0x12, 0x34, 0x50]);
        assert_eq!(ControlPdu::decode(&pdu), Some(ControlPdu::ResetAck(fields)));
        assert_eq!(ControlPdu::Reset(fields).encode(3), None);
    }
}
