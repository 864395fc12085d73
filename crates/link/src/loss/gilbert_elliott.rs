//! Losses in bursts (Gilbert: Capacity of a burst-noise channel, Bell System Technical Journal
//! 39(5), 1960; Elliott: Estimates of error rates for codes on burst-noise channels, ibid. 42(5),
//! 1963).

use base::{Probability, Stream};
use settings::{Chance, section};

use base::float::ln;

section! {
    /// `gilbert_elliott`: a good and a bad state, which may change from packet to packet (Gilbert
    /// 1960, Elliott 1963).
    #[derive(Copy)]
    pub struct Config {
        /// p: chance a packet that the good state ends. Default: it never does.
        pub p: Probability as Chance = Probability::NEVER;
        /// r: chance a packet that the bad state ends; bursts last 1/r packets. Default: 4
        /// packets.
        pub r: Probability as Chance = Probability::new(0.25).unwrap_or_default();
        /// 1 − k: chance that a packet is lost in the good state. Default: Gilbert.
        pub loss_good: Probability as Chance = Probability::NEVER;
        /// 1 − h: chance that a packet is lost in the bad state. Default: all are.
        pub loss_bad: Probability as Chance = Probability::new(1.0).unwrap_or_default();
    }
}

impl Config {
    /// Whether anything is ever lost.
    pub fn loses(&self) -> bool {
        self.p != Probability::NEVER || self.loss_good != Probability::NEVER
    }
}

/// The state of the channel. It begins in the good state.
#[derive(Debug)]
pub struct GilbertElliott {
    config: Config,
    chance: Stream,
    state: State,
    /// Packets until the state ends; `None` is never.
    left: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Good,
    Bad,
}

impl GilbertElliott {
    /// With its own source of `chance`.
    pub fn new(config: Config, mut chance: Stream) -> Self {
        let left = sojourn(config.p, &mut chance);
        Self { config, chance, state: State::Good, left }
    }

    /// True if the next packet is lost.
    pub fn loses(&mut self) -> bool {
        if self.left == Some(0) {
            self.change();
        }
        self.left = self.left.map(|left| left - 1);
        self.loss().hit(self.chance.next_u32())
    }

    /// True if the packet that was asked about last is lost.
    pub fn lost_last(&self) -> bool {
        self.loss().hit(self.chance.last_u32())
    }

    const fn loss(&self) -> Probability {
        match self.state {
            State::Good => self.config.loss_good,
            State::Bad => self.config.loss_bad,
        }
    }

    fn change(&mut self) {
        let (state, end) = match self.state {
            State::Good => (State::Bad, self.config.r),
            State::Bad => (State::Good, self.config.p),
        };
        self.state = state;
        self.left = sojourn(end, &mut self.chance);
    }
}

/// For how many packets a state lasts that ends after each with probability `end`: geometric, by
/// inversion, ⌈ln u / ln(1 − p)⌉.
fn sojourn(end: Probability, chance: &mut Stream) -> Option<u64> {
    if end == Probability::NEVER {
        return None;
    }
    let uniform = (f64::from(chance.next_u32()) + 0.5) / 4_294_967_296.0;
    let stay = 1.0 - end.value();
    if stay <= 0.0 {
        return Some(1);
    }
    if stay >= 1.0 {
        return None;
    }
    Some(((ln(uniform) / ln(stay)).ceil() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(p: f64, r: f64, loss_good: f64, loss_bad: f64) -> GilbertElliott {
        let of = |value| Probability::new(value).expect("in range");
        let [p, r, loss_good, loss_bad] = [p, r, loss_good, loss_bad].map(of);
        let config = Config { p, r, loss_good, loss_bad };
        GilbertElliott::new(config, Stream::named(3, "bursts"))
    }

    /// The share of packets lost and the mean length of a run of losses.
    fn losses(mut channel: GilbertElliott, packets: u32) -> (f64, f64) {
        let (mut lost, mut bursts, mut before) = (0.0, 0.0, false);
        for _ in 0..packets {
            let is_lost = channel.loses();
            lost += f64::from(u8::from(is_lost));
            bursts += f64::from(u8::from(is_lost && !before));
            before = is_lost;
        }
        (lost / f64::from(packets), lost / bursts)
    }

    /// Stationary loss p/(p+r); bursts of 1/r.
    #[test]
    fn the_simple_channel_of_gilbert() {
        let check = |p: f64, r: f64| {
            let (share, burst) = losses(channel(p, r, 0.0, 1.0), 1_000_000);
            let (loss, length) = (p / (p + r), 1.0 / r);
            assert!((share / loss - 1.0).abs() < 0.04, "{share}, not {loss} at {p}, {r}");
            assert!((burst / length - 1.0).abs() < 0.03, "{burst}, not {length} at {p}, {r}");
        };
        check(0.01, 0.25);
        check(0.005, 0.1);
        check(0.3, 0.7);
        check(0.1, 1.0);
    }

    /// Stationary loss ((1−k) r + (1−h) p) / (p+r).
    #[test]
    fn losses_in_both_states() {
        let (share, _) = losses(channel(0.02, 0.1, 0.01, 0.5), 1_000_000);
        let expect = (0.01 * 0.1 + 0.5 * 0.02) / 0.12;
        assert!((share / expect - 1.0).abs() < 0.03, "{share}, not {expect}");
    }

    #[test]
    fn states_that_never_end() {
        let lost = |channel| losses(channel, 1000).0;
        assert_eq!(lost(channel(0.0, 0.5, 0.0, 1.0)).to_bits(), 0.0_f64.to_bits());
        assert!(lost(channel(1.0, 0.0, 0.0, 1.0)) > 0.998);
        assert!(lost(channel(1e-300, 0.5, 0.0, 1.0)) < 0.001);
    }

    #[test]
    fn the_draws_of_a_seed_are_the_same_everywhere() {
        let mut channel = channel(0.05, 0.25, 0.0, 1.0);
        let lost: Vec<_> = (0..200_u32).filter(|_| channel.loses()).collect();
        let bursts = [11..19, 30..36, 38..40, 118..122];
        assert_eq!(lost, bursts.into_iter().flatten().collect::<Vec<_>>());
    }
}
