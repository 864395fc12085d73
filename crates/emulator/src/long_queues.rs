//! Queues of a link whose length in packets is a long time at its rate.

use base::{Duration, Rate};
use scenario::Scenario;

/// More than any user expects of a queue whose bytes were not named.
const LONG: Duration = Duration::from_secs(10);

/// A note for each direction whose queue, filled with packets of `mtu` bytes, takes long. Where it
/// is limited in bytes, somebody has chosen that for the link.
pub(crate) fn notes(scenario: &Scenario, mtu: u16) -> Vec<String> {
    let Some(link) = &scenario.link else { return Vec::new() };
    let (forth, back) = (scenario.queue.forth().limit, scenario.queue.back().limit);
    let ways = [("", link.rate, forth), (".back", link.back.rate, back)];
    let waits = ways.map(|(way, rate, limit)| {
        let packets = limit.packets.filter(|_| limit.bytes.is_none())?;
        Some((way, time_of(u64::from(packets) * u64::from(mtu), rate?)))
    });
    let long = waits.into_iter().flatten().filter(|(_, wait)| *wait > LONG);
    let note = |(way, wait): (&str, Duration)| {
        format!(
            "packets may wait {:.0} s for link{way}.rate: queue{way}.packets or \
             queue{way}.bytes makes the queue shorter",
            wait.as_secs_f64()
        )
    };
    long.map(note).collect()
}

fn time_of(bytes: u64, rate: Rate) -> Duration {
    let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate.as_bps().max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use scenario::Shipped;

    use super::*;

    #[test]
    fn queues_that_take_long_are_told() {
        let check = |source: &str, expected: &[&str]| {
            let scenario = Scenario::parse(source, "test", &[]).expect("valid");
            let notes = notes(&scenario, 1500);
            let starts: Vec<_> = notes.iter().map(|note| note.split(':').next()).collect();
            assert_eq!(starts, expected.iter().copied().map(Some).collect::<Vec<_>>(), "{source}");
        };
        let thin = "link.rate = '300 kbit/s'\nqueue.packets = 1000\n";
        check(thin, &["packets may wait 40 s for link.rate"]);
        check(&format!("{thin}queue.bytes = '150 kB'"), &[]);
        check("link.rate = '300 kbit/s'\nqueue.packets = 200", &[]);
        check("link.rate = '2 Mbit/s'\nqueue.packets = 1000", &[]);
        check("link.rate = 'unlimited'\nlink.delay = '1 ms'\nqueue.packets = 'unlimited'", &[]);
        let back = "link.rate = '2 Mbit/s'\nlink.back.rate = '30 kbit/s'\nqueue.packets = 100";
        check(back, &["packets may wait 40 s for link.back.rate"]);
    }

    /// The queues of shipped networks are as their sources say.
    #[test]
    fn shipped_networks_need_no_note() {
        for Shipped { name, text } in scenario::shipped() {
            let scenario = Scenario::parse(text, name, &[]).expect("valid");
            assert_eq!(notes(&scenario, 1500), Vec::<String>::new(), "{name}");
        }
    }
}
