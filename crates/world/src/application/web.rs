//! Browsing: a mobile asks for page after page over one connection, and reads each.
//!
//! The model is the HTTP traffic of 3GPP TR 25.892 §A.2 (that of 3GPP2 C.R1002 §2.3): a page is a
//! main object and embedded ones, then comes a reading time. It is simplified: one request fetches
//! the page with all its embedded objects, over one connection for all pages, as if requests were
//! pipelined (HTTP/1.1). `parallel` has the same pages by a connection for each object.

use std::sync::Arc;

use base::{Duration, Stream, Time, float};
use observe::{Context, Observe, PageFact};
use settings::{Always, Bytes, Count, Factor, OfTime, Positive, Word, section, words};
use tcp::{Endpoint, Length, Payload};

use super::draws::{exponential, normal, uniform};
use super::exchange::read_all;
use super::flow::{ENDLESS, NewFlow, Traffic};
use super::stop::{Stop, earlier};
use super::{Fetching, Program};
use crate::{Body, MachineId, Side};

section! {
    /// `[flow.web]`: pages with embedded objects and the time to read them. Defaults: HTTP traffic
    /// of 3GPP TR 25.892 §A.2.
    pub struct Web {
        /// Bytes of a request. Default: that of 3GPP2 C.R1002.
        pub request: u32 as Bytes<u32, 1, 1_000_000> = 350;
        /// The main object of a page.
        pub main: Sizes as Always<Sizes> =
            Sizes { median: 4230, sigma: 1.37, min: 100, max: 2_000_000 };
        /// Each object that is embedded in it.
        pub embedded: Sizes as Always<Sizes> =
            Sizes { median: 478, sigma: 2.36, min: 50, max: 2_000_000 };
        /// How many objects are embedded.
        pub objects: Objects as Always<Objects> = Objects::default();
        /// Mean of the time to read a page, from its last byte to the next request; exponential.
        pub reading: Duration as OfTime<1> = Duration::from_secs(30);
        /// Whether one connection carries all pages, each with one request, or each object has a
        /// connection of its own, which the server closes.
        pub protocol: Protocol as Word<Protocol> = Protocol::Persistent;
        /// The most connections at a time with http/1.0. Default: that of Netscape Navigator.
        pub connections: u32 as Count<u32, 1, 64> = 4;
    }
}

section! {
    /// `[flow.web.main]`, `[flow.web.embedded]`: sizes of objects, log-normal within limits.
    #[derive(Copy)]
    pub struct Sizes {
        /// Median of the sizes without limits.
        pub median: u64 as Bytes<u64, 1, 1_000_000_000> = 1000;
        /// Standard deviation of the natural logarithm of the size.
        pub sigma: f64 as Factor = 1.0;
        /// The smallest; smaller ones are drawn again.
        pub min: u64 as Bytes<u64, 1, 1_000_000_000> = 1;
        /// The largest; larger ones are drawn again.
        pub max: u64 as Bytes<u64, 1, 1_000_000_000> = 1_000_000_000;
    }
    in_order(min, max)
}

section! {
    /// `[flow.web.objects]`: numbers of embedded objects, Pareto: scale · u^(−1/shape), at most
    /// `most`, less the scale. By default 5.64 on average.
    #[derive(Copy)]
    pub struct Objects {
        /// The shape.
        pub shape: f64 as Positive = 1.1;
        /// The scale, which is subtracted.
        pub scale: u32 as Count<u32, 1, 1000> = 2;
        /// The cut-off before the scale is taken off: up to the scale, there are no objects.
        pub most: u32 as Count<u32, 1, 1000> = 55;
    }
}

words! {
    /// How pages are fetched.
    pub enum Protocol {
        /// Over a connection for each object (RFC 1945).
        PerObject = "http/1.0",
        /// Over one connection (RFC 9112 §9.3).
        Persistent = "http/1.1",
    }
}

/// The pages of one connection, in order. Both ends have them from the same stream, so that both
/// know how long each page is.
#[derive(Clone, Debug)]
pub struct Pages {
    web: Arc<Web>,
    chance: Stream,
}

