//! How a script sets its endpoint up.

use base::{Duration, Flags, Options, Seq, TcpHeader};
use cc::{Delta, VegasParameters};
use tcp::{Config, Endpoint, Length, RtoConfig, RttSampling, Segment, Variant};

use super::segment::{Numbers, PEER_PORT, PORT};

/// How the connection opens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opening {
    Connect,
    Listen,
    Established { rtt: Duration },
}

#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) read_at_once: bool,
    variant: String,
    isn: Seq,
    peer_isn: Seq,
    peer_window: u16,
    peer_options: Options,
}

impl Setup {
    pub(crate) fn new(variant: &str) -> Self {
        Self {
            config: plain_config(),
            read_at_once: true,
            variant: variant.to_owned(),
            isn: Seq::new(4_000_000_000),
            peer_isn: Seq::new(1_000),
            peer_window: u16::MAX,
            peer_options: Options { mss: Some(1_000), window_scale: None },
        }
    }

    /// One line; says how the connection opens once it does.
    pub(crate) fn line(&mut self, line: &str) -> Result<Option<Opening>, String> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("connect") => Ok(Some(Opening::Connect)),
            Some("listen") => Ok(Some(Opening::Listen)),
            Some("established") => {
                let rtt = words.next().and_then(|word| word.strip_prefix("rtt="));
                Ok(Some(Opening::Established { rtt: seconds(rtt.unwrap_or("0"))? }))
            }
            Some("set") => {
                for word in words {
                    let (key, value) = word.split_once('=').ok_or("set takes key=value")?;
                    self.set(key, value)?;
                }
                Ok(None)
            }
            _ => Err(format!("before it opens, a script can set, not: {line}")),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let config = &mut self.config;
        match key {
            "variant" => config.variant = variant(&self.variant, Delta::Rounded)?,
            "delta" => config.variant = variant(&self.variant, delta(value)?)?,
            "mss" => config.mss = number(value)?,
            "window" => config.window = number(value)?,
            "initial_window" => config.initial_window = number(value)?,
            "ssthresh" => config.initial_ssthresh = Some(number(value)?),
            "receive_buffer" => config.receive_buffer = number(value)?,
            "tick" => config.rto.tick = seconds(value)?,
            "min_rto" => config.rto.min = seconds(value)?,
            "max_rto" => config.rto.max = seconds(value)?,
            "initial_rto" => config.rto.initial = seconds(value)?,
            "max_retransmissions" => config.rto.max_retransmissions = Some(number(value)?),
            "rtt_sampling" => config.rtt_sampling = sampling(value)?,
            "delayed_ack" => config.delayed_ack = Some(seconds(value)?),
            "limited_transmit" => config.limited_transmit = switch(value)?,
            "slow_start_restart" => config.slow_start_restart = switch(value)?,
            "recover_guard" => config.recover_guard = switch(value)?,
            "nagle" => config.nagle = switch(value)?,
            "time_wait" => config.time_wait = seconds(value)?,
            "isn" => self.isn = Seq::new(number(value)?),
            "peer_isn" => self.peer_isn = Seq::new(number(value)?),
            "peer_window" => self.peer_window = number(value)?,
            "peer_mss" => self.peer_options.mss = Some(number(value)?),
            "peer_wscale" => self.peer_options.window_scale = Some(number(value)?),
            "reading" => self.read_at_once = value == "at_once",
            other => return Err(format!("no such key: {other}")),
        }
        Ok(())
    }

    pub(crate) fn endpoint(&self, opening: &Opening) -> Endpoint<Length> {
        match opening {
            Opening::Connect | Opening::Established { .. } => {
                Endpoint::connect(0, &self.config, PORT, PEER_PORT, self.isn)
            }
            Opening::Listen => Endpoint::listen(0, &self.config, PORT, PEER_PORT, self.isn),
        }
    }

    pub(crate) fn numbers(&self) -> Numbers {
        let (isn, peer_isn, peer_window) = (self.isn, self.peer_isn, self.peer_window);
        Numbers { isn, peer_isn, peer_window }
    }

    /// The peer's answer to the SYN where the script starts with an open connection.
    pub(crate) fn syn_ack(&self) -> Segment<Length> {
        let header = TcpHeader {
            source_port: PEER_PORT,
            destination_port: PORT,
            seq: self.peer_isn,
            ack: self.isn + 1,
            flags: Flags::SYN | Flags::ACK,
            window: self.peer_window,
            options: self.peer_options,
        };
        Segment { header, payload: Length(0) }
    }
}

/// The variants that a script names.
pub(crate) fn variants(text: &str) -> Vec<String> {
    let named = text
        .lines()
        .filter(|line| line.starts_with("set "))
        .flat_map(str::split_whitespace)
        .find_map(|word| word.strip_prefix("variant="));
    named.unwrap_or("reno").split(',').map(str::to_owned).collect()
}

/// A time in seconds, to the nanosecond.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = number(text)?;
    if seconds < 0.0 {
        Err("time is not negative".into())
    } else {
        Ok(Duration::from_secs_f64(seconds))
    }
}

fn plain_config() -> Config {
    Config {
        variant: Variant::RENO,
        mss: 1_000,
        window: 64,
        initial_window: 2,
        initial_ssthresh: None,
        receive_buffer: 65_535,
        rto: RtoConfig {
            tick: Duration::ZERO,
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            initial: Duration::from_secs(3),
            max_retransmissions: None,
        },
        rtt_sampling: RttSampling::OnePerWindow,
        delayed_ack: None,
        limited_transmit: false,
        slow_start_restart: false,
        recover_guard: true,
        nagle: false,
        time_wait: Duration::from_secs(60),
    }
}

fn variant(name: &str, delta: Delta) -> Result<Variant, String> {
    match name {
        "reno" => Ok(Variant::RENO),
        "vegas" => Ok(Variant::vegas(VegasParameters { alpha: 1.0, beta: 3.0, gamma: 1.0, delta })),
        other => Err(format!("no such variant: {other}")),
    }
}

fn delta(text: &str) -> Result<Delta, String> {
    match text {
        "rounded" => Ok(Delta::Rounded),
        "exact" => Ok(Delta::Exact),
        other => Err(format!("no such delta: {other}")),
    }
}

fn sampling(text: &str) -> Result<RttSampling, String> {
    match text {
        "one_per_window" => Ok(RttSampling::OnePerWindow),
        "every_segment" => Ok(RttSampling::EverySegment),
        other => Err(format!("no such sampling: {other}")),
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(format!("on or off, not {other}")),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| format!("no such number: {text}"))
}
