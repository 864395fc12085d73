//! Chance, reproducible: a counter-based generator and named streams over it.

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3,
/// SC 2011): a function from a 64-bit key and a 128-bit counter to 128 random bits. It has no
/// state, so the draw for block 7 of TTI 1000 is the same whatever was drawn before it.
#[derive(Clone, Copy, Debug)]
pub struct Philox {
    key: [u32; 2],
}

impl Philox {
    /// The generator of the source of chance called `name` under `seed`.
    pub fn named(seed: u64, name: &str) -> Self {
        let mixed = mix(seed ^ mix(fnv1a(name.as_bytes())));
        Self { key: [mixed as u32, (mixed >> 32) as u32] }
    }

    /// The four draws at `counter`.
    pub const fn at(self, counter: [u32; 4]) -> [u32; 4] {
        let (mut key, mut c) = (self.key, counter);
        let mut round = 0;
        while round < 10 {
            let first = 0xD251_1F53_u64 * c[0] as u64;
            let second = 0xCD9E_8D57_u64 * c[2] as u64;
            c = [
                (second >> 32) as u32 ^ c[1] ^ key[0],
                second as u32,
                (first >> 32) as u32 ^ c[3] ^ key[1],
                first as u32,
            ];
            key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
            round += 1;
        }
        c
    }
}

/// One source of chance as a sequence of draws. Streams with different names are independent:
/// adding one shifts no other.
#[derive(Clone, Debug)]
pub struct Stream {
    philox: Philox,
    draws: u64,
    block: [u32; 4],
}

impl Stream {
    /// The stream called `name` under `seed`.
    pub fn named(seed: u64, name: &str) -> Self {
        Self { philox: Philox::named(seed, name), draws: 0, block: [0; 4] }
    }

    /// The same stream after so many draws from its beginning. It costs as much as one draw.
    #[must_use]
    pub fn after(mut self, draws: u64) -> Self {
        self.draws = draws;
        self.fill();
        self
    }

    /// 32 uniform bits.
    pub fn next_u32(&mut self) -> u32 {
        let lane = (self.draws % 4) as usize;
        if lane == 0 {
            self.fill();
        }
        self.draws += 1;
        self.block[lane]
    }

    /// The draw before the next: what [`Self::next_u32`] returned last.
    pub const fn last_u32(&self) -> u32 {
        self.block[(self.draws.wrapping_sub(1) % 4) as usize]
    }

    /// Makes the four draws of which the next is one.
    const fn fill(&mut self) {
        let index = self.draws / 4;
        self.block = self.philox.at([index as u32, (index >> 32) as u32, 0, 0]);
    }

    /// Uniform in 0..1, with 32 bits of resolution.
    pub fn next_f64(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }

    /// Uniform in 0..`bound`.
    ///
    /// # Panics
    /// In debug builds, if `bound` is zero.
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0, "an empty range has no draw");
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }
}

/// FNV-1a, 64 bits: spreads a name over a key.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014): neighbouring seeds become unrelated
/// keys.
const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known-answer vectors that the Random123 distribution publishes for philox4x32-10.
    #[test]
    fn published_vectors() {
        let check = |key, counter, expect| assert_eq!(Philox { key }.at(counter), expect);
        check([0, 0], [0; 4], [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]);
        check([!0, !0], [!0; 4], [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]);
        check(
            [0xA409_3822, 0x299F_31D0],
            [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344],
            [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1],
        );
    }

    #[test]
    fn streams_repeat_by_name_and_differ_between_names_and_seeds() {
        let take = |seed, name| {
            let mut stream = Stream::named(seed, name);
            (0..9).map(|_| stream.next_u32()).collect::<Vec<_>>()
        };
        assert_eq!(take(1, "downlink"), take(1, "downlink"));
        assert_ne!(take(1, "downlink"), take(1, "uplink"));
        assert_ne!(take(1, "downlink"), take(2, "downlink"));
    }

    #[test]
    fn a_stream_goes_on_from_any_draw() {
        let mut stream = Stream::named(1, "downlink");
        for draws in 0..20 {
            let mut other = Stream::named(1, "downlink").after(draws);
            assert_eq!(other.clone().next_u32(), stream.clone().next_u32());
            assert_eq!((other.next_u32(), other.next_u32()), {
                let mut ahead = stream.clone();
                (ahead.next_u32(), ahead.next_u32())
            });
            assert_eq!(stream.next_u32(), stream.last_u32());
        }
    }

    #[test]
    fn draws_below_a_bound_are_even() {
        let mut stream = Stream::named(7, "even");
        let mut count = [0_u32; 5];
        for _ in 0..50_000 {
            count[stream.below(5) as usize] += 1;
        }
        assert!(count.iter().all(|n| (9_500..10_500).contains(n)), "{count:?}");
    }
}
