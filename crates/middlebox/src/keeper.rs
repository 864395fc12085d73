//! Packets that wait in a box, with its caller.

/// Packets by numbers that are used again: a box that does not read them knows them by these
/// ([`crate::Opaque`]).
#[derive(Debug)]
pub struct Keeper<T> {
    packets: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Keeper<T> {
    fn default() -> Self {
        Self { packets: Vec::new(), free: Vec::new() }
    }
}

impl<T> Keeper<T> {
    /// Keeps a packet. Its number.
    pub fn keep(&mut self, packet: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() as u32 - 1
        });
        self.packets[number as usize] = Some(packet);
        number
    }

    /// Gives the packet of a number back; `None` if there is none.
    pub fn take(&mut self, number: u32) -> Option<T> {
        let packet = self.packets.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(packet)
    }

    /// The number of packets that it keeps.
    pub const fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// True if it keeps none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_given_back_once_and_its_number_used_again() {
        let mut keeper = Keeper::default();
        let numbers = ["a", "b", "c"].map(|packet| keeper.keep(packet));
        assert_eq!(keeper.take(numbers[1]), Some("b"));
        assert_eq!(keeper.take(numbers[1]), None, "it is gone");
        assert_eq!(keeper.take(77), None, "there was none");
        assert_eq!(keeper.keep("d"), numbers[1]);
        assert_eq!(keeper.len(), 3);
        let all: Vec<_> = numbers.into_iter().filter_map(|number| keeper.take(number)).collect();
        assert_eq!((all, keeper.is_empty()), (vec!["a", "d", "c"], true));
    }
}
