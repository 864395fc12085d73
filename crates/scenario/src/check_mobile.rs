//! Whether `[mobile_ip]`, `[wlan]`, `[ftp]` and `[wan]` go together with each other and the rest.

use std::collections::BTreeSet;

use mobility::binding::{MobileIp, Reach};
use radio::wlan::{AccessPoint, WlanKeys};

use crate::routes::Graph;
use crate::schema::{Hosts, Scenario};
use crate::validate::Check;
use crate::wlan::ACCESS;
use settings::Fault;
use settings::Table;

/// Bytes of an IPv6 header and of a fragment header (RFC 8200 §3 and §4.5).
const HEADERS: u32 = world::IPV6_HEADER_BYTES;
const FRAGMENT: u32 = world::FRAGMENT_HEADER_BYTES;

/// Bytes of a TCP header, of one with timestamps, and the most (RFC 9293 §3.1, RFC 7323 §3).
const PLAIN: u32 = 20;
const STAMPED: u32 = 32;
const LONGEST: u32 = 60;

/// What `[ftp]` and `[wan]` say in the place of other keys.
pub(crate) fn take_over(scenario: &mut Scenario, tree: &Table) -> Result<(), Fault> {
    if let Some(bytes) = scenario.ftp.packet_size {
        if tree.find("tcp.mss").is_some() && scenario.tcp.mss != bytes {
            let message = "give ftp.packet_size or tcp.mss, not both";
            return tree.clash(&["ftp.packet_size", "tcp.mss"], message);
        }
        scenario.tcp.mss = bytes;
    }
    if let Some(rtt) = scenario.wan.rtt {
        let Some(wan) = scenario.wired.iter_mut().find(|wired| wired.name == "wan") else {
            let message = "wan.rtt is twice the delay of a [[wired]] called wan: there is none";
            return tree.clash(&["wan.rtt"], message);
        };
        if tree.find("wired.wan.delay").is_some() && wan.delay != rtt / 2 {
            let message = "give wan.rtt or wired.wan.delay, not both";
            return tree.clash(&["wan.rtt", "wired.wan.delay"], message);
        }
        wan.delay = rtt / 2;
    }
    Ok(())
}

