//! The host's name servers, as `resolv.conf` (resolv.conf(5)) lists them.

use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6};

use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// Where the list of name servers is.
pub(super) const FILE: &str = "/etc/resolv.conf";

/// The port of DNS (RFC 1035 §4.2).
pub(super) const PORT: u16 = 53;

/// The most name servers that resolvers look at (resolv.conf(5)).
const MOST: usize = 3;

/// The name servers of a `resolv.conf`. Lines that are none are passed over, as resolvers do.
pub(super) fn name_servers(text: &str) -> Vec<SocketAddr> {
    let words = text.lines().map(|line| line.split_whitespace());
    words
        .filter_map(|mut words| match words.next() {
            Some("nameserver") => words.next().and_then(name_server),
            _ => None,
        })
        .take(MOST)
        .collect()
}

/// An address, for a link-local one with the interface behind a `%`.
fn name_server(word: &str) -> Option<SocketAddr> {
    let Some((address, zone)) = word.split_once('%') else {
        return Some(SocketAddr::new(word.parse().ok()?, PORT));
    };
    let address: Ipv6Addr = address.parse().ok()?;
    let scope = zone.parse().ok().or_else(|| interface_index(zone))?;
    Some(SocketAddrV6::new(address, PORT, 0, scope).into())
}

fn interface_index(name: &str) -> Option<u32> {
    let any = socket_with(AddressFamily::INET6, SocketType::DGRAM, SocketFlags::CLOEXEC, None);
    name_to_index(any.ok()?, name).ok()
}

/// The same `resolv.conf` with one name server instead of all; search lists and options stay.
pub(super) fn with_name_server(text: &str, server: IpAddr) -> String {
    let others = text.lines().filter(|line| {
        let word = line.split_whitespace().next();
        word.is_some_and(|word| word != "nameserver" && !word.starts_with(['#', ';']))
    });
    let mut new = format!("nameserver {server}\n");
    for line in others {
        new.push_str(line);
        new.push('\n');
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# nameserver 9.9.9.9\n; a remark\nsearch example.org\n\
        nameserver 192.0.2.53\n  nameserver\t2001:db8::53  # ours\nnameserver fe80::1%7\n\
        nameserver 192.0.2.54\noptions edns0 trust-ad\n";

    #[test]
    fn the_first_three_name_servers_count() {
        let servers: Vec<_> = name_servers(TEXT).iter().map(ToString::to_string).collect();
        assert_eq!(servers, ["192.0.2.53:53", "[2001:db8::53]:53", "[fe80::1%7]:53"]);
    }

    #[test]
    fn what_is_no_name_server_is_passed_over() {
        for text in ["", "nameserver", "nameserver x", "nameserver fe80::1%no-such-link", "\0\n"] {
            assert_eq!(name_servers(text), [], "{text}");
        }
    }

    #[test]
    fn only_the_name_server_changes() {
        let new = with_name_server(TEXT, "100.64.0.1".parse().expect("an address"));
        let expected = "nameserver 100.64.0.1\nsearch example.org\noptions edns0 trust-ad\n";
        assert_eq!(new, expected);
    }
}
