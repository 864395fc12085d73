//! `[flow.web]`: the pages that a mobile asks for.

use base::Duration;

use crate::form::{Always, Bytes, Count, Factor, OfTime, Positive, section};

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
