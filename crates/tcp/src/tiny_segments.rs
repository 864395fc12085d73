//! A limit on tiny segments, whose bookkeeping would take more memory than their payload.

/// So many of any size are allowed.
const FEW: u64 = 64;

/// More only if they have so many bytes each, on average.
const WORTH: u64 = 128;

/// Whether `count` pieces with `bytes` in total are too many for their size.
///
/// The bookkeeping of a piece takes some 50 to 200 B. Budgets count payload: a peer that sends byte
/// by byte, or leaves a gap after each, would exceed them a hundredfold.
pub const fn are_tiny_segments(count: usize, bytes: u64) -> bool {
    count as u64 > FEW + bytes / WORTH
}

#[cfg(test)]
mod tests {
    use super::are_tiny_segments;

    #[test]
    fn neither_few_nor_large_segments_are_tiny() {
        let check = |count, bytes, expect| assert_eq!(are_tiny_segments(count, bytes), expect);
        check(64, 64, false);
        check(65, 65, true);
        check(65, 128, false);
        check(1_000, 128_000, false);
        check(1_065, 128_000, true);
    }
}
