//! `[middlebox]`: a box between wire and radio that helps TCP.

use middlebox::Scheme;
use settings::{Always, Fault, Flat, Form, Label, Or, Table, as_key, section};

use super::Scenario;

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

impl Scenario {
    /// Gives a middlebox what it has in common with the hosts; what `tree` says of it counts more.
    pub(crate) fn take_over_tcp(&mut self, tree: &Table) -> Result<(), Fault> {
        if let (Some(middlebox), Some(item)) = (&mut self.middlebox, tree.find("middlebox"))
            && let Some(keys) = middlebox.scheme.keys_mut()
        {
            keys.take_over(&self.tcp);
            *middlebox = Always::<Middlebox>::read(item, "middlebox", middlebox)?;
        }
        Ok(())
    }
}
