//! The keys of the aggregating proxy, and what follows for its box.

use base::{Duration, Rate};
use settings::{Always, Bytes, Over, join, section};
use tcp::Payload;

use super::subscriber::Subscriber;
use super::{Atcp, AtcpConfig, Others, Role};
use crate::split::{SocketBuffers, SplitConfig};
use crate::{Managed, RadioLink, SchemeKeys, Setup};

section! {
    /// `[middlebox]` of atcp.
    pub struct AtcpKeys {
        /// The aggregating proxy.
        pub atcp: AtcpConfig as Always<AtcpConfig> = AtcpConfig::default();
        /// Its segments.
        pub tcp: Segments as Over<tcp::Config, Segments> = Segments::default();
        /// The sockets of uploads, where a proxy splits them.
        pub split: SocketBuffers as Always<SocketBuffers> = SocketBuffers::default();
    }
}

section! {
    /// `[middlebox.tcp]` of atcp.
    pub struct Segments {
        /// A peer whose SYN names less, options included, is sent segments of this size all the
        /// same: or it could have a packet sent for each byte. Default: Linux's `tcp_min_snd_mss`.
        pub min_mss: u32 as Bytes<u32, 1, 65_495> = 48;
    }
    heir(of tcp::Config as "tcp": min_mss)
}

impl SchemeKeys for AtcpKeys {
    fn sockets(&self) -> Option<&SocketBuffers> {
        Some(&self.split)
    }

    fn budget(&self) -> Option<(&'static str, u64)> {
        Some(("atcp.budget", self.atcp.budget))
    }

    fn schedules_others(&self) -> bool {
        self.atcp.others == Others::Scheduled || self.atcp.role == Role::Subscriber
    }

    fn role(&self) -> Role {
        self.atcp.role
    }

    fn knows_its_pipe(&self) -> bool {
        self.atcp.role == Role::Network || self.atcp.learns_its_pipe()
    }

    fn classes(&self) -> Vec<String> {
        self.atcp.classes.iter().map(|class| class.name.clone()).collect()
    }

    fn class_of(&self, ports: &[u16], dscp: u8) -> Option<u32> {
        self.atcp.class_of(ports, dscp).map(|place| place as u32)
    }

    fn fit_to(&mut self, radio: &RadioLink, is_given: &dyn Fn(&str) -> bool) {
        self.atcp.fit_to(radio, &|key| is_given(&join("atcp", key)));
    }

    fn warning(&self, mss: u16, _radio: &RadioLink) -> Option<String> {
        let clamp = self.atcp.clamp;
        (clamp < mss.into()).then(|| {
            format!(
                "middlebox.atcp.clamp of {clamp} B is less than a segment, of which one is always \
                 let go: name a smaller mss, or a larger rate, round_trip or clamp"
            )
        })
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        if self.atcp.role == Role::Subscriber {
            return Box::new(Subscriber::new(self.atcp.clone(), setup.number));
        }
        let (uplink_clamp, min_mss) = (self.atcp.uplink_clamp(), self.tcp.min_mss);
        let config = SplitConfig { uplink_clamp, min_mss, ..setup.split() };
        setup.splitting(config, Atcp::new(self.atcp.clone()), self.split)
    }
}

impl AtcpConfig {
    /// What the aggregating proxy derives from the radio link where its own keys are not given.
    fn fit_to(&mut self, radio: &RadioLink, is_given: &dyn Fn(&str) -> bool) {
        match self.role {
            Role::Network => self.fit_to_downlink(radio, is_given),
            Role::Subscriber => self.fit_to_uplink(radio, is_given),
        }
    }

    /// Keys of a subscriber's box, to which the downlink's rate is nothing.
    fn fit_to_uplink(&mut self, radio: &RadioLink, is_given: &dyn Fn(&str) -> bool) {
        if !is_given("uplink_rate") {
            self.uplink_rate = radio.uplink_rate;
        }
        if let (Some(round_trip), false) = (radio.round_trip, is_given("round_trip")) {
            self.round_trip = round_trip;
        }
        if let (Some(uplink), false) = (self.uplink_rate, is_given("budget")) {
            self.budget = Self::budget_for(uplink.bytes_in(self.round_trip));
        }
    }

    /// Keys of a network's box.
    fn fit_to_downlink(&mut self, radio: &RadioLink, is_given: &dyn Fn(&str) -> bool) {
        let rate = radio.rate.or(is_given("rate").then_some(self.rate));
        let round_trip = radio.round_trip.or(is_given("round_trip").then_some(self.round_trip));
        if !is_given("uplink_rate") {
            self.uplink_rate = radio.uplink_rate;
        }
        let Some((rate, round_trip)) = pipe(rate, round_trip, radio.bdp, self.round_trip) else {
            return;
        };
        if !is_given("rate") {
            self.rate = rate;
        }
        if !is_given("round_trip") {
            self.round_trip = round_trip;
        }
        let bdp = radio.bdp.unwrap_or_else(|| rate.bytes_in(round_trip));
        if !is_given("clamp") {
            self.clamp = ((self.headroom * bdp as f64).round() as u64).clamp(1, u32::MAX.into());
        }
        if !is_given("budget") {
            self.budget = Self::budget_for(self.clamp);
        }
    }

    /// A budget that grows with the `window`, and is no less than the default.
    fn budget_for(window: u64) -> u64 {
        let usual = Self::default();
        let grown = u128::from(usual.budget) * u128::from(window) / u128::from(usual.clamp);
        let grown = u64::try_from(grown).unwrap_or(u64::MAX).min(u32::MAX.into());
        grown.max(usual.budget)
    }
}

/// Rate and round-trip time, from what is given of them and their product; of a product alone
/// with the `usual` round-trip time.
fn pipe(
    rate: Option<Rate>,
    round_trip: Option<Duration>,
    bdp: Option<u64>,
    usual: Duration,
) -> Option<(Rate, Duration)> {
    match (rate, round_trip, bdp) {
        (Some(rate), Some(round_trip), _) => Some((rate, round_trip)),
        (Some(rate), None, Some(bdp)) => Some((rate, time_of(bdp, rate))),
        (None, round_trip, Some(bdp)) => {
            let round_trip = round_trip.unwrap_or(usual);
            Some((rate_of(bdp, round_trip), round_trip))
        }
        (Some(_) | None, None, None) | (None, Some(_), None) => None,
    }
}

fn time_of(bytes: u64, rate: Rate) -> Duration {
    let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate.as_bps());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX).max(1))
}

fn rate_of(bytes: u64, time: Duration) -> Rate {
    let bits = u128::from(bytes) * 8_000_000_000 / u128::from(time.as_nanos().max(1));
    Rate::from_bps(u64::try_from(bits).unwrap_or(u64::MAX).max(1))
}
