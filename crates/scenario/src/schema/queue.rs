//! `[queue]`: what waits ahead of the bottleneck or the radio, in either direction.

use base::{Duration, Probability};

use settings::{
    Always, Bytes, Chance, Count, Factor, Flag, OfTime, Or, Share, Unlimited, Word, as_key,
    section, words,
};

section! {
    /// `[queue]`: the queue ahead of the bottleneck or the radio, towards the mobile.
    pub struct Queue {
        /// Most packets that wait or are being sent, which ns-2 counts alike. Default: ns-2.
        pub packets: Option<u32> as Packets = Some(50);
        /// Most bytes that wait or are being sent, beside `queue.packets`. Default: as many as
        /// those packets have.
        pub bytes: Option<u64> as Size = None;
        /// Whether the limits of both directions hold for each flow apart; needs [radio].
        pub per_flow: bool as Flag = false;
        /// Which packets go before it is full, or that flows take turns; red, codel and fair need
        /// [link]. Default: none.
        pub kind: QueueKind as Word<QueueKind> = QueueKind::DropTail;
        /// red and codel mark packets that can carry it, in the place of dropping them (RFC 3168),
        /// in either direction. Default: ns-2.
        pub ecn: bool as Flag = false;
        /// The queue of the way back.
        pub back: QueueBack as Always<QueueBack> = QueueBack::default();
        /// Random Early Detection.
        pub red: Red as Always<Red> = Red::default();
        /// Controlled Delay.
        pub codel: CoDel as Always<CoDel> = CoDel::default();
        /// Turns of flows.
        pub fair: Fair as Always<Fair> = Fair::default();
    }
}

section! {
    /// `[queue.back]`: the queue of the way back, ahead of `[link.back]` or the radio's uplink.
    /// What red, codel and fair do stands in `[queue.red]`, `[queue.codel]` and `[queue.fair]` for
    /// either direction.
    pub struct QueueBack {
        /// Most packets that wait or are being sent. Default: ns-2, whose duplex links have one
        /// limit for either direction.
        pub packets: Option<Option<u32>> as Or<as_key::QueuePackets, Packets> = None;
        /// Most bytes that wait or are being sent. Default: ns-2, as `queue.back.packets`.
        pub bytes: Option<Option<u64>> as Or<as_key::QueueBytes, Size> = None;
        /// Which packets go before it is full, or that flows take turns; red, codel and fair need
        /// [link]. Default: none.
        pub kind: QueueKind as Word<QueueKind> = QueueKind::DropTail;
    }
}

/// The most packets in a queue.
type Packets = Or<Unlimited, Count<u32, 1, 1_000_000_000>>;

/// The most bytes in a queue.
type Size = Or<Unlimited, Bytes<u64, 1, { u64::MAX }>>;

words! {
    /// Which packets go before a queue is full.
    pub enum QueueKind {
        /// None.
        DropTail = "droptail",
        /// Floyd and Jacobson 1993.
        Red = "red",
        /// RFC 8289.
        CoDel = "codel",
        /// Flows take turns, and the longest one gives way when all is full: RFC 8290 without
        /// `CoDel`.
        Fair = "fair",
    }
}

section! {
    /// `[queue.red]`: Random Early Detection (Floyd and Jacobson 1993). Defaults: ns-2. The
    /// average counts packets, the one being sent included.
    pub struct Red {
        /// `min_th`: below this average, in packets, none is dropped.
        pub min_threshold: f64 as Factor = 5.0;
        /// `max_th`: from this average on, in packets, packets are dropped rather than marked.
        pub max_threshold: f64 as Factor = 15.0;
        /// `max_p`: the chance just below `max_threshold`.
        pub max_probability: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// `w_q`: how much a new length counts in the average.
        pub weight: Probability as Share = Probability::new(0.002).unwrap_or_default();
        /// Above `max_threshold` the chance grows to 1 at twice the threshold, in the place of
        /// jumping there.
        pub gentle: bool as Flag = true;
        /// A typical packet: an idle link forgets as many as it could have sent.
        pub mean_packet: u32 as Bytes<u32, 1, 65_535> = 500;
    }
}

section! {
    /// `[queue.codel]`: Controlled Delay. Defaults: RFC 8289 §4.
    pub struct CoDel {
        /// TARGET: the wait that is acceptable for ever.
        pub target: Duration as OfTime = Duration::from_millis(5);
        /// INTERVAL: how long the wait must stay above it; a round-trip time.
        pub interval: Duration as OfTime<1> = Duration::from_millis(100);
        /// No packet is dropped that leaves no more than this behind.
        pub mtu: u32 as Bytes<u32, 1, 65_535> = 1500;
    }
}

section! {
    /// `[queue.fair]`: turns of flows, by deficit round robin.
    pub struct Fair {
        /// Bytes that a flow may send in a turn. Default: RFC 8290 §5.2.4.
        pub quantum: u32 as Bytes<u32, 1, 1_000_000> = 1514;
    }
}
