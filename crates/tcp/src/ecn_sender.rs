//! Explicit congestion notification, the sending half (RFC 3168 §6.1, RFC 9768 §3.1.5).

use base::{Ecn, EcnBytes};
use cc::{EcnFeedback, Marked};

use crate::ecn_feedback::{Arrived, MarkCounts, MarkReport};
use crate::ecn_setup::Passage;

/// What a sender knows of ECN on its connection.
#[derive(Debug, Default)]
pub(crate) struct EcnSender {
    /// Codepoint of new data: Not-ECT unless the handshake agreed upon ECN.
    codepoint: Ecn,
    /// True if the peer hears of reductions (RFC 3168 §6.1.2).
    confirms: bool,
    /// What had been sent when the window was last reduced for a mark: marks of the same window
    /// of data are one (§6.1.2).
    reduced: Option<u64>,
    /// True if that was for a mark.
    by_mark: bool,
    /// True if the next new segment carries CWR.
    cwr: bool,
    /// Counts of the peer, with accurate ECN.
    counts: Option<Box<MarkCounts>>,
    /// Marks that the controller has not heard of.
    news: Marked,
}

impl EcnSender {
    /// The handshake agreed upon `feedback` for segments of `mss` bytes; new data are to carry
    /// `codepoint`.
    pub(crate) fn start(&mut self, feedback: EcnFeedback, codepoint: Ecn, mss: u32) {
        self.codepoint = if feedback == EcnFeedback::Off { Ecn::NotCapable } else { codepoint };
        self.confirms = feedback == EcnFeedback::Classic;
        let counts = || Box::new(MarkCounts::new(mss));
        self.counts = (feedback == EcnFeedback::Accurate).then(counts);
    }

    /// New data are no longer ECN-capable.
    pub(crate) const fn send_not_capable(&mut self) {
        self.codepoint = Ecn::NotCapable;
    }

    /// Passage of the IP-ECN field of this side's SYN or SYN/ACK (RFC 9768 §3.2.2.1 and
    /// §3.2.2.3).
    pub(crate) fn hear_of_passage(&mut self, passage: Passage, is_of_syn_ack: bool) {
        let Some(counts) = &mut self.counts else { return };
        match passage {
            Passage::Intact => return,
            Passage::Marked if is_of_syn_ack => counts.note_syn_ack(),
            Passage::Marked | Passage::Mangled => {}
            Passage::Silent => counts.ignores = true,
        }
        self.send_not_capable();
    }

    /// The option of the segment that completed the handshake.
    pub(crate) fn hear_of_bytes(&mut self, option: Option<&EcnBytes>) {
        if let (Some(counts), Some(option)) = (&mut self.counts, option) {
            counts.read_first_option(option);
        }
    }

    /// A segment reports marks. True if there are some to answer.
    pub(crate) fn hear_of_marks(&mut self, report: &MarkReport, arrived: &Arrived) -> bool {
        let Some(counts) = &mut self.counts else { return false };
        let marked = counts.read(report, arrived);
        if counts.distrusts {
            self.codepoint = Ecn::NotCapable;
        }
        if counts.ignores {
            return false;
        }
        self.news.packets += marked.packets;
        self.news.bytes += marked.bytes;
        marked.packets > 0
    }

    /// Marks since the last call.
    pub(crate) fn take_marked(&mut self) -> Marked {
        std::mem::take(&mut self.news)
    }

    /// Packets marked so far, according to the peer.
    pub(crate) fn marked_packets(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.packets())
    }

    /// An acknowledgement up to `una` told of congestion when `max` had been sent: true if it is
    /// the first of its window of data.
    pub(crate) fn on_echo(&mut self, una: u64, max: u64) -> bool {
        let news = (self.confirms || self.counts.is_some())
            && self.reduced.is_none_or(|reduced| una > reduced);
        if news {
            self.on_reduction(max);
            self.by_mark = true;
        }
        news
    }

    /// The window shrank for a loss, when `max` had been sent.
    pub(crate) const fn on_reduction(&mut self, max: u64) {
        self.reduced = Some(max);
        self.by_mark = false;
        self.cwr = self.confirms;
    }

    /// True if a mark has reduced the window in the window of data that `una` is of: a loss is of
    /// the same congestion.
    pub(crate) fn has_answered(&self, una: u64) -> bool {
        self.by_mark && self.reduced.is_some_and(|reduced| una <= reduced)
    }

    /// Codepoint of new data (RFC 3168 §6.1.2); retransmissions, probes and acknowledgements carry
    /// nothing (§6.1.4 to 6.1.6).
    pub(crate) const fn codepoint(&self) -> Ecn {
        self.codepoint
    }

    /// True once for each reduction.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reduction_for_each_window_of_data() {
        let mut ecn = EcnSender::default();
        assert!(!ecn.on_echo(0, 10), "not agreed upon");
        ecn.start(EcnFeedback::Classic, Ecn::Capable, 1_000);
        assert!(ecn.on_echo(2, 10) && ecn.take_cwr());
        assert!(!ecn.on_echo(10, 20) && !ecn.take_cwr());
        assert!(ecn.on_echo(11, 21));
        assert!(ecn.has_answered(21) && !ecn.has_answered(22));
        ecn.on_reduction(30);
        assert!(!ecn.on_echo(30, 40) && !ecn.has_answered(30), "a loss has done it");
    }

    #[test]
    fn with_accurate_ecn_the_peer_hears_of_no_reduction() {
        let mut ecn = EcnSender::default();
        ecn.start(EcnFeedback::Accurate, Ecn::L4s, 1_000);
        assert!(ecn.on_echo(2, 10) && !ecn.take_cwr());
        assert_eq!(ecn.codepoint(), Ecn::L4s);
    }

    #[test]
    fn what_the_handshake_found_mangled_is_not_sent() {
        let check = |passage, is_of_syn_ack, expect| {
            let mut ecn = EcnSender::default();
            ecn.start(EcnFeedback::Accurate, Ecn::Capable, 1_000);
            ecn.hear_of_passage(passage, is_of_syn_ack);
            let report = MarkReport { ace: 7, bytes: None };
            let arrived = Arrived { packets: 3, bytes: 3_000, advances: true };
            let answers = ecn.hear_of_marks(&report, &arrived);
            assert_eq!((ecn.codepoint(), answers, ecn.marked_packets()), expect, "{passage:?}");
        };
        check(Passage::Intact, true, (Ecn::Capable, true, 2));
        check(Passage::Mangled, true, (Ecn::NotCapable, true, 2));
        check(Passage::Marked, false, (Ecn::NotCapable, true, 2));
        check(Passage::Marked, true, (Ecn::NotCapable, true, 2));
        check(Passage::Silent, true, (Ecn::NotCapable, false, 2));
    }
}
