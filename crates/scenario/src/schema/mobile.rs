//! `[ftp]` and `[wan]`: what stands in the place of other keys.

use base::Duration;
use settings::{Bytes, Nothing, OfTime, Off, Or, section};

section! {
    /// `[ftp]`: the packets of a file transfer, as `yew2012` sets them.
    pub struct Ftp {
        /// Bytes of data in each, in the place of `tcp.mss`.
        pub packet_size: Option<u32> as Or<Nothing, Bytes<u32, 1, 65_495>> = None;
        /// Those with more bytes of data are cut at the source (RFC 8200 §4.5), as ns-2 does in
        /// `yew2012` above 1000 B. Only with `[mobile_ip]`.
        pub cap: Option<u32> as Or<Off, Bytes<u32, 8, 65_495>> = None;
    }
}

section! {
    /// `[wan]`: the wired link called `wan`.
    pub struct Wan {
        /// Twice its delay, in the place of `wired.wan.delay`.
        pub rtt: Option<Duration> as Or<Nothing, OfTime> = None;
    }
}
