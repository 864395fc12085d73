//! `[middlebox]`: a box between wire and radio that helps TCP.

use middlebox::{Role, Scheme, SchemeKeys};
use settings::{Flat, Label, Or, as_key, section};

section! {
    /// `[middlebox]`: a box that all packets pass, at a node between the hosts.
    pub struct Middlebox {
        /// What it does.
        pub scheme: Scheme as Flat<Scheme> = Scheme::default();
        /// The node where it stands, one of `[[wired]]`. Default: the last before [link] or
        /// [radio]; a subscriber's box stands at each mobile.
        pub at: Option<String> as Or<as_key::Last, Label> = None;
    }
}

impl Middlebox {
    /// Side of the radio where it stands.
    pub fn role(&self) -> Role {
        self.scheme.keys().map_or(Role::Network, SchemeKeys::role)
    }
}
