//! The three-way handshake (RFC 9293 §3.5) and what both sides agree upon in it.

use base::{Ecn, Flags, Options, Seq, TcpHeader, Time, Timestamps};
use cc::EcnFeedback;
use observe::{Context, Observe, TcpFact};

use crate::ecn_counters::Occasion;
use crate::ecn_setup::{self, Passage};
use crate::timestamps::clock;
use crate::{
    AckDue, Agreement, Config, Endpoint, Event, Offers, Payload, Reports, Segment,
    SpuriousTimeouts, State,
};

/// The segment size of a peer that names none (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

/// The largest window that a header can name.
const WINDOW_FIELD_MAX: u32 = 65_535;

/// The largest shift (RFC 7323 §2.3).
const SCALE_MAX: u8 = 14;

/// One side's SYN and what the peer's said.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) isn: Seq,
    opening: Opening,
    /// True if the SYN is to be sent now.
    pub(crate) due: bool,
    /// When it is to be retransmitted.
    pub(crate) deadline: Option<Time>,
    transmissions: u32,
    /// When it was sent first.
    first_sent: Time,
    /// The shift that this side's receive buffer needs.
    scale: u8,
    /// What this side offers.
    offers: Offers,
    /// What the peer's SYN said, once it has come.
    peer: Option<PeerSyn>,
    /// The IP-ECN field of the newest SYN of the peer (RFC 9768 §3.1.5).
    peer_ecn: Ecn,
    /// True if a SYN came, or was answered, without the flags of accurate ECN, though that was
    /// agreed upon (RFC 9768 §3.1.5).
    has_fallen_back: bool,
    /// The IP-ECN field of a SYN/ACK whose acknowledgement is to say it (RFC 9768 §3.2.2.1).
    reflects: Option<Ecn>,
}

/// Transmissions of a SYN, or of the answer to one, that ask for accurate ECN: the others may get
/// through where those do not (RFC 9768 §3.1.4.1, §3.2.3.2.2).
const ACCURATE_TRANSMISSIONS: u32 = 2;

/// Who opens a connection (RFC 9293 §3.9.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opening {
    /// This side, whatever the peer does meanwhile.
    Active,
    /// The peer.
    Passive,
}

/// What a peer's SYN, or its answer to one, says.
#[derive(Clone, Copy, Debug)]
struct PeerSyn {
    mss: u32,
    /// At most [`SCALE_MAX`].
    window_scale: Option<u8>,
    /// What it offers of what this side does.
    agreed: Offers,
}

impl PeerSyn {
    /// The SYN with this `header`, to a side that offers `ours`.
    fn read(header: &TcpHeader, ours: Offers) -> Self {
        let Options { mss, window_scale, sack_permitted, timestamps, .. } = header.options;
        let theirs = Offers {
            sack: sack_permitted,
            timestamps: timestamps.is_some(),
            ecn: ecn_setup::agreed(ours.ecn, header.flags),
        };
        Self {
            mss: mss.map_or(DEFAULT_MSS, u32::from),
            window_scale: window_scale.map(|scale| scale.min(SCALE_MAX)),
            agreed: ours.and(theirs),
        }
    }
}

impl Handshake {
    pub(crate) fn new(isn: Seq, opening: Opening, config: &Config) -> Self {
        let receive_buffer = config.receive_bytes();
        let scale = (0..SCALE_MAX).find(|&scale| receive_buffer >> scale <= WINDOW_FIELD_MAX);
        Self {
            isn,
            opening,
            due: opening == Opening::Active,
            deadline: None,
            transmissions: 0,
            first_sent: Time::ZERO,
            scale: scale.unwrap_or(SCALE_MAX),
            offers: config.offers(),
            peer: None,
            peer_ecn: Ecn::NotCapable,
            has_fallen_back: false,
            reflects: None,
        }
    }

    /// The flags of the SYN, or of the answer to one, that is about to leave.
    fn ecn_flags(&mut self, feedback: EcnFeedback) -> Flags {
        let is_accurate = feedback == EcnFeedback::Accurate;
        if is_accurate && self.transmissions > ACCURATE_TRANSMISSIONS {
            self.has_fallen_back |= self.peer.is_some();
            return Flags::NONE;
        }
        if self.peer.is_some() {
            ecn_setup::answer(feedback, self.peer_ecn)
        } else {
            ecn_setup::ask(feedback)
        }
    }

