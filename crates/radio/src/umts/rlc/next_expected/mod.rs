//! The recovery of the UMTS module that Hynderick and Raes 2004 repaired (§III.B): feedback names
//! the PDU expected next, and a recovery time-out repeats what is not answered.
//!
//! Its text describes the recovery without an algorithm. What it leaves open is decided in
//! `docs/models/umts-rlc-next-expected.md`, which compares possible readings with its results.

mod receiver;
mod sender;

use base::Time;

pub(crate) use receiver::Expected;
use receiver::Receiver;
use sender::Sender;

use super::segmentation::{Sdus, Segmentation};
use super::{Control, RlcConfig, Traffic};
use crate::umts::mac::TransportBlocks;

/// How SDUs are cut and delivered. The header tells where an SDU ends: there are no length
/// indicators.
pub(crate) const fn segmentation(config: &RlcConfig) -> Segmentation {
    Segmentation {
        payload: config.pdu_payload,
        length_indicator: 0,
        concatenation: false,
        max_ends: 1,
        in_order: config.in_order,
    }
}

/// One end: it sends the SDUs of one direction and receives those of the other.
#[derive(Debug)]
pub(crate) struct Entity {
    sender: Sender,
    receiver: Receiver,
}

impl Entity {
    pub(crate) fn new(config: &RlcConfig) -> Self {
        Self { sender: Sender::new(config), receiver: Receiver::new(config) }
    }

    /// How many PDUs wait to be sent again.
    pub(crate) fn to_send_again(&self) -> u32 {
        self.sender.to_send_again()
    }

    /// Fills a TTI: feedback, then data.
    pub(crate) fn fill(&mut self, traffic: &mut Traffic<'_>, blocks: &mut TransportBlocks) {
        self.receiver.fill(traffic.peer, blocks);
        self.sender.fill(traffic.own, blocks);
    }

    /// Takes in a TTI that ended at `now`, without the blocks in error.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        blocks: &TransportBlocks,
        traffic: &mut Traffic<'_>,
    ) {
        for (place, control) in (0..).zip(&blocks.control) {
            if let Control::Expected(expected) = control
                && blocks.errors.from(place) & 1 == 0
            {
                self.sender.handle_feedback(expected);
            }
        }
        for (place, run) in blocks.runs() {
            self.receiver.handle_data(now, run, blocks.errors.from(place), traffic.peer);
        }
    }

    /// When there will be something to send, `now` at the earliest.
    pub(crate) fn poll_timeout(&self, now: Time, own: &Sdus) -> Option<Time> {
        Time::earlier(self.sender.poll_timeout(now, own), self.receiver.poll_timeout(now))
    }

    /// Re-establishes the entity: what has been sent in part is given up.
    pub(crate) fn establish(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        traffic.own.reset(now);
        self.sender.reset();
        self.receiver.reset();
    }
}

#[cfg(test)]
mod tests {
    use base::Duration;

    use super::*;
    use crate::umts::rlc::Arq;
    use crate::umts::rlc::testing::{self, at, show, tti};

    /// Two ends, of which one sends packets of 4 PDUs, 5 blocks a TTI of 10 ms.
    struct Harness {
        sender: Entity,
        receiver: Entity,
        forth: Sdus,
        back: Sdus,
    }

    fn config() -> RlcConfig {
        RlcConfig {
            arq: Arq::NextExpected,
            pdu_payload: 60,
            recovery_timeout: Duration::from_millis(60),
            retransmissions_first: false,
            ..RlcConfig::default()
        }
    }

    impl Harness {
        fn new(config: &RlcConfig, packets: usize) -> Self {
            let forth = testing::sdus(config, std::iter::repeat_n(240, packets));
            let back = testing::sdus(config, []);
            let (sender, receiver) = (Entity::new(config), Entity::new(config));
            Self { sender, receiver, forth, back }
        }

