//! Between two existing Ethernet interfaces.

use std::net::IpAddr;

use serde_json::Value;

use super::ledger::{self, Entry, Ledger};
use super::processes::Mark;
use super::random_token;
use super::{Devices, NetnsSetup, SetupError};
use ipnet::IpNet;
use os::Resident;
use os::{Device, PacketSocket, interface, iproute, setup_error};

/// Sets it up; see [`NetnsSetup::bridge`].
pub(super) fn make(interfaces: [&str; 2]) -> Result<(NetnsSetup, Devices), SetupError> {
    let [first, second] = interfaces;
    if first == second {
        return Err(setup_error!("{first} is named twice: it takes two interfaces"));
    }
    let mut notes = Vec::new();
    let mtus = [check(first, &mut notes)?, check(second, &mut notes)?];
    if mtus[0] != mtus[1] {
        notes.push(format!(
            "{first} has an MTU of {} bytes and {second} one of {}: longer packets are refused",
            mtus[0], mtus[1]
        ));
    }
    let devices = [open(first)?, open(second)?];
    let directory = ledger::directory()?;
    ledger::clear(&directory);
    let network = Resident::here().map_err(SetupError::at("start a thread"))?;
    let mark = Mark { token: random_token()?, mobile: None };
    let entry = Entry { mark: mark.clone(), network: network.namespace, table: None };
    let ledger =
        Ledger::open(&directory, &entry).map_err(SetupError::at("write the state file"))?;
    let mut setup = NetnsSetup::new(mark, network, None, ledger);
    setup.notes = notes;
    Ok((setup, devices))
}

fn open(interface: &str) -> Result<Box<dyn Device>, SetupError> {
    let socket = PacketSocket::open(interface).map_err(|error| {
        setup_error!(
            "cannot open a packet socket on {interface}: {error}; it takes root, or CAP_NET_RAW"
        )
    })?;
    Ok(Box::new(socket))
}

/// The MTU of an interface that can be used.
fn check(interface: &str, notes: &mut Vec<String>) -> Result<u64, SetupError> {
    let Some(link) = iproute::link(interface)? else {
        return Err(setup_error!("there is no interface {interface}: see `ip link`"));
    };
    let mtu = usable(interface, &link)?;
    let merging = interface::merging(interface);
    if !merging.is_empty() {
        return Err(setup_error!(
            "interface {interface} merges the packets it receives: say \
             `ethtool -K {interface} {} off`",
            merging.join(" off ")
        ));
    }
    let addresses = iproute::addresses(interface)?.unwrap_or_default();
    if !addresses.iter().all(is_link_local) {
        notes.push(format!("interface {interface} has addresses: this host answers there besides"));
    }
    Ok(mtu)
}

/// True for the prefix of link-local addresses, which every IPv6 interface has (RFC 4291 §2.5.6).
fn is_link_local(prefix: &IpNet) -> bool {
    matches!(prefix.addr(), IpAddr::V6(address) if address.is_unicast_link_local())
}

/// The MTU of the link if it is Ethernet, up and nobody else's.
fn usable(interface: &str, link: &Value) -> Result<u64, SetupError> {
    if link["link_type"] != "ether" {
        return Err(setup_error!("interface {interface} is not Ethernet"));
    }
    let flags = link["flags"].as_array().map_or(&[][..], Vec::as_slice);
    if !flags.iter().any(|flag| flag == "UP") {
        return Err(setup_error!(
            "interface {interface} is down: say `ip link set {interface} up`"
        ));
    }
    if let Some(master) = link["master"].as_str() {
        return Err(setup_error!(
            "interface {interface} belongs to {master}, which would forward besides: say \
             `ip link set {interface} nomaster`"
        ));
    }
    Ok(link["mtu"].as_u64().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_named() {
        let check = |text: &str, expected: &str| {
            let link = serde_json::from_str(text).expect("JSON");
            let error = usable("eth1", &link).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check(r#"{"link_type": "none", "flags": ["UP"]}"#, "is not Ethernet");
        check(r#"{"link_type": "ether", "flags": ["BROADCAST"]}"#, "ip link set eth1 up");
        check(r#"{"link_type": "ether", "flags": ["UP"], "master": "br0"}"#, "belongs to br0");
        let link = r#"{"link_type": "ether", "flags": ["UP", "LOWER_UP"], "mtu": 1400}"#;
        assert_eq!(usable("eth1", &serde_json::from_str(link).expect("JSON")), Ok(1400));
    }
}
