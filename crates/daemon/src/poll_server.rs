//! A server where each client asks one thing: bounded in clients, bytes and time.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use base::{Duration, Time};
use rustix::event::PollFlags;
use rustix::io::{Errno, Result, ioctl_fionbio, read};
use rustix::net::{SendFlags, Shutdown, SocketFlags, accept_with, send, shutdown};

/// Connections at a time. A further one replaces the oldest, so that silent clients keep out
/// nobody.
const CLIENTS: usize = 64;

/// The longest question, in bytes.
const QUESTION: usize = 8192;

/// A connection is closed after this time in any case.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is answered to a client, and when.
pub(crate) trait Handler {
    /// The answer to what was received so far; `None` until it is a complete question.
    fn answer(&mut self, said: &[u8]) -> Option<Vec<u8>>;

    /// The answer to more than [`QUESTION`] bytes.
    fn refusal(&self) -> Vec<u8>;
}

/// A listener, its handler, and its clients, all served by one polling thread.
pub(crate) struct PollServer<C> {
    listener: OwnedFd,
    handler: C,
    clients: Vec<Client>,
}

/// One connection: first the question is read, then the answer written, then further input drained.
struct Client {
    stream: OwnedFd,
    since: Time,
    said: Vec<u8>,
    response: Option<Response>,
}

struct Response {
    answer: Vec<u8>,
    written: usize,
}

impl<C: Handler> PollServer<C> {
    pub(crate) fn new(listener: impl Into<OwnedFd>, handler: C) -> Result<Self> {
        let listener = listener.into();
        ioctl_fionbio(&listener, true)?;
        Ok(Self { listener, handler, clients: Vec::new() })
    }

    /// What to poll for before [`PollServer::serve`].
    pub(crate) fn awaited(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let clients = self.clients.iter().map(|each| (each.stream.as_fd(), each.awaits()));
        std::iter::once((self.listener.as_fd(), PollFlags::IN)).chain(clients)
    }

    /// When the next client has been there for too long.
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.clients.first().map(|longest| longest.since + PATIENCE)
    }

    /// Does all that can be done without waiting.
    pub(crate) fn serve(&mut self, now: Time) {
        let handler = &mut self.handler;
        self.clients.retain_mut(|client| {
            now < client.since + PATIENCE && client.serve(handler).unwrap_or(false)
        });
        // No more at once than there are places, so that many new clients do not delay those that
        // are served.
        for _ in 0..CLIENTS {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let Ok(stream) = accept_with(&self.listener, flags) else { return };
            if self.clients.len() == CLIENTS {
                self.clients.remove(0);
            }
            self.clients.push(Client { stream, since: now, said: Vec::new(), response: None });
        }
    }
}

impl Client {
    fn awaits(&self) -> PollFlags {
        match &self.response {
            Some(response) if response.written < response.answer.len() => PollFlags::OUT,
            Some(_) | None => PollFlags::IN,
        }
    }

    /// False once it is over.
    fn serve(&mut self, handler: &mut impl Handler) -> Result<bool> {
        if self.response.is_none() && !self.listen(handler)? {
            return Ok(false);
        }
        let Some(response) = &mut self.response else { return Ok(true) };
        while response.written < response.answer.len() {
            match send(&self.stream, &response.answer[response.written..], SendFlags::NOSIGNAL) {
                Ok(0) => return Ok(false),
                Ok(count) => response.written += count,
                Err(error) => return waiting(error),
            }
            if response.written == response.answer.len() {
                shutdown(&self.stream, Shutdown::Write)?;
            }
        }
        self.see_out()
    }

    /// False if it closed without a question.
    fn listen(&mut self, handler: &mut impl Handler) -> Result<bool> {
        let mut room = [0; QUESTION];
        while self.response.is_none() {
            match read(&self.stream, &mut room) {
                Ok(0) => return Ok(false),
                Ok(count) => self.said.extend_from_slice(&room[..count]),
                Err(error) => return waiting(error),
            }
            let answer = match handler.answer(&self.said) {
                None if self.said.len() > QUESTION => Some(handler.refusal()),
                answer => answer,
            };
            self.response = answer.map(|answer| Response { answer, written: 0 });
        }
        Ok(true)
    }

