//! `[middlebox.fda]`: flow control in the manner of Hu and Yeung 2001.

use middlebox::{FdaLikeConfig, SnoopConfig};

use settings::{Bytes, section};

section! {
    /// `[middlebox.fda]`: the flow control of fda-like; its repairs stand in `[middlebox.snoop]`.
    pub struct FdaKeys {
        /// Bytes of a connection that are to wait at the border. Default: half of what a GPRS link
        /// of three slots holds in its round trip, after Chakravorty et al. 2003, §IV.D, "more than
        /// 50 %".
        pub target_queue: u64 as Bytes<u64, 1_500, { u32::MAX as u64 }> = 5_000;
    }
}

impl FdaKeys {
    /// The same as the box takes it, with these repairs.
    pub(crate) const fn config(&self, snoop: SnoopConfig) -> FdaLikeConfig {
        FdaLikeConfig { snoop, target_queue: self.target_queue }
    }
}
