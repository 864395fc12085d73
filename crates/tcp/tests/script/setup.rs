//! How a script sets its endpoint up.

use std::sync::Arc;

use base::{Duration, Flags, Options, Seq, TcpHeader, Timestamps};
use cc::{Algorithm, BaseRtt, Delta};
use settings::Words;
use tcp::{
    BackOff, Config, Endpoint, FackRules, FackWindow, Length, NewRenoRules, Offers, Pacing,
    PartialAckTimer, PartialAckWindow, ReceiverKind, RecoveryKind, RttSampling, SackRule, Segment,
    SpacingRtt, SpuriousTimeouts, Variant,
};

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
    /// What the peer takes of what is offered.
    peer_takes: Offers,
    /// What it stamps its SYN with.
    pub(crate) peer_clock: u32,
}

impl Setup {
    /// The plainest endpoint of `variant`.
    pub(crate) fn new(variant: &str) -> Result<Self, String> {
        let mut setup = Self {
            config: plain_config(),
            read_at_once: true,
            variant: variant.to_owned(),
            isn: Seq::new(4_000_000_000),
            peer_isn: Seq::new(1_000),
            peer_window: u16::MAX,
            peer_options: Options::default(),
            peer_takes: Offers { sack: true, timestamps: true, ecn: true },
            peer_clock: 500,
        };
        setup.set_variant()?;
        Ok(setup)
    }

