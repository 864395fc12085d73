//! Which of several prefixes an address is in.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::hosts;

/// Prefixes, each with its value. The longest that contains an address counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Prefixes<T> {
    /// By their lengths, the longest first.
    lengths: Vec<Length<T>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Length<T> {
    /// Bits that count, those of an IPv4 address being the last 32.
    bits: u32,
    /// The first number of each prefix, in order.
    firsts: Vec<(u128, T)>,
}

impl<T: Copy> Prefixes<T> {
    pub(crate) fn new(all: impl IntoIterator<Item = (IpNet, T)>) -> Self {
        let mut prefixes = Self { lengths: Vec::new() };
        for (prefix, value) in all {
            let Some(first) = hosts::number(prefix.addr()) else { continue };
            let family = if prefix.addr().is_ipv4() { 96 } else { 0 };
            prefixes.add(family + u32::from(prefix.prefix_len()), first, value);
        }
        prefixes
    }

    fn add(&mut self, bits: u32, first: u128, value: T) {
        let at = self.lengths.partition_point(|length| length.bits > bits);
        if self.lengths.get(at).is_none_or(|length| length.bits != bits) {
            self.lengths.insert(at, Length { bits, firsts: Vec::new() });
        }
        let firsts = &mut self.lengths[at].firsts;
        let at = firsts.partition_point(|&(other, _)| other < first);
        if firsts.get(at).is_none_or(|&(other, _)| other != first) {
            firsts.insert(at, (first, value));
        }
    }

    /// The values of all of them.
    pub(crate) fn values(&self) -> impl Iterator<Item = T> {
        self.lengths.iter().flat_map(|length| length.firsts.iter().map(|&(_, value)| value))
    }

    /// The value and the length of the longest prefix that contains the host.
    pub(crate) fn find(&self, host: u128) -> Option<(u32, T)> {
        self.lengths.iter().find_map(|Length { bits, firsts }| {
            let first = host & u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            let at = firsts.binary_search_by_key(&first, |&(first, _)| first).ok()?;
            // `::/0` holds no IPv4 address.
            let same = *bits >= 96 || !is_v4(host);
            same.then(|| (*bits, firsts[at].1))
        })
    }
}

const fn is_v4(host: u128) -> bool {
    matches!(hosts::address(host), IpAddr::V4(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(prefixes: &[&str], address: &str) -> Option<usize> {
        let each = prefixes.iter().enumerate();
        let all = each.map(|(number, text)| (text.parse().expect("a prefix"), number));
        let host = hosts::number(address.parse().expect("an address")).expect("a host");
        Prefixes::new(all).find(host).map(|(_, number)| number)
    }

    #[test]
    fn the_longest_prefix_counts() {
        let all = ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/32", "10.2.0.0/16", "10.1.0.0/16"];
        let check = |address, expect| assert_eq!(find(&all, address), expect, "{address}");
        check("10.9.0.1", Some(0));
        check("10.1.0.1", Some(1));
        check("10.1.2.3", Some(2));
        check("10.2.255.255", Some(3));
        check("11.0.0.1", None);
        check("2001:db8::1", None);
    }

    #[test]
    fn families_are_apart() {
        let check = |prefix, address, expect| assert_eq!(find(&[prefix], address), expect);
        check("0.0.0.0/0", "1.2.3.4", Some(0));
        check("0.0.0.0/0", "2001:db8::1", None);
        check("::/0", "2001:db8::1", Some(0));
        check("::/0", "::", Some(0));
        check("::/0", "1.2.3.4", None);
        check("2001:db8:45::/48", "2001:db8:45:1::9", Some(0));
        check("2001:db8:45::/48", "2001:db8:46::", None);
    }
}
