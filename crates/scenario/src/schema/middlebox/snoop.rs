//! `[middlebox.snoop]`: Balakrishnan et al. 1995.

use base::Duration;
use middlebox::SnoopConfig;

use settings::{Count, OfTime, section};

section! {
    /// `[middlebox.snoop]`: repairs at the border, of snoop and fda-like. Defaults: ns-2.
    pub struct SnoopKeys {
        /// Most segments of a connection that are kept; what comes on top passes.
        pub cache_segments: u32 as Count<u32, 0, 1_000_000> = 100;
        /// The least that the retransmission timer waits.
        pub tick: Duration as OfTime<1> = Duration::from_millis(100);
        /// Most times that a segment is sent again.
        pub max_tries: u32 as Count<u32, 0, 1_000_000> = 10;
        /// How many duplicate acknowledgements pass before one is taken for a loss.
        pub threshold: u32 as Count<u32, 0, 1_000> = 1;
    }
}

impl SnoopKeys {
    /// The same as the box takes it.
    pub(crate) const fn config(&self) -> SnoopConfig {
        let Self { cache_segments, tick, max_tries, threshold } = *self;
        SnoopConfig { cache_segments, tick, max_tries, threshold }
    }
}
