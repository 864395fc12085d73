//! How the window that a receiver advertises comes to the size of its buffer.

use crate::{Payload, Receiver};

/// How the advertised window comes to the size of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowOpening {
    /// It has it from the start.
    Whole,
    /// It grows with what arrives, as slow start does: Linux 2.4 begins with so many segments
    /// (`tcp_select_initial_window`) and adds two for each that arrives in order
    /// (`tcp_grow_window`).
    Gradual {
        /// Full segments at the start.
        segments: u32,
    },
}

/// Segments of less say nothing of what the peer sends (Linux 2.4, `tcp_event_data_recv`).
const TELLING: u64 = 128;

impl<P: Payload> Receiver<P> {
    /// The same receiver, with a window that comes to its size in this way. Before
    /// [`Receiver::start`].
    #[must_use]
    pub fn with_opening(mut self, opening: WindowOpening) -> Self {
        self.opened = match opening {
            WindowOpening::Whole => u32::MAX,
            WindowOpening::Gradual { segments } => segments.saturating_mul(self.mss),
        };
        self
    }

    /// A segment of `length` arrived in order.
    pub(crate) const fn open_further(&mut self, length: u64) {
        if length >= TELLING {
            self.opened = self.opened.saturating_add(2 * self.mss);
        }
    }
}
