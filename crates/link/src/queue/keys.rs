//! `[queue]`: what waits ahead of the bottleneck or the radio, in either direction.

use settings::{Always, Fault, Flag, Flat, Or, Table, Word, as_key, section};

use super::droptail::{Limit, Packets, Size};
use super::{Config, Disciplines, Kind, Notice};

section! {
    /// `[queue]`: the queue ahead of the bottleneck or the radio, towards the mobile.
    pub struct Queues {
        /// Most packets that wait or are being sent, which ns-2 counts alike. Default: 50, as in
        /// ns-2; with fq-codel 10240 (RFC 8290 §5.2.3), with pie 1000 and with dualpi2 10000
        /// (Linux).
        pub packets: Option<Option<u32>> as Or<as_key::Kind, Packets> = None;
        /// Most bytes that wait or are being sent, beside `queue.packets`. Default: as many as
        /// those packets have; with cake what `queue.cake.rate` carries in four
        /// `queue.cake.rtt`, from 4 MiB to 15.5 MB (Linux).
        pub bytes: Option<u64> as Size = None;
        /// Which packets are dropped before it is full, or that flows take turns; red needs
        /// [link], the others [link] or any radio but those of UMTS. Default: none.
        pub kind: Kind as Word<Kind> = Kind::DropTail;
        /// red, codel, fq-codel and pie mark packets that can carry a mark, instead of dropping
        /// them (RFC 3168), in either direction; dualpi2 and cake always do. Default: ns-2.
        pub ecn: bool as Flag = false;
        /// The queue of the reverse direction.
        pub back: ReverseQueue as Always<ReverseQueue> = ReverseQueue::default();
        /// Parameters of the disciplines, in either direction.
        pub disciplines: Disciplines as Flat<Disciplines> = Disciplines::default();
    }
    only_with(ecn: kind, back.kind is {Kind::notifying()})
    check(Self::thresholds)
}

section! {
    /// `[queue.back]`: the queue of the reverse direction, ahead of `[link.back]` or the radio's
    /// uplink. `[queue.red]`, `[queue.codel]`, `[queue.fair]`, `[queue.fq_codel]`, `[queue.pie]`,
    /// `[queue.dualpi2]` and `[queue.cake]` configure the disciplines of either direction.
    pub struct ReverseQueue {
        /// Most packets that wait or are being sent. Default: ns-2, whose duplex links have one
        /// limit for either direction.
        pub packets: Option<Option<u32>> as Or<as_key::QueuePackets, Packets> = None;
        /// Most bytes that wait or are being sent. Default: ns-2, as `queue.back.packets`.
        pub bytes: Option<Option<u64>> as Or<as_key::QueueBytes, Size> = None;
        /// Which packets are dropped before it is full, or that flows take turns; red needs
        /// [link], the others [link] or any radio but those of UMTS. Default: none.
        pub kind: Kind as Word<Kind> = Kind::DropTail;
    }
}

impl Queues {
    /// A queue of any length in both directions.
    pub fn unlimited() -> Self {
        Self { packets: Some(None), bytes: None, ..Self::default() }
    }

    /// The queue towards the mobile.
    pub fn forth(&self) -> Config {
        let packets = self.packets.unwrap_or(Some(self.kind.packets()));
        self.config(self.kind, Limit { packets, bytes: self.bytes })
    }

    /// The queue of the reverse direction.
    pub fn back(&self) -> Config {
        let ReverseQueue { packets, bytes, kind } = self.back;
        let limit = Limit {
            packets: packets.or(self.packets).unwrap_or(Some(kind.packets())),
            bytes: bytes.unwrap_or(self.bytes),
        };
        self.config(kind, limit)
    }

    /// The thresholds of RED, where a direction has it.
    fn thresholds(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let red = self.disciplines.red;
        let has_red = self.kinds().iter().any(|(_, kind)| *kind == Kind::Red);
        if !has_red || red.min_threshold < red.max_threshold {
            return Ok(());
        }
        let message = format!("{at}.red.min_threshold must be below {at}.red.max_threshold");
        tree.clash_at(at, &["red.min_threshold", "red.max_threshold"], message)
    }

    const fn config(&self, kind: Kind, limit: Limit) -> Config {
        let notice = if self.ecn { Notice::Mark } else { Notice::Drop };
        Config { limit, discipline: self.disciplines.of(kind), notice }
    }

    /// The disciplines of both directions, each with its key.
    pub const fn kinds(&self) -> [(&'static str, Kind); 2] {
        [("queue.kind", self.kind), ("queue.back.kind", self.back.kind)]
    }
}