/// A page, and for how long it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Page {
    /// Bytes of its main object.
    pub(crate) main: u64,
    /// Bytes of each that is embedded in it.
    pub(crate) embedded: Vec<u64>,
    pub(crate) reading: Duration,
}

/// The mobile's end.
#[derive(Debug)]
pub struct Browser<P> {
    pages: Pages,
    /// The data that requests are cut from.
    data: P,
    state: Browsing,
    stop: Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Browsing {
    /// The next request goes out then.
    Reading(Time),
    /// A page is on its way, and `left` of its bytes are missing.
    Waiting { asked: Time, bytes: u64, left: u64, reading: Duration },
}

/// The host's end.
#[derive(Debug)]
pub struct Server<P> {
    pages: Pages,
    /// The data that pages are cut from.
    data: P,
    /// Bytes of requests that are not whole.
    heard: u64,
    stop: Stop,
}

impl Traffic for Web {
    const PORT: u16 = 80;
    const CLIENT: Option<Side> = Some(Side::Receiver);
    /// As browsers and servers of pages do.
    const NO_DELAY: bool = true;

    /// Pages have no end; of a connection for each object it is those that have bytes.
    fn bytes(&self, _: Option<u64>) -> Option<u64> {
        None
    }

    fn add<B: Body<Payload = Length>>(&self, mut flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let pages = Pages::new(&Arc::new(self.clone()), flow.chance("pages"));
        match self.protocol {
            Protocol::Persistent => {
                let server = Server::new(pages.clone(), ENDLESS).stopping(flow.stop);
                let browser = Browser::new(pages, ENDLESS).stopping(flow.stop);
                Self::connect(flow, server, browser)
            }
            Protocol::PerObject => [self.browser(&mut flow, pages); 2],
        }
    }
}

impl Web {
    /// A browser that opens a connection for each object of `pages`.
    fn browser<B>(&self, flow: &mut NewFlow<'_, B>, pages: Pages) -> MachineId
    where
        B: Body<Payload = Length>,
    {
        let (tcp, _) = flow.tcp.draw(flow.number);
        let group = flow.tcp.group;
        let fetching = Fetching {
            server: flow.sender,
            reader: flow.receiver,
            port: flow.port.unwrap_or(Self::PORT),
            dscp: flow.dscp,
            is_encrypted: flow.is_encrypted,
            tcp,
            group,
            pages,
            data: ENDLESS,
            connections: self.connections,
            isn: flow.chance("initial sequence numbers"),
            start: flow.start,
            stop: flow.stop,
            abort: flow.abort,
        };
        flow.world.add_browser(&format!("browser-{}", flow.number), fetching)
    }
}

impl Pages {
    /// Pages by `chance`.
    pub fn new(web: &Arc<Web>, chance: Stream) -> Self {
        Self { web: Arc::clone(web), chance }
    }

    /// Bytes of a request.
    pub(crate) fn request(&self) -> u32 {
        self.web.request
    }

    pub(crate) fn next(&mut self) -> Page {
        let web = Arc::clone(&self.web);
        let main = web.main.draw(&mut self.chance);
        let count = web.objects.draw(&mut self.chance);
        let embedded = (0..count).map(|_| web.embedded.draw(&mut self.chance)).collect();
        Page { main, embedded, reading: exponential(web.reading, &mut self.chance) }
    }
}

impl Page {
    /// Bytes of all its objects.
    pub(crate) fn bytes(&self) -> u64 {
        self.main + self.embedded.iter().sum::<u64>()
    }
}

impl Sizes {
    fn draw(&self, chance: &mut Stream) -> u64 {
        let middle = float::ln(self.median.max(1) as f64);
        for _ in 0..ATTEMPTS {
            let size = float::exp(middle + self.sigma * normal(chance)) as u64;
            if (self.min..=self.max).contains(&size) {
                return size;
            }
        }
        self.median.clamp(self.min, self.max)
    }
}

/// The number of draws of a size after which the limits count as excluding nearly all.
const ATTEMPTS: u32 = 64;

impl Objects {
    fn draw(&self, chance: &mut Stream) -> u32 {
        let spread = float::exp(-float::ln(uniform(chance)) / self.shape);
        let number = (f64::from(self.scale) * spread).min(f64::from(self.most));
        // To the nearest, so that the mean stays that of the distribution.
        (number - f64::from(self.scale) + 0.5) as u32
    }
}

impl<P> Browser<P> {
    /// Asks for the first of `pages` at once. `data` is at least as long as a request.
    pub fn new(pages: Pages, data: P) -> Self {
        Self { pages, data, state: Browsing::Reading(Time::ZERO), stop: Stop::default() }
    }

