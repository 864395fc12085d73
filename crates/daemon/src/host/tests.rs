//! What the kernel does with packets of mobiles, in namespaces of the test's own: a host, a router
//! with the proxy's device, and a mobile.

#![expect(clippy::disallowed_methods, reason = "sockets of the kernel take real time")]
#![expect(clippy::disallowed_types, reason = "sockets of the kernel take real time")]

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use proxy::{Config, OnFailure};

use super::{Family, Host, Legs, Severity, Target, check, table};
use crate::fixtures::skip;
use os::Resident;
use os::{Port, SetupError, Tun, iproute};

const CONFIG: &str = r#"
radio.interfaces = ["wl0"]
wired.interfaces = ["wired0"]
metrics.listen = "off"
control.socket = "/nowhere/control"
[[profile]]
name = "gprs"
mobiles = ["10.45.0.0/16", "2001:db8:45::/48"]
middlebox.atcp.others = "around"
"#;

/// A file that anybody may read, on any machine.
const FILE: &str = "/etc/passwd";

/// For a SYN and another one a second later.
const TWO_SYNS: Duration = Duration::from_millis(2500);

/// More than anything takes on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

const HOSTS: [&str; 2] = ["198.51.100.2:9000", "[2001:db8:100::2]:9000"];

/// A host, a router and a mobile.
struct Bed {
    _host: Resident,
    router: Resident,
    mobile: Resident,
}

impl Bed {
    /// `None` where namespaces may not be made.
    fn new() -> Option<Self> {
        let fresh = || Resident::in_fresh_namespace().ok();
        let (host, router, mobile) = (fresh()?, fresh()?, fresh()?);
        let (host_id, mobile_id) = (host.thread_id, mobile.thread_id);
        // Link-local addresses, from which neighbours are asked for, are there at once.
        for resident in [&host, &router, &mobile] {
            resident.ask(|| super::sysctl::set("ipv6/conf/default/accept_dad", 0).expect("IPv6"));
        }
        router.ask(move || {
            batch(&format!(
                "link set lo up
                link add wired0 type veth peer name eth0 netns {host_id}
                link add wl0 type veth peer name wl0 netns {mobile_id}
                link set wired0 up
                link set wl0 up
                address add 198.51.100.1/24 dev wired0
                address add 2001:db8:100::1/64 dev wired0 nodad
                address add 10.45.0.1/24 dev wl0
                address add 2001:db8:45::1/64 dev wl0 nodad"
            ));
            for key in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
                super::sysctl::set(key, 1).expect("forwarding");
            }
        });
        let end =
            |resident: &Resident, device: &'static str, network: &'static str, v6: &'static str| {
                resident.ask(move || {
                    batch(&format!(
                        "link set lo up
                    link set {device} up
                    address add {network}.2/24 dev {device}
                    address add {v6}::2/64 dev {device} nodad
                    route add default via {network}.1
                    route add ::/0 via {v6}::1"
                    ));
                });
            };
        end(&host, "eth0", "198.51.100", "2001:db8:100");
        end(&mobile, "wl0", "10.45.0", "2001:db8:45");
        host.ask(|| {
            for address in HOSTS {
                serve(address).expect("a server");
            }
        });
        Some(Self { _host: host, router, mobile })
    }

    /// What becomes of a connection from the mobile, with either version of IP.
    fn connect(&self) -> [Result<(), ErrorKind>; 2] {
        self.connect_within(PATIENCE)
    }

    fn connect_within(&self, patience: Duration) -> [Result<(), ErrorKind>; 2] {
        self.mobile.ask(move || {
            HOSTS.map(|host| {
                let address: SocketAddr = host.parse().expect("an address");
                let connected = TcpStream::connect_timeout(&address, patience);
                connected.map(drop).map_err(|error| error.kind())
            })
        })
    }

    /// Whether datagrams of the mobile are answered.
    fn echoes(&self) -> bool {
        self.mobile.ask(|| {
            HOSTS.iter().all(|host| {
                let any = if host.starts_with('[') { "[::]:0" } else { "0.0.0.0:0" };
                let socket = UdpSocket::bind(any).expect("a socket");
                socket.set_read_timeout(Some(PATIENCE)).expect("a limit");
                let sent = socket.send_to(b"?", host);
                sent.is_ok() && socket.recv(&mut [0; 8]).is_ok()
            })
        })
    }

    /// A device and what leads to it.
    fn set_up(&self, config: &Config) -> (Arc<Tun>, Host) {
        let config = config.clone();
        self.router.ask(move || {
            let legs = Legs::read(&config).expect("interfaces");
            let tun =
                Tun::open_down(&config.routing.device, legs.largest(), 100).expect("a device");
            (Arc::new(tun), Host::set_up(&config, 0, legs.largest()).expect("a host"))
        })
    }

    /// Has `host` do `work` where it is.
    fn with<T: Send + 'static>(
        &self,
        host: Host,
        work: impl FnOnce(&mut Host) -> T + Send + 'static,
    ) -> (Host, T) {
        self.router.ask(move || {
            let mut host = host;
            let outcome = work(&mut host);
            (host, outcome)
        })
    }

    /// Has `host` lead packets of the mobiles of `config` to its device.
    fn divert(&self, host: Host, config: &Config) -> Host {
        let config = config.clone();
        let (host, outcome) = self.with(host, move |host| host.divert(&config));
        assert_eq!(outcome, Ok(()));
        host
    }

    fn take_away(&self, host: Host, config: &Config) {
        let (_, outcome) = self.with(host, Host::take_away);
        assert_eq!(outcome, Ok(()));
        assert_eq!(self.leftovers(config), 0);
    }

    /// Rules and routes that are left at the router.
    fn leftovers(&self, config: &Config) -> usize {
        let config = config.clone();
        self.router.ask(move || {
            let target = Target::of(&config);
            let of = |family: &Family| {
                let contents = table::contents(target.table, &config.routing.device, *family);
                let contents = contents.expect("a table");
                target.count(*family).expect("rules") + contents.own + contents.refusals
            };
            Family::known().iter().map(of).sum()
        })
    }
}

