//! How the mobiles of a configuration are shared out among workers.

use std::net::IpAddr;

use ipnet::IpNet;
use middlebox::MiddleboxLimits;

use crate::{Config, Routing};

/// The number of blocks of a prefix for each worker, at least: shares then differ by a fifth at
/// most if the workers are no power of two.
const BLOCKS: u32 = 4;

/// Bits of an address that name a mobile (RFC 6459 §5.2).
const MOBILE_4: u8 = 32;
const MOBILE_6: u8 = 64;

impl Config {
    /// Prefixes that hold all mobiles, each with the number of the worker that has them.
    ///
    /// Several workers have disjoint prefixes: the blocks of equal size of each prefix that no
    /// other one contains. The worker of a block is the number that its bits are, modulo the
    /// workers, so that it depends on nothing but the sizes of blocks, and neighbours go to
    /// different workers.
    pub fn shares(&self) -> Vec<(IpNet, u32)> {
        let all = || self.profile.iter().flat_map(|profile| &profile.mobiles);
        if self.workers == 1 {
            return all().map(|prefix| (*prefix, 0)).collect();
        }
        let is_outermost =
            |prefix: &&IpNet| !all().any(|other| other != *prefix && other.contains(*prefix));
        all().filter(is_outermost).flat_map(|prefix| blocks(prefix, self.workers)).collect()
    }

    /// The configuration of worker `number`: its device and its table, and its part of the limits
    /// on all mobiles together.
    #[must_use]
    pub fn of_worker(&self, number: u32) -> Self {
        let limits = MiddleboxLimits {
            flows: self.limits.flows.div_ceil(self.workers),
            opening: self.limits.opening.div_ceil(self.workers),
            bytes: self.limits.bytes / u64::from(self.workers),
            others: self.limits.others / u64::from(self.workers),
            ..self.limits
        };
        Self { routing: self.routing.of_worker(number), limits, ..self.clone() }
    }
}

impl Routing {
    /// That of worker `number`: the device and the table with the next numbers.
    #[must_use]
    pub(crate) fn of_worker(&self, number: u32) -> Self {
        if number == 0 {
            return self.clone();
        }
        let name = self.device.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let first: u64 = self.device[name.len()..].parse().unwrap_or(0);
        Self {
            device: format!("{name}{}", first + u64::from(number)),
            table: self.table.saturating_add(number),
            ..self.clone()
        }
    }
}

fn blocks(prefix: &IpNet, workers: u32) -> impl Iterator<Item = (IpNet, u32)> {
    let mobile = if prefix.addr().is_ipv4() { MOBILE_4 } else { MOBILE_6 };
    let wanted = (BLOCKS * workers).next_power_of_two().trailing_zeros() as u8;
    let length = prefix.prefix_len();
    let parts = prefix.subnets(length + wanted.min(mobile.saturating_sub(length)));
    // A prefix within one mobile is of the worker that has the mobile.
    let worker = move |part: IpNet| worker(&part, part.prefix_len().min(mobile), workers);
    parts.into_iter().flatten().map(move |part| (part, worker(part)))
}

