//! A fresh network namespace whose only way out is the emulated link.

#![expect(
    clippy::disallowed_methods,
    reason = "what the kernel is set to stands in files; this module talks to the system"
)]

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use ipnet::IpNet;

use super::address::Space;
use super::ledger::{self, Entry, Ledger};
use super::processes::Mark;
use super::relay::Relay;
use super::{Devices, FORWARDING_4, FORWARDING_6, NetnsSetup, SetupError};
use super::{random_token, resolver, uplink, user, veth};
use os::Resident;
use os::{Device, Tun, iproute, namespace, setup_error};

/// The interface of the mobile side.
const MOBILE: &str = "thin0";

/// Packets that may wait for us at a TUN device, for a millisecond of a flood of small ones. Up to
/// 64 KiB of a connection count as one, so that they wait for some 20 ms where a hundred
/// connections have more to send than we carry: fewer would lose bursts, more be later.
const QUEUE: u32 = 256;

/// The smallest MTU over which there is IPv6 (RFC 8200 §5).
const SMALLEST_MTU_6: u16 = 1280;

/// Devices that one process may have at a time.
const MOST: u32 = 100;

/// Sets it up; see [`NetnsSetup::create_namespace`].
pub(super) fn make(mtu: u16) -> Result<(NetnsSetup, Devices), SetupError> {
    user::check_rights()?;
    let directory = ledger::directory()?;
    let setup_lock = ledger::lock(&directory)?;
    ledger::clear(&directory);
    let mut notes = Vec::new();
    let routes = iproute::routes()?;
    let whole = whole_space(mtu, &mut notes)?;
    let mut space = whole.free_part(&routes.prefixes).ok_or_else(|| {
        setup_error!("no addresses are left in {}: too many emulators run", whole.v4)
    })?;
    let name = free_name()?;

    let network = Resident::here().map_err(SetupError::at("start a thread"))?;
    let mobile = Resident::in_fresh_namespace().map_err(|error| user::no_namespace(&error))?;
    mobile.ask(forward);
    let (devices, middle) = open_devices(mtu, &name, &network, &mobile, &mut notes)?;
    let has_ipv6 = {
        let name = name.clone();
        network.ask(move || enable_ipv6(&name)) && mobile.ask(|| enable_ipv6(MOBILE))
    };
    if !has_ipv6 && space.v6.take().is_some() {
        notes.push("no IPv6: it is switched off in this kernel or container".into());
    }
    let lines = network_side(&name, &space, mtu);
    network.ask(move || iproute::batch(&lines))?;
    let lines = mobile_side(&space, mtu);
    mobile.ask(move || iproute::batch(&lines))?;

    let mark = Mark { token: random_token()?, mobile: Some(mobile.namespace) };
    let table = name.replace("tp-", "thinpipe_").replace('-', "_");
    let table = whole.is_outermost().then_some(table);
    let entry = Entry { mark: mark.clone(), network: network.namespace, table: table.clone() };
    let ledger =
        Ledger::open(&directory, &entry).map_err(SetupError::at("write the state file"))?;
    let mut setup = NetnsSetup::new(mark, network, Some(mobile), ledger);
    setup.veth = middle.map(|middle| (middle, name.clone()));
    setup.notes = notes;
    setup.set_gateway(space.gateway());
    let uplink = match &table {
        Some(table) => uplink::reach(&space, &name, table, &routes),
        None => uplink::reach_by_routes(),
    };
    setup.notes.extend(uplink.notes);
    setup.table = table.filter(|_| uplink.is_masqueraded);
    resolve_names(&mut setup, &space, &directory)?;
    drop(setup_lock);
    Ok((setup, devices))
}

/// What the new emulator may take a part of: of all, or of that one's inside which it is.
fn whole_space(mtu: u16, notes: &mut Vec<String>) -> Result<Space, SetupError> {
    let all = Space::of_all();
    let mut whole = all;
    let around = iproute::addresses(MOBILE)?.unwrap_or_default();
    let within = |all: &IpNet| around.iter().copied().find(|prefix| all.contains(prefix));
    if let Some(v4) = within(&all.v4) {
        whole = Space { v4, v6: all.v6.as_ref().and_then(within) };
    }
    if whole.is_too_small() {
        return Err(SetupError::new(
            "five emulators are inside each other already: no addresses are left for one more",
        ));
    }
    if mtu < SMALLEST_MTU_6 && whole.v6.take().is_some() {
        notes.push(format!(
            "no IPv6: it takes an MTU of {SMALLEST_MTU_6} bytes, and here it is {mtu}"
        ));
    }
    Ok(whole)
}

/// A name of this process for the network side's interface.
fn free_name() -> Result<String, SetupError> {
    let process = std::process::id();
    let further = (1..MOST).map(|number| format!("tp-{process}-{number}"));
    for name in [format!("tp-{process}")].into_iter().chain(further) {
        if iproute::link(&name)?.is_none() {
            return Ok(name);
        }
    }
    Err(setup_error!("this process has {MOST} emulators already"))
}

/// A TUN device on either side, or what does instead, which needs a namespace in the middle.
fn open_devices(
    mtu: u16,
    name: &str,
    network: &Resident,
    mobile: &Resident,
    notes: &mut Vec<String>,
) -> Result<(Devices, Option<Resident>), SetupError> {
    let open = |resident: &Resident, name: &str| -> io::Result<Box<dyn Device>> {
        let name = name.to_owned();
        let tun = resident.ask(move || Tun::open_offloading(&name, mtu, QUEUE))?;
        Ok(Box::new(tun))
    };
    match open(network, name).and_then(|port| Ok([port, open(mobile, MOBILE)?])) {
        Ok(ports) => Ok((ports, None)),
        Err(error) => {
            notes.push(format!("/dev/net/tun cannot be used ({error}): veth pairs do instead"));
            let (ports, middle) =
                veth::open([(network, name), (mobile, MOBILE)], mtu).map_err(|trouble| {
                    setup_error!(
                        "neither TUN ({error}; `chmod 666 /dev/net/tun` allows it to all) \
                     nor veth can be used: {trouble}"
                    )
                })?;
            Ok((ports, Some(middle)))
        }
    }
}