    /// The same, which asks for nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }
}

impl<P: Payload> Program<P> for Browser<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        let arrived = read_all(endpoint);
        let has_stopped = self.stop.has_come(cx.now, endpoint);
        match &mut self.state {
            Browsing::Reading(_) if has_stopped => {}
            Browsing::Reading(until) if *until <= cx.now => {
                let (page, request) = (self.pages.next(), u64::from(self.pages.web.request));
                endpoint.write(self.data.slice(0, request));
                let (bytes, reading) = (page.bytes(), page.reading);
                self.state = Browsing::Waiting { asked: cx.now, bytes, left: bytes, reading };
            }
            Browsing::Waiting { asked, bytes, left, reading } => {
                *left = left.saturating_sub(arrived);
                if *left == 0 {
                    let response = cx.now.saturating_since(*asked);
                    cx.page(endpoint.id(), PageFact { bytes: *bytes, response });
                    self.state = Browsing::Reading(cx.now + *reading);
                }
            }
            Browsing::Reading(_) => {}
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        let next = match self.state {
            Browsing::Reading(until) => Some(until),
            Browsing::Waiting { .. } => None,
        };
        earlier(next.filter(|_| !self.stop.is_over()), self.stop.poll_timeout())
    }
}

impl<P> Server<P> {
    /// Answers with `pages`. `data` is at least as long as the longest.
    pub fn new(pages: Pages, data: P) -> Self {
        Self { pages, data, heard: 0, stop: Stop::default() }
    }

    /// The same, which answers nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }
}

impl<P: Payload> Program<P> for Server<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        self.heard += read_all(endpoint);
        let has_stopped = self.stop.has_come(cx.now, endpoint);
        while let Some(rest) = self.heard.checked_sub(self.pages.web.request.into())
            && !has_stopped
        {
            self.heard = rest;
            endpoint.write(self.data.slice(0, self.pages.next().bytes()));
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stop.poll_timeout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(count: u32, mut draw: impl FnMut(&mut Stream) -> f64) -> f64 {
        let mut chance = Stream::named(1, "draws");
        (0..count).map(|_| draw(&mut chance)).sum::<f64>() / f64::from(count)
    }

    /// The means that TR 25.892 §A.2 states, 10,710 and 7,758 B, are those of sizes without
    /// limits; within the limits the embedded ones have 8,190 B.
    #[test]
    fn means_are_those_of_the_model() {
        let near = |value: f64, expect: f64| {
            assert!((value / expect - 1.0).abs() < 0.05, "{value}, not {expect}");
        };
        let web = Web::default();
        near(mean(100_000, |chance| web.main.draw(chance) as f64), 10_710.0);
        near(mean(100_000, |chance| web.embedded.draw(chance) as f64), 8_190.0);
        near(mean(100_000, |chance| f64::from(web.objects.draw(chance))), 5.64);
        let mut pages = Pages::new(&Arc::new(web), Stream::named(1, "flow 0/pages"));
        near((0..20_000).map(|_| pages.next().reading.as_secs_f64()).sum::<f64>() / 20_000.0, 30.0);
    }

    #[test]
    fn both_ends_know_the_same_pages() {
        let web = Arc::new(Web::default());
        let take = |name| {
            let mut pages = Pages::new(&web, Stream::named(7, name));
            (0..50).map(|_| pages.next()).collect::<Vec<_>>()
        };
        assert_eq!(take("flow 0/pages"), take("flow 0/pages"));
        assert_ne!(take("flow 0/pages"), take("flow 1/pages"));
    }

    #[test]
    fn sizes_keep_within_limits_that_exclude_nearly_all() {
        let sizes = Sizes { median: 10, sigma: 0.001, min: 500, max: 600 };
        assert_eq!(sizes.draw(&mut Stream::named(1, "draws")), 500);
    }
}
