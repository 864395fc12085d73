//! Addresses that share their first bits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The addresses that share their first bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

impl Prefix {
    /// Every address that has the first `length` bits of `address`; `None` if it has fewer bits.
    pub fn new(address: IpAddr, length: u8) -> Option<Self> {
        let width = width(address);
        (length <= width).then(|| {
            let host = width - length;
            let bits = bits(address).checked_shr(host.into()).unwrap_or(0);
            let address = with_bits(address, bits.checked_shl(host.into()).unwrap_or(0));
            Self { address, length }
        })
    }

    /// How many bits are alike.
    pub const fn length(&self) -> u8 {
        self.length
    }

    /// Its first address.
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Whether `address` is one of its own.
    pub fn holds(&self, address: IpAddr) -> bool {
        Self::new(address, self.length) == Some(*self)
    }

    /// Address number `number` of it, which must be one.
    pub fn host(&self, number: u8) -> IpAddr {
        with_bits(self.address, bits(self.address) | u128::from(number))
    }

    /// Whether all addresses of `other` are among its own.
    pub fn contains(&self, other: &Self) -> bool {
        self.address.is_ipv4() == other.address.is_ipv4()
            && self.length <= other.length
            && Self::new(other.address, self.length) == Some(*self)
    }

    /// Whether there are addresses in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// True for what every IPv6 interface has (RFC 4291 §2.5.6).
    pub fn is_link_local(&self) -> bool {
        matches!(self.address, IpAddr::V6(address) if address.is_unicast_link_local())
    }

    /// Part `number` of its `1 << bits` equal parts.
    pub fn part(&self, bits_more: u8, number: u32) -> Option<Self> {
        let length = self.length + bits_more;
        let host = width(self.address).checked_sub(length)?;
        let offset = u128::from(number) << host;
        Self::new(with_bits(self.address, bits(self.address) | offset), length)
    }
}

impl std::fmt::Display for Prefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

/// As routes are listed: `100.64.0.0/17`, or one address.
impl FromStr for Prefix {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, length) = text.split_once('/').unwrap_or((text, ""));
        let address = address.parse().map_err(drop)?;
        let length = if length.is_empty() { Ok(width(address)) } else { length.parse() };
        Self::new(address, length.map_err(drop)?).ok_or(())
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The address of the family of `like` that has these bits.
fn with_bits(like: IpAddr, bits: u128) -> IpAddr {
    match like {
        IpAddr::V4(_) => Ipv4Addr::from_bits(bits as u32).into(),
        IpAddr::V6(_) => Ipv6Addr::from_bits(bits).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(text: &str) -> Prefix {
        text.parse().expect("a prefix")
    }

    #[test]
    fn prefixes_are_read_and_cut_to_their_length() {
        assert_eq!(prefix("100.64.200.7/17").to_string(), "100.64.128.0/17");
        assert_eq!(prefix("100.64.0.1").to_string(), "100.64.0.1/32");
        assert_eq!(prefix("0.0.0.0/0").to_string(), "0.0.0.0/0");
        assert_eq!(prefix("fd00::5/16").to_string(), "fd00::/16");
        assert_eq!(prefix("::/0").to_string(), "::/0");
        for wrong in ["", "default", "1.2.3.4/33", "::/129", "1.2.3.4/x", "1.2.3/8"] {
            assert_eq!(wrong.parse::<Prefix>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn prefixes_contain_and_overlap() {
        let all = prefix("0.0.0.0/0");
        assert!(all.contains(&prefix("10.0.0.0/8")) && !prefix("10.0.0.0/8").contains(&all));
        assert!(!all.contains(&prefix("::/0")) && !prefix("::/0").overlaps(&all));
        assert!(prefix("10.0.0.0/8").overlaps(&prefix("10.1.0.0/16")));
        assert!(prefix("10.1.0.0/16").overlaps(&prefix("10.0.0.0/8")));
        assert!(!prefix("10.1.0.0/16").overlaps(&prefix("10.2.0.0/16")));
        assert!(prefix("fe80::/64").is_link_local() && !prefix("fd00::/64").is_link_local());
    }

    #[test]
    fn a_prefix_holds_its_addresses() {
        let holds = |text: &str, address: &str| prefix(text).holds(address.parse().expect("one"));
        assert!(holds("10.45.0.0/16", "10.45.255.1") && !holds("10.45.0.0/16", "10.46.0.1"));
        assert!(holds("0.0.0.0/0", "1.2.3.4") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("2001:db8::/32", "2001:db8:1::1") && holds("::1", "::1"));
    }
}