    /// One line; says how the connection opens once it does.
    pub(crate) fn line(&mut self, line: &str) -> Result<Option<Opening>, String> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("connect") => Ok(Some(Opening::Connect)),
            Some("listen") => Ok(Some(Opening::Listen)),
            Some("established") => {
                // The peer of an open connection offers what the variant needs.
                if self.config.recovery_kind().needs_sack() {
                    self.config.sack = Some(true);
                    self.peer_takes.sack = true;
                }
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
            "variant" => {}
            "delta" => config.control.vegas.delta = delta(value)?,
            "base_rtt" => config.control.vegas.base_rtt = base_rtt(value)?,
            "mss" => config.mss = number(value)?,
            "min_mss" => config.min_mss = number(value)?,
            "window" => config.window = number(value)?,
            "initial_window" => config.initial_window = number(value)?,
            "ssthresh" => config.initial_ssthresh = Some(number(value)?),
            "receive_buffer" => config.receive_buffer = Some(number(value)?),
            "receiver" => config.receiver = receiver(value)?,
            "tick" => config.tick = seconds(value)?,
            "min_rto" => config.min_rto = seconds(value)?,
            "max_rto" => config.max_rto = seconds(value)?,
            "initial_rto" => config.initial_rto = seconds(value)?,
            "max_retransmissions" => config.max_retransmissions = Some(number(value)?),
            "back_off" => config.back_off = back_off(value)?,
            "pacing" => config.pacing = pacing(value)?,
            "spacing" => config.spacing = pacing(value)?,
            "spacing_rtt" => config.spacing_rtt = spacing_rtt(value)?,
            "rtt_sampling" => config.rtt_sampling = sampling(value)?,
            "sack" => config.sack = Some(switch(value)?),
            "timestamps" => config.timestamps = switch(value)?,
            "ecn" => config.ecn = switch(value)?,
            "dsack" => config.dsack = switch(value)?,
            "prr" => config.prr = switch(value)?,
            "spurious_timeouts" => config.spurious_timeouts = spurious(value)?,
            "peer_sack" => self.peer_takes.sack = switch(value)?,
            "peer_timestamps" => self.peer_takes.timestamps = switch(value)?,
            "peer_ecn" => self.peer_takes.ecn = switch(value)?,
            "peer_clock" => self.peer_clock = number(value)?,
            "notices" => config.freeze.notices = number(value)?,
            "tr_acks" => config.freeze.tr_acks = switch(value)?,
            "delayed_ack" => config.delayed_ack = Some(seconds(value)?),
            "receive_offload" => config.receive_offload = switch(value)?,
            "limited_transmit" => config.limited_transmit = switch(value)?,
            "slow_start_restart" => config.slow_start_restart = switch(value)?,
            "recover_guard" => config.recover_guard = switch(value)?,
            "nagle" => config.nagle = word(value)?,
            "growth" => config.rules.growth = word(value)?,
            "cwnd_validation" => config.rules.cwnd_validation = switch(value)?,
            "abe" => config.rules.abe = switch(value)?,
            "halving" => config.control.reno.halving = word(value)?,
            "unmeasured" => config.control.vegas.unmeasured = word(value)?,
            "alpha" => config.control.cubic.alpha = word(value)?,
            "slow_start" => config.control.cubic.slow_start = word(value)?,
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

    fn set_variant(&mut self) -> Result<(), String> {
        let config = &mut self.config;
        let (algorithm, recovery) = match self.variant.as_str() {
            "newreno-1996" => {
                config.repair.newreno = NEWRENO_1996;
                (Algorithm::Reno, RecoveryKind::NewReno)
            }
            "newreno-ns2" => {
                config.repair.newreno.burst = Some(2);
                (Algorithm::Reno, RecoveryKind::NewReno)
            }
            "sack1" => {
                config.sack_rule = SackRule::Sack1;
                (Algorithm::Reno, RecoveryKind::Sack)
            }
            "fack-ns2" => {
                config.repair.fack = FackRules { window: FackWindow::Restarts };
                (Algorithm::Reno, RecoveryKind::Fack)
            }
            "rack" => (Algorithm::Reno, RecoveryKind::Rack),
            "wtcp" => (Algorithm::Wtcp, RecoveryKind::Sack),
            other => Variant::ALL
                .into_iter()
                .find(|variant| variant.name() == other)
                .ok_or_else(|| format!("no such variant: {other}"))?
                .halves(),
        };
        (config.congestion_control, config.recovery) = (Some(algorithm.into()), Some(recovery));
        Ok(())
    }

    pub(crate) fn endpoint(&self, opening: &Opening) -> Endpoint<Length> {
        match opening {
            Opening::Connect | Opening::Established { .. } => {
                Endpoint::connect(0, &Arc::new(self.config.clone()), PORT, PEER_PORT, self.isn)
            }
            Opening::Listen => {
                Endpoint::listen(0, &Arc::new(self.config.clone()), PORT, PEER_PORT, self.isn)
            }
        }
    }

    pub(crate) fn numbers(&self) -> Numbers {
        let (isn, peer_isn, peer_window) = (self.isn, self.peer_isn, self.peer_window);
        Numbers { isn, peer_isn, peer_window }
    }

    /// The peer's answer to the SYN where the script starts with an open connection.
    pub(crate) fn syn_ack(&self) -> Segment<Length> {
        let agreed = self.config.offers().and(self.peer_takes);
        let ece = if agreed.ecn { Flags::ECE } else { Flags::NONE };
        let timestamps = Timestamps { value: self.peer_clock, echo: 0 };
        let room = if agreed.timestamps { Timestamps::BYTES } else { 0 };
        let header = TcpHeader {
            source_port: PEER_PORT,
            destination_port: PORT,
            seq: self.peer_isn,
            ack: self.isn + 1,
            flags: Flags::SYN | Flags::ACK | ece,
            window: self.peer_window,
            options: Options {
                mss: self.peer_options.mss.or(Some(1_000 + room as u16)),
                sack_permitted: agreed.sack,
                timestamps: agreed.timestamps.then_some(timestamps),
                ..self.peer_options
            },
        };
        Segment { header, ..Segment::default() }
    }
}

/// `NewReno` as Fall and Floyd simulated it.
const NEWRENO_1996: NewRenoRules = NewRenoRules {
    timer: PartialAckTimer::SlowButSteady,
    window: PartialAckWindow::Closes,
    burst: None,
};

/// All that there are.
const VARIANTS: &str =
    "tahoe,reno,newreno,newreno-1996,sack,sack1,fack,rack,vegas,westwood,cubic,bbr";

/// The variants that a script names; where it names none, it holds for all.
pub(crate) fn variants(text: &str) -> Vec<String> {
    let named = text
        .lines()
        .filter(|line| line.starts_with("set "))
        .flat_map(str::split_whitespace)
        .find_map(|word| word.strip_prefix("variant="));
    named.unwrap_or(VARIANTS).split(',').map(str::to_owned).collect()
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
    let mut config = Config { mss: 1_000, ..Config::plain() };
    config.control.seed = 1;
    config
}

fn delta(text: &str) -> Result<Delta, String> {
    match text {
        "rounded" => Ok(Delta::Rounded),
        "exact" => Ok(Delta::Exact),
        other => Err(format!("no such delta: {other}")),
    }
}

fn base_rtt(text: &str) -> Result<BaseRtt, String> {
    match text {
        "kept" => Ok(BaseRtt::Kept),
        "renewed" => Ok(BaseRtt::RenewedAtHandover),
        other => Err(format!("kept or renewed, not {other}")),
    }
}

fn spurious(value: &str) -> Result<SpuriousTimeouts, String> {
    match value {
        "unseen" => Ok(SpuriousTimeouts::Unseen),
        "f-rto" => Ok(SpuriousTimeouts::FRto),
        "eifel" => Ok(SpuriousTimeouts::Eifel),
        other => Err(format!("unseen, f-rto or eifel, not {other}")),
    }
}

fn back_off(text: &str) -> Result<BackOff, String> {
    match text {
        "exponential" => Ok(BackOff::Exponential),
        "linear" => Ok(BackOff::Linear),
        "constant" => Ok(BackOff::Constant),
        other => Err(format!("no such back-off: {other}")),
    }
}

fn pacing(text: &str) -> Result<Pacing, String> {
    match text {
        "off" => Ok(Pacing::Off),
        "slow_start" => Ok(Pacing::SlowStart),
        "always" => Ok(Pacing::Always),
        other => Err(format!("no such pacing: {other}")),
    }
}

fn spacing_rtt(text: &str) -> Result<SpacingRtt, String> {
    match text {
        "current" => Ok(SpacingRtt::Current),
        "base" => Ok(SpacingRtt::Base),
        other => Err(format!("no such round-trip time: {other}")),
    }
}

fn receiver(text: &str) -> Result<ReceiverKind, String> {
    match text {
        "plain" => Ok(ReceiverKind::Plain),
        "linux-2.4" => Ok(ReceiverKind::Linux24),
        other => Err(format!("no such receiver: {other}")),
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

fn word<W: Words>(text: &str) -> Result<W, String> {
    let named = |word: &W| word.name() == text;
    W::ALL.iter().copied().find(named).ok_or_else(|| format!("no such word: {text}"))
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| format!("no such number: {text}"))
}
