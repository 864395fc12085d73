//! Where there is no TUN: a pair of virtual Ethernet interfaces for each side, whose other ends are
//! in a namespace of their own, with packet sockets on them.

use std::fs;

use super::{Devices, SetupError};
use os::Resident;
use os::{Device, PacketSocket, interface, iproute};

/// The address of the end on either side. Without a way to ask for addresses the kernel sends to
/// its own, so that both must have the same one.
const ADDRESS: &str = "02:74:70:69:70:65";

/// Makes a pair for each of `sides`, a namespace and the name of the interface there.
pub(super) fn open(
    sides: [(&Resident, &str); 2],
    mtu: u16,
) -> Result<(Devices, Resident), SetupError> {
    let middle = Resident::in_fresh_namespace().map_err(SetupError::at("make a namespace"))?;
    let mut lines = Vec::new();
    for (number, (resident, name)) in sides.iter().enumerate() {
        let process = resident.thread_id;
        lines.push(format!(
            "link add side{number} address {ADDRESS} arp off mtu {mtu} type veth peer \
             name {name} address {ADDRESS} mtu {mtu} netns {process}"
        ));
        lines.push(format!("link set dev side{number} up"));
    }
    middle.ask(move || {
        // Nothing but what the packet sockets send may leave from here.
        drop(fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1"));
        iproute::batch(&lines)
    })?;
    for (resident, name) in sides {
        let name = name.to_owned();
        resident.ask(move || {
            iproute::batch(&[format!("link set dev {name} arp off")])?;
            interface::switch_off(&name)
                .map_err(SetupError::at(format!("switch the offloads of {name} off")))
        })?;
    }
    let open = |name: &'static str| {
        let socket = middle.ask(move || PacketSocket::open(name));
        let socket = socket.map(|socket| Box::new(socket) as Box<dyn Device>);
        socket.map_err(SetupError::at(format!("open a packet socket on {name}")))
    };
    let devices = [open("side0")?, open("side1")?];
    Ok((devices, middle))
}
