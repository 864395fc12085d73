//! The command line.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use base::{Duration, Probability};
use lexopt::{Arg, Parser, ValueExt};
use os::TunConfig;
use peer::{Close, Ends, Impairments, Opening, Pause};
use scenario::Scenario;

pub(crate) const USAGE: &str = "\
One of thinpipe's TCP endpoints talks to the kernel's through a TUN device.

thinpipe-peer --device NAME --local ADDRESS:PORT --remote ADDRESS:PORT --prefix BITS [options]

  --device NAME          the TUN device to make
  --namespace NAME       the network namespace to make it in, as of `ip netns add`
  --local ADDRESS:PORT   our endpoint
  --remote ADDRESS:PORT  the kernel's; the device gets the address
  --prefix BITS          of the network that both are in
  --listen               the kernel opens the connection, not we
  --send FILE            bytes to send, `-` from stdin
  --receive FILE         where to write what arrives, `-` for stdout
  --pause BYTES:SECONDS  stop reading for so long after so many bytes
  --close WHEN           sent: after the last byte (the ordinary way); peer: after the peer;
                         after:SECONDS from the opening on; reset:BYTES by a reset after
                         reading so many
  --set KEY=VALUE        a key of a scenario's [tcp], as in tcp.variant=vegas; what is not set is
                         as tcp.profile=modern has it
  --seed NUMBER          for the initial sequence number and the impairments
  --limit SECONDS        give up after so long
  --capture DIRECTORY    write endpoint.pcapng and kernel.pcapng, either side of the impairments

Impairments, in either direction, by chance from 0 to 1 each:
  --delay SECONDS        one way
  --loss P               a packet is lost
  --duplication P        a packet arrives twice
  --reordering P         a packet is late
  --lateness SECONDS     by how much at most

What came of the connection is written to stderr as JSON. The exit status is 0 for a connection
that is over, 1 for one that was given up, 2 for an error.
";

/// The largest IP packet on an Ethernet, in bytes (RFC 894).
const ETHERNET_MTU: u16 = 1500;

/// Packets that the kernel may have waiting for us: as many as its largest send window has.
const DEVICE_QUEUE: u32 = 65_536;

pub(crate) type Failure = Box<dyn Error>;

/// What to do.
#[derive(Default)]
pub(crate) struct Options {
    device: Option<String>,
    pub(crate) namespace: Option<String>,
    local: Option<SocketAddr>,
    remote: Option<SocketAddr>,
    prefix: Option<u8>,
    pub(crate) opening: Opening,
    settings: Vec<(String, String)>,
    pub(crate) send: Option<String>,
    pub(crate) receive: Option<String>,
    pub(crate) pause: Option<Pause>,
    pub(crate) close: Close,
    pub(crate) seed: u64,
    pub(crate) limit: Option<Duration>,
    pub(crate) capture: Option<PathBuf>,
    pub(crate) impairments: Impairments,
}

impl Options {
    /// `None` if help is asked for.
    pub(crate) fn from_command_line() -> Result<Option<Self>, Failure> {
        let mut options = Self::default();
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            let name = match argument {
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long(name) => name.to_owned(),
                Arg::Short(_) | Arg::Value(_) => return Err(argument.unexpected().into()),
            };
            options.take(&name, &mut parser).map_err(|error| format!("--{name}: {error}"))?;
        }
        Ok(Some(options))
    }

    fn take(&mut self, name: &str, parser: &mut Parser) -> Result<(), Failure> {
        if name == "listen" {
            self.opening = Opening::Listen;
            return Ok(());
        }
        let value = parser.value()?.string()?;
        let impairments = &mut self.impairments;
        match name {
            "device" => self.device = Some(value),
            "namespace" => self.namespace = Some(value),
            "local" => self.local = Some(value.parse()?),
            "remote" => self.remote = Some(value.parse()?),
            "prefix" => self.prefix = Some(value.parse()?),
            "set" => self.settings.push(pair(&value, '=')?),
            "send" => self.send = Some(value),
            "receive" => self.receive = Some(value),
            "pause" => {
                let (after, span): (u64, f64) = pair(&value, ':')?;
                self.pause = Some(Pause { after, span: Duration::from_secs_f64(span) });
            }
            "close" => self.close = close(&value)?,
            "seed" => self.seed = value.parse()?,
            "limit" => self.limit = Some(seconds(&value)?),
            "capture" => self.capture = Some(value.into()),
            "delay" => impairments.delay = seconds(&value)?,
            "loss" => impairments.loss = chance(&value)?,
            "duplication" => impairments.duplication = chance(&value)?,
            "reordering" => impairments.reordering = chance(&value)?,
            "lateness" => impairments.lateness = seconds(&value)?,
            _ => return Err("there is no such option".into()),
        }
        Ok(())
    }

    /// The ends of the connection.
    pub(crate) fn ends(&self) -> Result<Ends, Failure> {
        let (local, remote) = (needed(self.local, "local")?, needed(self.remote, "remote")?);
        Ok(Ends { local, remote })
    }

    /// The device between them.
    pub(crate) fn tun(&self, ends: &Ends) -> Result<TunConfig, Failure> {
        Ok(TunConfig {
            name: needed(self.device.clone(), "device")?,
            address: ends.remote.ip(),
            prefix: needed(self.prefix, "prefix")?,
            mtu: ETHERNET_MTU,
            queue: DEVICE_QUEUE,
        })
    }

    /// An endpoint's configuration: that of a scenario, of which nothing else counts. Where nothing
    /// is set it is what the standards ask today.
    pub(crate) fn config(&self) -> Result<Arc<tcp::Config>, Failure> {
        let network = "[link]\nrate = \"1 Gbit/s\"\n[tcp]\nprofile = \"modern\"\n";
        Ok(Arc::new(Scenario::parse(network, "thinpipe-peer", &self.settings)?.tcp))
    }
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, Failure> {
    value.ok_or_else(|| format!("--{name} is missing").into())
}

fn close(value: &str) -> Result<Close, Failure> {
    match value.split_once(':') {
        None if value == "sent" => Ok(Close::Sent),
        None if value == "peer" => Ok(Close::Peer),
        Some(("after", span)) => seconds(span).map(Close::After),
        Some(("reset", bytes)) => Ok(Close::Reset(bytes.parse()?)),
        None | Some(_) => Err("must be sent, peer, after:SECONDS or reset:BYTES".into()),
    }
}

fn seconds(value: &str) -> Result<Duration, Failure> {
    Ok(Duration::from_secs_f64(value.parse()?))
}

fn chance(value: &str) -> Result<Probability, Failure> {
    Probability::new(value.parse()?).ok_or_else(|| "must be from 0 to 1".into())
}

fn pair<A, B>(value: &str, between: char) -> Result<(A, B), Failure>
where
    A: FromStr<Err: Error + 'static>,
    B: FromStr<Err: Error + 'static>,
{
    let missing = || format!("must be two values with {between} between them");
    let (first, second) = value.split_once(between).ok_or_else(missing)?;
    Ok((first.parse()?, second.parse()?))
}
