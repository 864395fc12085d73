//! Browsing as with HTTP/1.0 (RFC 1945): a connection for each object, several at a time, each of
//! which the server closes.
//!
//! Of a page the main object is requested first; once it is whole the embedded ones are requested
//! in order, as connections become free. A connection is in use until the server's close is read.
//! An object whose connection failed is requested again; while all ports towards the server are in
//! use, every [`PATIENCE`].

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Seq, Stream, Time};
use observe::{Context, Observe, PageFact};

use super::exchange::{Exchange, Progress};
use super::web::{Page, Pages};
use crate::{MachineId, NodeId};

/// How long a browser waits for a port to be free. Our choice.
const PATIENCE: Duration = Duration::from_secs(1);

/// How pages are fetched.
#[derive(Debug)]
pub struct Fetching<P> {
    /// Where they come from.
    pub server: NodeId,
    /// Where they are read.
    pub reader: NodeId,
    /// The server's port.
    pub port: u16,
    /// The code point of the service that is asked for.
    pub dscp: u8,
    /// True if middleboxes see nothing of the packets above IP but their ports.
    pub is_encrypted: bool,
    /// Settings of the server's endpoints and of the reader's.
    pub tcp: [Arc<tcp::Config>; 2],
    /// The number of their group.
    pub group: u32,
    /// The pages.
    pub pages: Pages,
    /// What requests and objects are made of.
    pub data: P,
    /// The most connections at a time.
    pub connections: u32,
    /// Where initial sequence numbers come from.
    pub isn: Stream,
    /// When the first page is asked for.
    pub start: Time,
    /// Time from which on neither end sends anything new.
    pub stop: Option<Time>,
    /// When the reader resets open connections and stops.
    pub abort: Option<Time>,
}

/// A browser, and the connections that it has.
#[derive(Debug)]
pub struct ParallelBrowser<P> {
    fetching: Fetching<P>,
    state: Browsing,
    /// True if the time to stop has come.
    has_stopped: bool,
    /// Objects that no connection fetches yet.
    waiting: VecDeque<u64>,
    /// No port is looked for before.
    not_before: Time,
    /// Connections in use.
    open: Vec<Fetch>,
    /// Endpoints of connections that are over for the reader, the longest first.
    resting: VecDeque<[MachineId; 2]>,
}

/// An object on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fetch {
    /// The endpoints of the server and the reader.
    pub(crate) ends: [MachineId; 2],
    bytes: u64,
    /// Whether all of it has come.
    is_whole: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Browsing {
    /// The next page is requested then.
    Reading(Time),
    /// A page is on its way, and so many of its objects are missing.
    Waiting { asked: Time, bytes: u64, embedded: Vec<u64>, left: usize, reading: Duration },
    /// No other page is requested.
    Gone,
}

impl<P> ParallelBrowser<P> {
    pub(crate) fn new(fetching: Fetching<P>) -> Self {
        let state = Browsing::Reading(fetching.start);
        Self {
            fetching,
            state,
            has_stopped: false,
            waiting: VecDeque::new(),
            not_before: Time::ZERO,
            open: Vec::new(),
            resting: VecDeque::new(),
        }
    }

    /// How pages are fetched.
    pub const fn fetching(&self) -> &Fetching<P> {
        &self.fetching
    }

    /// How many connections are in use: the reader has not read the server's close.
    pub fn connections(&self) -> usize {
        self.open.len()
    }

    /// The connection in use at this index.
    pub(crate) fn fetch(&self, at: usize) -> Option<Fetch> {
        self.open.get(at).copied()
    }

