//! Treatment of packets that are not TCP: nothing is wrong with either, but one should know.

use proxy::Config;

use super::Report;

pub(super) fn check(config: &Config, report: &mut Report) {
    for profile in &config.profile {
        let name = &profile.name;
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
    }
}