impl Check<'_> {
    /// A network through which mobiles move.
    pub(crate) fn mobile_network(&self) -> Result<(), Fault> {
        let Scenario { link, radio, middlebox, wlan, .. } = self.scenario;
        if link.is_some() || radio.is_some() || middlebox.is_some() {
            let message = "[mobile_ip] goes with [[wired]] and [wlan], not with [link], [radio] or \
                           [middlebox]";
            return self.clash(&["mobile_ip", "link", "radio", "middlebox"], message);
        }
        let Some(wlan) = wlan else {
            return self.clash(&["mobile_ip"], "[mobile_ip] needs [wlan], where the mobiles are");
        };
        self.link_names()?;
        self.tasks()?;
        self.access(wlan)?;
        if let Some(mobile_ip) = &self.scenario.mobile_ip {
            self.all_pieces(mobile_ip.mtu)?;
        }
        self.ways(wlan)?;
        let graph = Graph::of(self.scenario);
        self.is_connected(&graph)?;
        self.routes(&graph)?;
        self.mobile_flows()
    }

    /// The pieces into which `ftp.cap` cuts the segments of any endpoint can be joined, and each
    /// fits in a packet.
    fn all_pieces(&self, mtu: u32) -> Result<(), Fault> {
        let hosts = &self.scenario.tcp;
        self.pieces(mtu, hosts, "tcp.mss")?;
        self.scenario.groups_by_table().try_for_each(|(at, group)| {
            let [sender, receiver] = group.endpoints(hosts);
            self.pieces(mtu, sender, &format!("{at}.tcp.mss"))?;
            self.pieces(mtu, receiver, &format!("{at}.peer.tcp.mss"))
        })
    }

    fn pieces(&self, mtu: u32, endpoint: &tcp::Config, key: &str) -> Result<(), Fault> {
        let Some(cap) = self.scenario.ftp.cap else { return Ok(()) };
        let tcp::Config { mss, timestamps, .. } = *endpoint;
        let keys = ["ftp.cap", "ftp.packet_size", key, "mobile_ip.mtu"];
        let (pieces, most) = (mss.div_ceil(cap), world::MOST_PIECES as u32);
        if pieces > most {
            let message = format!(
                "packets with {mss} B of data would be cut into {pieces} pieces, of which no more \
                 than {most} are joined: ftp.cap must be {} B or more",
                mss.div_ceil(most)
            );
            return self.clash(&keys, message);
        }
        let header = if timestamps { STAMPED } else { PLAIN };
        let bytes = if mss > cap { FRAGMENT + LONGEST + cap } else { header + mss } + HEADERS;
        if bytes > mtu {
            let message = format!(
                "ftp.cap makes packets of {bytes} B, and mobile_ip.mtu is {mtu} B: ftp.cap must be \
                 lower, or off"
            );
            return self.clash(&keys, message);
        }
        Ok(())
    }

    fn nodes(&self) -> BTreeSet<&str> {
        self.scenario.wired.iter().flat_map(|wired| &wired.between).map(String::as_str).collect()
    }

    /// A node of `[[wired]]`.
    pub(crate) fn is_node(&self, key: &str, name: &str) -> Result<(), Fault> {
        let nodes = self.nodes();
        if nodes.contains(name) {
            return Ok(());
        }
        let known = nodes.into_iter().collect::<Vec<_>>().join(", ");
        self.clash(&[key], format!("{name} is no node of [[wired]]: there are {known}"))
    }

    /// Who has which task: each a node of its own.
    fn tasks(&self) -> Result<(), Fault> {
        let Some(mobile_ip) = &self.scenario.mobile_ip else { return Ok(()) };
        if mobile_ip.kind == Reach::Plain && mobile_ip.map != MobileIp::default().map {
            self.is_node("mobile_ip.map", &mobile_ip.map)?;
        }
        let tasks = mobile_ip.tasks().into_iter();
        let tasks: Vec<_> = tasks.map(|(key, node)| (format!("mobile_ip.{key}"), node)).collect();
        for (index, (key, name)) in tasks.iter().enumerate() {
            self.is_node(key, name)?;
            if let Some((task, _)) = tasks[..index].iter().find(|(_, other)| other == name) {
                return self.clash(&[key, task], format!("{name} cannot be both {task} and {key}"));
            }
        }
        Ok(())
    }

    /// Access points at nodes of their own.
    fn access(&self, wlan: &WlanKeys) -> Result<(), Fault> {
        let Some(mobile_ip) = &self.scenario.mobile_ip else { return Ok(()) };
        if wlan.access_point.is_empty() {
            let message =
                "[wlan] needs an access point, as in [[wlan.access_point]] name = \"AR1\"";
            return self.clash(&["wlan"], message);
        }
        for (index, AccessPoint { name, .. }) in wlan.access_point.iter().enumerate() {
            let key = format!("wlan.access_point.{name}.name");
            if name.is_empty() {
                let message = "every [[wlan.access_point]] needs a name: that of its node";
                return self.clash(&["wlan.access_point"], message);
            }
            self.is_node(&key, name)?;
            if wlan.access_point[..index].iter().any(|other| other.name == *name) {
                return self.clash(&[&key], format!("two access points have the name {name}"));
            }
            let task = mobile_ip.tasks().into_iter().find(|(_, node)| node == name);
            if let Some((task, _)) = task.filter(|_| *name != mobile_ip.home_agent) {
                return self.clash(&[&key], format!("{name} is mobile_ip.{task} already"));
            }
        }
        Ok(())
    }

    /// Mobiles, and their ways.
    fn ways(&self, wlan: &WlanKeys) -> Result<(), Fault> {
        if wlan.count() == 0 {
            let message = "[wlan] needs a mobile, as in [[wlan.mobile]] name = \"MN\"";
            return self.clash(&["wlan"], message);
        }
        let nodes = self.nodes();
        for (index, mobile) in wlan.mobile.iter().enumerate() {
            let name = &mobile.name;
            if name.is_empty() {
                let message = "every [[wlan.mobile]] needs a name, as in name = \"MN\"";
                return self.clash(&["wlan.mobile"], message);
            }
            let is_taken = nodes.contains(name.as_str())
                || wlan.mobile[..index].iter().any(|other| other.name == *name);
            if is_taken || name.starts_with("MN-") {
                let key = format!("wlan.mobile.{name}.name");
                return self.clash(&[&key], format!("the name {name} stands for another already"));
            }
            if let Some(way) = mobile.walk.iter().find(|way| way.speed <= 0.0) {
                let key = format!("wlan.mobile.{name}.walk");
                let message = format!("a speed is above zero, not {} m/s", way.speed);
                return self.clash(&[&key], message);
            }
        }
        Ok(())
    }

    /// No wired link has the name of the wireless one.
    fn link_names(&self) -> Result<(), Fault> {
        if self.scenario.wired.iter().any(|wired| wired.name == ACCESS) {
            let message = format!("the name {ACCESS} stands for the link of [wlan]");
            return self.clash(&[&format!("wired.{ACCESS}.name")], message);
        }
        Ok(())
    }

    /// A way leads from every node to every other.
    fn is_connected(&self, graph: &Graph<'_>) -> Result<(), Fault> {
        let ways = graph.towards(0);
        match graph.nodes().iter().zip(ways).skip(1).find(|(_, way)| way.is_none()) {
            None => Ok(()),
            Some((node, _)) => self.clash(&["wired"], format!("no way leads to {node}")),
        }
    }

    fn mobile_flows(&self) -> Result<(), Fault> {
        for (at, group) in self.scenario.groups_by_table() {
            if group.hosts == Hosts::Own {
                let key = format!("{at}.hosts");
                let message = format!(
                    "with [mobile_ip] flows run between its correspondent and mobiles, or between \
                     mobiles: {key} must be shared"
                );
                return self.clash(&[&key, "mobile_ip"], message);
            }
            if group.has_own_host() || group.to.is_some() {
                let message = format!(
                    "with [mobile_ip] flows have no hosts of their own: {at}.delay, return_delay, \
                     from and to must be left out"
                );
                let keys = ["delay", "return_delay", "from", "to"].map(|key| format!("{at}.{key}"));
                let keys = keys.each_ref().map(String::as_str);
                return self.clash(&[&keys[..], &["mobile_ip"]].concat(), message);
            }
        }
        Ok(())
    }
}
