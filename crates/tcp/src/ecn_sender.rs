//! Explicit congestion notification, the sending half (RFC 3168 §6.1).

use base::Ecn;

/// What a sender knows of ECN on its connection.
#[derive(Debug, Default)]
pub(crate) struct EcnSender {
    /// True if the handshake agreed upon it.
    agreed: bool,
    /// What had been sent when the window was last reduced for a mark: marks of the same window
    /// of data are one (§6.1.2).
    reduced: Option<u64>,
    /// True if the next new segment carries CWR.
    cwr: bool,
}

impl EcnSender {
    pub(crate) const fn start(&mut self, agreed: bool) {
        self.agreed = agreed;
    }

    /// An acknowledgement up to `una` echoed congestion when `max` had been sent: true if it is
    /// the first of its window of data.
    pub(crate) fn on_echo(&mut self, una: u64, max: u64) -> bool {
        let news = self.agreed && self.reduced.is_none_or(|reduced| una > reduced);
        if news {
            self.on_reduction(max);
        }
        news
    }

    /// The window shrank, for a mark or for a loss, when `max` had been sent.
    pub(crate) const fn on_reduction(&mut self, max: u64) {
        self.reduced = Some(max);
        self.cwr = self.agreed;
    }

    /// What new data carry (§6.1.2); retransmissions, probes and acknowledgements carry nothing
    /// (§6.1.4 to 6.1.6).
    pub(crate) const fn codepoint(&self) -> Ecn {
        if self.agreed { Ecn::Capable } else { Ecn::NotCapable }
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
        ecn.start(true);
        assert!(ecn.on_echo(2, 10) && ecn.take_cwr());
        assert!(!ecn.on_echo(10, 20) && !ecn.take_cwr());
        assert!(ecn.on_echo(11, 21));
        ecn.on_reduction(30);
        assert!(!ecn.on_echo(30, 40), "a loss has done it");
    }
}
