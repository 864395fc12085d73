//! The schema of `proxy.toml`: every key, its unit, its range, its default and where that comes
//! from.

use std::net::{Ipv4Addr, SocketAddr};

use base::{Duration, Rate};
use ipnet::IpNet;
use middlebox::{AtcpKeys, MiddleboxLimits, Scheme};

use super::forms::{AddressPrefix, InterfaceName, Listen, Several, SocketPath};
use settings::{
    Absent, Always, Bytes, Count, Each, Flag, Label, Nothing, OfTime, Off, Or, Speed, Word, named,
    section, words,
};

/// Nanoseconds in a millisecond.
const MS: u64 = 1_000_000;

/// Nanoseconds in a minute.
const MINUTE: u64 = 60_000 * MS;

/// The most workers of a proxy: a packet is compared with the rules of all, one by one, which takes
/// some 2 µs for a prefix in 64 blocks.
pub const MOST_WORKERS: u32 = 16;

section! {
    /// The configuration of a proxy.
    pub struct Config {
        /// The user that it becomes, with two capabilities. Default: who started it; instead of
        /// root, nobody.
        pub user: Option<String> as Or<Nothing, Label> = None;
        /// What becomes of connections of mobiles when the proxy fails. Default: a failure of the
        /// proxy is not to be noticed.
        pub on_failure: OnFailure as Word<OnFailure> = OnFailure::Bypass;
        /// How long it waits when it stops for connections that cannot be handed back. Default: a
        /// web page over a thin pipe; systemd waits 90 s.
        pub drain: Duration as OfTime<0, { 60 * MINUTE }> = Duration::from_secs(30);
        /// How long a worker may be silent before it counts as hung and packets go around it.
        /// Default: half of the second within which new connections are to be forwarded again.
        pub heartbeat: Duration as OfTime<{ 200 * MS }, MINUTE> = Duration::from_secs(1);
        /// Processes that handle packets, each those of a part of the mobiles. Default: a core
        /// handles more than most radio networks carry.
        pub workers: u32 as Count<u32, 1, { MOST_WORKERS as u64 }> = 1;
        /// The interfaces where the mobiles are.
        pub radio: Interfaces as Always<Interfaces> = Interfaces::default();
        /// The interfaces where the fixed hosts are.
        pub wired: Interfaces as Always<Interfaces> = Interfaces::default();
        /// How packets come to the proxy.
        pub routing: Routing as Always<Routing> = Routing::default();
        /// How packets are exchanged with the kernel.
        pub tun: TunKeys as Always<TunKeys> = TunKeys::default();
        /// Limits on connections and bytes.
        pub limits: MiddleboxLimits as Always<MiddleboxLimits> = MiddleboxLimits::default();
        /// Connections that it ignores.
        pub never: Never as Always<Never> = Never::default();
        /// How mobiles are served.
        pub profile: Vec<Profile> as Each<Profile> = Vec::new();
        /// Metrics for Prometheus.
        pub metrics: Metrics as Always<Metrics> = Metrics::default();
        /// The control socket.
        pub control: Control as Always<Control> = Control::default();
        /// The log on standard error.
        pub log: Log as Always<Log> = Log::default();
    }
}

words! {
    /// What becomes of connections of mobiles when the proxy fails.
    #[derive(Default)]
    pub enum OnFailure {
        /// They are forwarded as if there were none.
        #[default]
        Bypass = "bypass",
        /// They are refused until it is back.
        Block = "block",
    }
}

section! {
    /// `[radio]` or `[wired]`: one side of the proxy.
    pub struct Interfaces {
        /// Its interfaces; at least one.
        pub interfaces: Vec<String> as Several<InterfaceName> = Vec::new();
    }
}

section! {
    /// `[routing]`: what is set up in the kernel so that packets come to the proxy.
    pub struct Routing {
        /// The routing table of its own. Default: a number without another known use.
        pub table: u32 as Count<u32, 1, { u32::MAX as u64 }> = 101;
        /// The preference of its rules, among those of others. Default: ahead of those that `ip
        /// rule` makes by itself, from 32765 down.
        pub priority: u32 as Count<u32, 1, 32_765> = 1_000;
        /// The TUN device.
        pub device: String as InterfaceName = "thinpipe0".to_owned();
        /// Packets that may wait at the device to be read; more are dropped. Default: as many as
        /// at an Ethernet device of Linux, since more bring delay and no throughput.
        pub queue: u32 as Count<u32, 1, 1_000_000> = 1_000;
    }
}

