//! A fair queue: a turn for each flow in its order. It is RFC 8290 without `CoDel`, with a lane for
//! each flow rather than for each value of a hash, and one packet at a time is dropped when all is
//! full.

use base::Stream;
use settings::{Bytes, section};

use super::fq_codel::Backlog;
use super::turns::{self, Lanes};
use super::{Parameters, Start};

section! {
    /// `[queue.fair]`: turns of flows, by deficit round robin.
    #[derive(Copy, Eq)]
    pub struct Config {
        /// Bytes that a flow may send in a turn. Default: RFC 8290 §5.2.4.
        pub quantum: u32 as Bytes<u32, 1, 1_000_000> = 1514;
    }
}

impl Parameters for Config {
    fn start(&self, _: &dyn Fn(&str) -> Stream) -> Start {
        Start::Turns(turns::Config {
            quantum: self.quantum,
            lanes: Lanes::Each,
            batch: 1,
            codel: None,
            backlog: Backlog::Own,
        })
    }
}
