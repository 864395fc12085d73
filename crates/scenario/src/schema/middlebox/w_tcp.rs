//! `[middlebox.w_tcp]`: Ratnam and Matta 1998.

use base::Duration;
use middlebox::WTcpConfig;

use settings::{Bytes, Count, OfTime, section};

section! {
    /// `[middlebox.w_tcp]`: a buffer at the border with a window of its own.
    pub struct WTcpKeys {
        /// Bytes of a connection that may be in flight to its mobile. Default: as the clamp of
        /// Chakravorty et al. 2003, §VI.
        pub window: u64 as Bytes<u64, 1, { u32::MAX as u64 }> = 10_000;
        /// Most segments of a connection that are kept; what comes on top is lost. Default: more
        /// than a window of some megabytes, so that nothing is.
        pub buffer_segments: u32 as Count<u32, 1, 1_000_000> = 4096;
        /// The least that the retransmission timer waits. Default: as Snoop's.
        pub tick: Duration as OfTime<1> = Duration::from_millis(100);
        /// Which duplicate acknowledgement has the oldest segment sent again. Default: the first,
        /// for the radio keeps the order.
        pub threshold: u32 as Count<u32, 1, 1_000> = 1;
    }
}

impl WTcpKeys {
    /// The same as the box takes it.
    pub(crate) const fn config(&self) -> WTcpConfig {
        let Self { window, buffer_segments, tick, threshold } = *self;
        WTcpConfig { window, buffer_segments, tick, threshold }
    }
}
