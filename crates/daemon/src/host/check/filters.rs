//! Netfilter rules that may be in the way. These are only hints: the effect of rules shows only
//! with packets.

use serde_json::Value;

use super::Report;
use os::iproute;

/// Words of rules that divert packets before they are routed.
const TAKERS: [&str; 4] = ["tproxy", "queue", "TPROXY", "NFQUEUE"];

/// Words of rules that give connections other addresses.
const TRANSLATORS: [&str; 6] = ["masquerade", "snat", "MASQUERADE", "SNAT", "NETMAP", "redirect"];

pub(super) fn check(report: &mut Report) {
    let mut found = Found::default();
    if let Ok(text) = iproute::run("nft", &["-j", "list", "ruleset"], "")
        && let Ok(rules) = serde_json::from_str(&text)
    {
        found.look_through(&rules);
    }
    if let Ok(text) = iproute::run("iptables-legacy-save", &[], "") {
        found.read_through(&text);
    }
    found.tell(report);
}

/// The obstacles that were found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Found {
    /// A chain that drops what is forwarded unless a rule lets it pass.
    closed: Option<String>,
    taker: Option<&'static str>,
    translator: Option<&'static str>,
}

impl Found {
    /// All of a ruleset: objects and lists of whatever depth.
    fn look_through(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                self.look_at_chain(value);
                for (key, member) in members {
                    self.look_at(key);
                    self.look_through(member);
                }
            }
            Value::Array(members) => members.iter().for_each(|member| self.look_through(member)),
            Value::String(word) => self.look_at(word),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn look_at_chain(&mut self, chain: &Value) {
        if chain["hook"] == "forward" && chain["policy"] == "drop" {
            let name = |key: &str| chain[key].as_str().unwrap_or_default();
            self.closed = Some(format!("{} {} {}", name("family"), name("table"), name("name")));
        }
    }

    fn look_at(&mut self, word: &str) {
        let among = |words: &[&'static str]| words.iter().copied().find(|known| *known == word);
        self.taker = self.taker.or_else(|| among(&TAKERS));
        self.translator = self.translator.or_else(|| among(&TRANSLATORS));
    }

    /// What `iptables-save` writes.
    fn read_through(&mut self, text: &str) {
        for line in text.lines() {
            if line.starts_with(":FORWARD DROP") {
                self.closed = Some("FORWARD of iptables-legacy".to_owned());
            }
            if let Some((_, target)) = line.split_once(" -j ") {
                self.look_at(target.split(' ').next().unwrap_or_default());
            }
        }
    }

    fn tell(&self, report: &mut Report) {
        if let Some(chain) = &self.closed {
            report.warning(format!(
                "the chain {chain} drops what no rule lets pass: let pass what comes in or goes \
                 out by the proxy's device"
            ));
        }
        if let Some(word) = self.taker {
            report.warning(format!(
                "a rule says {word}: packets that it takes do not come to the proxy"
            ));
        }
        if let Some(word) = self.translator {
            report.warning(format!(
                "a rule says {word}: the kernel would decide on addresses before packets come to \
                 the proxy; let another host translate"
            ));
        }
        if *self == Self::default() {
            report.ok("no packet filter is known to be in the way");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(ruleset: &str, saved: &str) -> Vec<String> {
        let mut found = Found::default();
        found.look_through(&serde_json::from_str(ruleset).expect("JSON"));
        found.read_through(saved);
        Report::lines_of(|report| found.tell(report))
    }

    #[test]
    fn rules_that_may_be_in_the_way_are_named() {
        let check = |ruleset: &str, expect: &str| {
            let lines = lines(&format!("{{\"nftables\": [{ruleset}]}}"), "");
            assert!(lines.len() == 1 && lines[0].contains(expect), "{lines:?}");
        };
        check("", "ok: no packet filter");
        check(
            r#"{"chain": {"family": "inet", "table": "filter", "name": "FORWARD", "handle": 2,
                "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}}"#,
            "the chain inet filter FORWARD drops",
        );
        check(r#"{"rule": {"expr": [{"masquerade": null}]}}"#, "says masquerade");
        check(r#"{"rule": {"expr": [{"tproxy": {"port": 5}}, {"accept": null}]}}"#, "says tproxy");
        check(r#"{"rule": {"expr": [{"xt": {"type": "target", "name": "SNAT"}}]}}"#, "says SNAT");
        check(r#"{"chain": {"hook": "input", "policy": "drop"}}"#, "ok: no packet filter");
    }

    #[test]
    fn older_programs_rules_are_read_too() {
        let saved = "*filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n\
                     -A FORWARD -j ACCEPT\nCOMMIT\n\
                     *nat\n-A POSTROUTING -o eth0 -j MASQUERADE\n";
        let lines = lines("{}", saved);
        assert!(lines[0].contains("FORWARD of iptables-legacy"), "{lines:?}");
        assert!(lines[1].contains("says MASQUERADE") && lines.len() == 2, "{lines:?}");
    }
}
