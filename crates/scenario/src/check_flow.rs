//! Whether the keys of flows go together.

use base::Duration;

use radio::wlan::WlanKeys;

use crate::schema::{Flow, FlowDirection, Hosts, Scenario};
use crate::validate::Check;
use settings::{Fault, Item, Node, Origin};
use world::Application;

impl Check<'_> {
    /// `[flow]` and each `[[flow.group]]`.
    pub(crate) fn flow(&self) -> Result<(), Fault> {
        self.group_names()?;
        for (at, group) in self.scenario.groups_by_table() {
            self.amount(group, &at)?;
            self.named_mobiles(group, &at)?;
            self.arrivals(group, &at)?;
            self.between_mobiles(group, &at)?;
            self.own_hosts(group, &at)?;
            self.probes(group, &at)?;
            self.datagrams(group, &at)?;
        }
        self.has_flows()?;
        self.ports()
    }

    /// At least one group has flows.
    fn has_flows(&self) -> Result<(), Fault> {
        if self.scenario.groups().any(|group| group.number() > 0) {
            return Ok(());
        }
        let counts = self.scenario.groups_by_table().map(|(at, _)| format!("{at}.count"));
        let keys: Vec<_> = counts.chain(["flow.group".to_owned()]).collect();
        self.clash(
            &keys.iter().map(String::as_str).collect::<Vec<_>>(),
            "there are no flows: flow.count or that of a [[flow.group]] must be 1 or more",
        )
    }

    /// Groups have names of their own, and no groups.
    fn group_names(&self) -> Result<(), Fault> {
        let Some(Node::List(items)) = self.tree.find("flow.group").map(|item| &item.node) else {
            return Ok(());
        };
        if items.iter().any(|item| item.name().is_none_or(str::is_empty)) {
            let message = "every [[flow.group]] needs a name, as in name = \"second\"";
            return self.clash(&["flow.group"], message);
        }
        for (index, group) in self.scenario.groups().enumerate() {
            let name = &group.name;
            // Tables call all flows together `all`, and hosts by the number of their flow.
            if name == "all" || name.parse::<u64>().is_ok() {
                let message = format!("the name {name} stands for something else already");
                return Err(self.name_fault(items, name, message));
            }
            if name.len() > LONGEST_NAME {
                let message = format!("the name of a group has at most {LONGEST_NAME} characters");
                return Err(self.name_fault(items, name, message));
            }
            if self.scenario.groups().take(index).any(|other| other.name == *name) {
                let message = format!("two groups of flows have the name {name}");
                return Err(self.name_fault(items, name, message));
            }
            if index > 0 && !group.group.is_empty() {
                let message = format!("{name}: a group of flows has no groups of its own");
                return self.clash(&["flow.group"], message);
            }
        }
        Ok(())
    }

    /// A fault of the `name` of `groups`, or of `[flow]`: at the setting that gave it, or else at
    /// the last of that name.
    fn name_fault<'a>(&'a self, groups: &'a [Item], name: &str, message: String) -> Fault {
        let of_group = |group: &'a Item| match &group.node {
            Node::Table(table) => table.get("name").filter(|_| group.name() == Some(name)),
            Node::Scalar(_) | Node::List(_) => None,
        };
        let of_flow = self.tree.find("flow.name").filter(|_| self.scenario.flow.name == name);
        let names = || of_flow.into_iter().chain(groups.iter().filter_map(of_group));
        let item = names().find(|item| item.is_set()).or(names().last());
        let origin = item.map_or(Origin::File, |item| item.origin.clone());
        Fault { origin, subject: "flow.group".to_owned(), message }
    }

    fn amount(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        let key = |field: &str| format!("{at}.{field}");
        if group.bytes.is_some() && group.segments.is_some() {
            let message = format!("give {at}.bytes or {at}.segments, not both");
            return self.clash(&[&key("segments"), &key("bytes")], message);
        }
        let last = u128::from(group.start.latest().as_nanos())
            + u128::from(group.interval.as_nanos()) * u128::from(group.count.saturating_sub(1));
        if last > u128::from(LATEST_START.as_nanos()) {
            let message = format!(
                "the last flow would start too late: {at}.start and {at}.interval times \
                 {at}.count must be at most 100000000 s"
            );
            return self.clash(&[&key("interval"), &key("start"), &key("count")], message);
        }
        Ok(())
    }

    /// The mobiles that a group names are listed.
    fn named_mobiles(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        let Some(name) = &group.mobiles else { return Ok(()) };
        let radio = self.scenario.radio.as_ref();
        let listed = radio.map_or_else(Vec::new, |radio| radio.keys().listed());
        let names: Vec<_> = listed.into_iter().map(|(name, _)| name).collect();
        if names.contains(&&**name) {
            return Ok(());
        }
        let known = match &*names {
            [] => "there are none".to_owned(),
            names => format!("those are called {}", names.join(", ")),
        };
        let key = format!("{at}.mobiles");
        self.clash(&[&key], format!("no [[radio.ue]] is called {name}; {known}"))
    }

    /// A capture leaves nothing else to say of what flows there are.
    fn arrivals(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        if group.arrivals.is_none() {
            return Ok(());
        }
        let fields =
            ["count", "bytes", "segments", "interval", "application", "direction", "opened_by"];
        for key in fields.map(|field| format!("{at}.{field}")) {
            if self.tree.find(&key).is_some() {
                let arrivals = format!("{at}.arrivals");
                let message = format!("give {key} or {arrivals}, not both");
                return self.clash(&[&key, &arrivals], message);
            }
        }
        Ok(())
    }

    fn between_mobiles(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        if group.direction != FlowDirection::BetweenMobiles {
            return Ok(());
        }
        let [direction, hosts] = ["direction", "hosts"].map(|field| format!("{at}.{field}"));
        if group.has_own_host() || group.to.is_some() {
            let keys = ["delay", "return_delay", "from", "to"].map(|key| format!("{at}.{key}"));
            let message = format!(
                "{direction} = between-mobiles has no other hosts, beside which {at}.delay, from \
                 and to would put some"
            );
            let keys = keys.each_ref().map(String::as_str);
            return self.clash(&[&keys[..], &[&*direction]].concat(), message);
        }
        if group.hosts == Hosts::Own {
            let message = format!(
                "{hosts} = own puts hosts beside one mobile: flows between \
                                   mobiles need {hosts} = shared"
            );
            return self.clash(&[&hosts, &direction], message);
        }
        let named = group.mobiles_of(self.scenario.radio.as_ref(), self.mobiles());
        if let Some(name) = &group.mobiles
            && named.len() < 2
        {
            let message = format!(
                "{direction} = between-mobiles needs two mobiles or more, and {at}.mobiles = \
                 {name} is one"
            );
            return self.clash(&[&direction, &format!("{at}.mobiles")], message);
        }
        if self.mobiles() < 2 {
            let key = if self.scenario.wlan.is_some() { "wlan.mobiles" } else { "radio.ues" };
            let message =
                format!("{direction} = between-mobiles needs two mobiles or more, as in {key} = 2");
            return self.clash(&[&direction, key, "radio"], message);
        }
        Ok(())
    }

    /// How many mobiles there are; one where they are not counted.
    fn mobiles(&self) -> usize {
        let Scenario { radio, wlan, .. } = self.scenario;
        let of_radio = radio.as_ref().map_or(0, |radio| radio.keys().mobiles());
        (of_radio + wlan.as_ref().map_or(0, WlanKeys::count)).max(1)
    }

    /// The nodes beside which hosts are to stand are there, in the order in which packets pass.
    fn own_hosts(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        if self.scenario.mobile_ip.is_some() {
            return Ok(());
        }
        let places: Vec<_> = self.scenario.wired_nodes().collect();
        let mut found = [None; 2];
        for (index, (field, name)) in [("from", &group.from), ("to", &group.to)].iter().enumerate()
        {
            let Some(name) = name else { continue };
            found[index] = places.iter().position(|place| place == name);
            if found[index].is_none() {
                let key = format!("{at}.{field}");
                let message = match &*places {
                    [] => format!("{name} is no node: there is no [[wired]]"),
                    places => {
                        format!("{name} is no node of [[wired]]: there are {}", places.join(", "))
                    }
                };
                return self.clash(&[&key], message);
            }
        }
        let keys = [format!("{at}.from"), format!("{at}.to")];
        let keys = keys.each_ref().map(String::as_str);
        if let [from, Some(to)] = found
            && from.unwrap_or(0) >= to
        {
            let message =
                format!("{} must lie behind {}, on the way to the mobile", keys[1], keys[0]);
            return self.clash(&[keys[1], keys[0]], message);
        }
        if group.hosts == Hosts::Own && (group.from.is_some() || group.to.is_some()) {
            let message =
                format!("give {at}.hosts = own, or {} and {}, not both", keys[0], keys[1]);
            return self.clash(&[keys[0], keys[1], &format!("{at}.hosts")], message);
        }
        Ok(())
    }

    fn probes(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        if group.application != Application::Probes {
            return Ok(());
        }
        if group.applications.probe.bytes > group.endpoints(&self.scenario.tcp)[0].mss {
            let bytes = format!("{at}.probe.bytes");
            let mss = if group.tcp.is_some() { format!("{at}.tcp.mss") } else { "tcp.mss".into() };
            let message = format!("{bytes} must be at most {mss}: a probe is one segment");
            return self.clash(&[&bytes, &mss, "tcp.mss"], message);
        }
        Ok(())
    }

    /// The pieces into which `ftp.cap` cuts datagrams can be joined.
    fn datagrams(&self, group: &Flow, at: &str) -> Result<(), Fault> {
        let Scenario { ftp, mobile_ip, .. } = self.scenario;
        let applications = &group.applications;
        if !group.application.has_datagrams() || mobile_ip.is_none() {
            return Ok(());
        }
        let (payload, key) = if group.application == Application::Voip {
            (applications.voip.payload(), "voip.interval")
        } else {
            (applications.udp.payload, "udp.payload")
        };
        let key = format!("{at}.{key}");
        let most = world::MOST_PIECES as u32;
        if let Some(cap) = ftp.cap
            && payload.div_ceil(cap) > most
        {
            let message = format!(
                "{key} would be cut into more than {most} pieces of ftp.cap: its payload must be \
                 at most {} B",
                u64::from(cap) * u64::from(most)
            );
            return self.clash(&[&key, "ftp.cap"], message);
        }
        Ok(())
    }

    /// A host has a port for each flow to the same other.
    fn ports(&self) -> Result<(), Fault> {
        let (radio, count) = (self.scenario.radio.as_ref(), self.mobiles());
        let at_one = |group: &Flow| {
            u64::from(group.number()).div_ceil(group.mobiles_of(radio, count).len() as u64)
        };
        let groups = self.scenario.groups_by_table();
        let shared = groups.filter(|(_, group)| group.hosts == Hosts::Shared);
        let numbers: Vec<_> = shared.map(|(at, group)| (at_one(group), at)).collect();
        let most: u64 = numbers.iter().map(|(number, _)| number).sum();
        let largest = numbers.iter().max_by_key(|(number, _)| *number);
        if let Some((_, at)) = largest.filter(|_| most > PORTS) {
            let message = format!(
                "{most} flows at one mobile, which has {PORTS} ports: {at}.count must be lower, or \
                 {at}.hosts own"
            );
            let keys = ["count", "arrivals"].map(|key| format!("{at}.{key}"));
            return self.clash(&[&keys[0], &keys[1], "flow.group"], message);
        }
        Ok(())
    }
}

/// Characters of the name of a group, which stands in tables and in names of files.
const LONGEST_NAME: usize = 60;

/// As long as a duration can be.
const LATEST_START: Duration = Duration::from_secs(100_000_000);

/// Ports from 1024 on.
const PORTS: u64 = 64_512;