section! {
    /// `[tun]`: how packets are exchanged with the kernel at `routing.device`.
    pub struct TunKeys {
        /// Whether one system call moves many segments of a connection, which the kernel splits and
        /// sums on their way out, if it can. Default: what the kernel does at any interface, for
        /// less processor time a byte.
        pub offload: bool as Flag = true;
    }
}

section! {
    /// `[never]`: connections that are never intercepted.
    pub struct Never {
        /// With an end at one of these addresses.
        pub hosts: Vec<IpNet> as Several<AddressPrefix> = Vec::new();
        /// With one of these ports at either end.
        pub ports: Vec<u16> as Several<Count<u16, 1, 65_535>> = Vec::new();
    }
}

section! {
    /// `[[profile]]`: mobiles that are served alike. Where several fit an address, that with the
    /// longest prefix counts.
    pub struct Profile {
        /// Its name in metrics and messages.
        pub name: String as Label = String::new();
        /// The addresses of its mobiles; at least one prefix.
        pub mobiles: Vec<IpNet> as Several<AddressPrefix> = Vec::new();
        /// The largest segment that hosts are told to send each other, in bytes of data; mtu is
        /// what the interfaces take. Default: what the interfaces take. At least: Linux's
        /// `TCP_MIN_MSS`.
        pub mss: Option<u16> as Or<Mtu, Count<u16, 88, 65_495>> = None;
        /// The rate of the radio towards a mobile. Beside `round_trip` or bdp: what
        /// middlebox.atcp.rate is by default.
        pub rate: Option<Rate> as Or<Nothing, Speed> = None;
        /// The rate of the radio from a mobile: the default of `middlebox.atcp.uplink_rate`, from
        /// which follows how much its uploads may have under way.
        pub uplink_rate: Option<Rate> as Or<Nothing, Speed> = None;
        /// The round-trip time over the radio, of a full segment while nothing waits. Beside rate:
        /// what `middlebox.atcp.round_trip` is by default.
        pub round_trip: Option<Duration> as Or<Nothing, OfTime<1>> = None;
        /// rate · `round_trip`, in place of one of them; alone, over the round-trip time of
        /// middlebox.atcp. Whichever two are given, middlebox.atcp.clamp is by default
        /// middlebox.atcp.headroom times that, and the budget as much more.
        pub bdp: Option<u64> as Or<Nothing, Bytes<u64, 100, 1_000_000_000>> = None;
        /// Whether the proxy acknowledges what mobiles send, too. Default: their data pass through.
        pub split_uplink: bool as Flag = false;
        /// The scheme: the keys of a scenario's [middlebox] but at, and atcp by default. Where a
        /// scenario uses [tcp] for keys that are not given, it is here the profile modern.
        pub middlebox: Scheme as Always<Scheme> = Scheme::Atcp { keys: AtcpKeys::default() };
    }
    only_with(uplink_rate: middlebox.kind is ["atcp"])
}

named!(Profile);

/// `mtu`.
pub(crate) struct Mtu;

impl Absent for Mtu {
    const WORD: &'static str = "mtu";
}

section! {
    /// `[metrics]`: metrics for Prometheus.
    pub struct Metrics {
        /// Where they are served, by HTTP at /metrics. Default: from this host only, at the port of
        /// OpenTelemetry's exporter for Prometheus.
        pub listen: Option<SocketAddr> as Or<Off, Listen> =
            Some(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 9464));
    }
}

section! {
    /// `[control]`: where the proxy answers questions about its state.
    pub struct Control {
        /// A socket of this host.
        pub socket: String as SocketPath = "/run/thinpipe/control".to_owned();
    }
}

section! {
    /// `[log]`: what is logged on standard error, a JSON object a line.
    pub struct Log {
        /// The lowest level that is logged.
        pub level: LogLevel as Word<LogLevel> = LogLevel::Info;
        /// Whether there is a line for each connection that ends, with its addresses and counters.
        /// Default: addresses are private.
        pub flows: bool as Flag = false;
    }
}

words! {
    /// The severity of an event.
    #[derive(PartialOrd, Ord, Default)]
    pub enum LogLevel {
        /// The proxy cannot do its work.
        Error = "error",
        /// Something was lost, or will be.
        Warning = "warning",
        /// All is well.
        #[default]
        Info = "info",
    }
}
