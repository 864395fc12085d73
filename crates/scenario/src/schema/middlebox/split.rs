//! `[middlebox.split]`: boxes that split connections.

use settings::{Bytes, section};

section! {
    /// `[middlebox.split]`: the two sockets that i-tcp and split have for a connection. Defaults:
    /// Linux 2.4 (ip-sysctl).
    pub struct Split {
        /// Of the socket towards the sender's host. Default: that of `tcp_rmem`.
        pub receive_buffer: u64 as Bytes<u64, 1, 1_073_741_824> = 87_380;
        /// Of the socket towards the mobile. Default: the most of `tcp_wmem`.
        pub send_buffer: u64 as Bytes<u64, 1, 1_073_741_824> = 131_072;
    }
}
