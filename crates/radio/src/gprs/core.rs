//! The fixed network between gateway and base station.

use base::{Duration, Philox, Time, float};

use super::keys::Core;

/// One direction through the core network: log-normal jitter about a median. No packet overtakes
/// another.
#[derive(Debug)]
pub(crate) struct CoreNetwork {
    /// Half of the packets take no longer.
    median: Duration,
    jitter: f64,
    /// How long one draw of the jitter lasts: packets close in time have similar delays.
    coherence: Duration,
    chance: Philox,
    last: Time,
}

impl CoreNetwork {
    /// The direction called `name`, whose delay has this `median`.
    pub(crate) fn new(median: Duration, core: &Core, seed: u64, name: &str) -> Self {
        let Core { jitter, coherence, .. } = *core;
        Self { median, jitter, coherence, chance: Philox::named(seed, name), last: Time::ZERO }
    }

    /// When a packet leaves that enters at `now`.
    pub(crate) fn pass(&mut self, now: Time) -> Time {
        let factor = if self.jitter > 0.0 {
            let span = now.as_nanos() / self.coherence.as_nanos().max(1);
            float::exp(self.jitter * normal(self.chance, span))
        } else {
            1.0
        };
        let delay = Duration::from_secs_f64(self.median.as_secs_f64() * factor);
        self.last = self.last.max(now + delay);
        self.last
    }
}

/// The standard normal draw number `index`.
pub(crate) fn normal(chance: Philox, index: u64) -> f64 {
    let mut attempts = 0_u32..;
    float::normal(|| {
        let attempt = attempts.next().unwrap_or_default();
        let [x, y, ..] = chance.at([index as u32, (index >> 32) as u32, attempt, 0]);
        [x, y]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    fn network(jitter: f64) -> CoreNetwork {
        let core = Core { jitter, coherence: Duration::from_secs(1), ..Core::default() };
        CoreNetwork::new(Duration::from_millis(450), &core, 1, "core")
    }

    #[test]
    fn without_jitter_all_take_the_same_time() {
        let mut network = network(0.0);
        for millis in [0, 1, 2000] {
            assert_eq!(network.pass(at(millis)), at(millis + 450));
        }
    }

    #[test]
    fn jitter_is_log_normal_and_holds_for_its_coherence() {
        let mut network = network(0.2);
        let mut delays: Vec<_> = (0..4000)
            .map(|second| {
                let [first, later] = [0, 900].map(|millis| at(second * 4000 + millis));
                let [one, other] =
                    [first, later].map(|now| network.pass(now).saturating_since(now));
                assert_eq!(one, other);
                one.as_secs_f64()
            })
            .collect();
        delays.sort_by(f64::total_cmp);
        let quantile = |share: f64| delays[(share * 4000.0) as usize];
        assert!((0.44..0.46).contains(&quantile(0.5)), "{}", quantile(0.5));
        // 0.45 s · e^(±0.2 · 1.2816)
        assert!((0.338..0.360).contains(&quantile(0.1)), "{}", quantile(0.1));
        assert!((0.565..0.602).contains(&quantile(0.9)), "{}", quantile(0.9));
    }

    #[test]
    fn none_overtakes() {
        let mut network = network(0.5);
        let times: Vec<_> = (0..5000).map(|step| network.pass(at(step * 37))).collect();
        assert!(times.is_sorted());
    }
}