fn batch(lines: &str) {
    let lines: Vec<_> = lines.lines().map(|line| line.trim().to_owned()).collect();
    iproute::batch(&lines).expect("a network");
}

/// Accepts connections and answers datagrams until the test ends.
fn serve(address: &str) -> io::Result<()> {
    let (listener, socket) = (TcpListener::bind(address)?, UdpSocket::bind(address)?);
    thread::spawn(move || listener.incoming().for_each(drop));
    thread::spawn(move || {
        let mut datagram = [0; 8];
        while let Ok((bytes, from)) = socket.recv_from(&mut datagram) {
            drop(socket.send_to(&datagram[..bytes], from));
        }
    });
    Ok(())
}

/// What a proxy does that proxies nothing, while `work` is done; tells how many packets of TCP
/// came, over IPv4 and IPv6.
fn forwarding<T>(tun: &Arc<Tun>, work: impl FnOnce() -> T) -> (T, [usize; 2]) {
    let is_over = Arc::new(AtomicBool::new(false));
    let (tun, flag) = (Arc::clone(tun), Arc::clone(&is_over));
    let forwarder = thread::spawn(move || {
        let (mut packet, mut counts) = (vec![0; 65_535], [0; 2]);
        while !flag.load(Ordering::Relaxed) {
            match tun.receive(&mut packet).expect("the device works") {
                Some(bytes) => {
                    tun.send(&packet[..bytes]).expect("the device takes it back");
                    // The kernel itself tells of its groups over IPv6 (RFC 3810).
                    let is_6 = packet[0] >> 4 == 6;
                    let protocol = packet[if is_6 { 6 } else { 9 }];
                    counts[usize::from(is_6)] += usize::from(protocol == 6);
                }
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
        counts
    });
    let outcome = work();
    is_over.store(true, Ordering::Relaxed);
    (outcome, forwarder.join().expect("a forwarder"))
}

/// Packets that wait at the device.
fn waiting(tun: &Tun) -> Vec<Vec<u8>> {
    let mut packet = vec![0; 65_535];
    let mut packets = Vec::new();
    while let Ok(Some(bytes)) = tun.receive(&mut packet) {
        packets.push(packet[..bytes].to_vec());
    }
    packets
}

fn config(lines: &str) -> Config {
    Config::parse(&format!("{lines}{CONFIG}"), "proxy.toml").expect("a configuration")
}

/// Packets without which there is no connection.
const SYNS: usize = 2;

const BOTH: [Result<(), ErrorKind>; 2] = [Ok(()); 2];

macro_rules! bed {
    () => {
        match Bed::new() {
            Some(bed) => bed,
            None => return skip("needs root and network namespaces"),
        }
    };
}

#[test]
fn packets_of_mobiles_come_to_the_device_while_they_shall() {
    let bed = bed!();
    let config = config("");
    assert_eq!(bed.connect(), BOTH);
    let (tun, host) = bed.set_up(&config);
    assert_eq!(bed.connect(), BOTH, "no rule yet");
    let host = bed.divert(host, &config);
    let lost = Err(ErrorKind::TimedOut);
    assert_eq!(bed.connect_within(TWO_SYNS), [lost, lost], "nobody reads the device");
    assert!(bed.echoes(), "what is not TCP goes around it");
    let versions: Vec<_> = waiting(&tun).iter().map(|packet| packet[0] >> 4).collect();
    assert!(versions.contains(&4) && versions.contains(&6), "{versions:?}");
    let (outcome, packets) = forwarding(&tun, || bed.connect());
    assert_eq!(outcome, BOTH, "what it gives back is forwarded");
    assert!(packets.iter().all(|count| *count >= SYNS), "{packets:?}");

    let (host, outcome) = bed.with(host, Host::bypass);
    assert_eq!(outcome, Ok(()));
    // Connections that are over may have left a packet.
    drop(waiting(&tun));
    assert_eq!(bed.connect(), BOTH);
    assert_eq!(waiting(&tun), Vec::<Vec<u8>>::new());

    let host = bed.divert(host, &config);
    let (outcome, packets) = forwarding(&tun, || bed.connect());
    assert_eq!(outcome, BOTH);
    assert!(packets.iter().all(|count| *count >= SYNS), "{packets:?}");
    bed.take_away(host, &config);
    assert_eq!(bed.connect(), BOTH);
}

#[test]
fn who_shall_be_refused_is_refused() {
    let bed = bed!();
    let config = config("on_failure = \"block\"\n");
    let (tun, host) = bed.set_up(&config);
    let host = bed.divert(host, &config);
    let (host, outcome) = bed.with(host, Host::bypass);
    assert_eq!(outcome, Ok(()));
    let refused = |outcome: Result<(), ErrorKind>| {
        matches!(outcome, Err(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable))
    };
    let outcomes = bed.connect();
    assert!(outcomes.into_iter().all(refused), "{outcomes:?}");
    assert!(bed.echoes(), "what is not TCP goes around it");
    let host = bed.divert(host, &config);
    assert_eq!(forwarding(&tun, || bed.connect()).0, BOTH);
    // Killed: the device goes, and nobody takes anything away.
    drop((tun, host));
    let outcomes = bed.connect();
    assert!(outcomes.into_iter().all(refused), "{outcomes:?}");
    // The next one finds it and, told otherwise, lets pass.
    let bypass = Config { on_failure: OnFailure::Bypass, ..config.clone() };
    let (_tun, _host) = bed.set_up(&bypass);
    assert_eq!(bed.leftovers(&config), 0);
    assert_eq!(bed.connect(), BOTH);
}

#[test]
fn a_killed_proxy_leaves_plain_forwarding() {
    let bed = bed!();
    let config = config("");
    let (tun, host) = bed.set_up(&config);
    let host = bed.divert(host, &config);
    drop((tun, host));
    assert_eq!(bed.connect(), BOTH);
    assert!(bed.leftovers(&config) > 0, "its rules are there");
    let findings = bed.router.ask({
        let config = config.clone();
        move || check(Path::new(FILE), &config)
    });
    let told = findings.iter().any(|finding| finding.line.contains("that was killed"));
    assert!(told, "{findings:?}");
    let (_tun, host) = bed.set_up(&config);
    assert_eq!(bed.leftovers(&config), 0);
    drop(host);
}

#[test]
fn rules_follow_the_configuration() {
    let bed = bed!();
    let (one, mut two) = (config(""), config(""));
    two.profile[0].mobiles = vec!["10.45.0.0/24".parse().expect("a prefix")];
    let (tun, host) = bed.set_up(&one);
    let (host, counts) = bed.with(host, move |host| {
        let count = |host: &Host| -> Result<usize, SetupError> {
            Ok(host.target.count(Family::V4)? + host.target.count(Family::V6)?)
        };
        host.divert(&one)?;
        let first = count(host)?;
        host.add(&two)?;
        let both = count(host)?;
        // What is there already is not added twice.
        host.add(&two)?;
        assert_eq!(count(host), Ok(both));
        host.remove(&two)?;
        Ok::<_, SetupError>([first, both, count(host)?])
    });
    // Two protocols at two interfaces: of two prefixes, of three, of one.
    assert_eq!(counts, Ok([8, 12, 4]));
    // IPv6 passes untouched now.
    let (outcome, packets) = forwarding(&tun, || bed.connect());
    assert_eq!((outcome, packets[1]), (BOTH, 0));
    assert!(packets[0] >= SYNS, "{packets:?}");
    // What somebody has removed already is no obstacle.
    batch_in(&bed.router, "rule delete pref 1000 lookup 101");
    bed.take_away(host, &config(""));
}

/// A proxy with another device may be serving by it, by rules such as ours.
#[test]
fn a_table_of_others_is_not_touched() {
    let bed = bed!();
    let config = config("");
    let asked = config.clone();
    let refused = bed.router.ask(move || {
        batch(
            "route add 203.0.113.0/24 dev wl0 table 101
            rule add pref 1000 iif wl0 lookup 101",
        );
        let _tun = Tun::open_down(&config.routing.device, 1500, 100).expect("a device");
        Host::set_up(&config, 0, 1500).map(drop)
    });
    let line = refused.expect_err("a table of others").to_string();
    assert_eq!(line, "routing.table: table 101 has IPv4 routes of others: take another");
    assert_eq!(bed.leftovers(&asked), 1);
}

#[test]
fn strict_reverse_paths_are_told_of() {
    let bed = bed!();
    let config = config("");
    let refused = bed.router.ask(move || {
        super::sysctl::set("ipv4/conf/all/rp_filter", 1).expect("a filter");
        let _tun = Tun::open_down(&config.routing.device, 1500, 100).expect("a device");
        Host::set_up(&config, 0, 1500).map(drop)
    });
    let line = refused.expect_err("a filter").to_string();
    assert!(line.starts_with("net.ipv4.conf.all.rp_filter = 1 drops"), "{line}");
}

/// Loose filters, of whatever device, let pass what comes out of ours.
#[test]
fn loose_reverse_paths_are_no_obstacle() {
    let bed = bed!();
    let config = config("");
    bed.router.ask(|| {
        for key in ["all", "default", "wl0", "wired0"] {
            super::sysctl::set(&format!("ipv4/conf/{key}/rp_filter"), 2).expect("a filter");
        }
    });
    let (tun, host) = bed.set_up(&config);
    let _host = bed.divert(host, &config);
    assert_eq!(forwarding(&tun, || bed.connect()).0, BOTH);
}

#[test]
fn the_machine_is_looked_at() {
    let bed = bed!();
    let config = config("");
    let look = |wrong: &'static str| {
        let config = config.clone();
        bed.router.ask(move || {
            if !wrong.is_empty() {
                batch(wrong);
            }
            let found = check(Path::new(FILE), &config);
            // Who may open that differs between systems.
            let is_told = |found: &super::Finding| {
                found.severity != Severity::Ok && !found.line.starts_with("/dev/net/tun is of mode")
            };
            found.into_iter().filter(is_told).collect::<Vec<_>>()
        })
    };
    let lines = |found: &[super::Finding]| -> Vec<String> {
        found.iter().map(ToString::to_string).collect()
    };
    let no_default = |name: &str| {
        format!(
            "warning: there is no {name} default route: only hosts with a route of their own are \
             reached"
        )
    };
    assert_eq!(lines(&look("")), [no_default("IPv4"), no_default("IPv6")]);
    batch_in(&bed.router, "route add default via 198.51.100.2\nroute add ::/0 via 2001:db8:100::2");
    assert_eq!(lines(&look("")), Vec::<String>::new());
    let found = look("rule add pref 7 lookup 9");
    assert!(found[0].line.starts_with("the IPv4 rule 7 stands ahead"), "{found:?}");
    let found = look(
        "rule delete pref 7\nroute replace 10.45.0.0/16 dev wired0\n\
         address delete 10.45.0.1/24 dev wl0",
    );
    assert!(found[0].line.contains("reached by wired0, which is none of radio"), "{found:?}");
    assert_eq!(found[0].severity, Severity::Error);
    let found = look("link set wl0 down");
    assert!(found[0].line.starts_with("wl0 is down"), "{found:?}");
    let found = look("link delete wl0");
    assert!(found[0].line.starts_with("there is no interface wl0"), "{found:?}");
}

fn batch_in(resident: &Resident, lines: &'static str) {
    resident.ask(move || batch(lines));
}
