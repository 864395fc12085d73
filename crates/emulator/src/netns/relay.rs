//! A relay for DNS at the gateway: what is asked there, over UDP or TCP, is asked of the host's
//! name servers. It reads no more of a message than its header.

#![expect(
    clippy::disallowed_types,
    reason = "sockets count their patience in the standard library's durations"
)]

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use super::resolver::PORT;

/// How long a name server, or a client that has connected, may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Queries at a time, and connections; more are dropped, and asked again by those who asked.
const MOST: usize = 64;

/// Queries over one connection.
const MOST_IN_A_ROW: usize = 64;

/// The length of a message over TCP has 16 bits (RFC 1035 §4.2.2).
const LARGEST: usize = 65_535;

/// Bytes of the header of a message (RFC 1035 §4.1.1).
const HEADER: usize = 12;

/// The relay, which serves while it lives.
#[derive(Debug)]
pub(super) struct Relay {
    stop: OwnedFd,
    thread: Option<thread::JoinHandle<()>>,
}

impl Relay {
    /// Serves at `gateways` in the namespace of the calling thread, asking `servers` there.
    ///
    /// # Errors
    /// `AddrInUse` if another name server serves all addresses.
    pub(super) fn start(gateways: &[IpAddr], servers: Vec<SocketAddr>) -> io::Result<Self> {
        let mut listeners = Vec::new();
        for &gateway in gateways {
            let udp = UdpSocket::bind((gateway, PORT))?;
            udp.set_nonblocking(true)?;
            let tcp = TcpListener::bind((gateway, PORT))?;
            tcp.set_nonblocking(true)?;
            listeners.push(DnsListener { udp: Arc::new(udp), tcp });
        }
        let stop = eventfd(0, EventfdFlags::CLOEXEC)?;
        let stopped = stop.try_clone()?;
        let service = Service {
            servers: servers.into(),
            preferred: Arc::default(),
            queries: Arc::default(),
            connections: Arc::default(),
        };
        let thread = thread::Builder::new()
            .name("dns-relay".into())
            .spawn(move || serve(&listeners, &stopped, &service))?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if rustix::io::write(&self.stop, &1_u64.to_ne_bytes()).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // Whatever it ended of, it has ended.
            drop(thread.join());
        }
    }
}

/// Where queries to one address arrive.
struct DnsListener {
    udp: Arc<UdpSocket>,
    tcp: TcpListener,
}

