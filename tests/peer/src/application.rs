//! What the user of an endpoint does with it: writes, reads, stops reading for a while, closes.

use observe::Context;
use std::fmt;
use std::io::{self, Write};

use base::{Duration, Time};
use bytes::Bytes;
use tcp::{Endpoint, State};

/// When and how this side closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Close {
    /// Once the connection is open, so that a FIN follows what there is to send.
    #[default]
    Sent,
    /// Once the peer has closed and all it sent is read.
    Peer,
    /// So long after the connection was opened.
    After(Duration),
    /// By a reset, once so many bytes have been read.
    Reset(u64),
}

/// Once so many bytes are read, nothing is read for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// How many, at least.
    pub after: u64,
    /// How long.
    pub span: Duration,
}

/// The user of an endpoint.
pub struct Application {
    close: Close,
    pause: Option<Pause>,
    /// When reading goes on.
    resumes: Option<Time>,
    opened: Option<Time>,
    sink: Box<dyn Write>,
    read: u64,
}

impl Application {
    /// A user who writes what it reads to `sink`.
    pub fn new(sink: Box<dyn Write>, pause: Option<Pause>, close: Close) -> Self {
        Self { close, pause, resumes: None, opened: None, sink, read: 0 }
    }

    /// Does what there is to do with `endpoint` at `now`.
    pub(crate) fn act(&mut self, now: Time, endpoint: &mut Endpoint<Bytes>) -> io::Result<()> {
        if self.opened.is_none() && is_open(endpoint.state()) {
            self.opened = Some(now);
        }
        while !self.is_paused(now)
            && let Some(piece) = endpoint.read()
        {
            self.sink.write_all(&piece)?;
            self.read += piece.len() as u64;
        }
        match self.close {
            Close::Sent if self.opened.is_some() => endpoint.close(),
            Close::Peer if endpoint.is_at_end() => endpoint.close(),
            Close::After(_) if self.closes().is_some_and(|time| time <= now) => endpoint.close(),
            Close::Reset(after) if self.opened.is_some() && self.read >= after => {
                endpoint.abort(&mut Context { now, observe: &mut () });
            }
            Close::Sent | Close::Peer | Close::After(_) | Close::Reset(_) => {}
        }
        Ok(())
    }

    /// Nothing more will be read.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    /// The next thing to do of one's own accord.
    pub(crate) fn poll_timeout(&self, now: Time) -> Option<Time> {
        [self.resumes, self.closes()].into_iter().flatten().filter(|time| *time > now).min()
    }

    fn closes(&self) -> Option<Time> {
        match self.close {
            Close::After(span) => self.opened.map(|opened| opened + span),
            Close::Sent | Close::Peer | Close::Reset(_) => None,
        }
    }

    fn is_paused(&mut self, now: Time) -> bool {
        if let Some(pause) = self.pause.take_if(|pause| self.read >= pause.after) {
            self.resumes = Some(now + pause.span);
        }
        self.resumes.is_some_and(|resumes| resumes > now)
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Application")
            .field("close", &self.close)
            .field("pause", &self.pause)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

/// True from the moment on when both sides can send.
const fn is_open(state: State) -> bool {
    match state {
        State::Closed | State::Listen | State::SynSent | State::SynReceived => false,
        State::Established
        | State::FinWait1
        | State::FinWait2
        | State::CloseWait
        | State::Closing
        | State::LastAck
        | State::TimeWait => true,
    }
}
