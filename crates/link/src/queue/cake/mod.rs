//! CAKE, as `sch_cake` of Linux is it (Høiland-Jørgensen, Täht and Morton, "Piece of CAKE: A
//! Comprehensive Queue Management Solution for Home Gateways", LANMAN 2018): a shaper, classes of
//! service, fairness among hosts and flows, and an AQM for each flow.

mod cobalt;
mod diffserv;
mod list;
mod tin;
mod tins;

use base::{Duration, Rate, Stream};
use settings::{Bytes, OfTime, Or, Speed, Unlimited, Word, section, words};

use super::{Parameters, Start};
use crate::Load;

pub use diffserv::Tins;
pub(super) use tins::Cake;

words! {
    /// What has a queue of its own, and among whom turns are fair.
    pub enum Isolation {
        /// Nothing: all packets share a queue.
        Flowblind = "flowblind",
        /// Each host that sends.
        SrcHost = "srchost",
        /// Each host that receives.
        DstHost = "dsthost",
        /// Each pair of hosts.
        Hosts = "hosts",
        /// Each flow.
        Flows = "flows",
        /// Each flow; hosts that send are equals, and flows of one of them.
        DualSrcHost = "dual-srchost",
        /// Each flow; hosts that receive are equals, and flows of one of them.
        DualDstHost = "dual-dsthost",
        /// Each flow; a flow has the share of the busier of its two hosts.
        TripleIsolate = "triple-isolate",
    }
}

words! {
    /// Cells or codewords into which a link behind the shaper packs packets.
    pub enum Framing {
        /// None.
        NoAtm = "noatm",
        /// Cells of 53 bytes for 48.
        Atm = "atm",
        /// 65 bytes for 64, the last of a packet begun counted as whole.
        Ptm = "ptm",
    }
}

section! {
    /// `[queue.cake]`: CAKE. Defaults: tc-cake(8).
    #[derive(Copy, Eq)]
    pub struct Config {
        /// At which rate it sends at most; needs [link] or [[wired]].
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// Bytes that each packet counts for beyond those of its IP packet. Linux takes less than
        /// none as well, to take away an Ethernet header, which packets here do not have.
        pub overhead: u32 as Bytes<u32, 0, 256> = 0;
        /// The least bytes that a packet counts for, overhead with it.
        pub mpu: u32 as Bytes<u32, 0, 256> = 0;
        /// Cells or codewords that packets then count for.
        pub framing: Framing as Word<Framing> = Framing::NoAtm;
        /// The round-trip time of flows: COBALT's interval, and 20 times its target, unless packets
        /// of 1514 B take so long at `rate` that both are longer.
        pub rtt: Duration as OfTime<1_000> = Duration::from_millis(100);
        /// Classes of service, by `flow.dscp`.
        pub tins: Tins as Word<Tins> = Tins::Diffserv3;
        /// What has a queue of its own, and among whom turns are fair.
        pub isolation: Isolation as Word<Isolation> = Isolation::TripleIsolate;
    }
}

/// The largest packet, of Ethernet (Linux: `psched_mtu`).
const MTU: u32 = 1514;

/// Packets that Linux lets wait (`sch_cake`: its limit of memory is at most that of so many of the
/// largest).
const PACKETS: u32 = 10_240;

impl Parameters for Config {
    const PACKETS: u32 = PACKETS;

    fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start {
        Start::Cake(*self, chance("BLUE"))
    }
}

impl Config {
    /// Bytes that may wait unless a key says so: what the rate carries in four round trips, 4 MiB
    /// at least (`sch_cake`).
    pub(super) fn memory(&self) -> u64 {
        let most = u64::from(PACKETS) * u64::from(MTU);
        let by_rate = |rate: Rate| rate.bytes_in(self.rtt * 4).max(4 << 20);
        self.rate.map_or(most, by_rate).min(most)
    }

    /// Bytes for which a packet of `bytes` counts (`sch_cake`: `cake_calc_overhead`).
    const fn counted(&self, bytes: u32) -> u32 {
        let bytes = bytes + self.overhead;
        let bytes = if bytes < self.mpu { self.mpu } else { bytes };
        match self.framing {
            Framing::NoAtm => bytes,
            Framing::Atm => bytes.div_ceil(48) * 53,
            Framing::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

impl Isolation {
    /// The key of the queue of `packet`.
    fn key<T: Load>(self, packet: &T) -> u64 {
        let [source, destination] = packet.hosts().map(u64::from);
        match self {
            Self::Flowblind => 0,
            Self::SrcHost => source,
            Self::DstHost => destination,
            Self::Hosts => source << 32 | destination,
            Self::Flows | Self::DualSrcHost | Self::DualDstHost | Self::TripleIsolate => {
                packet.flow()
            }
        }
    }

    /// True for those among whom turns are fair: hosts that send, hosts that receive.
    const fn among(self) -> [bool; 2] {
        match self {
            Self::DualSrcHost => [true, false],
            Self::DualDstHost => [false, true],
            Self::TripleIsolate => [true, true],
            Self::Flowblind | Self::SrcHost | Self::DstHost | Self::Hosts | Self::Flows => {
                [false, false]
            }
        }
    }
}
