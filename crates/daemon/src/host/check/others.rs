//! Treatment of packets that are not TCP: nothing is wrong with either, but one should know.

use middlebox::Role;
use proxy::{Config, Profile};

use super::Report;

pub(super) fn check(config: &Config, report: &mut Report) {
    for profile in &config.profile {
        let name = &profile.name;
        if profile.role() == Role::Subscriber {
            subscriber(profile, report);
            continue;
        }
        report.ok(if profile.schedules_others() {
            format!(
                "profile {name}: packets to mobiles that are not TCP wait for their turn with \
                 connections, unread"
            )
        } else {
            format!("profile {name}: packets that are not TCP pass around the proxy")
        });
    }
}

/// A box at the side of the mobiles needs to know what the modem carries.
fn subscriber(profile: &Profile, report: &mut Report) {
    let name = &profile.name;
    if profile.middlebox.keys().is_some_and(middlebox::SchemeKeys::knows_its_pipe) {
        report.ok(format!(
            "profile {name}: all that mobiles send, TCP too, waits for its turn, unread; what \
             comes down passes"
        ));
    } else {
        report.warning(format!(
            "profile {name}: all that mobiles send passes at once, as without a proxy: name the \
             uplink_rate of the modem"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    #[test]
    fn it_is_said_of_each_profile() {
        let said = |keys: &str| Report::lines_of(|report| check(&config("", keys), report));
        let around = "ok: profile thin: packets that are not TCP pass around the proxy";
        assert_eq!(said("middlebox.atcp.others = 'around'\n"), [around]);
        assert_eq!(said("middlebox.kind = 'split'\n"), [around]);
        let waits = "ok: profile thin: packets to mobiles that are not TCP wait for their turn \
                     with connections, unread";
        assert_eq!(said("middlebox.atcp.others = 'scheduled'\n"), [waits]);
        let role = "middlebox.atcp.role = 'subscriber'\n";
        let all = "ok: profile thin: all that mobiles send, TCP too, waits for its turn, unread; \
                   what comes down passes";
        let keys = "uplink_rate = '384 kbit/s'\nround_trip = '90 ms'\n";
        assert_eq!(said(&format!("{keys}{role}")), [all]);
        let none = "warning: profile thin: all that mobiles send passes at once, as without a \
                    proxy: name the uplink_rate of the modem";
        assert_eq!(said(role), [none]);
    }
}
