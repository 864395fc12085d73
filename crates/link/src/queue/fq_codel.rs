//! `FlowQueue-CoDel` (RFC 8290): `CoDel` for each of many queues, among which a hash distributes
//! flows and which take turns.

use base::Stream;
use settings::{Bytes, Count, Flat, Word, section, words};

use super::turns::{self, Lanes};
use super::{Parameters, Start, codel};

section! {
    /// `[queue.fq_codel]`: `CoDel` for each flow, and turns between flows (RFC 8290).
    #[derive(Copy, Eq)]
    pub struct Config {
        /// How `CoDel` decides in each queue.
        pub codel: codel::Config as Flat<codel::Config> = codel::Config::default();
        /// Bytes that a queue may send in a turn. Default: RFC 8290 §5.2.4.
        pub quantum: u32 as Bytes<u32, 1, 1_000_000> = 1514;
        /// Among how many queues a hash distributes flows; those that meet in one share it.
        /// Default: RFC 8290 §5.2.5.
        pub flows: u32 as Count<u32, 1, 65_536> = 1024;
        /// The most packets that the longest queue loses at once when all is full; half of what it
        /// has, if that is less. Default: RFC 8290 §4.1.
        pub drop_batch: u32 as Count<u32, 1, 65_536> = 64;
        /// The bytes behind a packet that `CoDel` compares with `mtu`: of its own queue, or of all,
        /// as in Linux. Default: RFC 8289 §5.6.
        pub backlog: Backlog as Word<Backlog> = Backlog::Own;
    }
}

words! {
    /// Bytes that `CoDel` of a queue sees behind a packet.
    pub enum Backlog {
        /// Bytes of its own queue.
        Own = "own",
        /// Bytes of all queues, so that a flow may lose its only packet: Linux.
        All = "all",
    }
}

impl Parameters for Config {
    const NOTIFIES: bool = true;
    /// RFC 8290 §5.2.3.
    const PACKETS: u32 = 10_240;

    fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start {
        let mut chance = chance("FQ-CoDel");
        let salt = u64::from(chance.next_u32()) << 32 | u64::from(chance.next_u32());
        Start::Turns(turns::Config {
            quantum: self.quantum,
            lanes: Lanes::Hashed { count: self.flows, salt },
            batch: self.drop_batch,
            codel: Some(self.codel),
            backlog: self.backlog,
        })
    }
}
