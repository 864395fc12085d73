//! How a script sets its endpoint up.

use std::str::FromStr;
use std::sync::Arc;

use base::{Duration, Flags, Options, Seq, TcpHeader, Timestamps};
use cc::Algorithm;
use settings::{Always, Fault, Form, Schema, Scope, Section, Table};
use tcp::{
    Config, EcnFeedback, Endpoint, FackRules, FackWindow, Length, NewRenoRules, Offers,
    PartialAckTimer, PartialAckWindow, RecoveryKind, SackRule, Segment, Variant,
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
            peer_takes: Offers { sack: true, timestamps: true, ecn: EcnFeedback::Accurate },
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

    /// A key of the script's own, or one of `[tcp]`.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "variant" => {}
            "peer_sack" => self.peer_takes.sack = parse(value)?,
            "peer_timestamps" => self.peer_takes.timestamps = parse(value)?,
            "peer_ecn" => {
                let takes: bool = parse(value)?;
                self.peer_takes.ecn = if takes { EcnFeedback::Accurate } else { EcnFeedback::Off };
            }
            "peer_clock" => self.peer_clock = parse(value)?,
            "isn" => self.isn = Seq::new(parse(value)?),
            "peer_isn" => self.peer_isn = Seq::new(parse(value)?),
            "peer_window" => self.peer_window = parse(value)?,
            "peer_mss" => self.peer_options.mss = Some(parse(value)?),
            "peer_wscale" => self.peer_options.window_scale = Some(parse(value)?),
            "read_at_once" => self.read_at_once = parse(value)?,
            key => self.configure(key, value).map_err(|fault| fault.of("script").to_string())?,
        }
        Ok(())
    }

    /// A key of `[tcp]`, as `--set` has it.
    fn configure(&mut self, key: &str, value: &str) -> Result<(), Fault> {
        let mut keys = Vec::new();
        self.config.visit("tcp", Scope::Every, &mut |key| keys.push(key));
        let schema = Schema { keys: &keys, given: &[], grown: &[] };
        let mut tree = Table::default();
        schema.apply(&mut tree, &[(format!("tcp.{key}"), value.to_owned())])?;
        let tcp = tree.get("tcp").expect("the setting made it");
        self.config = Always::<Config>::read(tcp, "tcp", &self.config)?;
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
        let says = match agreed.ecn {
            EcnFeedback::Off => Flags::NONE,
            EcnFeedback::Classic => Flags::ECE,
            // The SYN arrived as Not-ECT (RFC 9768 table 2).
            EcnFeedback::Accurate => Flags::CWR,
        };
        let timestamps = Timestamps { value: self.peer_clock, echo: 0 };
        let room = if agreed.timestamps { Timestamps::BYTES } else { 0 };
        let header = TcpHeader {
            source_port: PEER_PORT,
            destination_port: PORT,
            seq: self.peer_isn,
            ack: self.isn + 1,
            flags: Flags::SYN | Flags::ACK | says,
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
    let seconds: f64 = parse(text)?;
    if seconds < 0.0 {
        Err("time is not negative".into())
    } else {
        Ok(Duration::from_secs_f64(seconds))
    }
}

fn plain_config() -> Config {
    let mut config = Config { mss: 1_000, ..Config::plain() };
    config.control.bbr.seed = 1;
    config
}

fn parse<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("no such value: {text}"))
}
