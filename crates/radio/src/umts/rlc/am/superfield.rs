//! The super-fields of status PDUs (SUFI, TS 25.322 §9.2.2.11).

use super::bitstream::{BitReader, BitWriter};

/// A super-field. Sequence numbers have 12 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SuperField {
    /// Padding follows.
    NoMore,
    /// The sender's window shall have this size.
    Window(u16),
    /// Everything below `lsn` has arrived that this PDU does not name as missing; padding follows.
    Ack {
        /// The sequence number after the last (LSN).
        lsn: u16,
    },
    /// PDUs that are missing; 1 to 15 runs.
    List(Vec<Gap>),
    /// What has arrived and what has not from `fsn` on; 1 to 16 octets.
    Bitmap {
        /// The first sequence number (FSN).
        fsn: u16,
        /// Most significant bit first; 1 is arrived.
        octets: Vec<u8>,
    },
    /// PDUs that are missing, in codewords (Rlist).
    RelativeList {
        /// The first missing one (FSN).
        fsn: u16,
        /// Four bits each; see [`codewords`] and [`missing`].
        codewords: Vec<u8>,
    },
    /// The receiver shall move its window (MRW).
    MoveWindow {
        /// The PDUs in which discarded SDUs end, 1 to 15 (`SN_MRW`).
        ends: Vec<u16>,
        /// Whether the last discarded SDU reaches beyond the sender's window.
        beyond_window: bool,
        /// Which length indicator of the last of these PDUs ends the last discarded SDU (N).
        n: u8,
    },
    /// The receiver has moved its window (MRW ACK).
    MoveWindowAck {
        /// N of the window move, or 0.
        n: u8,
        /// Where its window begins (`SN_ACK`).
        sn: u16,
    },
}

/// A run of missing PDUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The first.
    pub(super) sn: u16,
    /// How many more, at most 15.
    pub(super) more: u8,
}

impl SuperField {
    pub(super) fn encode(&self, bits: &mut BitWriter) {
        bits.put(self.kind(), 4);
        match self {
            Self::NoMore => {}
            Self::Window(sn) | Self::Ack { lsn: sn } => bits.put((*sn).into(), 12),
            Self::List(gaps) => {
                bits.put(gaps.len() as u32, 4);
                for gap in gaps {
                    bits.put(gap.sn.into(), 12);
                    bits.put(gap.more.into(), 4);
                }
            }
            Self::Bitmap { fsn, octets } => {
                bits.put(octets.len() as u32 - 1, 4);
                bits.put((*fsn).into(), 12);
                for octet in octets {
                    bits.put((*octet).into(), 8);
                }
            }
            Self::RelativeList { fsn, codewords } => {
                bits.put(codewords.len() as u32, 4);
                bits.put((*fsn).into(), 12);
                for codeword in codewords {
                    bits.put((*codeword).into(), 4);
                }
            }
            Self::MoveWindow { ends, beyond_window, n } => {
                bits.put(if *beyond_window { 0 } else { ends.len() as u32 }, 4);
                for sn in ends {
                    bits.put((*sn).into(), 12);
                }
                bits.put((*n).into(), 4);
            }
            Self::MoveWindowAck { n, sn } => {
                bits.put((*n).into(), 4);
                bits.put((*sn).into(), 12);
            }
        }
    }

