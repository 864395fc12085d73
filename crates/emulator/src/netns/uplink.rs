//! What is beyond the host: packets from inside get there under the host's own address, by a table
//! of ours, if the host forwards packets at all. Nothing of the host's is changed.

#![expect(
    clippy::disallowed_methods,
    reason = "whether the host forwards stands below /proc; this module talks to the system"
)]

use std::fs;

use serde_json::Value;

use super::address::Space;
use super::{FORWARDING_4, FORWARDING_6, user};
use os::iproute::{self, Routes};

/// What can be reached.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Uplink {
    /// True if the table was made.
    pub is_masqueraded: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What to say to who has become root of namespaces of its own.
const OWN_NAMESPACE: &str = "without root, nothing can be reached but the gateway and what runs \
    on the network side";

/// Masquerades what comes from `space` through interface `device` where the host forwards it.
pub(super) fn reach(space: &Space, device: &str, table: &str, routes: &Routes) -> Uplink {
    let only_host = |why: &str| Uplink {
        notes: vec![format!("nothing can be reached beyond this host: {why}")],
        ..Uplink::default()
    };
    if !routes.has_default4 && !routes.has_default6 {
        return if user::is_alone() {
            Uplink { notes: vec![OWN_NAMESPACE.into()], ..Uplink::default() }
        } else {
            only_host("it has no default route")
        };
    }
    let reaches4 = routes.has_default4 && is_on(FORWARDING_4);
    let reaches6 = routes.has_default6 && is_on(FORWARDING_6);
    let v6 = space.v6.filter(|_| reaches6);
    let from4 = reaches4.then(|| format!("ip saddr {}", space.v4));
    let from6 = v6.map(|v6| format!("ip6 saddr {v6}"));
    let rules = from4.into_iter().chain(from6);
    let rules: Vec<_> = rules.map(|from| from + " oifname != \"tp-*\" masquerade").collect();
    if rules.is_empty() {
        return only_host("it forwards no packets (`sysctl net.ipv4.ip_forward=1` allows it)");
    }
    let script = format!(
        "table inet {table} {{\nchain leaving {{\n\
         type nat hook postrouting priority srcnat; policy accept;\n{}\n}}\n}}\n",
        rules.join("\n")
    );
    let made = iproute::run("nft", &["-f", "-"], &script);
    if let Err(trouble) = made {
        return only_host(&trouble.to_string());
    }
    let mut notes = Vec::new();
    if reaches4 && v6.is_none() && routes.has_default6 {
        notes.push("over IPv6 nothing can be reached beyond this host: it forwards none".into());
    }
    notes.extend(dropping_chain().map(|chain| {
        format!(
            "this host's firewall may keep packets from what is beyond it: the policy of {chain} \
             is drop, and must let interface {device} through"
        )
    }));
    Uplink { is_masqueraded: true, notes }
}

/// Within another emulator routes suffice, if its namespace forwards.
pub(super) fn reach_by_routes() -> Uplink {
    let mut uplink = Uplink::default();
    if !is_on(FORWARDING_4) {
        let note = "nothing can be reached beyond this namespace: /proc/sys is read-only here, \
                    and the namespace does not forward";
        uplink.notes.push(note.into());
    }
    uplink
}

/// Removes a table of ours, if it is there.
pub(super) fn remove_table(table: &str) {
    drop(iproute::run("nft", &["delete", "table", "inet", table], ""));
}

fn is_on(path: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.trim() == "1")
}

/// A chain of the host's firewall that forwards only what it knows.
fn dropping_chain() -> Option<String> {
    let text = iproute::run("nft", &["-j", "list", "chains"], "").ok()?;
    let listing: Value = serde_json::from_str(&text).ok()?;
    let chains = listing["nftables"].as_array()?.iter().map(|entry| &entry["chain"]);
    let mut dropping =
        chains.filter(|chain| chain["hook"] == "forward" && chain["policy"] == "drop");
    let chain = dropping.next()?;
    let word = |key: &str| chain[key].as_str().unwrap_or("?").to_owned();
    Some(format!("{} {} {}", word("family"), word("table"), word("name")))
}