    /// Closing a socket with unread input would reset the connection, and the client would lose
    /// what it has not read yet (RFC 9112 §9.6). So available input is read first.
    fn see_out(&mut self) -> Result<bool> {
        match read(&self.stream, &mut [0; QUESTION]) {
            Ok(count) => Ok(count > 0),
            Err(error) => waiting(error),
        }
    }
}

/// Whether an error means that there is nothing to do now.
fn waiting(error: Errno) -> Result<bool> {
    match error {
        Errno::AGAIN | Errno::INTR => Ok(true),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use super::*;

    /// Answers a line with the same in capitals.
    struct Shouter;

    impl Handler for Shouter {
        fn answer(&mut self, said: &[u8]) -> Option<Vec<u8>> {
            said.ends_with(b"\n").then(|| said.to_ascii_uppercase())
        }

        fn refusal(&self) -> Vec<u8> {
            b"too long".to_vec()
        }
    }

    fn server() -> (PollServer<Shouter>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        (PollServer::new(listener, Shouter).expect("a server"), address)
    }

    fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    /// The answer on `stream`, while the server runs.
    fn heard(server: &mut PollServer<Shouter>, stream: &mut TcpStream, now: Time) -> Vec<u8> {
        stream.set_nonblocking(true).expect("no waiting");
        let mut heard = Vec::new();
        for _ in 0..100_000 {
            server.serve(now);
            match stream.read_to_end(&mut heard) {
                Ok(_) => return heard,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
        panic!("nothing came but {heard:?}");
    }

    #[test]
    fn a_question_in_pieces_is_answered_once_it_is_whole() {
        let (mut server, address) = server();
        let mut stream = TcpStream::connect(address).expect("a connection");
        for piece in ["how ", "are ", "you\n"] {
            assert!(server.clients.iter().all(|client| client.response.is_none()));
            stream.write_all(piece.as_bytes()).expect("a piece");
            server.serve(at(0));
        }
        assert_eq!(heard(&mut server, &mut stream, at(0)), b"HOW ARE YOU\n");
        drop(stream);
        for _ in 0..1000 {
            server.serve(at(0));
        }
        assert!(server.clients.is_empty());
    }

    #[test]
    fn the_silent_are_sent_away_in_time() {
        let (mut server, address) = server();
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(b"hm").expect("a beginning");
        while server.clients.is_empty() {
            server.serve(at(1));
        }
        let deadline = server.deadline().expect("a deadline");
        assert_eq!(deadline, at(1) + PATIENCE);
        server.serve(Time::from_nanos(deadline.as_nanos() - 1));
        assert_eq!(server.clients.len(), 1);
        server.serve(deadline);
        assert!(server.clients.is_empty());
        assert_eq!(server.deadline(), None);
    }

    #[test]
    fn a_crowd_of_the_silent_keeps_nobody_out() {
        let (mut server, address) = server();
        let mut crowd = Vec::new();
        for _ in 0..5 * CLIENTS {
            crowd.push(TcpStream::connect(address).expect("a connection"));
            server.serve(at(0));
            assert!(server.clients.len() <= CLIENTS);
        }
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(b"me\n").expect("a question");
        assert_eq!(heard(&mut server, &mut stream, at(0)), b"ME\n");
        assert_eq!(server.awaited().count(), 1 + server.clients.len());
    }

    #[test]
    fn a_question_without_end_is_refused() {
        let (mut server, address) = server();
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(&vec![b'x'; 3 * QUESTION]).expect("noise");
        assert_eq!(heard(&mut server, &mut stream, at(0)), b"too long");
    }

    #[test]
    fn who_does_not_read_the_answer_costs_only_its_place() {
        struct Talker;
        impl Handler for Talker {
            fn answer(&mut self, _said: &[u8]) -> Option<Vec<u8>> {
                Some(vec![b'x'; 20_000_000])
            }
            fn refusal(&self) -> Vec<u8> {
                Vec::new()
            }
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let mut server = PollServer::new(listener, Talker).expect("a server");
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(b"?").expect("a question");
        for _ in 0..1000 {
            server.serve(at(0));
        }
        assert_eq!(server.clients[0].awaits(), PollFlags::OUT);
        server.serve(at(0) + PATIENCE);
        assert!(server.clients.is_empty());
    }
}
