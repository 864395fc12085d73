//! Browsing: a mobile asks for page after page over one connection, and reads each.
//!
//! The model is the HTTP traffic of 3GPP TR 25.892 §A.2 (that of 3GPP2 C.R1002 §2.3): a page is a
//! main object and embedded ones, then comes a reading time. It is simplified: one request fetches
//! the page with all that is embedded in it, over one connection for all pages, as if requests were
//! pipelined (HTTP/1.1). `parallel` has the same pages by a connection for each object.

use std::sync::Arc;

use base::{Duration, Stream, Time, float};
use observe::{Observe, PageFact};
use tcp::{Endpoint, Payload};

use crate::draws::{exponential, normal, uniform};
use crate::exchange::read_all;

/// What pages are like.
#[derive(Clone, PartialEq, Debug)]
pub struct Web {
    /// Bytes of a request.
    pub request: u32,
    /// Bytes of a page's main object.
    pub main: Sizes,
    /// Bytes of each object that is embedded in it.
    pub embedded: Sizes,
    /// How many are embedded.
    pub objects: Objects,
    /// How long a page is read on average; exponential.
    pub reading: Duration,
}

/// Sizes in bytes: log-normal, and drawn again until they lie within the limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sizes {
    /// Half of the untruncated sizes are smaller.
    pub median: u64,
    /// The standard deviation of the logarithm.
    pub sigma: f64,
    /// The smallest.
    pub min: u64,
    /// The largest, no smaller than the smallest.
    pub max: u64,
}

/// Numbers of objects: Pareto, k u^(−1/α), cut off at `most`, less k.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Objects {
    /// The shape α, above zero.
    pub shape: f64,
    /// The scale k, at least 1.
    pub scale: u32,
    /// The cut-off, no lower than the scale.
    pub most: u32,
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
    /// The number of its endpoint.
    id: u32,
    pages: Pages,
    /// What requests are made of.
    data: P,
    state: Browsing,
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
    /// What pages are made of.
    data: P,
    /// Bytes of requests that are not whole.
    heard: u64,
}

impl Pages {
    /// The pages of the connection called `name` under `seed`.
    pub fn named(web: &Arc<Web>, seed: u64, name: &str) -> Self {
        Self { web: Arc::clone(web), chance: Stream::named(seed, &format!("{name}/pages")) }
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

/// So often is a size drawn before the limits are taken to exclude nearly all.
const ATTEMPTS: u32 = 64;

impl Objects {
    fn draw(&self, chance: &mut Stream) -> u32 {
        let spread = float::exp(-float::ln(uniform(chance)) / self.shape);
        let number = (f64::from(self.scale) * spread).min(f64::from(self.most));
        // To the nearest, so that the mean stays that of the distribution.
        (number - f64::from(self.scale) + 0.5) as u32
    }
}

impl<P: Payload> Browser<P> {
    /// Asks for the first of `pages` at `start`. `data` is at least as long as a request.
    pub(crate) const fn new(id: u32, pages: Pages, data: P, start: Time) -> Self {
        Self { id, pages, data, state: Browsing::Reading(start) }
    }

    pub(crate) fn run(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint<P>,
        observe: &mut impl Observe,
    ) {
        let arrived = read_all(endpoint);
        match &mut self.state {
            Browsing::Reading(until) if *until <= now => {
                let (page, request) = (self.pages.next(), u64::from(self.pages.web.request));
                endpoint.write(self.data.slice(0, request));
                let (bytes, reading) = (page.bytes(), page.reading);
                self.state = Browsing::Waiting { asked: now, bytes, left: bytes, reading };
            }
            Browsing::Waiting { asked, bytes, left, reading } => {
                *left = left.saturating_sub(arrived);
                if *left == 0 {
                    let response = now.saturating_since(*asked);
                    observe.page(now, self.id, PageFact { bytes: *bytes, response });
                    self.state = Browsing::Reading(now + *reading);
                }
            }
            Browsing::Reading(_) => {}
        }
    }

    pub(crate) const fn poll_timeout(&self) -> Option<Time> {
        match self.state {
            Browsing::Reading(until) => Some(until),
            Browsing::Waiting { .. } => None,
        }
    }
}

impl<P: Payload> Server<P> {
    /// Answers with `pages`. `data` is at least as long as the longest.
    pub(crate) const fn new(pages: Pages, data: P) -> Self {
        Self { pages, data, heard: 0 }
    }

    pub(crate) fn run(&mut self, endpoint: &mut Endpoint<P>) {
        self.heard += read_all(endpoint);
        while let Some(rest) = self.heard.checked_sub(self.pages.web.request.into()) {
            self.heard = rest;
            endpoint.write(self.data.slice(0, self.pages.next().bytes()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of TR 25.892 §A.2. The means that it states, 10,710 and 7,758 B, are those of
    /// sizes without limits; within the limits the embedded ones have 8,190 B.
    fn web() -> Web {
        Web {
            request: 350,
            main: Sizes { median: 4230, sigma: 1.37, min: 100, max: 2_000_000 },
            embedded: Sizes { median: 478, sigma: 2.36, min: 50, max: 2_000_000 },
            objects: Objects { shape: 1.1, scale: 2, most: 55 },
            reading: Duration::from_secs(30),
        }
    }

    fn mean(count: u32, mut draw: impl FnMut(&mut Stream) -> f64) -> f64 {
        let mut chance = Stream::named(1, "draws");
        (0..count).map(|_| draw(&mut chance)).sum::<f64>() / f64::from(count)
    }

    #[test]
    fn means_are_those_of_the_model() {
        let near = |value: f64, expect: f64| {
            assert!((value / expect - 1.0).abs() < 0.05, "{value}, not {expect}");
        };
        let web = web();
        near(mean(100_000, |chance| web.main.draw(chance) as f64), 10_710.0);
        near(mean(100_000, |chance| web.embedded.draw(chance) as f64), 8_190.0);
        near(mean(100_000, |chance| f64::from(web.objects.draw(chance))), 5.64);
        let mut pages = Pages::named(&Arc::new(web), 1, "flow 0");
        near((0..20_000).map(|_| pages.next().reading.as_secs_f64()).sum::<f64>() / 20_000.0, 30.0);
    }

    #[test]
    fn both_ends_know_the_same_pages() {
        let web = Arc::new(web());
        let take = |name| {
            let mut pages = Pages::named(&web, 7, name);
            (0..50).map(|_| pages.next()).collect::<Vec<_>>()
        };
        assert_eq!(take("flow 0"), take("flow 0"));
        assert_ne!(take("flow 0"), take("flow 1"));
    }

    #[test]
    fn sizes_keep_within_limits_that_exclude_nearly_all() {
        let sizes = Sizes { median: 10, sigma: 0.001, min: 500, max: 600 };
        assert_eq!(sizes.draw(&mut Stream::named(1, "draws")), 500);
    }
}
