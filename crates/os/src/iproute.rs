//! The programs of iproute2 and nftables, run in the namespace of the calling thread.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use ipnet::IpNet;

use crate::{SetupError, setup_error};

/// Makes and changes links, addresses and routes: one command of `ip` a line.
pub fn batch(lines: &[String]) -> Result<(), SetupError> {
    run("ip", &["-batch", "-"], &(lines.join("\n") + "\n")).map(drop)
}

/// The same for rules, of which `ip` cannot tell the family by itself.
pub fn batch_of(family: Family, lines: &[String]) -> Result<(), SetupError> {
    if lines.is_empty() {
        return Ok(());
    }
    run("ip", &[family.option(), "-batch", "-"], &(lines.join("\n") + "\n")).map(drop)
}

/// A version of IP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Of IPv4.
    V4,
    /// Of IPv6.
    V6,
}

impl Family {
    /// Those that the kernel has.
    pub fn known() -> &'static [Self] {
        if Path::new(IPV6).exists() { &[Self::V4, Self::V6] } else { &[Self::V4] }
    }

    /// The one of a prefix.
    pub fn of(prefix: &IpNet) -> Self {
        if prefix.addr().is_ipv4() { Self::V4 } else { Self::V6 }
    }

    /// As users know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        }
    }

    /// What `ip` is told.
    pub const fn option(self) -> &'static str {
        match self {
            Self::V4 => "-4",
            Self::V6 => "-6",
        }
    }
}

/// A command of `ip` that lists.
pub fn list(arguments: &[&str]) -> Result<Vec<Value>, SetupError> {
    let text = run("ip", &[&["-json"], arguments].concat(), "")?;
    // With nothing to list, older ones say nothing at all.
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&text).map_err(|error| {
        setup_error!("cannot read what `ip -json {}` says: {error}", arguments.join(" "))
    })
}

/// Where routes of any table lead.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Routes {
    /// Every destination but the default.
    pub prefixes: Vec<IpNet>,
    /// Whether there is one to all of IPv4.
    pub has_default4: bool,
    /// Whether there is one to all of IPv6.
    pub has_default6: bool,
}

/// There if the kernel has IPv6.
const IPV6: &str = "/proc/sys/net/ipv6";

/// The routes of this namespace.
pub fn routes() -> Result<Routes, SetupError> {
    let (prefixes4, has_default4) = destinations(&list(&["-4", "route", "show", "table", "all"])?);
    let (prefixes6, has_default6) = if Family::known().contains(&Family::V6) {
        destinations(&list(&["-6", "route", "show", "table", "all"])?)
    } else {
        Default::default()
    };
    Ok(Routes { prefixes: [prefixes4, prefixes6].concat(), has_default4, has_default6 })
}

fn destinations(routes: &[Value]) -> (Vec<IpNet>, bool) {
    let mut has_default = false;
    let mut prefixes = Vec::new();
    for route in routes {
        match route["dst"].as_str() {
            // "unreachable default" and the like lead nowhere.
            Some("default") if route["dev"].is_string() || route["nexthops"].is_array() => {
                has_default |= route["dev"] != "lo";
            }
            destination => {
                prefixes.extend(destination.and_then(prefix));
            }
        }
    }
    (prefixes, has_default)
}

/// As routes are listed: `100.64.0.0/17`, or one address.
fn prefix(text: &str) -> Option<IpNet> {
    text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).ok()
}

/// The prefixes of the addresses of interface `name`; `None` if there is no such interface.
pub fn addresses(name: &str) -> Result<Option<Vec<IpNet>>, SetupError> {
    let links = list(&["address", "show"])?;
    Ok(links.iter().find(|link| link["ifname"] == name).map(prefixes))
}

fn prefixes(link: &Value) -> Vec<IpNet> {
    let addresses = link["addr_info"].as_array().map_or(&[][..], Vec::as_slice);
    addresses
        .iter()
        .filter_map(|address| {
            let local = address["local"].as_str()?.parse().ok()?;
            let length = address["prefixlen"].as_u64()?.try_into().ok()?;
            IpNet::new(local, length).ok().map(|prefix| prefix.trunc())
        })
        .collect()
}

/// What `ip link` tells of the interface called `name`; `None` if there is none.
pub fn link(name: &str) -> Result<Option<Value>, SetupError> {
    Ok(list(&["link", "show"])?.into_iter().find(|link| link["ifname"] == name))
}

/// Runs a program with `input`, and returns what it says.
pub fn run(program: &str, arguments: &[&str], input: &str) -> Result<String, SetupError> {
    let output = start(program, arguments, input).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => setup_error!(
            "`{program}` is missing: it comes with {}",
            if program == "nft" { "nftables" } else { "iproute2" }
        ),
        _ => setup_error!("cannot run `{program}`: {error}"),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(setup_error!("`{program}` was refused: {}", line.trim()))
}

fn start(program: &str, arguments: &[&str], input: &str) -> io::Result<std::process::Output> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("PATH", path())
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that has failed already reads no more: its status says so.
        drop(stdin.write_all(input.as_bytes()));
    }
    child.wait_with_output()
}

/// Where such programs are: not always where ordinary users look for theirs.
fn path() -> OsString {
    let mut path = env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin:/usr/bin:/bin");
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_and_defaults_are_told_apart() {
        let routes = serde_json::from_str::<Vec<Value>>(
            r#"[{"dst":"default","gateway":"192.0.2.1","dev":"eth0"},
                {"type":"unreachable","dst":"100.64.0.0/17"},
                {"type":"local","dst":"192.0.2.2","dev":"eth0","table":"local"},
                {"dst":"a word","dev":"eth0"}, {"dev":"eth0"}]"#,
        );
        let (prefixes, has_default) = destinations(&routes.expect("JSON"));
        let prefixes: Vec<_> = prefixes.iter().map(ToString::to_string).collect();
        assert_eq!(prefixes, ["100.64.0.0/17", "192.0.2.2/32"]);
        assert!(has_default);
    }

    #[test]
    fn an_unreachable_default_is_none() {
        for text in [r#"[{"type":"unreachable","dst":"default","dev":"lo"}]"#, "[]"] {
            let routes = serde_json::from_str::<Vec<Value>>(text).expect("JSON");
            assert_eq!(destinations(&routes), (vec![], false), "{text}");
        }
    }

    #[test]
    fn addresses_keep_their_prefix() {
        let link = r#"{"ifname":"thin0","addr_info":[
            {"family":"inet","local":"100.64.0.2","prefixlen":17},{"family":"mpls"}]}"#;
        let found = prefixes(&serde_json::from_str(link).expect("JSON"));
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["100.64.0.0/17"]);
    }
}
