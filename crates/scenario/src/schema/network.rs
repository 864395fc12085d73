//! `[flow]` and `[[wired]]`: what is transferred, and over what wires.

use base::{Duration, Rate};

use super::Web;
use crate::form::{
    Always, Bytes, Count, Ends, Label, Named, Nothing, OfTime, Or, Speed, Unlimited, Word, as_key,
    section, words,
};

section! {
    /// `[flow]`: what the fixed host sends to the mobile: files, or pages that it asks for. Give
    /// `bytes` or `segments`, not both.
    pub struct Flow {
        /// How many: at most the ports that a host has.
        pub count: u32 as Count<u32, 1, 64_512> = 1;
        /// Whether all flows run between the same two hosts or each between hosts of its own,
        /// beside the first and the last node of the network.
        pub hosts: Hosts as Word<Hosts> = Hosts::Shared;
        /// Payload of each. Default: data for the whole run, as in lo2005 §4.
        pub bytes: Option<u64> as Or<Unlimited, Bytes<u64, 1, { u64::MAX }>> = None;
        /// Payload of each in full segments.
        pub segments: Option<u64> as Or<as_key::FlowBytes, Count<u64, 1, 1_000_000_000_000>> =
            None;
        /// What is transferred.
        pub application: Application as Word<Application> = Application::File;
        /// The pages, where there are some.
        pub web: Web as Always<Web> = Web::default();
        /// What each asks of the radio, where that picks the spreading factor (`sf = "auto"`).
        pub rate: Option<Rate> as Or<Nothing, Speed> = None;
        /// When the first begins.
        pub start: Duration as OfTime = Duration::ZERO;
        /// From the start of one to the start of the next.
        pub interval: Duration as OfTime = Duration::ZERO;
    }
}

impl Flow {
    /// Payload bytes of each flow in segments of `mss` bytes; `None` is without end.
    pub fn payload(&self, mss: u32) -> Option<u64> {
        self.segments.map(|segments| segments * u64::from(mss)).or(self.bytes)
    }

    /// Whether flow number `index` carries pages.
    pub const fn has_pages(&self, index: u64) -> bool {
        match self.application {
            Application::File => false,
            Application::Web => true,
            Application::Mixed => index % 2 == 1,
        }
    }
}

words! {
    /// What a flow transfers.
    pub enum Application {
        /// A file.
        File = "file",
        /// Pages that the mobile asks for, one after the other.
        Web = "web",
        /// A file and pages in turn: the first flow transfers a file, the next pages.
        Mixed = "mixed",
    }
}

words! {
    /// Between which hosts the flows run.
    pub enum Hosts {
        /// All between the same two.
        Shared = "shared",
        /// Each between hosts of its own.
        Own = "own",
    }
}

section! {
    /// `[[wired]]`: a wired link, alike in both directions and without loss or limit of its queue.
    pub struct Wired {
        /// Its name in settings (`wired.NAME.delay`) and results; required.
        pub name: String as Label = String::new();
        /// The nodes that it joins, the one nearer to the fixed host first; required.
        pub between: [String; 2] as Ends = [String::new(), String::new()];
        /// Its rate. Default: sending takes no time.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// One way, from the last bit sent to the last bit received.
        pub delay: Duration as OfTime = Duration::ZERO;
    }
}

impl Named for Wired {
    fn name(&self) -> &str {
        &self.name
    }
}
