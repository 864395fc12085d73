//! The schema: every key, its unit, its range, its default and where that comes from.

mod middlebox;
mod mobile;
mod network;

use std::sync::LazyLock;

use base::Duration;
use link::Bottleneck;
use link::queue::Queues;

pub use middlebox::Middlebox;
pub use mobile::{Ftp, Wan};
pub(crate) use network::wire;
pub use network::{Flow, FlowDirection, Hosts, Opener, Peer, Route, Wired};

use crate::{endpoints, profile};
use mobility::binding::MobileIp;
use radio::Radio;
use radio::wlan::WlanKeys;
use settings::{
    Always, Count, Each, Error, Flag, Flat, Key, NoKey, OfTime, Perhaps, Schema, Scope, Section,
    Shared, Text, section, take_over,
};

section! {
    /// A scenario: a network, what runs over it and for how long.
    ///
    /// The way from the fixed host to the mobile is [`wired`](Self::wired), link by link, then
    /// either [`radio`](Self::radio) or [`link`](Self::link).
    pub struct Scenario {
        /// What results call it; by default the name that it was parsed under.
        pub name: String as Text = String::new();
        /// What it is, in one line.
        pub description: String as Text = String::new();
        /// Where its values come from, in one line.
        pub reference: String as Text = String::new();
        /// Simulated time, from 0.
        pub duration: Duration as OfTime<1> = Duration::from_secs(60);
        /// Seeds every source of chance.
        pub seed: u64 as Count<u64, 0, { u64::MAX }> = 1;
        /// The endpoints, alike for all flows.
        pub tcp: tcp::Config as Always<tcp::Config> = tcp::Config::default();
        /// What is transferred: from the fixed host to the mobile.
        pub flow: Flow as Always<Flow> = Flow::default();
        /// Wired links, in order from the fixed host towards the mobile.
        pub wired: Vec<Wired> as Each<Wired> = Vec::new();
        /// Static routes between their nodes, where mobiles move through them.
        pub route: Vec<Route> as Each<Route> = Vec::new();
        /// The bottleneck, where there is no radio.
        pub link: Option<Bottleneck> as Perhaps<Bottleneck> = None;
        /// The queue ahead of the bottleneck or the radio.
        pub queue: Queues as Shared<Queues> = Queues::default();
        /// The keys of `[queue]` that only a radio has.
        pub radio_queue: RadioQueue as Flat<RadioQueue> = RadioQueue::default();
        /// The radio bearer of the mobile.
        pub radio: Option<Radio> as Perhaps<Radio> = None;
        /// A box between the hosts that helps TCP.
        pub middlebox: Option<Middlebox> as Perhaps<Middlebox> = None;
        /// An IPv6 network through which mobiles move.
        pub mobile_ip: Option<MobileIp> as Perhaps<MobileIp> = None;
        /// Its wireless access.
        pub wlan: Option<WlanKeys> as Perhaps<WlanKeys> = None;
        /// The packets of a file transfer.
        pub ftp: Ftp as Always<Ftp> = Ftp::default();
        /// The wired link called `wan`.
        pub wan: Wan as Always<Wan> = Wan::default();
        /// A line for each group of flows that a setting made.
        pub made: Vec<String> as NoKey<Vec<String>> = Vec::new();
        /// A line for each setting that changes nothing, with the reason.
        pub idle: Vec<String> as NoKey<Vec<String>> = Vec::new();
    }
    supersedes(wan.rtt: wired.wan.delay)
    supersedes(wired.wan.delay: wan.rtt)
    only_with(queue: link, radio, mobile_ip)
    only_with(queue.per_flow: radio)
    only_with(route: mobile_ip)
    only_with(wlan.hold_limit: mobile_ip.fast_handovers is ["true"])
    only_with(wlan.anticipation: mobile_ip.fast_handovers is ["true"])
    only_with(ftp.cap: mobile_ip)
    only_with(flow.encrypted: middlebox.kind not "none")
    only_with(flow.group.NAME.encrypted: middlebox.kind not "none")
}

section! {
    /// The keys of `[queue]` that only a radio has.
    pub struct RadioQueue {
        /// `[queue]`, beside [`Queues`].
        pub queue: FlowQueues as Shared<FlowQueues> = FlowQueues::default();
    }
}

section! {
    /// `[queue]` of a radio: whose packets one queue holds.
    pub struct FlowQueues {
        /// Whether the limits of both directions apply to each flow separately; needs [radio].
        pub per_flow: bool as Flag = false;
    }
}

impl Scenario {
    /// `[flow]` and then each `[[flow.group]]`, in the order in which their flows are numbered.
    pub fn groups(&self) -> impl Iterator<Item = &Flow> {
        std::iter::once(&self.flow).chain(&self.flow.group)
    }

    /// True if the controller of an endpoint is a custom one.
    pub fn has_custom(&self) -> bool {
        let of_flows = self.groups().flat_map(|group| group.endpoints(&self.tcp));
        of_flows.chain([&self.tcp]).any(|tcp| tcp.custom().is_some())
    }

    /// Groups of flows, each with the table that it stands in: `flow.group.NAME`.
    pub fn groups_by_table(&self) -> impl Iterator<Item = (String, &Flow)> {
        let further = self.flow.group.iter().map(|group| (endpoints::group(&group.name), group));
        std::iter::once(("flow".to_owned(), &self.flow)).chain(further)
    }

    /// Every key that this scenario has, with its value, in the order of the schema.
    pub fn values(&self) -> Vec<Key> {
        self.shown(Scope::Present)
    }

    /// The keys of the `scope`, in the order of the schema.
    pub(crate) fn shown(&self, scope: Scope) -> Vec<Key> {
        let mut keys = Vec::new();
        self.visit("", scope, &mut |key| keys.push(key));
        keys
    }

    /// The same, and every key that it could have, with its default.
    fn every_key(&self) -> Vec<Key> {
        let mut keys = self.shown(Scope::Every);
        let parents = keys.clone();
        take_over(&mut keys, &parents);
        keys
    }
}

/// The keys and tables that the settings of a scenario are checked against.
pub(crate) fn schema() -> Schema<'static> {
    Schema { keys: keys(), given: &GIVEN, grown: &GROWN }
}

/// The tables and lists that settings do not make.
const GIVEN: [&str; 4] = ["link", "radio", "wired", "route"];

/// The lists to which a setting adds the member that it names.
const GROWN: [&str; 2] = ["flow.group", "middlebox.atcp.classes"];

/// Every key there is, with its default, in the order of the schema.
pub fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| Scenario::default().every_key());
    &KEYS
}

/// The number that `value` is for `key`, in the unit of what the key takes; `None` if it is none.
///
/// # Errors
/// If there is no such key or the value is none of it, as far as one can say without other keys.
pub fn number(key: &str, value: &str) -> Result<Option<f64>, Error> {
    schema().number(key, value).map_err(|fault| fault.among(keys()).of(""))
}

/// Packets that fit into a queue of the kind called `name`, unless a key says so; `None` if
/// there is no such kind.
pub fn queue_packets(name: &str) -> Option<u32> {
    let kind = link::queue::Kind::ALL.iter().find(|kind| kind.name() == name)?;
    Some(kind.packets())
}

/// Every key there is, with its default under the profile called `name`, in the order of the
/// schema. `None` if there is no such profile.
pub fn keys_under(name: &str) -> Option<Vec<Key>> {
    let mut scenario = Scenario::default();
    profile::lay_under(name, &mut scenario).then(|| scenario.every_key())
}
