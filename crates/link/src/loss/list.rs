//! An exact list of packets to drop.

/// Drops packets by their number of arrival, from 0. Pure acknowledgements have none: only packets
/// with a SYN or payload count.
#[derive(Debug)]
pub struct List {
    /// In order, each once.
    numbers: Vec<u64>,
    arrived: u64,
}

impl List {
    /// Drops the packets with these `numbers`, in any order.
    pub fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        Self { numbers, arrived: 0 }
    }

    /// True if the packet that arrives, and that counts, is on the list.
    pub fn drops_next(&mut self) -> bool {
        let number = self.arrived;
        self.arrived += 1;
        self.numbers.binary_search(&number).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_zero() {
        let mut list = List::new(vec![4, 0, 2, 4]);
        let dropped = [(); 6].map(|()| list.drops_next());
        assert_eq!(dropped, [true, false, true, false, true, false]);
    }
}