    /// Begins a page if it is time to.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.has_stopped |= self.fetching.stop.is_some_and(|stop| stop <= now);
        if self.has_stopped {
            self.waiting.clear();
            if let Browsing::Reading(_) = self.state {
                self.state = Browsing::Gone;
            }
        }
        if let Browsing::Reading(until) = self.state
            && until <= now
        {
            let page = self.fetching.pages.next();
            let bytes = page.bytes();
            let Page { main, embedded, reading } = page;
            let left = 1 + embedded.len();
            self.waiting.push_back(main);
            self.state = Browsing::Waiting { asked: now, bytes, embedded, left, reading };
        }
    }

    /// Takes in the progress of the connection at this index. True if it is no longer in use, and
    /// the next has taken its index.
    pub(crate) fn take_in(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        at: usize,
        progress: Progress,
    ) -> bool {
        let fetch = &mut self.open[at];
        let is_news = !fetch.is_whole;
        match progress {
            Progress::Missing => return false,
            Progress::Failed => self.waiting.push_front(fetch.bytes),
            Progress::Whole | Progress::Closed => {
                fetch.is_whole = true;
                if is_news {
                    self.object(cx, id);
                }
            }
        }
        let is_over = progress != Progress::Whole;
        if is_over {
            let Fetch { ends, .. } = self.open.remove(at);
            self.resting.push_back(ends);
        }
        is_over
    }

    /// An object has come.
    fn object(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let Browsing::Waiting { asked, bytes, embedded, left, reading } = &mut self.state else {
            return;
        };
        // The first is the main one, which lists the others.
        self.waiting.extend(embedded.drain(..));
        *left -= 1;
        if *left == 0 {
            let response = cx.now.saturating_since(*asked);
            cx.page(id.0, PageFact { bytes: *bytes, response });
            self.state = Browsing::Reading(cx.now + *reading);
        }
    }

    /// The next object to be fetched, if a connection is free for it.
    pub(crate) fn next_fetch(&mut self, now: Time) -> Option<Exchange> {
        if !self.has_room() || now < self.not_before {
            return None;
        }
        let answer = self.waiting.pop_front()?;
        Some(Exchange { request: self.fetching.pages.request().into(), answer })
    }

    fn has_room(&self) -> bool {
        self.open.len() < self.fetching.connections as usize
    }

    /// There is no port for `exchange` at `now`.
    pub(crate) fn put_off(&mut self, now: Time, exchange: Exchange) {
        self.waiting.push_front(exchange.answer);
        self.not_before = now + PATIENCE;
    }

    /// The initial sequence numbers of the next connection.
    pub(crate) fn isn(&mut self) -> [Seq; 2] {
        [(); 2].map(|()| Seq::new(self.fetching.isn.next_u32()))
    }

    /// The endpoints that may be used again if both are closed.
    pub(crate) fn resting(&self) -> Option<[MachineId; 2]> {
        self.resting.front().copied()
    }

    /// Takes these endpoints out of those at rest.
    pub(crate) fn rouse(&mut self) {
        self.resting.pop_front();
    }

    /// `exchange` is under way between `ends`.
    pub(crate) fn opened(&mut self, exchange: Exchange, ends: [MachineId; 2]) {
        self.open.push(Fetch { ends, bytes: exchange.answer, is_whole: false });
    }

    /// Whether the reader stops now.
    pub(crate) fn goes(&self, now: Time) -> bool {
        self.fetching.abort.is_some_and(|abort| abort <= now)
    }

    /// The reader stops; returns which of its endpoints were in use.
    pub(crate) fn leave(&mut self) -> Vec<MachineId> {
        self.state = Browsing::Gone;
        self.fetching.abort = None;
        self.waiting.clear();
        self.open.drain(..).map(|fetch| fetch.ends[1]).collect()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let next = match self.state {
            Browsing::Reading(until) => Some(until),
            Browsing::Waiting { .. } | Browsing::Gone => None,
        };
        let port = (!self.waiting.is_empty() && self.has_room()).then_some(self.not_before);
        let stop = self.fetching.stop.filter(|_| !self.has_stopped);
        [next, port, stop, self.fetching.abort].into_iter().flatten().min()
    }
}
