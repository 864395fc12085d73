//! Addresses of hosts in the form that boxes know them by.

use std::net::{IpAddr, Ipv6Addr};

use wire::Addresses;

/// The number of a host; `None` for an IPv6 address that stands for an IPv4 one, which would be
/// mistaken for it and must not appear on a wire (RFC 4291 §2.5.5.2).
pub(crate) const fn number(address: IpAddr) -> Option<u128> {
    match address {
        IpAddr::V4(address) => Some(address.to_ipv6_mapped().to_bits()),
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => None,
        IpAddr::V6(address) => Some(address.to_bits()),
    }
}

/// The host of a number.
pub(crate) const fn address(number: u128) -> IpAddr {
    Ipv6Addr::from_bits(number).to_canonical()
}

/// Both hosts of a packet; `None` if they are of two families.
pub const fn addresses(source: u128, destination: u128) -> Option<Addresses> {
    Addresses::between(address(source), address(destination))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_numbers_that_tell_them_apart() {
        let of = |text: &str| number(text.parse().expect("an address"));
        for text in ["10.0.0.1", "255.255.255.255", "2001:db8::1", "::1", "::", "::10.0.0.1"] {
            let number = of(text).expect("it has one");
            assert_eq!(address(number).to_string().parse(), text.parse::<IpAddr>(), "{text}");
        }
        assert_eq!(of("::ffff:10.0.0.1"), None);
        assert_ne!(of("10.0.0.1"), of("::10.0.0.1"));
        let [four, six] = ["10.0.0.1", "2001:db8::1"].map(|text| of(text).expect("one"));
        assert_eq!(addresses(four, six), None);
    }
}
