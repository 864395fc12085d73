//! Rules by which packets of mobiles come to the proxy's table.

use ipnet::IpNet;
use proxy::{Config, Diverted};
use serde_json::Value;

use os::SetupError;
use os::iproute::{self, Family};

/// The number of TCP (RFC 9293).
const TCP: u8 = 6;

/// Packets that come in by an interface, from or to mobiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    interface: String,
    /// The end of the mobile.
    end: End,
    prefix: IpNet,
    /// The protocol that they carry; `None` is any.
    protocol: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    From,
    To,
}

impl Rule {
    /// The packets that it applies to.
    pub(super) fn family(&self) -> Family {
        Family::of(&self.prefix)
    }

    /// The addresses of mobiles that it applies to.
    pub(super) fn prefix(&self) -> IpNet {
        self.prefix
    }

    /// As `ip rule add` and `ip rule delete` take it.
    fn selector(&self) -> String {
        let Self { interface, end, prefix, protocol } = self;
        let end = match end {
            End::From => "from",
            End::To => "to",
        };
        let protocol = protocol.map_or_else(String::new, |number| format!(" ipproto {number}"));
        format!("iif {interface} {end} {prefix}{protocol}")
    }
}

/// All rules that `config` asks for at worker `number`: of each mobile what its profile has
/// diverted of either way.
pub(super) fn asked(config: &Config, number: u32) -> Vec<Rule> {
    let shares = config.shares();
    let own = shares.iter().filter(|(_, worker)| *worker == number);
    let prefixes = || own.clone().map(|(prefix, _)| *prefix);
    let of_side = |interfaces: &[String], end: End| -> Vec<Rule> {
        let pairs = prefixes().flat_map(|prefix| interfaces.iter().map(move |at| (prefix, at)));
        let both = pairs.flat_map(|(prefix, interface)| {
            let [from, to] = config.diverted(&prefix);
            let icmp = Some(icmp(Family::of(&prefix)));
            let protocols = match if end == End::From { from } else { to } {
                Diverted::Icmp => vec![icmp],
                Diverted::Tcp => vec![Some(TCP), icmp],
                Diverted::All => vec![None],
            };
            let rule = move |protocol| Rule { interface: interface.clone(), end, prefix, protocol };
            protocols.into_iter().map(rule)
        });
        both.collect()
    };
    let mut rules = of_side(&config.radio.interfaces, End::From);
    rules.extend(of_side(&config.wired.interfaces, End::To));
    rules
}

/// The number of ICMP (RFC 792) or `ICMPv6` (RFC 4443).
const fn icmp(family: Family) -> u8 {
    match family {
        Family::V4 => 1,
        Family::V6 => 58,
    }
}

/// Where rules stand and where they lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub(super) priority: u32,
    pub(super) table: u32,
}

impl Target {
    /// As the configuration has it.
    pub(super) fn of(config: &Config) -> Self {
        Self { priority: config.routing.priority, table: config.routing.table }
    }

    /// Adds `rules`, all or none.
    pub(super) fn add(self, rules: &[&Rule]) -> Result<(), SetupError> {
        let added = self.change("add", rules);
        if added.is_err() {
            for rule in rules {
                // A rule that was not added need not be removed.
                drop(self.change("delete", &[rule]));
            }
        }
        added
    }

    /// Removes `rules`, which must be there.
    pub(super) fn remove(self, rules: &[&Rule]) -> Result<(), SetupError> {
        self.change("delete", rules)
    }

    fn change(self, verb: &str, rules: &[&Rule]) -> Result<(), SetupError> {
        let Self { priority, table } = self;
        Family::known().iter().try_for_each(|family| {
            let rules = rules.iter().filter(|rule| rule.family() == *family);
            let lines: Vec<_> = rules
                .map(|rule| {
                    let selector = rule.selector();
                    format!("rule {verb} pref {priority} {selector} lookup {table}")
                })
                .collect();
            iproute::batch_of(*family, &lines)
        })
    }

    /// How many rules there are of this target.
    pub(super) fn count(self, family: Family) -> Result<usize, SetupError> {
        let rules = listed(family)?;
        let is_own = |rule: &&Listed| Some(self) == rule.target;
        Ok(rules.iter().filter(is_own).count())
    }

    /// Removes all rules of this target, and returns how many there were.
    pub(super) fn clear(self) -> Result<usize, SetupError> {
        let Self { priority, table } = self;
        let mut removed = 0;
        for family in Family::known() {
            let count = self.count(*family)?;
            let line = format!("rule delete pref {priority} lookup {table}");
            iproute::batch_of(*family, &vec![line; count])?;
            removed += count;
        }
        Ok(removed)
    }
}

/// Any rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    /// Its place among all.
    pub(super) priority: u32,
    /// The incoming interface of the packets that it applies to, if it names one.
    pub(super) interface: Option<String>,
    /// `None` if it leads to no table.
    pub(super) target: Option<Target>,
}