fn worker(block: &IpNet, length: u8, workers: u32) -> u32 {
    let number = match block.addr() {
        IpAddr::V4(address) => u128::from(address.to_bits()) >> (32 - length),
        IpAddr::V6(address) => address.to_bits() >> (128 - length),
    };
    (number % u128::from(workers)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::MOST_WORKERS;

    fn config(workers: u32, mobiles: &[IpNet]) -> Config {
        let mobiles: Vec<_> = mobiles.iter().map(ToString::to_string).collect();
        let text = format!(
            "workers = {workers}\nradio.interfaces = ['wl0']\nwired.interfaces = ['eth0']\n\
             [[profile]]\nname = 'thin'\nmobiles = {mobiles:?}\n"
        );
        Config::parse(&text, "proxy.toml").unwrap_or_else(|error| panic!("{error}"))
    }

    fn prefix(text: &str) -> IpNet {
        text.parse().expect("a prefix")
    }

    /// Of `10.0.0.0/8` or `2001:db8::/32`, so that some contain others.
    fn prefixes() -> impl Strategy<Value = Vec<IpNet>> {
        let four = (0..1_u32 << 24, 9..=32_u8).prop_map(|(host, length)| {
            IpNet::new(IpAddr::V4((0x0a00_0000 | host).into()), length).expect("a length").trunc()
        });
        let six = (any::<u64>(), 33..=128_u8).prop_map(|(host, length)| {
            let bits = 0x2001_0db8 << 96 | u128::from(host) << 16;
            IpNet::new(IpAddr::V6(bits.into()), length).expect("a length").trunc()
        });
        let several = prop::collection::vec(prop_oneof![four, six], 1..5);
        several
            .prop_map(|all| all.iter().map(ToString::to_string).collect::<BTreeSet<_>>())
            .prop_map(|all| all.iter().map(|text| prefix(text)).collect())
    }

    proptest! {
        /// Each mobile has one worker, whichever of its addresses a packet names and however many
        /// profiles contain it.
        #[test]
        fn a_mobile_has_one_worker(
            workers in 2..=MOST_WORKERS,
            all in prefixes(),
            which in any::<prop::sample::Index>(),
            host in any::<u128>(),
        ) {
            let shares = config(workers, &all).shares();
            for (at, (one, _)) in shares.iter().enumerate() {
                let overlaps = |other: &IpNet| one.contains(other) || other.contains(one);
                prop_assert!(!shares[at + 1..].iter().any(|(other, _)| overlaps(other)));
            }
            let among = which.get(&all);
            let address = match among.addr() {
                IpAddr::V4(first) => {
                    let mask = u32::MAX.checked_shr(among.prefix_len().into()).unwrap_or(0);
                    IpAddr::V4((first.to_bits() | host as u32 & mask).into())
                }
                IpAddr::V6(first) => {
                    let mask = u128::MAX.checked_shr(among.prefix_len().into()).unwrap_or(0);
                    IpAddr::V6((first.to_bits() | host & mask).into())
                }
            };
            prop_assert_eq!(shares.iter().filter(|(share, _)| share.contains(&address)).count(), 1);
            let mobile = |share: &IpNet| IpNet::new(share.addr(), MOBILE_6).map(|it| it.trunc());
            for (share, worker) in &shares {
                let same = |other: &&(IpNet, u32)| {
                    !share.addr().is_ipv4() && mobile(&other.0) == mobile(share)
                };
                prop_assert!(shares.iter().filter(same).all(|(_, other)| other == worker));
            }
        }

        /// The blocks of a prefix with room for them are spread evenly.
        #[test]
        fn shares_of_a_prefix_are_alike(workers in 2..=MOST_WORKERS, length in 9..=24_u8) {
            let all = [IpNet::new("10.0.0.0".parse().expect("one"), length).expect("a length")];
            let shares = config(workers, &all).shares();
            let count = |worker| shares.iter().filter(|(_, other)| *other == worker).count();
            let counts: Vec<_> = (0..workers).map(count).collect();
            let (least, most) = (counts.iter().min(), counts.iter().max());
            prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1));
            prop_assert!(least.is_some_and(|least| *least >= BLOCKS as usize));
        }
    }

    #[test]
    fn one_worker_has_all_as_they_are_listed() {
        let all = [prefix("10.45.0.0/16"), prefix("10.45.1.0/24"), prefix("2001:db8::/48")];
        assert_eq!(config(1, &all).shares(), all.map(|prefix| (prefix, 0)));
        let one = config(1, &all);
        assert_eq!(one.of_worker(0), one);
    }

    #[test]
    fn neighbours_go_to_different_workers() {
        let all = ["10.45.0.0/16", "10.45.9.0/24", "10.46.0.0/32", "10.46.0.1/32"].map(prefix);
        let shares = config(2, &all).shares();
        let lines: Vec<_> = shares.iter().map(|(share, at)| format!("{share} {at}")).collect();
        assert_eq!(
            lines,
            [
                "10.45.0.0/19 0",
                "10.45.32.0/19 1",
                "10.45.64.0/19 0",
                "10.45.96.0/19 1",
                "10.45.128.0/19 0",
                "10.45.160.0/19 1",
                "10.45.192.0/19 0",
                "10.45.224.0/19 1",
                "10.46.0.0/32 0",
                "10.46.0.1/32 1",
            ]
        );
    }

    #[test]
    fn workers_have_devices_tables_and_parts_of_their_own() {
        let mut config = config(3, &[prefix("10.45.0.0/16")]);
        let of = |config: &Config, number| {
            let routing = config.of_worker(number).routing;
            (routing.device, routing.table)
        };
        assert_eq!(of(&config, 0), ("thinpipe0".to_owned(), 101));
        assert_eq!(of(&config, 2), ("thinpipe2".to_owned(), 103));
        for (device, next) in [("thin", "thin1"), ("tun9", "tun10"), ("7", "8")] {
            config.routing.device = device.to_owned();
            assert_eq!(of(&config, 1).0, next);
        }
        let part = config.of_worker(1).limits;
        assert_eq!((part.flows, part.opening), (21_846, 1_366));
        assert_eq!(part.bytes, 85_333_333);
        assert_eq!(part.flows_per_mobile, config.limits.flows_per_mobile);
    }
}