/// Takes queries in until told to stop.
fn serve(listeners: &[DnsListener], stop: &OwnedFd, service: &Service) {
    loop {
        let mut ready: Vec<_> = listeners
            .iter()
            .flat_map(|listener| [listener.udp.as_fd(), listener.tcp.as_fd()])
            .chain([stop.as_fd()])
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        match poll(&mut ready, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        if ready.last().is_some_and(|stop| !stop.revents().is_empty()) {
            return;
        }
        for listener in listeners {
            listener.take_in(service);
        }
    }
}

impl DnsListener {
    /// One query and one connection, if they wait. Errors are the clients'.
    fn take_in(&self, service: &Service) {
        let mut query = vec![0; LARGEST];
        if let Ok((bytes, client)) = self.udp.recv_from(&mut query)
            && is_query(&query[..bytes])
        {
            query.truncate(bytes);
            let udp = Arc::clone(&self.udp);
            service.work(&service.queries, move |service| {
                let answer = service.ask_over_udp(&query).unwrap_or_else(|_| failure(query));
                drop(udp.send_to(&answer, client));
            });
        }
        if let Ok((client, _)) = self.tcp.accept() {
            service.work(&service.connections, |service| drop(service.relay_stream(client)));
        }
    }
}

/// What the threads that work for clients share.
#[derive(Clone)]
struct Service {
    servers: Arc<[SocketAddr]>,
    /// The number of the name server to ask first.
    preferred: Arc<AtomicUsize>,
    /// How many are served.
    queries: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

impl Service {
    /// Does `work` in a thread of its own, unless too many of its kind are served.
    fn work(&self, served: &Arc<AtomicUsize>, work: impl FnOnce(&Self) + Send + 'static) {
        let permit = Permit(Arc::clone(served));
        if permit.0.fetch_add(1, Ordering::Relaxed) < MOST {
            let service = self.clone();
            let started = thread::Builder::new().name("dns-query".into()).spawn(move || {
                let _permit = permit;
                work(&service);
            });
            // Not one thread more to be had: as if there were too many.
            drop(started);
        }
    }

    /// Asks the name servers in turn until one answers; one that does not is asked last from then.
    fn ask<T>(&self, ask: impl Fn(SocketAddr) -> io::Result<T>) -> io::Result<T> {
        let mut outcome = Err(io::ErrorKind::NotFound.into());
        for _ in 0..self.servers.len() {
            let number = self.preferred.load(Ordering::Relaxed);
            outcome = ask(self.servers[number % self.servers.len()]);
            match &outcome {
                Ok(_) => break,
                Err(error) => {
                    let next = number.wrapping_add(1);
                    self.preferred.store(next, Ordering::Relaxed);
                    // The client's patience is over too, and it will ask again.
                    if is_timeout(error) {
                        break;
                    }
                }
            }
        }
        outcome
    }

    /// The answer to one query, from a port of its own, that others may not guess.
    fn ask_over_udp(&self, query: &[u8]) -> io::Result<Vec<u8>> {
        self.ask(|server| {
            let socket = UdpSocket::bind((any(server), 0))?;
            socket.connect(server)?;
            socket.set_read_timeout(Some(PATIENCE))?;
            socket.send(query)?;
            let mut answer = vec![0; LARGEST];
            for _ in 0..MOST_IN_A_ROW {
                let bytes = socket.recv(&mut answer)?;
                if bytes >= HEADER && answer[..2] == query[..2] {
                    answer.truncate(bytes);
                    return Ok(answer);
                }
            }
            Err(io::ErrorKind::InvalidData.into())
        })
    }

    /// Relays the queries of a connection, one after the other.
    fn relay_stream(&self, mut client: TcpStream) -> io::Result<()> {
        prepare(&client)?;
        let mut server: Option<TcpStream> = None;
        for _ in 0..MOST_IN_A_ROW {
            let query = read_message(&mut client)?;
            if !is_query(&query) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            // A server may close a connection after each answer (RFC 7766 §6.2.3).
            let kept = server.take().and_then(|mut server| {
                let answer = exchange(&mut server, &query).ok()?;
                Some((answer, server))
            });
            let asked = kept.or_else(|| {
                let asked = self.ask(|address| {
                    let mut server = TcpStream::connect_timeout(&address, PATIENCE)?;
                    prepare(&server)?;
                    Ok((exchange(&mut server, &query)?, server))
                });
                asked.ok()
            });
            let answer = match asked {
                Some((answer, kept)) => {
                    server = Some(kept);
                    answer
                }
                None => failure(query),
            };
            write_message(&mut client, &answer)?;
        }
        Ok(())
    }
}

/// A place among those served, free again when it is dropped.
struct Permit(Arc<AtomicUsize>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// True for what may be a query: a whole header without the bit of an answer.
fn is_query(message: &[u8]) -> bool {
    message.len() >= HEADER && message[2] & 0x80 == 0
}

/// The answer "server failure" to a query (RFC 1035 §4.1.1: QR 1, RCODE 2).
fn failure(mut query: Vec<u8>) -> Vec<u8> {
    query[2] |= 0x80;
    query[3] = query[3] & 0xf0 | 2;
    query
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The address of any interface, in the family of `server`.
fn any(server: SocketAddr) -> IpAddr {
    if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() }
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

fn exchange(server: &mut TcpStream, query: &[u8]) -> io::Result<Vec<u8>> {
    write_message(server, query)?;
    read_message(server)
}

fn read_message(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message)?;
    Ok(message)
}

fn write_message(stream: &mut TcpStream, message: &[u8]) -> io::Result<()> {
    let length = u16::try_from(message.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    stream.write_all(&[&length.to_be_bytes(), message].concat())
}
