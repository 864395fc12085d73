//! Which addresses an emulator takes.
//!
//! The outermost one takes a free part of the shared address space (RFC 6598) and of a unique local
//! prefix (RFC 4193). One inside another splits the prefix of that one, so that routes suffice.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// What an emulator has for itself and those inside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Space {
    pub v4: IpNet,
    /// None where IPv6 cannot be.
    pub v6: Option<IpNet>,
}

/// Bits by which the outermost emulators' prefixes differ.
const OUTERMOST: u8 = 7;

/// Bits by which those of emulators within the same one differ.
const WITHIN: u8 = 3;

/// The longest IPv4 prefix with room for the gateway and the mobile side.
const LONGEST: u8 = 29;

impl Space {
    /// What all outermost emulators share: 100.64.0.0/10 (RFC 6598) and a unique local prefix.
    pub(super) fn of_all() -> Self {
        let v4 = IpNet::new(Ipv4Addr::new(100, 64, 0, 0).into(), 10);
        let v6 = Ipv6Addr::new(0xfd74, 0x7069, 0x7000, 0, 0, 0, 0, 0);
        Self { v4: v4.expect("10 bits"), v6: IpNet::new(v6.into(), 41).ok() }
    }

    /// The gateway's addresses.
    pub(super) fn gateway(&self) -> (IpAddr, Option<IpAddr>) {
        self.host(1)
    }

    /// The mobile side's addresses.
    pub(super) fn mobile(&self) -> (IpAddr, Option<IpAddr>) {
        self.host(2)
    }

    /// Addresses number `number`, from 1: the first of an IPv4 prefix is no host's.
    fn host(&self, number: usize) -> (IpAddr, Option<IpAddr>) {
        let v4 = self.v4.hosts().nth(number - 1).expect("room for the gateway and the mobile side");
        (v4, self.v6.and_then(|prefix| prefix.hosts().nth(number)))
    }

    pub(super) fn is_outermost(&self) -> bool {
        self.v4 == Self::of_all().v4
    }

    /// True if no emulator fits inside it.
    pub(super) fn is_too_small(&self) -> bool {
        !self.is_outermost() && self.v4.prefix_len() + WITHIN > LONGEST
    }

    /// The first part of it to which none of `routes` leads; a route to all of it, or to more,
    /// leads to none of its parts.
    pub(super) fn free_part(&self, routes: &[IpNet]) -> Option<Self> {
        let bits_more = if self.is_outermost() { OUTERMOST } else { WITHIN };
        let is_free = |part: &IpNet, whole: &IpNet| {
            let leads_to = |route: &IpNet| route.contains(part) || part.contains(route);
            !routes.iter().any(|route| leads_to(route) && !route.contains(whole))
        };
        let parts = |whole: IpNet| whole.subnets(whole.prefix_len() + bits_more);
        let mut parts6 = self.v6.into_iter().flat_map(parts).flatten();
        parts(self.v4).ok()?.find_map(|v4| {
            let v6 = parts6.next();
            let is_free6 = v6.zip(self.v6).is_none_or(|(part, whole)| is_free(&part, &whole));
            (is_free(&v4, &self.v4) && is_free6).then_some(Self { v4, v6 })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(text: &str) -> IpNet {
        text.parse().expect("a prefix")
    }

    fn free(whole: &Space, routes: &[&str]) -> Option<[String; 2]> {
        let routes: Vec<_> = routes.iter().map(|route| prefix(route)).collect();
        let part = whole.free_part(&routes)?;
        Some([part.v4.to_string(), part.v6.map_or(String::new(), |v6| v6.to_string())])
    }

    #[test]
    fn the_outermost_takes_the_first_free_part() {
        let all = Space::of_all();
        let first = Some(["100.64.0.0/17".into(), "fd74:7069:7000::/48".into()]);
        assert_eq!(free(&all, &["0.0.0.0/0", "192.0.2.0/24", "::/0"]), first);
        // A provider's route to the whole range takes none of it.
        assert_eq!(free(&all, &["100.64.0.0/10"]), first);
        let second = Some(["100.64.128.0/17".into(), "fd74:7069:7001::/48".into()]);
        assert_eq!(free(&all, &["100.64.3.0/24"]), second);
        assert_eq!(free(&all, &["fd74:7069:7000::1/128"]), second);
        let third = Some(["100.65.0.0/17".into(), "fd74:7069:7002::/48".into()]);
        assert_eq!(free(&all, &["100.64.0.0/17", "fd74:7069:7001::/48"]), third);
        assert_eq!(free(&all, &["100.64.0.0/11", "100.96.0.0/11"]), None);
    }

    #[test]
    fn five_fit_inside_each_other() {
        let mut space = Space::of_all();
        let mut prefixes = Vec::new();
        while !space.is_too_small() {
            // As the parent's namespace has them: its own addresses, and the way to nowhere else.
            let (own, own6) = space.mobile();
            let routes = [space.v4, own.into(), own6.expect("IPv6").into()];
            space = space.free_part(&routes).expect("room");
            prefixes.push(space.v4.to_string());
            assert_ne!(space.gateway(), space.mobile());
        }
        assert_eq!(
            prefixes,
            [
                "100.64.128.0/17",
                "100.64.144.0/20",
                "100.64.146.0/23",
                "100.64.146.64/26",
                "100.64.146.72/29"
            ]
        );
    }

    #[test]
    fn without_ipv6_only_ipv4_must_be_free() {
        let space = Space { v6: None, ..Space::of_all() };
        let space = space.free_part(&[]).expect("room");
        assert_eq!(space.v4.to_string(), "100.64.0.0/17");
        assert_eq!(space.gateway(), (Ipv4Addr::new(100, 64, 0, 1).into(), None));
    }
}
