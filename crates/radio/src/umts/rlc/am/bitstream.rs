//! Numbers of any width, most significant bit first.

/// Writes bits into octets.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    octets: Vec<u8>,
    bits: usize,
}

impl BitWriter {
    /// Appends the low `width` bits of `value`.
    pub(super) fn put(&mut self, value: u32, width: usize) {
        debug_assert!(width == 32 || value >> width == 0, "{value} has more than {width} bits");
        for place in (0..width).rev() {
            if self.bits.is_multiple_of(8) {
                self.octets.push(0);
            }
            let bit = (value >> place & 1) as u8;
            self.octets[self.bits / 8] |= bit << (7 - self.bits % 8);
            self.bits += 1;
        }
    }

    /// The octets, the last one filled up with zeros.
    pub(super) fn finish(self) -> Vec<u8> {
        self.octets
    }
}

/// Reads bits from octets.
#[derive(Clone, Debug)]
pub(super) struct BitReader<'a> {
    octets: &'a [u8],
    bits: usize,
}

impl<'a> BitReader<'a> {
    pub(super) const fn new(octets: &'a [u8]) -> Self {
        Self { octets, bits: 0 }
    }

    /// The next `width` bits, or `None` if there are not as many.
    pub(super) fn take(&mut self, width: usize) -> Option<u32> {
        if self.bits + width > self.octets.len() * 8 {
            return None;
        }
        let value = (self.bits..self.bits + width).fold(0, |value, bit| {
            value << 1 | u32::from(self.octets[bit / 8] >> (7 - bit % 8) & 1)
        });
        self.bits += width;
        Some(value)
    }

    /// How many bits have been read.
    pub(super) const fn position(&self) -> usize {
        self.bits
    }
}
