//! A TCP endpoint: one side of one connection (RFC 9293).

use std::sync::Arc;

use base::{Flags, Options, SackBlocks, Seq, TcpHeader, Time, Timestamps};
use cc::Clocks;
use observe::{Closing, Context, Observe, TcpFact};

use crate::challenge::Challenges;
use crate::close::Reset;
use crate::data_in::Arrival;
use crate::ecn_counters::Occasion;
use crate::handshake::{Handshake, Opening, option_bytes, reflects_syn_ack};
use crate::receiver::AckDue;
use crate::{
    AckOutcome, Acknowledgement, Config, EcnFeedback, Event, Larger, MarkReport, Payload, Receiver,
    Segment, Sender, State, Timeliness,
};

/// One side of a connection.
///
/// After [`Endpoint::handle_segment`], [`Endpoint::handle_timeout`], [`Endpoint::write`],
/// [`Endpoint::read`], [`Endpoint::close`] and [`Endpoint::abort`], poll [`Endpoint::poll_output`]
/// until `None` and then read [`Endpoint::poll_timeout`]. Read what has arrived before polling:
/// then the acknowledgement advertises the room that reading made.
#[derive(Debug)]
pub struct Endpoint<P> {
    pub(crate) config: Arc<Config>,
    pub(crate) state: State,
    local_port: u16,
    remote_port: u16,
    pub(crate) sender: Sender<P>,
    pub(crate) receiver: Receiver<P>,
    pub(crate) handshake: Handshake,
    /// Tells the peer that there is no connection, or that it has ended.
    pub(crate) reset: Option<Reset>,
    challenges: Challenges,
    /// When TIME-WAIT ends.
    pub(crate) time_wait: Option<Time>,
}

impl<P: Payload> Endpoint<P> {
    /// Opens a connection: the SYN is ready to be polled. `id` is the number that observers see,
    /// `isn` the initial sequence number.
    pub fn connect(
        id: u32,
        config: &Arc<Config>,
        local_port: u16,
        remote_port: u16,
        isn: Seq,
    ) -> Self {
        let handshake = Handshake::new(isn, Opening::Active, config);
        Self {
            state: State::SynSent,
            handshake,
            ..Self::listen(id, config, local_port, remote_port, isn)
        }
    }

    /// Waits for the SYN of one connection.
    pub fn listen(
        id: u32,
        config: &Arc<Config>,
        local_port: u16,
        remote_port: u16,
        isn: Seq,
    ) -> Self {
        Self {
            config: Arc::clone(config),
            state: State::Listen,
            local_port,
            remote_port,
            sender: Sender::new(id, config, isn + 1),
            receiver: Self::fresh_receiver(id, config),
            handshake: Handshake::new(isn, Opening::Passive, config),
            reset: None,
            challenges: Challenges::default(),
            time_wait: None,
        }
    }

    /// The receiving half of a connection that is not open yet.
    pub(crate) fn fresh_receiver(id: u32, config: &Config) -> Receiver<P> {
        let buffer = u64::from(config.receive_bytes());
        Receiver::new(id, config.mss, buffer, config.delayed_ack)
            .opening_as(config.receiver)
            .offloading(config.receive_offload)
    }

    /// The number that observers see.
    pub const fn id(&self) -> u32 {
        self.sender.id
    }

    /// The state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// From now on the path takes no segment with more than `bytes` of payload, according to an
    /// ICMP message: see [`Sender::limit_segment`].
    pub fn limit_segment(&mut self, cx: &mut Context<'_, impl Observe>, bytes: u32) {
        self.sender.limit_segment(cx, bytes);
    }

    /// The same in bytes of a whole segment without SACK blocks, header and timestamps included;
    /// what is in flight is retransmitted unless it arrives in fragments. Before the connection is
    /// established it changes nothing.
    pub fn limit_path(&mut self, cx: &mut Context<'_, impl Observe>, bytes: u32, larger: Larger) {
        if !self.state.sends() {
            return;
        }
        let header = TcpHeader::default().bytes() + option_bytes(self.handshake.agreed());
        let bytes = bytes.saturating_sub(header);
        match larger {
            Larger::Lost => self.limit_segment(cx, bytes),
            Larger::InPieces => self.sender.limit_new_segments(bytes),
        }
    }

    /// The path to the peer has changed, as at the end of a handover: see
    /// [`cc::Controller::on_path_change`].
    pub fn on_path_change(&mut self, now: Time) {
        self.sender.on_path_change(now);
    }

