//! How many bytes a transport block has.

/// The bytes of a block by its scheme of modulation and coding and by the resource blocks that it
/// takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    /// The schemes one after the other, each with the sizes for 0 up to `width` resource blocks.
    bytes: Vec<u32>,
    width: u16,
}

impl Sizes {
    /// The sizes of `schemes` over up to `width` resource blocks. They must grow with the width,
    /// and over all of it with the scheme.
    pub(crate) fn new<S: Copy>(schemes: &[S], width: u16, bytes: impl Fn(S, u16) -> u32) -> Self {
        let row = |scheme: &S| {
            let (scheme, bytes) = (*scheme, &bytes);
            (0..=width).map(move |blocks| if blocks == 0 { 0 } else { bytes(scheme, blocks) })
        };
        Self { bytes: schemes.iter().flat_map(row).collect(), width }
    }

    /// How many resource blocks there are.
    pub(crate) const fn width(&self) -> u16 {
        self.width
    }

    /// The bytes of a block over `width` resource blocks.
    pub(crate) fn bytes(&self, scheme: u8, width: u16) -> u32 {
        self.row(scheme)[width as usize]
    }

    /// How many resource blocks a block needs for `bytes`, or for the most that one can have.
    pub(crate) fn width_for(&self, scheme: u8, bytes: u64) -> u16 {
        let row = self.row(scheme);
        let bytes = bytes.min(u64::from(row[row.len() - 1]));
        row.partition_point(|size| u64::from(*size) < bytes) as u16
    }

    /// The number of resource blocks, up to `most`, that a block takes for `bytes`, and its bytes.
    pub(crate) fn least_within(&self, scheme: u8, bytes: u64, most: u16) -> (u16, u32) {
        let row = self.row(scheme);
        let (place, all) = (usize::from(most), row[usize::from(most)]);
        // Mostly it takes them all, each of which brings some.
        if u64::from(all) <= bytes && (place == 0 || row[place - 1] < all) {
            return (most, all);
        }
        let width = self.width_for(scheme, bytes).min(most);
        (width, row[usize::from(width)])
    }

    /// The least scheme in which `bytes` fit over all resource blocks; 0 if they fit in none.
    pub(crate) fn scheme_for(&self, bytes: u64) -> u8 {
        let mut rows = self.bytes.chunks(self.width as usize + 1).zip(0..);
        let fits = |row: &[u32]| row.last().is_some_and(|most| u64::from(*most) >= bytes);
        rows.find(|(row, _)| fits(row)).map_or(0, |(_, scheme)| scheme)
    }

    fn row(&self, scheme: u8) -> &[u32] {
        let length = self.width as usize + 1;
        let start = length * scheme as usize;
        &self.bytes[start..start + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_width_that_is_enough() {
        let sizes = Sizes::new(&[10, 20, 30], 6, |each, width| u32::from(width) * each);
        assert_eq!((sizes.bytes(0, 1), sizes.bytes(2, 6), sizes.bytes(1, 0)), (10, 180, 0));
        assert_eq!(
            [0, 1, 10, 11, 60, 61].map(|bytes| sizes.width_for(0, bytes)),
            [0, 1, 1, 2, 6, 6]
        );
        assert_eq!([1, 60, 61, 180, 181].map(|bytes| sizes.scheme_for(bytes)), [0, 0, 1, 2, 0]);
        for (scheme, bytes, most) in
            (0..3).flat_map(|scheme| (0..200).map(move |bytes| (scheme, bytes, bytes as u16 % 7)))
        {
            let width = sizes.width_for(scheme, bytes).min(most);
            let least = sizes.least_within(scheme, bytes, most);
            assert_eq!(least, (width, sizes.bytes(scheme, width)), "{scheme} {bytes} {most}");
        }
        let limited = Sizes::new(&[10], 6, |each, width| (u32::from(width) * each).min(25));
        assert_eq!([25, 1000].map(|bytes| limited.width_for(0, bytes)), [3, 3]);
        assert_eq!([2, 3, 6].map(|most| limited.least_within(0, 1000, most).0), [2, 3, 3]);
    }
}