    /// The next super-field; `None` if it is invalid or cut off.
    pub(super) fn decode(bits: &mut BitReader<'_>) -> Option<Self> {
        Some(match bits.take(4)? {
            0 => Self::NoMore,
            1 => Self::Window(bits.take(12)? as u16),
            2 => Self::Ack { lsn: bits.take(12)? as u16 },
            3 => {
                let length = bits.take(4).filter(|length| *length > 0)?;
                Self::List((0..length).map(|_| Gap::decode(bits)).collect::<Option<_>>()?)
            }
            4 => {
                let length = bits.take(4)? + 1;
                let fsn = bits.take(12)? as u16;
                Self::Bitmap { fsn, octets: take_each(bits, length, 8)? }
            }
            5 => {
                let length = bits.take(4)?;
                let fsn = bits.take(12)? as u16;
                let codewords = take_each(bits, length, 4)?;
                missing(fsn, &codewords)?;
                Self::RelativeList { fsn, codewords }
            }
            6 => {
                let length = bits.take(4)?;
                let sns = (0..length.max(1)).map(|_| Some(bits.take(12)? as u16));
                let ends = sns.collect::<Option<_>>()?;
                Self::MoveWindow { ends, beyond_window: length == 0, n: bits.take(4)? as u8 }
            }
            7 => Self::MoveWindowAck { n: bits.take(4)? as u8, sn: bits.take(12)? as u16 },
            _ => return None,
        })
    }

    const fn kind(&self) -> u32 {
        match self {
            Self::NoMore => 0,
            Self::Window(_) => 1,
            Self::Ack { .. } => 2,
            Self::List(_) => 3,
            Self::Bitmap { .. } => 4,
            Self::RelativeList { .. } => 5,
            Self::MoveWindow { .. } => 6,
            Self::MoveWindowAck { .. } => 7,
        }
    }
}

impl Gap {
    fn decode(bits: &mut BitReader<'_>) -> Option<Self> {
        Some(Self { sn: bits.take(12)? as u16, more: bits.take(4)? as u8 })
    }
}

/// The error burst indicator among codewords.
const BURST: u8 = 0b0001;

/// The codewords of a relative list that names the `missing` PDUs after its first, which the
/// caller gives as distances from it in ascending order (TS 25.322 §9.2.2.11.6).
#[cfg(test)]
fn codewords(missing: &[u16]) -> Vec<u8> {
    let mut codewords = Vec::new();
    let (mut last, mut rest) = (0, missing);
    while let Some(&next) = rest.first() {
        let burst = (1..).zip(rest).take_while(|(step, sn)| last + step == **sn).count();
        if burst >= 2 {
            codewords.push(BURST);
            put_number(burst as u16, &mut codewords);
        } else {
            put_number(next - last, &mut codewords);
        }
        let named = burst.max(1);
        last = rest[named - 1];
        rest = &rest[named..];
    }
    codewords
}

/// All PDUs that a relative list names as missing; `None` if its codewords are invalid.
fn missing(fsn: u16, codewords: &[u8]) -> Option<Vec<u16>> {
    let mut missing = vec![fsn];
    let mut words = codewords.iter().copied();
    let mut last = fsn;
    while let Some(word) = words.next() {
        let is_burst = word == BURST;
        let word = if is_burst { words.next()? } else { word };
        let number = take_number(word, &mut words)?;
        let first = if is_burst { 1 } else { number };
        missing.extend((first..=number).map(|step| (last + step) % 4096));
        last = (last + number) % 4096;
    }
    Some(missing)
}

/// Three bits a codeword, the least significant first, the last one marked.
#[cfg(test)]
fn put_number(mut number: u16, codewords: &mut Vec<u8>) {
    while number > 7 {
        codewords.push((number as u8 & 7) << 1);
        number >>= 3;
    }
    codewords.push((number as u8) << 1 | 1);
}

fn take_number(first: u8, words: &mut impl Iterator<Item = u8>) -> Option<u16> {
    let (mut number, mut place, mut word) = (0, 0, first);
    loop {
        number |= u16::from(word >> 1) << place;
        if word & 1 == 1 {
            return Some(number % 4096);
        }
        place += 3;
        if place > 12 {
            return None;
        }
        word = words.next()?;
    }
}

