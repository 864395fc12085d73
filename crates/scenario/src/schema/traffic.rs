//! `[flow.web]`, `[flow.telnet]`, `[flow.probe]`, `[flow.udp]`: what applications are like.

use base::{Duration, Rate, Time};
use world::{Lengths, OnOff, UdpTraffic};

use settings::{
    Always, Bytes, Count, Factor, OfTime, Off, Or, Positive, Speed, Unlimited, Word, section, words,
};

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

words! {
    /// How pages are fetched.
    pub enum Protocol {
        /// Over a connection for each object (RFC 1945).
        PerObject = "http/1.0",
        /// Over one connection (RFC 9112 §9.3).
        Persistent = "http/1.1",
    }
}

section! {
    /// `[flow.telnet]`: typing at the receiver, echoed by the sender.
    pub struct Telnet {
        /// Bytes that a keystroke sends.
        pub keystroke: u32 as Bytes<u32, 1, 1_000_000> = 1;
        /// Bytes that come back for each.
        pub echo: u32 as Bytes<u32, 1, 1_000_000> = 1;
        /// From one keystroke to the next on average; exponential.
        pub interval: Duration as OfTime<1> = Duration::from_secs(1);
        /// How many keystrokes there are; the connection is closed after the last echo.
        pub count: Option<u64> as Or<Unlimited, Count<u64, 1, 1_000_000_000>> = None;
    }
}

section! {
    /// `[flow.probe]`: single segments with pauses, uniform between two limits. Defaults: figure 1
    /// of chakravorty2003, 1000 packets more than 4 s apart.
    pub struct Probe {
        /// Payload of each: at most that of a segment.
        pub bytes: u32 as Bytes<u32, 1, 65_495> = 500;
        /// The shortest pause before one.
        pub least: Duration as OfTime = Duration::from_secs(4);
        /// The longest pause before one.
        pub most: Duration as OfTime<1> = Duration::from_secs(8);
        /// How many there are.
        pub count: u64 as Count<u64, 1, 1_000_000_000> = 1000;
    }
}

section! {
    /// `[flow.udp]`: datagrams at a constant rate, or in on and off times in turn. Defaults: ns-2's
    /// Exponential on/off source, but without off times.
    pub struct Udp {
        /// Payload of each datagram (ns-2: `packetSize_`); UDP's header of 8 B and that of IP come
        /// on top. The last has what is left of the flow's `bytes`.
        pub payload: u32 as Bytes<u32, 1, 65_507> = 210;
        /// Payload per time while it sends (ns-2: `rate_`).
        pub rate: Rate as Speed = Rate::from_bps(64_000);
        /// For how long it sends at a time (ns-2: `burst_time_`).
        pub on_time: Duration as OfTime<1> = Duration::from_millis(500);
        /// For how long it then does not (ns-2: `idle_time_`). Default: it never pauses.
        pub off_time: Duration as OfTime = Duration::ZERO;
        /// Whether on and off times are all alike, or exponential with these means.
        pub times: UdpTimes as Word<UdpTimes> = UdpTimes::Exponential;
        /// When it stops, counted from its start.
        pub stop: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

words! {
    /// How long on and off times are.
    pub enum UdpTimes {
        /// All alike.
        Constant = "constant",
        /// Exponential.
        Exponential = "exponential",
    }
}

section! {
    /// `[flow.web.main]`, `[flow.web.embedded]`: sizes of objects, log-normal within limits.
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
}

section! {
    /// `[flow.web.objects]`: numbers of embedded objects, Pareto: scale · u^(−1/shape), at most
    /// `most`, less the scale. By default 5.64 on average.
    pub struct Objects {
        /// The shape.
        pub shape: f64 as Positive = 1.1;
        /// The scale, which becomes no object.
        pub scale: u32 as Count<u32, 1, 1000> = 2;
        /// The cut-off before the scale is taken off.
        pub most: u32 as Count<u32, 1, 1000> = 55;
    }
}

impl Web {
    /// As the applications have it.
    pub fn config(&self) -> world::Web {
        let sizes = |sizes: Sizes| {
            let Sizes { median, sigma, min, max } = sizes;
            world::Sizes { median, sigma, min, max }
        };
        let Objects { shape, scale, most } = self.objects.clone();
        world::Web {
            request: self.request,
            main: sizes(self.main.clone()),
            embedded: sizes(self.embedded.clone()),
            objects: world::Objects { shape, scale, most },
            reading: self.reading,
        }
    }
}

impl Telnet {
    /// As the applications have it.
    pub const fn config(&self) -> world::Telnet {
        let Self { keystroke, echo, interval, count } = *self;
        world::Telnet { keystroke, echo, interval, count }
    }
}

impl Udp {
    /// As a source has it that starts at `start` and sends `bytes`.
    pub(crate) fn config(&self, start: Time, bytes: Option<u64>) -> UdpTraffic {
        let on_off = self.is_on_off().then_some(OnOff {
            on: self.on_time,
            off: self.off_time,
            lengths: match self.times {
                UdpTimes::Constant => Lengths::Constant,
                UdpTimes::Exponential => Lengths::Exponential,
            },
        });
        let Self { payload, rate, stop, .. } = *self;
        UdpTraffic { payload, rate, on_off, bytes, start, stop: stop.map(|stop| start + stop) }
    }

    /// Whether it pauses.
    pub(crate) fn is_on_off(&self) -> bool {
        self.off_time > Duration::ZERO
    }
}

impl Probe {
    /// As the applications have it.
    pub const fn config(&self) -> world::Probes {
        let Self { bytes, least, most, count } = *self;
        world::Probes { bytes, pause: [least, most], count }
    }
}