/// Sees to it that interface `name` can have IPv6; false if it cannot.
fn enable_ipv6(name: &str) -> bool {
    let path = format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6");
    let is_enabled = || fs::read_to_string(&path).is_ok_and(|text| text.trim() == "0");
    is_enabled() || fs::write(&path, "0").is_ok() && is_enabled()
}

/// Lets the namespace of the calling thread, one of ours, forward to emulators inside it. Where it
/// may not, those say so. Interfaces made later do not join the routers' multicast group: they
/// would report it over the emulated link.
fn forward() {
    for (path, value) in [(FORWARDING_4, "1"), (FORWARDING_6, "1"), (FORWARDING_6_LATER, "0")] {
        drop(fs::write(path, value));
    }
}

/// Whether an IPv6 interface made later shall think of its host as a router.
const FORWARDING_6_LATER: &str = "/proc/sys/net/ipv6/conf/default/forwarding";

/// What `ip` does on the network side: all of the prefix is behind the interface.
fn network_side(name: &str, space: &Space, mtu: u16) -> Vec<String> {
    let (gateway4, gateway6) = space.gateway();
    let mut lines = up(name, space, mtu);
    lines.push(format!("address add {gateway4}/{} dev {name}", space.v4.prefix_len()));
    if let (Some(gateway6), Some(prefix)) = (gateway6, space.v6) {
        lines.push(format!("address add {gateway6}/{} dev {name} nodad", prefix.prefix_len()));
    }
    lines
}

/// What `ip` does on the mobile side: all but the prefix is behind the gateway. What an emulator
/// inside takes of the prefix gets a route of its own; the rest must not go back and forth.
fn mobile_side(space: &Space, mtu: u16) -> Vec<String> {
    let mut lines = vec!["link set dev lo up".to_owned()];
    lines.extend(up(MOBILE, space, mtu));
    let mut add = |prefix: IpNet, own: IpAddr, gateway: IpAddr| {
        let length = prefix.prefix_len();
        lines.extend([
            format!("address add {own}/{length} dev {MOBILE} noprefixroute nodad"),
            format!("route add {gateway} dev {MOBILE}"),
            format!("route add default via {gateway} dev {MOBILE}"),
            format!("route add unreachable {prefix}"),
        ]);
    };
    let ((own4, own6), (gateway4, gateway6)) = (space.mobile(), space.gateway());
    add(space.v4, own4, gateway4);
    if let (Some(prefix), Some(own), Some(gateway)) = (space.v6, own6, gateway6) {
        add(prefix, own, gateway);
    }
    lines
}

/// Brings an interface up, without the link-local address that would look for routers over the
/// emulated link.
fn up(name: &str, space: &Space, mtu: u16) -> Vec<String> {
    let silent = space.v6.map(|_| format!("link set dev {name} addrgenmode none"));
    silent.into_iter().chain([format!("link set dev {name} mtu {mtu} up")]).collect()
}

/// Where programs ask for names past `resolv.conf`, and thus past the emulated link.
const SHORT_CUTS: [&str; 2] = ["/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"];

/// Lets the mobile side ask the host's name servers, if it has any, through the gateway.
fn resolve_names(
    setup: &mut NetnsSetup,
    space: &Space,
    directory: &Path,
) -> Result<(), SetupError> {
    let text = fs::read_to_string(resolver::FILE).unwrap_or_default();
    let servers = resolver::name_servers(&text);
    let (Some(mobile), false) = (&setup.mobile, servers.is_empty()) else { return Ok(()) };
    let (gateway4, gateway6) = space.gateway();
    let both: Vec<_> = [gateway4].into_iter().chain(gateway6).collect();
    match Relay::start(&both, servers) {
        Ok(relay) => setup.relay = Some(relay),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => setup
            .notes
            .push("a name server of this host serves all addresses: it is asked for names".into()),
        Err(error) => {
            let note = format!("names cannot be resolved through the gateway: {error}");
            setup.notes.push(note);
            return Ok(());
        }
    }
    let directory = directory.to_owned();
    let replaced = mobile.ask(move || {
        for path in SHORT_CUTS {
            // Most hosts have neither.
            let _ = rustix::mount::mount_bind("/dev/null", path);
        }
        let text = resolver::with_name_server(&text, gateway4);
        namespace::replace_file(resolver::FILE, &text, &directory)
    });
    replaced.map_err(SetupError::at(format!("put another {} in place", resolver::FILE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_share_a_prefix() {
        let space = Space::of_all().free_part(&[]).expect("room");
        assert_eq!(
            network_side("tp-7", &space, 1400),
            [
                "link set dev tp-7 addrgenmode none",
                "link set dev tp-7 mtu 1400 up",
                "address add 100.64.0.1/17 dev tp-7",
                "address add fd74:7069:7000::1/48 dev tp-7 nodad",
            ]
        );
        let v4 = Space { v6: None, ..space };
        assert_eq!(
            mobile_side(&v4, 576),
            [
                "link set dev lo up",
                "link set dev thin0 mtu 576 up",
                "address add 100.64.0.2/17 dev thin0 noprefixroute nodad",
                "route add 100.64.0.1 dev thin0",
                "route add default via 100.64.0.1 dev thin0",
                "route add unreachable 100.64.0.0/17",
            ]
        );
    }
}