fn take_each(bits: &mut BitReader<'_>, count: u32, width: usize) -> Option<Vec<u8>> {
    (0..count).map(|_| Some(bits.take(width)? as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::pdu::ControlPdu;
    use super::*;
    use proptest::prelude::*;

    fn check(fields: &[SuperField], expect: &[u8]) {
        let pdu = ControlPdu::Status(fields.to_vec());
        let octets = pdu.encode(expect.len()).expect("fits");
        assert_eq!(octets, expect, "{fields:02x?}");
        assert_eq!(ControlPdu::decode(&octets), Some(pdu));
    }

    #[test]
    fn status_pdus() {
        check(&[SuperField::Ack { lsn: 0x123 }], &[0x02, 0x12, 0x30]);
        check(&[], &[0x00, 0x00]);
        check(&[SuperField::Window(0xFFF)], &[0x01, 0xFF, 0xF0]);
        check(
            &[
                SuperField::Bitmap { fsn: 0x010, octets: vec![0b0111_1110, 0x55] },
                SuperField::Ack { lsn: 0x010 },
            ],
            &[0x04, 0x10, 0x10, 0x7E, 0x55, 0x20, 0x10],
        );
        check(
            &[SuperField::List(vec![Gap { sn: 5, more: 0 }, Gap { sn: 9, more: 15 }])],
            &[0x03, 0x20, 0x05, 0x00, 0x09, 0xF0],
        );
        check(
            &[SuperField::MoveWindow { ends: vec![0x0AB], beyond_window: false, n: 2 }],
            &[0x06, 0x10, 0xAB, 0x20],
        );
        check(
            &[SuperField::MoveWindow { ends: vec![0x0AB], beyond_window: true, n: 0 }],
            &[0x06, 0x00, 0xAB, 0x00],
        );
        check(
            &[SuperField::MoveWindowAck { n: 2, sn: 0x0AB }, SuperField::Ack { lsn: 0x0AB }],
            &[0x07, 0x20, 0xAB, 0x20, 0xAB],
        );
        check(
            &[SuperField::RelativeList { fsn: 0x100, codewords: vec![0b0101, 0b0001, 0b0111] }],
            &[0x05, 0x31, 0x00, 0x51, 0x70],
        );
    }

    /// Distances 2, then a burst of 3, then a distance of 10 = 2 + 1·8.
    #[test]
    fn relative_lists() {
        let words = codewords(&[2, 3, 4, 5, 15]);
        assert_eq!(words, [0b0101, 0b0001, 0b0111, 0b0100, 0b0011]);
        assert_eq!(missing(4094, &words), Some(vec![4094, 0, 1, 2, 3, 13]));
        assert_eq!(missing(0, &[0b0100]), None, "a number without its end");
        assert_eq!(missing(0, &[BURST]), None, "a burst without its length");
    }

    #[test]
    fn invalid_fields_are_refused() {
        assert_eq!(ControlPdu::decode(&[0x03, 0x00, 0x00, 0x00]), None, "an empty list");
        assert_eq!(ControlPdu::decode(&[0x0F]), None, "a reserved type");
        assert_eq!(ControlPdu::decode(&[0x04, 0xF0, 0x00, 0xFF]), None, "cut off");
    }

    proptest! {
        #[test]
        fn relative_lists_name_what_they_were_made_of(
            fsn in 0_u16..4096,
            distances in prop::collection::btree_set(1_u16..4000, 0..40),
        ) {
            let distances: Vec<_> = distances.into_iter().collect();
            let named = missing(fsn, &codewords(&distances)).expect("valid");
            let expect = std::iter::once(fsn);
            let expect = expect.chain(distances.iter().map(|distance| (fsn + distance) % 4096));
            prop_assert_eq!(named, expect.collect::<Vec<_>>());
        }

        #[test]
        fn noise_never_panics(octets in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Some(pdu) = ControlPdu::decode(&octets) {
                let again = pdu.encode(octets.len()).map(|octets| ControlPdu::decode(&octets));
                prop_assert_eq!(again, Some(Some(pdu)));
            }
        }
    }
}
