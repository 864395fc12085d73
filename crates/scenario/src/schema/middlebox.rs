//! `[middlebox]`: a box between wire and radio that helps TCP.

use middlebox::Scheme;
use settings::{Flat, Label, Or, as_key, section};

section! {
    /// `[middlebox]`: a box that all packets pass, at a node between the hosts.
    pub struct Middlebox {
        /// What it does.
        pub scheme: Scheme as Flat<Scheme> = Scheme::default();
        /// The node where it stands, one of `[[wired]]`. Default: the last before [link] or
        /// [radio].
        pub at: Option<String> as Or<as_key::Last, Label> = None;
    }
}