    /// The flags by which a pure acknowledgement says what a SYN/ACK carried, once.
    pub(crate) fn take_reflection(&mut self) -> Option<Flags> {
        self.reflects.take().map(ecn_setup::reflection)
    }

    /// A SYN/ACK arrives, the first or another, that agrees upon accurate ECN.
    pub(crate) fn reflect(&mut self, ecn: Ecn) {
        if self.agreed().ecn == EcnFeedback::Accurate {
            self.reflects = Some(ecn);
        }
    }

    /// The shift of this side's window, if both sides offered one (RFC 7323 §2.2).
    fn agreed_scale(&self) -> Option<u8> {
        let offered = self.peer.is_some_and(|peer| peer.window_scale.is_some());
        // An active opener offers none unless it needs one; a passive one always answers an offer.
        offered.then_some(self.scale)
    }

    /// The shift of the peer's window.
    #[inline]
    pub(crate) fn peer_scale(&self) -> u8 {
        self.peer.and_then(|peer| peer.window_scale).unwrap_or(0)
    }

    /// What both sides offered (RFC 2018 §2, RFC 7323 §1.3, RFC 3168 §6.1.1).
    #[inline]
    pub(crate) fn agreed(&self) -> Offers {
        self.peer.map_or(Offers::NONE, |peer| peer.agreed)
    }

    /// What a SYN offers: everything, or, in answer to the peer's SYN, what that offers as well.
    fn offered(&self) -> Offers {
        if self.peer.is_some() { self.agreed() } else { self.offers }
    }

    /// What to offer: window scale only where the buffer needs it or the peer asks for it, so
    /// that an ordinary SYN stays short.
    fn offered_scale(&self) -> Option<u8> {
        match self.peer {
            None => (self.scale > 0).then_some(self.scale),
            Some(_) => self.agreed_scale(),
        }
    }
}

impl<P: Payload> Endpoint<P> {
    /// The SYN, or the SYN and acknowledgement.
    pub(crate) fn syn(&mut self, now: Time) -> Segment<P> {
        let handshake = &mut self.handshake;
        handshake.due = false;
        handshake.transmissions += 1;
        if handshake.transmissions == 1 {
            handshake.first_sent = now;
        }
        handshake.deadline = Some(now + self.sender.timer.current());
        let (isn, offered) = (handshake.isn, handshake.offered());
        let mss = self.config.mss + option_bytes(offered);
        let first = Timestamps { value: clock(now), echo: 0 };
        let mut options = Options {
            mss: Some(mss.min(u32::from(u16::MAX)) as u16),
            window_scale: handshake.offered_scale(),
            sack_permitted: offered.sack,
            timestamps: offered.timestamps.then(|| self.receiver.timestamps(now).unwrap_or(first)),
            ..Options::default()
        };
        let answers = handshake.peer.is_some();
        let flags = if answers { Flags::SYN | Flags::ACK } else { Flags::SYN };
        let setup = handshake.ecn_flags(offered.ecn);
        // RFC 9768 §3.2.3.2: an option that may keep the answer from getting through is not sent
        // again.
        let tests = answers && handshake.transmissions == 1;
        let ack = if answers { self.receiver.next_seq() } else { Seq::new(0) };
        if tests {
            let room = Options::ROOM - options.bytes();
            options.ecn_bytes = self.receiver.take_ecn_bytes(Occasion::News, room);
        }
        let window = self.receiver.syn_window();
        let header = self.bare_header(isn, flags | setup);
        Segment { header: TcpHeader { ack, window, options, ..header }, ..Segment::default() }
    }

    /// A segment in LISTEN (RFC 9293 §3.10.7.2).
    pub(crate) fn listen_in(&mut self, now: Time, segment: &Segment<P>) {
        if segment.has(Flags::RST) {
            return;
        }
        if segment.has(Flags::ACK) {
            self.refuse(segment);
        } else if segment.has(Flags::SYN) {
            self.receive_syn(now, segment);
        }
    }