/// All rules there are, the first that applies first.
pub(super) fn listed(family: Family) -> Result<Vec<Listed>, SetupError> {
    let rules = iproute::list(&["-N", family.option(), "rule", "show"])?;
    Ok(rules.iter().filter_map(read).collect())
}

fn read(rule: &Value) -> Option<Listed> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let priority = number(&rule["priority"])?;
    let table = rule["table"].as_str().and_then(|table| table.parse().ok());
    Some(Listed {
        priority,
        interface: rule["iif"].as_str().map(str::to_owned),
        target: table.map(|table| Target { priority, table }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    /// Key of a profile with which packets that are not TCP pass.
    const AROUND: &str = "middlebox.atcp.others = 'around'\n";

    #[test]
    fn tcp_and_what_quotes_it_is_diverted_at_every_interface() {
        let mut config = config("", AROUND);
        config.radio.interfaces.push("wl1".to_owned());
        config.profile[0].mobiles.push("2001:db8::/48".parse().expect("a prefix"));
        let rules = asked(&config, 0);
        let lines: Vec<_> = rules.iter().map(Rule::selector).collect();
        assert_eq!(
            lines,
            [
                "iif wl0 from 10.45.0.0/16 ipproto 6",
                "iif wl0 from 10.45.0.0/16 ipproto 1",
                "iif wl1 from 10.45.0.0/16 ipproto 6",
                "iif wl1 from 10.45.0.0/16 ipproto 1",
                "iif wl0 from 2001:db8::/48 ipproto 6",
                "iif wl0 from 2001:db8::/48 ipproto 58",
                "iif wl1 from 2001:db8::/48 ipproto 6",
                "iif wl1 from 2001:db8::/48 ipproto 58",
                "iif eth0 to 10.45.0.0/16 ipproto 6",
                "iif eth0 to 10.45.0.0/16 ipproto 1",
                "iif eth0 to 2001:db8::/48 ipproto 6",
                "iif eth0 to 2001:db8::/48 ipproto 58",
            ]
        );
    }

    /// Packets of any protocol come in on their way to a mobile whose profile schedules them.
    #[test]
    fn everything_is_diverted_to_mobiles_that_share_with_others() {
        let lines = |key: &str| -> Vec<_> {
            let config = config("workers = 2\n", key);
            asked(&config, 1).iter().map(Rule::selector).collect()
        };
        let to: Vec<_> = lines("").into_iter().filter(|line| line.contains(" to ")).collect();
        assert!(to.contains(&"iif eth0 to 10.45.32.0/19".to_owned()), "{to:?}");
        assert!(to.iter().all(|line| !line.contains("ipproto")), "{to:?}");
        assert_eq!(lines("").len() + to.len(), lines(AROUND).len());
    }

    /// All that a subscriber sends comes in, and answers to echo requests.
    #[test]
    fn everything_is_diverted_that_a_subscriber_sends() {
        let keys = "middlebox.atcp.role = 'subscriber'\n";
        let rules = asked(&config("", keys), 0);
        let lines: Vec<_> = rules.iter().map(Rule::selector).collect();
        assert_eq!(lines, ["iif wl0 from 10.45.0.0/16", "iif eth0 to 10.45.0.0/16 ipproto 1"]);
    }

    /// A packet of a mobile meets the rules of one worker, on either side.
    #[test]
    fn several_workers_share_the_rules() {
        let config = config("workers = 2\n", AROUND);
        let all: Vec<_> = (0..2).map(|number| asked(&config, number)).collect();
        assert_eq!(all[0].len(), all[1].len());
        for (one, other) in all[0].iter().flat_map(|one| all[1].iter().map(move |it| (one, it))) {
            let contains = one.prefix.contains(&other.prefix) || other.prefix.contains(&one.prefix);
            assert!(!contains, "{one:?} and {other:?}");
        }
        let lines: Vec<_> = all[1].iter().map(Rule::selector).collect();
        assert!(lines.contains(&"iif wl0 from 10.45.32.0/19 ipproto 6".to_owned()), "{lines:?}");
        assert!(lines.contains(&"iif eth0 to 10.45.32.0/19 ipproto 1".to_owned()), "{lines:?}");
    }

    #[test]
    fn rules_of_others_are_read() {
        let rules = serde_json::from_str::<Vec<Value>>(
            r#"[{"priority":0,"src":"all","table":"255"},
                {"priority":1000,"src":"10.0.0.0","srclen":8,"iif":"wl0","ipproto":"ipproto-6",
                 "table":"101"},
                {"priority":7,"not":null,"src":"all","action":"blackhole"}, {}]"#,
        );
        let rules: Vec<_> = rules.expect("JSON").iter().filter_map(read).collect();
        let target = |priority, table| Some(Target { priority, table });
        let rule = |priority, interface: Option<&str>, target| Listed {
            priority,
            interface: interface.map(str::to_owned),
            target,
        };
        let expect = [
            rule(0, None, target(0, 255)),
            rule(1000, Some("wl0"), target(1000, 101)),
            rule(7, None, None),
        ];
        assert_eq!(rules, expect);
    }
}
