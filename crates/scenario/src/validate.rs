//! What single values cannot tell: whether they go together.

use cc::Custom;

use crate::profile;
use crate::schema::Scenario;
use crate::{check_mobile as mobile, endpoints, files, flows, schema};
use settings::Table;
use settings::{Error, Fault, Parents, Scope, Section};

impl Scenario {
    /// Reads `source`, changed by `settings` of dotted key and value, in order. `name` is what
    /// errors call the source: a file or the name of a scenario that ships.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse(source: &str, name: &str, settings: &[(String, String)]) -> Result<Self, Error> {
        let read = &|_: &str| Err("files cannot be read here".to_owned());
        Self::parse_from(source, name, settings, &Outside { customs: &[], read })
    }

    /// As [`Self::parse`], where text and settings may name what lies outside them.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse_from(
        source: &str,
        name: &str,
        settings: &[(String, String)],
        outside: &Outside<'_>,
    ) -> Result<Self, Error> {
        read(source, name, settings, outside)
            .map(|mut scenario| {
                if scenario.name.is_empty() {
                    name.clone_into(&mut scenario.name);
                }
                scenario
            })
            .map_err(|fault| fault.among(crate::keys()).of(name))
    }
}

fn read(
    source: &str,
    name: &str,
    settings: &[(String, String)],
    outside: &Outside<'_>,
) -> Result<Scenario, Fault> {
    let file = Table::parse(source)?;
    let mut tree = file.clone();
    schema::schema().apply(&mut tree, settings)?;
    let mut scenario = Scenario::default();
    profile::lay_asked_under(&tree, &mut scenario)?;
    let customs = endpoints::take_customs(&mut tree, outside.customs);
    scenario.read(&tree, "")?;
    if flows::are_in_groups_alone(&tree) {
        scenario.flow.count = 0;
    }
    scenario.made = flows::made(&scenario.flow, &tree, &file);
    endpoints::give(&mut scenario.tcp, &customs, "tcp");
    let hosts = scenario.tcp.clone();
    scenario.inherit(&Scenario::default(), &tree, "", Parents(&[&hosts]))?;
    files::read_captures(&mut scenario, &tree, name, outside.read)?;
    mobile::take_over(&mut scenario, &tree)?;
    endpoints::lay_over(&mut scenario, &tree, &customs)?;
    scenario.idle = schema::schema().idle(&scenario.shown(Scope::Values), &tree)?;
    scenario.check(&tree, "")?;
    files::read(&mut scenario, &tree, name, outside.read)?;
    let check = Check { scenario: &scenario, tree: &tree };
    check.flow()?;
    check.network()?;
    check.wired()?;
    check.jitters()?;
    check.middlebox()?;
    scenario.radio = check.radio()?;
    Ok(scenario)
}

/// What a scenario may name that lies outside its text.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// More values of `tcp.congestion_control`, by their names.
    pub customs: &'a [Custom],
    /// Reads the file at a path, or says why it cannot.
    pub read: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
}

pub(crate) struct Check<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) tree: &'a Table,
}

impl Check<'_> {
    fn network(&self) -> Result<(), Fault> {
        let Scenario { link, radio, wired, mobile_ip, .. } = self.scenario;
        if mobile_ip.is_some() {
            return self.mobile_network();
        }
        if self.scenario.wlan.is_some() {
            let message = "[wlan] needs [mobile_ip]: what its mobiles move through";
            return self.clash(&["wlan"], message);
        }
        match (link, radio) {
            (Some(_), Some(_)) => {
                self.clash(&["link", "radio"], "give [link] or [radio], not both")
            }
            (Some(link), None)
                if self.tree.find("link.rate").is_none() && link.trace.down.is_none() =>
            {
                self.clash(&["link"], "link.rate is missing, as in rate = \"384 kbit/s\"")
            }
            (None, None) if wired.is_empty() => {
                self.clash(&[], "no network: needs [radio], [link] or [[wired]]")
            }
            (Some(_), None) | (None, Some(_) | None) => Ok(()),
        }
    }

    /// The links form a chain and have names of their own.
    fn wired(&self) -> Result<(), Fault> {
        let wired = &self.scenario.wired;
        let is_chain = self.scenario.mobile_ip.is_none();
        let is_first = |name: &String| name == "sender" && *name == wired[0].between[0];
        for (index, link) in wired.iter().enumerate() {
            let key = |field: &str| format!("wired.{}.{field}", link.name);
            if link.name.is_empty() {
                let message = "every [[wired]] needs a name, as in name = \"Gi\"";
                return self.clash(&["wired"], message);
            }
            if wired[..index].iter().any(|other| other.name == link.name) {
                let message = format!("two [[wired]] have the name {}", link.name);
                return self.clash(&["wired"], message);
            }
            if self.is_hop(&link.name) {
                let message = format!("the name {} stands for another link already", link.name);
                return self.clash(&[&key("name"), "wired"], message);
            }
            let [from, to] = &link.between;
            if from.is_empty() || to.is_empty() || from == to {
                let message = format!(
                    "{} needs two different nodes, as in between = [\"host\", \"GGSN\"]",
                    link.name
                );
                return self.clash(&[&key("between"), &key("name")], message);
            }
            if let Some(before) = index.checked_sub(1).map(|before| &wired[before])
                && before.between[1] != *from
                && is_chain
            {
                let message = format!(
                    "{} must begin where {} ends, at {}: links go in order from the fixed host",
                    link.name, before.name, before.between[1]
                );
                return self.clash(&[&key("between")], message);
            }
            let before = wired[..index].iter().map(|before| &before.between[0]);
            let taken = |name: &String| is_chain && before.clone().any(|other| other == name);
            let reserved = |name: &String| is_reserved(name) && !is_first(name);
            if let Some(name) = link.between.iter().find(|name| reserved(name) || taken(name)) {
                let message = format!("the name {name} stands for another node already");
                return self.clash(&[&key("between")], message);
            }
        }
        Ok(())
    }

    /// True if the link or the radio is called so.
    fn is_hop(&self, name: &str) -> bool {
        let link = self.scenario.link.as_ref().map(|link| link.name.as_str());
        let radio = self.scenario.radio.as_ref().map(|radio| radio.keys().interface());
        [link, radio].into_iter().flatten().any(|hop| {
            name.strip_prefix(hop).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }

    /// A fault of several keys at once, at the one of them to blame.
    pub(crate) fn clash(&self, keys: &[&str], message: impl Into<String>) -> Result<(), Fault> {
        self.tree.clash(keys, message)
    }
}

/// True for the names of the nodes that a scenario has beside those of its wired links.
fn is_reserved(node: &str) -> bool {
    let is_numbered = |role: &str| node.strip_prefix(role).is_some_and(|n| n.starts_with('-'));
    matches!(node, "UE" | "sender" | "receiver")
        || ["UE", "sender", "receiver"].into_iter().any(is_numbered)
}
