//! Whether the keys of `proxy.toml` go together.

use std::net::IpAddr;

use ipnet::IpNet;
use middlebox::{Estimation, Role, SocketBuffers};
use settings::{Fault, Item, Node, Section, Table, join};

use super::forms::LONGEST_NAME;
use super::{Config, Profile, Routing};

/// Tables that are reserved by the kernel (linux/rtnetlink.h): default, main, local.
const TAKEN_TABLES: [(u32, &str); 3] = [(253, "default"), (254, "main"), (255, "local")];

/// Names of profiles are unique.
pub(super) fn names(proxy: &Config, tree: &Table) -> Result<(), Fault> {
    if proxy.profile.is_empty() {
        let message = "no [[profile]]: needs one, with name and mobiles";
        return tree.clash(&[], message);
    }
    for (index, profile) in proxy.profile.iter().enumerate() {
        if profile.name.is_empty() {
            return tree
                .clash(&["profile"], "every [[profile]] needs a name, as in name = \"gprs\"");
        }
        if proxy.profile[..index].iter().any(|other| other.name == profile.name) {
            let message = format!("two [[profile]] have the name {}", profile.name);
            return tree.clash(&["profile"], message);
        }
    }
    Ok(())
}

/// A profile's clamp is static, but for a subscriber's box, whose echo requests no host answers
/// late on purpose. That is asked first: of a misspelt word, only those are valid.
pub(super) fn words(tree: &Table) -> Result<(), Fault> {
    let profiles = match tree.get("profile").map(|item| &item.node) {
        Some(Node::List(profiles)) => profiles.as_slice(),
        Some(Node::Scalar(_) | Node::Table(_)) | None => &[],
    };
    profiles.iter().filter_map(Item::name).try_for_each(|name| {
        let key = |of: &str| format!("profile.{name}.middlebox.atcp.{of}");
        let word = |of: &str| tree.find(&key(of)).and_then(Item::scalar).map(|it| &*it.text);
        let Some(estimator) = word("estimator") else { return Ok(()) };
        let is_subscriber = word("role") == Some(Role::Subscriber.name());
        if estimator == Estimation::Static.name()
            || is_subscriber && estimator == Estimation::Westwood.name()
        {
            return Ok(());
        }
        let message = if is_subscriber {
            "must be static or westwood: no modem reports its rate to a daemon"
        } else {
            "must be static: no estimate keeps up with every real radio"
        };
        tree.clash(&[&key("estimator")], message)
    })
}

/// All other rules.
pub(super) fn whole(proxy: &Config, tree: &Table) -> Result<(), Fault> {
    interfaces(proxy, tree)?;
    routing(proxy, tree)?;
    proxy.limits.check(tree, "limits")?;
    prefixes(proxy, tree)?;
    proxy.profile.iter().try_for_each(|profile| {
        let at = |key: &str| format!("profile.{}.{key}", profile.name);
        radio(profile, tree, &at)?;
        scheme(profile, tree, &at)?;
        if profile.role() == Role::Subscriber && proxy.workers > 1 {
            let message = "a subscriber's box is for one pipe: needs workers = 1";
            return tree.clash(&["workers", &at("middlebox.atcp.role")], message);
        }
        budget(proxy, profile, tree, &at)
    })
}

/// Either side has interfaces, and none is on both.
fn interfaces(proxy: &Config, tree: &Table) -> Result<(), Fault> {
    let sides = [("radio", &proxy.radio.interfaces), ("wired", &proxy.wired.interfaces)];
    for (side, interfaces) in sides {
        let key = format!("{side}.interfaces");
        if interfaces.is_empty() {
            let message = format!("[{side}] needs interfaces, as in interfaces = [\"eth0\"]");
            return tree.clash(&[&key, side], message);
        }
        let mut devices = routings(proxy).map(|routing| routing.device);
        if let Some(device) = devices.find(|device| interfaces.contains(device)) {
            let message = format!("{device} is to be the proxy's own device");
            return tree.clash(&["routing.device", &key], message);
        }
        if interfaces.iter().any(|interface| interface == "lo") {
            return tree.clash(&[&key], "what goes over lo is not forwarded");
        }
    }
    match proxy.radio.interfaces.iter().find(|name| proxy.wired.interfaces.contains(name)) {
        Some(name) => {
            let message = format!("{name} cannot be of the radio and of the wired side");
            tree.clash(&["wired.interfaces", "radio.interfaces"], message)
        }
        None => Ok(()),
    }
}

/// The tables and devices of all workers can be.
fn routing(proxy: &Config, tree: &Table) -> Result<(), Fault> {
    let Routing { table, .. } = proxy.routing;
    let tables = table..=table.saturating_add(proxy.workers - 1);
    if let Some((number, name)) = TAKEN_TABLES.iter().find(|(number, _)| tables.contains(number)) {
        let which = if *number == table { "" } else { "a worker's would be " };
        let message = format!("{which}{number}, the kernel's own table {name}: take another");
        return tree.clash(&["routing.table", "workers"], message);
    }
    if table > u32::MAX - (proxy.workers - 1) {
        let message = format!("there are no {} tables from {table} on", proxy.workers);
        return tree.clash(&["routing.table", "workers"], message);
    }
    match routings(proxy).find(|routing| routing.device.len() > LONGEST_NAME) {
        Some(Routing { device, .. }) => {
            let message = format!("the last worker's device would be {device}, which is too long");
            tree.clash(&["routing.device", "workers"], message)
        }
        None => Ok(()),
    }
}

/// Those of all workers.
fn routings(proxy: &Config) -> impl Iterator<Item = Routing> {
    (0..proxy.workers).map(|number| proxy.routing.of_worker(number))
}

