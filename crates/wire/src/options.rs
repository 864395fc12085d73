//! TCP options to bytes and back.

use base::{EcnBytes, EcnOrder, Options, SackBlocks, Seq, Timestamps};

/// Kinds of options (RFC 9293 §3.1, RFC 7323 §2.2 and §3.2, RFC 2018 §2 and §3, RFC 9768 §3.2.3).
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const ACCURATE_ECN_0: u8 = 172;
const ACCURATE_ECN_1: u8 = 174;

/// Options as bytes: as many as [`Options::bytes`] says.
pub(crate) struct OptionBytes {
    bytes: [u8; Options::ROOM as usize],
    length: usize,
}

impl OptionBytes {
    /// `options`, which a header has room for.
    pub(crate) fn new(options: &Options) -> Self {
        let mut out = Self { bytes: [0; Options::ROOM as usize], length: 0 };
        if let Some(mss) = options.mss {
            let [high, low] = mss.to_be_bytes();
            out.put([MAXIMUM_SEGMENT_SIZE, 4, high, low]);
        }
        let permitted =
            if options.sack_permitted { [SACK_PERMITTED, 2] } else { [NO_OPERATION, NO_OPERATION] };
        if let Some(Timestamps { value, echo }) = options.timestamps {
            out.put(permitted);
            out.put([TIMESTAMPS, 10]);
            out.put(value.to_be_bytes());
            out.put(echo.to_be_bytes());
        } else if options.sack_permitted {
            out.put([NO_OPERATION, NO_OPERATION]);
            out.put(permitted);
        }
        if let Some(shift) = options.window_scale {
            out.put([NO_OPERATION, WINDOW_SCALE, 3, shift]);
        }
        if let Some(counts) = &options.ecn_bytes {
            out.put_ecn_bytes(counts);
        }
        let blocks = options.sack.as_slice();
        if !blocks.is_empty() {
            out.put([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * blocks.len() as u8]);
        }
        for edge in blocks.iter().flatten() {
            out.put(edge.to_u32().to_be_bytes());
        }
        out
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn put_ecn_bytes(&mut self, option: &EcnBytes) {
        let kind = match option.order {
            EcnOrder::Ect0First => ACCURATE_ECN_0,
            EcnOrder::Ect1First => ACCURATE_ECN_1,
        };
        let length = 2 + 3 * option.fields;
        (u32::from(length)..option.bytes()).for_each(|_| self.put([NO_OPERATION]));
        self.put([kind, length]);
        option.counts.iter().take(usize::from(option.fields)).for_each(|count| self.put(*count));
    }

    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes[self.length..self.length + N].copy_from_slice(&bytes);
        self.length += N;
    }
}

/// The known options, and the kind of the first that is none of them. Unknown ones are skipped by
/// their length (RFC 9293 §3.1, MUST-6), and an illegal length ends the list (MUST-7).
pub(crate) fn read(mut bytes: &[u8]) -> (Options, Option<u8>) {
    let mut options = Options::default();
    let mut foreign = None;
    loop {
        bytes = match bytes {
            [] | [END, ..] => return (options, foreign),
            [NO_OPERATION, rest @ ..] => rest,
            [kind, length @ 2..=255, ..] => {
                let Some((option, rest)) = bytes.split_at_checked(usize::from(*length)) else {
                    return (options, foreign.or(Some(*kind)));
                };
                if !read_one(*kind, &option[2..], &mut options) {
                    foreign = foreign.or(Some(*kind));
                }
                rest
            }
            [kind, ..] => return (options, foreign.or(Some(*kind))),
        };
    }
}

/// One option; of an unknown kind, or with a length that is not its kind's, it is ignored: false.
fn read_one(kind: u8, value: &[u8], options: &mut Options) -> bool {
    match (kind, value) {
        (MAXIMUM_SEGMENT_SIZE, &[high, low]) => {
            options.mss = Some(u16::from_be_bytes([high, low]));
        }
        (WINDOW_SCALE, &[shift]) => options.window_scale = Some(shift),
        (SACK_PERMITTED, []) => options.sack_permitted = true,
        (TIMESTAMPS, value) if value.len() == 8 => {
            let (value, echo) = (word(&value[..4]), word(&value[4..]));
            options.timestamps = Some(Timestamps { value, echo });
        }
        (SACK, blocks) if blocks.len().is_multiple_of(8) => {
            options.sack = SackBlocks::NONE;
            for block in blocks.chunks_exact(8) {
                options.sack.push(Seq::new(word(&block[..4])), Seq::new(word(&block[4..])));
            }
        }
        (ACCURATE_ECN_0, value) => options.ecn_bytes = Some(ecn_bytes(EcnOrder::Ect0First, value)),
        (ACCURATE_ECN_1, value) => options.ecn_bytes = Some(ecn_bytes(EcnOrder::Ect1First, value)),
        _ => return false,
    }
    true
}

/// Whole fields count, whatever the length (RFC 9768 §3.2.3).
fn ecn_bytes(order: EcnOrder, value: &[u8]) -> EcnBytes {
    let mut counts = [0; 3];
    let fields = value.chunks_exact(3).zip(&mut counts);
    fields.for_each(|(field, count)| *count = word(field));
    EcnBytes::new(order, (value.len() / 3).min(counts.len()) as u8, counts)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}
