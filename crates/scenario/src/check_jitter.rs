//! Whether wires have the time by which their delays stray.

use base::Schedule;
use link::LinkConfig;
use link::queue::Queues;

use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// Jitter goes with the delays of `[[wired]]` and of hosts of their own.
    pub(crate) fn jitters(&self) -> Result<(), Fault> {
        for wire in &self.scenario.wired {
            let [way, _] = wire.ways(&Queues::unlimited());
            self.jitter(&way, &format!("wired.{}", wire.name), ["jitter", "delay"])?;
        }
        for (at, group) in self.scenario.groups_by_table() {
            let [out, to] = group.wire();
            self.jitter(&out, &at, ["jitter", "delay"])?;
            let jitter = if group.return_jitter.is_some() { "return_jitter" } else { "jitter" };
            let delay = if group.return_delay.is_some() { "return_delay" } else { "delay" };
            self.jitter(&to, &at, [jitter, delay])?;
        }
        Ok(())
    }

    /// The jitter and the delay of `wire` have these keys under `at`.
    fn jitter(&self, wire: &LinkConfig, at: &str, keys: [&str; 2]) -> Result<(), Fault> {
        let [jitter, delay] = keys.map(|key| format!("{at}.{key}"));
        let delays: &Schedule<_> = &wire.delay;
        let Some(message) = wire.disorder.jitter.fault(delays, [&jitter, &delay]) else {
            return Ok(());
        };
        self.clash(&[&jitter, &format!("{at}.jitter_distribution"), &delay], message)
    }
}