/// Every profile has mobiles, and no prefix belongs to two.
fn prefixes(proxy: &Config, tree: &Table) -> Result<(), Fault> {
    let mut earlier: Vec<(&Profile, &IpNet)> = Vec::new();
    for profile in &proxy.profile {
        let key = format!("profile.{}.mobiles", profile.name);
        let at = format!("profile.{}", profile.name);
        if profile.mobiles.is_empty() {
            let message = "needs mobiles, as in mobiles = [\"10.45.0.0/16\"]";
            return tree.clash(&[&key, &at], message);
        }
        for prefix in &profile.mobiles {
            if prefix.prefix_len() == 0 {
                let message = format!("{prefix} holds fixed hosts as well: name the mobiles' own");
                return tree.clash(&[&key], message);
            }
            if !is_of_hosts(prefix.addr()) {
                let message = format!("{prefix} holds no addresses of mobiles");
                return tree.clash(&[&key], message);
            }
            if let Some((other, _)) = earlier.iter().find(|(_, other)| *other == prefix) {
                let message = format!("{prefix} is of profile {} already", other.name);
                return tree.clash(&[&key], message);
            }
        }
        earlier.extend(profile.mobiles.iter().map(|prefix| (profile, prefix)));
    }
    Ok(())
}

/// Whether packets to `address` are forwarded to one host (RFC 6890; RFC 4291 §2.5.5.2).
const fn is_of_hosts(address: IpAddr) -> bool {
    let is_mapped = match address {
        IpAddr::V4(_) => false,
        IpAddr::V6(address) => address.to_ipv4_mapped().is_some(),
    };
    !(is_mapped || address.is_multicast() || address.is_loopback() || address.is_unspecified())
}

/// What is given of the radio is consistent and sufficient.
fn radio(profile: &Profile, tree: &Table, at: &dyn Fn(&str) -> String) -> Result<(), Fault> {
    let (rate, round_trip, bdp) = (at("rate"), at("round_trip"), at("bdp"));
    match (profile.rate, profile.round_trip, profile.bdp) {
        (Some(_), Some(_), Some(_)) => {
            let message = "bdp is rate · round_trip: give two of the three";
            tree.clash(&[&bdp, &rate], message)
        }
        (Some(_), None, None) if tree.find(&at("middlebox.atcp.round_trip")).is_none() => {
            tree.clash(&[&rate], "needs round_trip or bdp beside it")
        }
        (None, Some(_), None)
            if profile.role() == Role::Network
                && tree.find(&at("middlebox.atcp.rate")).is_none() =>
        {
            tree.clash(&[&round_trip], "needs rate or bdp beside it")
        }
        (Some(_) | None, Some(_) | None, Some(_) | None) => Ok(()),
    }
}

/// There is a scheme, and its keys go together.
fn scheme(profile: &Profile, tree: &Table, at: &dyn Fn(&str) -> String) -> Result<(), Fault> {
    let (middlebox, key) = (&profile.middlebox, at("middlebox"));
    let Some(keys) = middlebox.keys() else {
        let message = "a profile needs a scheme: list hosts without one in never.hosts";
        return tree.clash(&[&at("middlebox.kind")], message);
    };
    if keys.role() == Role::Subscriber {
        subscriber(tree, at)?;
    }
    if profile.split_uplink && keys.sockets().is_none() {
        let message = format!("{} splits no connections", middlebox.name());
        return tree.clash(&[&at("split_uplink"), &at("middlebox.kind")], message);
    }
    middlebox.check(tree, &key)
}

/// A subscriber's box schedules the uplink alone, by rate and round trip.
fn subscriber(tree: &Table, at: &dyn Fn(&str) -> String) -> Result<(), Fault> {
    let role = at("middlebox.atcp.role");
    let mut idle = ["rate", "bdp", "mss", "split_uplink"].into_iter().map(at);
    if let Some(key) = idle.find(|key| tree.find(key).is_some()) {
        return tree.clash(&[&key, &role], "does nothing for a subscriber's box");
    }
    let [rate, round_trip] = ["uplink_rate", "round_trip"].map(|key| {
        let keys = [at(key), at(&join("middlebox.atcp", key))];
        keys.into_iter().find(|key| tree.find(key).is_some())
    });
    match (rate, round_trip) {
        (Some(rate), None) => {
            tree.clash(&[&rate, &role], "needs round_trip beside it, what a ping takes alone")
        }
        (None | Some(_), Some(_)) | (None, None) => Ok(()),
    }
}

impl Profile {
    /// Payload bytes that are set aside for each established connection, if its segments carry
    /// `mss` bytes. What is set aside for a mobile, whatever its connections, comes on top.
    pub fn bytes_of_connection(&self, mss: u16) -> u64 {
        let Some(keys) = self.middlebox.keys() else { return 0 };
        let uplink = keys.sockets().filter(|_| self.split_uplink);
        keys.bytes_of_connection(mss) + uplink.map_or(0, SocketBuffers::first_bytes)
    }
}

/// One mobile's budget is within that of all.
fn budget(
    proxy: &Config,
    profile: &Profile,
    tree: &Table,
    at: &dyn Fn(&str) -> String,
) -> Result<(), Fault> {
    let all = proxy.of_worker(0).limits.bytes;
    match profile.middlebox.keys().and_then(middlebox::SchemeKeys::budget) {
        Some((key, one)) if all < one => {
            let name = &profile.name;
            let of = match proxy.workers {
                1 => format!("limits.bytes of {all} B"),
                workers => format!("limits.bytes, {all} B for each of {workers} workers,"),
            };
            let message = format!("{of} cannot hold the budget of one mobile of {name}, {one} B");
            let key = at(&join("middlebox", key));
            tree.clash(&["limits.bytes", &key, &at("bdp")], message)
        }
        Some(_) | None => Ok(()),
    }
}
