//! `[[radio.node_b]]`, `[[radio.ue]]` and what they share: who takes part in a network of cells.

use base::{Duration, Probability, Rate};
use radio::umts::channels::SpreadingFactor;

use crate::schema::channel::Sf;
use settings::{
    Count, Distance, Label, Metres, MetresPerSecond, OfTime, Or, Pair, Speed, Tbler, as_key, named,
    section,
};

section! {
    /// `[[radio.node_b]]`: a base station. Without any there is one, `NodeB`, at the origin.
    pub struct NodeB {
        /// Its name in settings (`radio.node_b.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Where it stands.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// The RNC that it belongs to, one of `radio.rncs`.
        pub rnc: String as Label = "RNC".to_owned();
        /// How many sectors it has, each a cell with a code tree of its own; the first looks north.
        pub sectors: u32 as Count<u32, 1, 6> = 1;
    }
}

named!(NodeB);

section! {
    /// `[[radio.ue]]`: a mobile.
    pub struct Ue {
        /// Its name in settings (`radio.ue.NAME.position`) and results; required.
        pub name: String as Label = String::new();
        /// Where it is at the start.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// How fast it goes, and where to.
        pub velocity: [f64; 2] as Pair<MetresPerSecond> = [0.0; 2];
        /// Its transport block error rate in both directions.
        pub tbler: Option<Probability> as Or<as_key::RadioTbler, Tbler> = None;
    }
}

named!(Ue);

section! {
    /// `[radio.fach]`: the shared channel downlink.
    pub struct Fach {
        /// RLC payload per time, without RLC headers, for all mobiles of a cell together. Default:
        /// FACH for packet data of TS 34.108.
        pub rate: Rate as Speed = Rate::from_bps(32_000);
        /// Spreading factor of the channel that carries it; it takes its code from the tree.
        pub sf: SpreadingFactor as Sf = SpreadingFactor::ALL[3];
    }
}

section! {
    /// `[radio.rach]`: the shared channel uplink.
    pub struct Rach {
        /// RLC payload per time, without RLC headers, for all mobiles of a cell together.
        pub rate: Rate as Speed = Rate::from_bps(16_000);
        /// From the wish to send to the first block: preambles and their acknowledgement.
        pub access_delay: Duration as OfTime = Duration::from_millis(40);
    }
}

section! {
    /// `[radio.place]`: where mobiles are that `radio.ues` counts.
    pub struct Place {
        /// They are spread evenly within so much of their base station, to which they go in turn.
        pub radius: f64 as Distance = 500.0;
    }
}