        /// The TTI that starts at `millis` and loses `lost`: its blocks, and the packets that come
        /// out (`+`) or are given up (`-`) at its end.
        fn send(&mut self, millis: u64, lost: &[u64]) -> String {
            let mut blocks = tti(millis, 5);
            let mut traffic = Traffic { own: &mut self.forth, peer: &mut self.back };
            self.sender.fill(&mut traffic, &mut blocks);
            testing::lose(&mut blocks, lost);
            let mut traffic = Traffic { own: &mut self.back, peer: &mut self.forth };
            self.receiver.receive(at(millis + 10), &blocks, &mut traffic);
            show(&blocks) + &self.outcomes()
        }

        /// The feedback of the TTI that starts at `millis`: what it expects next, and asks for.
        fn answer(&mut self, millis: u64) -> String {
            let mut blocks = tti(millis, 5);
            let mut traffic = Traffic { own: &mut self.back, peer: &mut self.forth };
            self.receiver.fill(&mut traffic, &mut blocks);
            let mut traffic = Traffic { own: &mut self.forth, peer: &mut self.back };
            self.sender.receive(at(millis + 10), &blocks, &mut traffic);
            let outcomes = self.outcomes();
            let show = |control: &Control| match control {
                Control::Expected(Expected { next, asked }) => {
                    let asked: Vec<_> = asked.iter().map(|sn| sn.wire()).collect();
                    format!("{}: {asked:?}", next.wire())
                }
                other => format!("{other:?}"),
            };
            blocks.control.iter().map(show).collect::<Vec<_>>().join(" ") + &outcomes
        }

        fn outcomes(&mut self) -> String {
            testing::outcomes(&mut self.forth)
        }

        fn wakes(&self, millis: u64) -> Option<Time> {
            self.receiver.poll_timeout(at(millis), &self.back)
        }
    }

    /// A gap is asked for at once, and its repair waits for the packet that is being sent.
    #[test]
    fn a_retransmission_waits_behind_the_packet_that_is_being_sent() {
        let mut ends = Harness::new(&config(), 3);
        assert_eq!(ends.send(0, &[1]), "0-3 4");
        assert_eq!(ends.answer(10), "1: [1]");
        assert_eq!(ends.send(20, &[]), "5-7 r1 8 +0 +1");
        assert_eq!(ends.answer(30), "", "nothing is missing");
        assert_eq!(ends.send(30, &[]), "9-11 +2");
        assert_eq!(ends.wakes(40), None, "a complete transfer asks for nothing");
    }

    #[test]
    fn or_goes_first() {
        let config = RlcConfig { retransmissions_first: true, ..config() };
        let mut ends = Harness::new(&config, 2);
        assert_eq!(ends.send(0, &[1]), "0-3 4");
        assert_eq!(ends.answer(10), "1: [1]");
        assert_eq!(ends.send(20, &[]), "r1 5-7 +0 +1");
    }

    /// Each missing PDU is asked for again when the time-out has passed since it was last.
    #[test]
    fn requests_are_repeated_after_the_time_out() {
        let mut ends = Harness::new(&config(), 2);
        assert_eq!(ends.send(0, &[0, 2]), "0-3 4");
        assert_eq!(ends.answer(10), "0: [0, 2]");
        assert_eq!(ends.send(20, &[0]), "5-7 r0 r2");
        assert_eq!(ends.wakes(30), Some(at(70)));
        assert_eq!(ends.answer(60), "");
        assert_eq!(ends.answer(70), "0: [0]");
        assert_eq!(ends.answer(130), "0: [0]");
        assert_eq!(ends.send(140, &[]), "r0 +0 +1", "asked for twice, sent once");
        assert_eq!(ends.wakes(150), None);
    }