    /// A segment in SYN-SENT (RFC 9293 §3.10.7.3).
    pub(crate) fn syn_sent_in(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        let acknowledged = segment.has(Flags::ACK);
        if acknowledged && segment.header.ack != self.handshake.isn + 1 {
            if !segment.has(Flags::RST) {
                self.refuse(segment);
            }
            return;
        }
        if segment.has(Flags::RST) {
            if acknowledged {
                self.advance(cx, Event::Abort);
            }
            return;
        }
        if !segment.has(Flags::SYN) {
            return;
        }
        self.receive_syn(cx.now, segment);
        if acknowledged {
            self.establish(cx, segment);
            self.handshake.reflect(segment.ecn);
            self.receiver.note_syn_ack(segment.ecn);
            let says_more = self.handshake.reflects.is_some();
            self.receiver.ack = if says_more { AckDue::Alone } else { AckDue::Now };
        }
    }

    /// True for the peer's SYN once more, or for its answer when both opened at once.
    pub(crate) fn again_a_syn(&self, segment: &Segment<P>) -> bool {
        segment.has(Flags::SYN)
            && !segment.has(Flags::RST)
            && segment.header.seq + 1 == self.receiver.next_seq()
    }

    /// The peer's SYN came again, and is answered again. One that asks otherwise for ECN leaves it
    /// open what the peer will do (RFC 9768 §3.1.5).
    pub(crate) fn answer_syn_again(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        segment: &Segment<P>,
    ) {
        let handshake = &mut self.handshake;
        handshake.due = true;
        handshake.peer_ecn = segment.ecn;
        let asked = ecn_setup::agreed(handshake.offers.ecn, segment.header.flags);
        match (handshake.agreed().ecn, asked) {
            (EcnFeedback::Accurate, EcnFeedback::Classic)
            | (EcnFeedback::Classic, EcnFeedback::Accurate) => self.abort(cx),
            (EcnFeedback::Accurate, EcnFeedback::Off) => handshake.has_fallen_back = true,
            (EcnFeedback::Off | EcnFeedback::Classic | EcnFeedback::Accurate, _) => {}
        }
    }

    /// RFC 9293 §3.10.7.4, second and fourth check: a reset, or another SYN, before the connection
    /// is established. A listener listens again, and its application is not notified. True if so.
    pub(crate) fn listen_again(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        let waits = self.state == State::SynReceived && self.handshake.opening == Opening::Passive;
        if waits {
            self.receiver = Self::fresh_receiver(self.sender.id, &self.config);
            self.handshake = Handshake::new(self.handshake.isn, Opening::Passive, &self.config);
            self.sender.timer.reset();
            self.advance(cx, Event::Withdraw);
            if self.sender.is_closed() {
                self.advance(cx, Event::Close);
            }
        }
        waits
    }

    /// This side's SYN was acknowledged: the connection is established. False if `segment`
    /// acknowledges something else.
    pub(crate) fn establish(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        segment: &Segment<P>,
    ) -> bool {
        if segment.header.ack != self.handshake.isn + 1 {
            self.refuse(segment);
            return false;
        }
        let handshake = &mut self.handshake;
        handshake.due = false;
        handshake.deadline = None;
        // Karn's algorithm; RFC 6298 §5.7; RFC 5681 §3.1: one segment after a lost SYN.
        let initial_window = if self.first_syn_arrived(segment) {
            if self.config.times_handshake() {
                let rtt = cx.now - self.handshake.first_sent;
                self.sender.time_handshake(cx.now, rtt);
            }
            self.config.first_window()
        } else {
            self.sender.timer.restart_after_lost_syn();
            1
        };
        self.receiver.agree_on_scale(self.handshake.agreed_scale());
        let scale = if segment.has(Flags::SYN) { 0 } else { self.handshake.peer_scale() };
        let window = u64::from(segment.header.window) << scale;
        let local_isn = self.handshake.isn;
        self.advance(cx, Event::SynAcknowledged);
        cx.tcp(self.sender.id, TcpFact::Established { local_isn });
        let Offers { sack, ecn, .. } = self.handshake.agreed();
        let mss = self.full_segment();
        let passage = self.passage(segment);
        // RFC 9768 §3.2.2.2: congestion to answer; RFC 5562 §4 says how.
        let initial_window = if passage == Passage::Marked { 1 } else { initial_window };
        let agreement = Agreement { mss, window, initial_window, sack, ecn };
        self.sender.start(cx, &agreement);
        self.sender.hear_of_handshake(passage, segment, self.handshake.has_fallen_back);
        if self.sender.is_closed() {
            self.advance(cx, Event::Close);
        }
        true
    }