    /// Short segments are never held back: see [`Sender::set_no_delay`].
    pub const fn set_no_delay(&mut self) {
        self.sender.set_no_delay();
    }

    /// The sending half.
    pub const fn sender(&self) -> &Sender<P> {
        &self.sender
    }

    /// The receiving half.
    pub const fn receiver(&self) -> &Receiver<P> {
        &self.receiver
    }

    /// Takes in bytes to send. After [`Endpoint::close`] they are ignored.
    pub fn write(&mut self, payload: P) {
        self.sender.write(payload);
    }

    /// Takes a piece of what has arrived in order, and so frees room in the advertised window.
    pub fn read(&mut self) -> Option<P> {
        self.receiver.read()
    }

    /// A segment arrived.
    pub fn handle_segment(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.listen_in(cx.now, segment),
            State::SynSent => self.syn_sent_in(cx, segment),
            State::SynReceived
            | State::Established
            | State::FinWait1
            | State::FinWait2
            | State::CloseWait
            | State::Closing
            | State::LastAck
            | State::TimeWait => self.synchronized_in(cx, segment),
        }
    }

    /// Time has passed. Before the deadline nothing happens.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        self.handshake_timeout(cx);
        self.receiver.handle_timeout(cx.now);
        if self.state.sends() {
            self.sender.handle_timeout(cx);
            if self.sender.is_hopeless() {
                self.advance(cx, Event::Abort);
            }
        }
        if self.time_wait.is_some_and(|end| end <= cx.now) {
            self.advance(cx, Event::Expire);
        }
    }

    /// The next segment to send now, if any.
    #[inline]
    #[must_use]
    pub fn poll_output(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Segment<P>> {
        if let Some(reset) = self.reset.take() {
            return Some(self.resetting(cx.now, &reset));
        }
        if self.handshake.due {
            return Some(self.syn(cx.now));
        }
        if !self.state.is_synchronized() {
            return None;
        }
        if self.receiver.ack_due() == AckDue::Alone {
            return Some(self.acknowledgement(cx.now));
        }
        if self.state.sends()
            && let Some(departure) = self.sender.poll_output(cx)
        {
            let flags = departure.flags | Flags::ACK;
            let mut header = self.header(cx.now, departure.seq, flags);
            if self.receiver.counts_marks() {
                let length = departure.payload.length();
                let room = u64::from(self.sender.mss()).saturating_sub(length) as u32;
                let room = room.min(Options::ROOM - header.options.bytes());
                header.options.ecn_bytes = self.receiver.take_ecn_bytes(Occasion::News, room);
            }
            return Some(Segment { header, payload: departure.payload, ecn: departure.ecn });
        }
        (self.receiver.ack_due() == AckDue::Now).then(|| self.acknowledgement(cx.now))
    }

    /// When [`Endpoint::handle_timeout`] is due; `None` is never.
    #[inline]
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        match self.state {
            State::Closed | State::Listen => None,
            State::SynSent | State::SynReceived => self.handshake.deadline,
            State::FinWait2 | State::TimeWait => {
                Time::earlier(self.time_wait, self.receiver.poll_timeout())
            }
            State::Established
            | State::FinWait1
            | State::CloseWait
            | State::Closing
            | State::LastAck => {
                Time::earlier(self.sender.poll_timeout(), self.receiver.poll_timeout())
            }
        }
    }

    /// RFC 9293 §3.10.7.4, in its order.
    fn synchronized_in(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        if !self.is_timely(cx.now, segment) {
            return;
        }
        if self.state == State::SynReceived && self.again_a_syn(segment) {
            if !segment.has(Flags::ACK) {
                self.answer_syn_again(cx, segment);
                return;
            }
        } else if !self.is_acceptable(segment) {
            self.answer_unacceptable(cx, segment);
            return;
        } else if segment.has(Flags::RST) {
            self.reset_in(cx, segment);
            return;
        } else if segment.has(Flags::SYN) {
            // RFC 5961 §4: a challenge, whatever the number.
            if !self.listen_again(cx) {
                self.challenge(cx.now);
            }
            return;
        }
        if !segment.has(Flags::ACK) {
            return;
        }
        let opens = self.state == State::SynReceived;
        if opens && !self.establish(cx, segment) {
            return;
        }
        // RFC 5961 §5: before anything of it counts, or its timestamp would make all others old.
        if self.sender.judge(segment.header.ack) == AckOutcome::Unacceptable {
            self.challenge(cx.now);
            return;
        }
        let Segment { header, .. } = segment;
        self.receiver.take_timestamps(cx.now, header.seq, header.options.timestamps);
        self.tell_clocks(segment);
        let mut acknowledgement = self.acknowledgement_of(segment);
        if opens && reflects_syn_ack(segment) {
            acknowledgement.marks = None;
        }
        self.ack_in(cx, &acknowledgement);
        self.data_in(cx, segment);
        if segment.has(Flags::SYN) {
            self.receiver.note_syn_ack(segment.ecn);
        } else {
            let length = segment.payload.length() as u32;
            self.receiver.count_arrival(cx.now, segment.ecn, length);
        }
    }

    /// RFC 7323 §5.3, R1, ahead of the first check; false if the segment is to be dropped.
    fn is_timely(&mut self, now: Time, segment: &Segment<P>) -> bool {
        if segment.has(Flags::RST) {
            return true;
        }
        match self.receiver.timeliness(now, segment.header.options.timestamps) {
            Timeliness::Timely => true,
            Timeliness::Unstamped => false,
            Timeliness::Old => {
                self.answer(now, segment);
                false
            }
        }
    }

    /// RFC 9293 §3.10.7.4, first check. At a closed window, a segment right before it may still
    /// bring an acknowledgement or a reset.
    fn is_acceptable(&self, segment: &Segment<P>) -> bool {
        let start = i64::from(segment.header.seq.distance(self.receiver.next_seq()));
        let end = start + i64::from(segment.numbers());
        start < i64::from(self.receiver.window().max(1)) && (end > 0 || start == 0)
    }

    /// An old or stray segment: acknowledged, so that a peer out of step learns where things are.
    /// What an old one acknowledges counts all the same (as in BSD): two sides that each consider
    /// the other's segments old would otherwise never recover.
    fn answer_unacceptable(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        if segment.has(Flags::RST) {
            return;
        }
        if segment.has(Flags::FIN) && self.state == State::TimeWait {
            self.time_wait = Some(cx.now + self.config.time_wait);
        }
        let old = segment.has(Flags::ACK)
            && !segment.has(Flags::SYN)
            && segment.header.seq.before(self.receiver.next_seq());
        if segment.has(Flags::SYN | Flags::ACK) && segment.header.seq + 1 == self.receiver.first {
            self.handshake.reflect(segment.ecn);
        }
        let acknowledgement = self.acknowledgement_of(segment);
        self.answer(cx.now, segment);
        // Neither its FIN nor its mark counts (RFC 3168 §6.1.5).
        let arrival = Arrival {
            seq: segment.header.seq,
            payload: segment.payload.clone(),
            ..Arrival::default()
        };
        self.receiver.handle_data(cx, &arrival);
        let acceptable = self.sender.judge(acknowledgement.ack) == AckOutcome::Accepted;
        if old && self.state != State::SynReceived && acceptable {
            self.ack_in(cx, &Acknowledgement { pure: false, ..acknowledgement });
        }
    }

    /// Gives congestion control both clocks, where timestamps were agreed upon.
    fn tell_clocks(&mut self, segment: &Segment<P>) {
        let Some(Timestamps { value, echo }) = segment.header.options.timestamps else { return };
        if self.handshake.agreed().timestamps {
            let ack = segment.header.ack.to_u32();
            self.sender.on_clocks(&Clocks { sent: echo, received: value, ack });
        }
    }

    /// Fifth check, of what was judged to be acceptable.
    fn ack_in(&mut self, cx: &mut Context<'_, impl Observe>, acknowledgement: &Acknowledgement) {
        if self.finished_sending() {
            return;
        }
        self.sender.take_ack(cx, acknowledgement);
        if self.sender.is_finished() {
            self.advance(cx, Event::FinAcknowledged);
        }
    }

    fn acknowledgement_of(&self, segment: &Segment<P>) -> Acknowledgement {
        let header = &segment.header;
        let agreed = self.handshake.agreed();
        // On a SYN the flags are about the handshake.
        let has_ace = !segment.has(Flags::SYN);
        Acknowledgement {
            seq: header.seq,
            ack: header.ack,
            window: u64::from(header.window) << self.handshake.peer_scale(),
            pure: segment.numbers() == 0,
            sack: if agreed.sack { header.options.sack } else { SackBlocks::NONE },
            echo: header.options.timestamps.filter(|_| agreed.timestamps).map(|clocks| clocks.echo),
            ece: agreed.ecn == EcnFeedback::Classic && has_ace && segment.has(Flags::ECE),
            marks: (agreed.ecn == EcnFeedback::Accurate && has_ace)
                .then(|| MarkReport::of(header.flags, header.options.ecn_bytes)),
        }
    }

    /// Seventh and eighth check.
    fn data_in(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Segment<P>) {
        if !self.state.receives() {
            return;
        }
        let arrival = Arrival {
            seq: segment.header.seq,
            fin: segment.has(Flags::FIN),
            ecn: segment.ecn,
            cwr: segment.has(Flags::CWR),
            payload: segment.payload.clone(),
        };
        self.receiver.handle_data(cx, &arrival);
        if self.receiver.is_at_fin() {
            self.advance(cx, Event::Fin);
        }
    }

    /// True once everything that this side sent is acknowledged.
    const fn finished_sending(&self) -> bool {
        matches!(self.state, State::FinWait2 | State::TimeWait | State::Closed)
    }

    /// Acknowledges an unacceptable segment: always if it carries something, since the peer
    /// retransmits that until it is acknowledged.
    fn answer(&mut self, now: Time, segment: &Segment<P>) {
        if segment.numbers() > 0 && !segment.has(Flags::SYN) {
            self.receiver.ack = AckDue::Alone;
        } else {
            self.challenge(now);
        }
    }

    /// Challenges what may be forged, as often as the limit of challenges allows.
    pub(crate) fn challenge(&mut self, now: Time) {
        if self.challenges.allow(now) {
            self.receiver.ack = AckDue::Alone;
        }
    }

    /// Moves on in the state table.
    pub(crate) fn advance(&mut self, cx: &mut Context<'_, impl Observe>, event: Event) {
        let Some(next) = self.state.after(event) else { return };
        let was_over = self.state == State::TimeWait;
        self.state = next;
        self.time_wait = (next == State::TimeWait).then(|| cx.now + self.config.time_wait);
        if next == State::Closed {
            self.handshake.due = false;
            self.handshake.deadline = None;
        }
        if (next == State::Closed || next == State::TimeWait) && !was_over {
            let how = if event == Event::Abort { Closing::Aborted } else { Closing::InOrder };
            cx.tcp(self.sender.id, TcpFact::Closed { how });
        }
    }

    fn acknowledgement(&mut self, now: Time) -> Segment<P> {
        let seq = if self.state == State::SynReceived {
            self.handshake.isn + 1
        } else {
            self.sender.idle_seq()
        };
        let mut header = self.header(now, seq, Flags::ACK);
        header.options.sack = self.receiver.blocks();
        self.report_marks(&mut header);
        Segment { header, ..Segment::default() }
    }

    /// Says what was marked in a pure acknowledgement, beside its SACK blocks: two of them go
    /// first, others find room behind (RFC 9768 §3.2.3.3).
    fn report_marks(&mut self, header: &mut TcpHeader) {
        if !self.receiver.counts_marks() {
            return;
        }
        let blocks = header.options.sack;
        header.options.sack = blocks.first(2);
        let room = Options::ROOM - header.options.bytes();
        header.options.ecn_bytes = self.receiver.take_ecn_bytes(Occasion::Always, room);
        let fits = |count: &usize| {
            Options { sack: blocks.first(*count), ..header.options }.bytes() <= Options::ROOM
        };
        let count = (0..=SackBlocks::MAX).rev().find(fits).unwrap_or(0);
        header.options.sack = blocks.first(count);
        if header.options.sack.is_empty()
            && let Some(reflection) = self.handshake.take_reflection()
        {
            header.flags = header.flags.without(Flags::ACE) | reflection;
        }
    }

    /// The header of a segment that leaves now, with what the receiving half says.
    fn header(&mut self, now: Time, seq: Seq, flags: Flags) -> TcpHeader {
        let (ack, window) = self.receiver.acknowledge();
        let timestamps = self.receiver.timestamps(now);
        TcpHeader {
            ack,
            window,
            options: Options { timestamps, ..Options::default() },
            ..self.bare_header(seq, flags | self.receiver.echo())
        }
    }

    /// A header without acknowledgement and window.
    pub(crate) fn bare_header(&self, seq: Seq, flags: Flags) -> TcpHeader {
        TcpHeader {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq,
            ack: Seq::new(0),
            flags,
            window: 0,
            options: Options::default(),
        }
    }
}
