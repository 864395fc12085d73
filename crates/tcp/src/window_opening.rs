//! How the window that a receiver advertises comes to the size of its buffer.

use settings::words;

use crate::{Payload, Receiver};

words! {
    /// The kind of receiver: the default size of its buffer, and how the advertised window grows to
    /// that size.
    pub enum ReceiverKind {
        /// The whole window from the start.
        Plain = "plain",
        /// Linux 2.4: four segments at first (`tcp_select_initial_window`), two more with each that
        /// arrives in order (`tcp_grow_window`), up to 65,535 B.
        Linux24 = "linux-2.4",
        /// Windows 2000: 16 KB, rounded up to whole segments.
        Windows2000 = "win2000",
        /// Windows CE 3.0: 8 KB, rounded up to whole segments, at least four.
        WindowsCe = "wince",
    }
}

impl ReceiverKind {
    /// Its buffer, where none is given; of a plain one the sender's window decides.
    pub(crate) fn buffer(self, mss: u32) -> Option<u32> {
        let whole = |bytes: u32| bytes.div_ceil(mss) * mss;
        match self {
            Self::Plain => None,
            // 87,380 B of tcp_rmem, less a quarter for overhead (tcp_adv_win_scale = 2).
            Self::Linux24 => Some(65_535),
            Self::Windows2000 => Some(whole(16_384)),
            Self::WindowsCe => Some(whole(8_192).max(4 * mss)),
        }
    }
}

/// The window that Linux 2.4 advertises at first; the others advertise all of theirs.
const LINUX_24_SEGMENTS: u32 = 4;

/// Shorter segments say nothing about the peer's segment size (Linux 2.4, `tcp_event_data_recv`).
const TELLING: u64 = 128;

impl<P: Payload> Receiver<P> {
    /// The same receiver, with a window that opens as that `kind`'s does. Before
    /// [`Receiver::start`].
    #[must_use]
    pub fn opening_as(mut self, kind: ReceiverKind) -> Self {
        let limited = kind == ReceiverKind::Linux24;
        self.opened = if limited { LINUX_24_SEGMENTS * self.mss } else { u32::MAX };
        self
    }

    /// A segment of `length` arrived in order.
    pub(crate) const fn open_further(&mut self, length: u64) {
        if length >= TELLING {
            self.opened = self.opened.saturating_add(2 * self.mss);
        }
    }
}