    /// What `segment`, which acknowledges this side's SYN, says of its IP-ECN field.
    fn passage(&self, segment: &Segment<P>) -> Passage {
        if self.handshake.agreed().ecn != EcnFeedback::Accurate {
            Passage::Intact
        } else if segment.has(Flags::SYN) {
            Passage::of_syn(segment.header.flags)
        } else if reflects_syn_ack(segment) {
            Passage::of_syn_ack(segment.header.flags)
        } else {
            Passage::Intact
        }
    }

    /// Whether `segment`, which acknowledges this side's SYN, answers the first transmission: it
    /// was the only one, or the timestamp says so (RFC 7323 §4.1, RFC 3522 §3.2). Where handshakes
    /// are not timed, nothing would end the back-off: a SYN that was sent again counts as lost.
    fn first_syn_arrived(&self, segment: &Segment<P>) -> bool {
        let Handshake { transmissions, first_sent, .. } = self.handshake;
        let detects = self.config.spurious_timeouts != SpuriousTimeouts::Unseen
            && self.config.times_handshake();
        let echo = segment.header.options.timestamps.map(|timestamps| timestamps.echo);
        transmissions == 1
            || detects && self.handshake.agreed().timestamps && echo == Some(clock(first_sent))
    }

    /// Retransmits the SYN, or gives up.
    pub(crate) fn handshake_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        if self.handshake.deadline.is_none_or(|deadline| deadline > cx.now) {
            return;
        }
        self.handshake.deadline = None;
        if self.sender.timer.gives_up_after(self.handshake.transmissions) {
            self.advance(cx, Event::Abort);
            return;
        }
        let rto = self.sender.timer.current();
        cx.tcp(self.sender.id, TcpFact::Timeout { offset: 0, rto });
        self.sender.timer.back_off();
        self.handshake.due = true;
    }

    /// Payload bytes of a full segment to the peer. Its MSS counts the options that each segment
    /// carries (RFC 6691, RFC 9293 §3.7.1).
    fn full_segment(&self) -> u32 {
        let options = option_bytes(self.handshake.agreed());
        let peer = self.handshake.peer.map_or(DEFAULT_MSS, |peer| peer.mss);
        let peer = peer.max(self.config.min_mss);
        self.config.mss.min(peer.saturating_sub(options)).max(1)
    }

    fn receive_syn(&mut self, now: Time, segment: &Segment<P>) {
        self.receiver.start(segment.header.seq + 1);
        let offers = self.handshake.offers;
        self.handshake.peer = Some(PeerSyn::read(&segment.header, offers));
        self.handshake.peer_ecn = segment.ecn;
        let agreed = self.handshake.agreed();
        if agreed.sack {
            let duplicates = self.config.dsack;
            let reports = if duplicates { Reports::BlocksAndDuplicates } else { Reports::Blocks };
            self.receiver.agree_on_sack(reports);
        }
        if agreed.timestamps
            && let Some(Timestamps { value, .. }) = segment.header.options.timestamps
        {
            self.receiver.agree_on_timestamps(now, value);
        }
        self.receiver.agree_on_ecn(agreed.ecn);
        if !segment.has(Flags::ACK)
            && let Some(next) = self.state.after(Event::Syn)
        {
            self.state = next;
            self.handshake.due = true;
            self.handshake.transmissions = 0;
        }
    }
}

/// Whether the first acknowledgement of a SYN/ACK says in its ACE field how that arrived, instead
/// of counting marks (RFC 9768 §3.2.2.1).
pub(crate) fn reflects_syn_ack<P: Payload>(segment: &Segment<P>) -> bool {
    segment.numbers() == 0 && segment.header.options.sack.is_empty()
}

/// Bytes of options in each segment. The MSS that a SYN names leaves room for them, so that the
/// payload of a full segment is the configured one.
pub(crate) const fn option_bytes(offers: Offers) -> u32 {
    if offers.timestamps { Timestamps::BYTES } else { 0 }
}