    /// Silence within a packet is a loss; after its last PDU it is not.
    #[test]
    fn a_lost_end_is_asked_for_only_within_a_packet() {
        let mut ends = Harness::new(&config(), 1);
        assert_eq!(ends.send(0, &[2, 3]), "0-3");
        assert_eq!(ends.wakes(10), Some(at(70)));
        assert_eq!(ends.answer(70), "2: [2]");
        assert_eq!(ends.send(80, &[]), "r2");
        assert_eq!(ends.answer(150), "3: [3]");
        assert_eq!(ends.send(160, &[]), "r3 +0");
        assert_eq!(ends.wakes(170), None);
        let mut ends = Harness::new(&config(), 1);
        assert_eq!(ends.send(0, &[0, 1, 2, 3]), "0-3");
        assert_eq!(ends.wakes(10), None, "no one knows of it");
    }

    #[test]
    fn what_is_not_yet_sent_is_not_sent_again() {
        let mut ends = Harness::new(&config(), 2);
        assert_eq!(ends.send(0, &[]), "0-3 4 +0");
        assert_eq!(ends.answer(70), "5: [5]", "the channel was away");
        assert_eq!(ends.send(80, &[]), "5-7 +1");
    }

    #[test]
    fn out_of_sequence_a_whole_packet_does_not_wait() {
        let mut ends = Harness::new(&RlcConfig { in_order: false, ..config() }, 3);
        assert_eq!(ends.send(0, &[1]), "0-3 4");
        assert_eq!(ends.answer(10), "1: [1]");
        assert_eq!(ends.send(20, &[1]), "5-7 r1 8 +1");
        assert_eq!(ends.send(30, &[]), "9-11 +2");
        assert_eq!(ends.answer(70), "1: [1]");
        assert_eq!(ends.send(80, &[]), "r1 +0");
    }

    /// Asked for once in vain, a PDU is given up with its packet; the next ones go on.
    #[test]
    fn the_limit_discards_the_packet() {
        let mut ends = Harness::new(&RlcConfig { max_retransmissions: Some(1), ..config() }, 3);
        assert_eq!(ends.send(0, &[1, 2]), "0-3 4");
        assert_eq!(ends.answer(10), "1: [1, 2]");
        assert_eq!(ends.send(20, &[1]), "5-7 r1-2");
        assert_eq!(ends.send(30, &[]), "8-11");
        assert_eq!(ends.answer(70), " -0 +1 +2");
        assert_eq!(ends.wakes(80), None);
        let mut ends = Harness::new(&RlcConfig { max_retransmissions: Some(0), ..config() }, 1);
        assert_eq!(ends.send(0, &[3]), "0-3");
        assert_eq!(ends.answer(70), " -0", "an end that never comes");
    }

    /// Duplicates of what has arrived are cleared away, and ask for nothing.
    #[test]
    fn duplicates_are_cleared() {
        let mut ends = Harness::new(&config(), 1);
        assert_eq!(ends.send(0, &[1]), "0-3");
        assert_eq!(ends.answer(10), "1: [1]");
        let mut twice = tti(20, 5);
        for _ in 0..2 {
            twice.push_again(crate::umts::rlc::Sn::new(1), false);
        }
        let mut traffic = Traffic { own: &mut ends.back, peer: &mut ends.forth };
        ends.receiver.receive(at(30), &twice, &mut traffic);
        assert_eq!(ends.outcomes(), " +0");
        assert_eq!(ends.wakes(30), None);
    }

    #[test]
    fn at_another_place_the_rest_is_sent_again_whole() {
        let mut ends = Harness::new(&config(), 3);
        assert_eq!(ends.send(0, &[]), "0-3 4 +0");
        ends.forth.restart(at(10));
        let mut traffic = Traffic { own: &mut ends.forth, peer: &mut ends.back };
        ends.sender.establish(at(10), &mut traffic);
        ends.back.restart(at(10));
        let mut traffic = Traffic { own: &mut ends.back, peer: &mut ends.forth };
        ends.receiver.establish(at(10), &mut traffic);
        assert_eq!(ends.send(20, &[]), "0-3 4 +1");
        assert_eq!(ends.send(30, &[]), "5-7 +2");
    }
}
