//! How small the pieces may be in which bytes are kept.

/// So many of any size.
const FEW: u64 = 64;

/// More only if they have so many bytes each, on average.
const WORTH: u64 = 128;

/// Whether `count` pieces of together `bytes` are too many for their size.
///
/// What is noted of a piece beside its payload takes some 50 to 200 B. Budgets count payload: a
/// peer that sends byte by byte, or leaves a gap after each, would have them exceeded a hundred
/// times.
pub const fn are_crumbs(count: usize, bytes: u64) -> bool {
    count as u64 > FEW + bytes / WORTH
}

#[cfg(test)]
mod tests {
    use super::are_crumbs;

    #[test]
    fn few_are_no_crumbs_nor_are_large_ones() {
        let check = |count, bytes, expect| assert_eq!(are_crumbs(count, bytes), expect);
        check(64, 64, false);
        check(65, 65, true);
        check(65, 128, false);
        check(1_000, 128_000, false);
        check(1_065, 128_000, true);
    }
}
