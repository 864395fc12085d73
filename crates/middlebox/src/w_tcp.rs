//! W-TCP: the border keeps what is for the mobile, sends it through a window of its own, and hides
//! the time that this takes from the sender.
//!
//! Ratnam and Matta, "WTCP: An Efficient Mechanism for Improving TCP Performance over Wireless
//! Links", ISCC 1998. Their base station adds the time that a segment stays with it to the
//! segment's timestamp, which the mobile echoes. Here data bear the host's newest timestamp, and
//! what the mobile echoes is set to what the host's clock showed when the box sent the segment
//! last: a timestamp that ran ahead of the host's clock would have later segments taken for old
//! ones (RFC 7323 §5.3). Without timestamps nothing can be hidden.
//!
//! Reconstructed, for a radio whose round trip grows with what other connections have under way:
//! the first timeout, from the handshake; the back-off; and the sign by which a timeout is found to
//! be spurious.

use base::{Duration, Seq, TcpHeader, Time};
use observe::RepairReason;
use settings::{Always, Bytes, Count, OfTime, section};
use tcp::Payload;

use crate::follow::{Agreed, Disposition, Follow, Following, Heard, InName, Load, Port, Progress};
use crate::radio_rtt::RadioRtt;
use crate::segment_cache::{Cached, Insertion, SegmentCache};
use crate::sender_clock::SenderClock;
use crate::{Managed, Packet, SchemeKeys, Setup};

/// The most times that the timeout doubles, for the sake of others on a thin link: 8 times the
/// first.
const MOST_DOUBLED: u32 = 3;

/// A box with W-TCP.
pub type WTcp<P> = Following<P, WTcpFlow<P>>;

section! {
    /// `[middlebox]` of w-tcp.
    pub struct WTcpKeys {
        /// A buffer with a window of its own.
        pub w_tcp: WTcpConfig as Always<WTcpConfig> = WTcpConfig::default();
    }
}

section! {
    /// `[middlebox.w_tcp]`: a buffer at the border with a window of its own.
    #[derive(Copy, Eq)]
    pub struct WTcpConfig {
        /// Bytes of a connection that may be in flight to its mobile. Default: as the clamp of
        /// Chakravorty et al. 2003, §VI.
        pub window: u64 as Bytes<u64, 1, { u32::MAX as u64 }> = 10_000;
        /// The most segments kept of a connection; any more are lost. Default: more than a window
        /// of some megabytes, so that nothing is.
        pub buffer_segments: u32 as Count<u32, 1, 1_000_000> = 4096;
        /// The least that the retransmission timer waits. Default: as Snoop's.
        pub tick: Duration as OfTime<1> = Duration::from_millis(100);
        /// Which duplicate acknowledgement has the oldest segment retransmitted. Default: the
        /// first, for the radio keeps the order.
        pub threshold: u32 as Count<u32, 1, 1_000> = 1;
    }
}

impl SchemeKeys for WTcpKeys {
    fn bytes_of_connection(&self, mss: u16) -> u64 {
        u64::from(self.w_tcp.buffer_segments) * u64::from(mss)
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        setup.following::<P, WTcpFlow<P>>(self.w_tcp)
    }
}

/// What W-TCP keeps of one direction of a connection.
#[derive(Debug)]
pub struct WTcpFlow<P> {
    config: WTcpConfig,
    progress: Progress,
    buffer: SegmentCache<P>,
    /// Bytes of the buffer that were sent and not given up.
    in_flight: u64,
    /// Below this offset nothing waits to be sent.
    unsent: u64,
    opening: Opening,
    duplicates: u32,
    rtt: RadioRtt,
    /// Timeouts since the last sample.
    backoff: u32,
    /// Segments retransmitted after a timeout, and when the last was: a duplicate for each that the
    /// mobile had.
    again: u32,
    sent_again: Time,
    timer: Option<Time>,
    /// When what was acknowledged last had been sent.
    left: Option<Time>,
    /// What the sender's host said last.
    sender: Option<FromSender>,
    /// Its clock, where timestamps were agreed upon.
    clock: Option<SenderClock>,
    in_name: InName<P>,
}

/// The window towards the mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opening {
    /// As configured.
    Full,
    /// One segment, until the mobile acknowledges.
    OneSegment,
}

/// What all segments of a host say of the other direction.
#[derive(Clone, Copy, Debug)]
struct FromSender {
    ack: Seq,
    window: u16,
    echo: Option<u32>,
}

impl<P: Payload + Send> Follow<P> for WTcpFlow<P> {
    type Config = WTcpConfig;

    fn open(config: &WTcpConfig, agreed: &Agreed) -> Self {
        Self {
            config: *config,
            progress: Progress::new(agreed),
            buffer: SegmentCache::new(config.buffer_segments, agreed.mss),
            in_flight: 0,
            unsent: 0,
            opening: Opening::Full,
            duplicates: 0,
            rtt: RadioRtt::new(agreed),
            backoff: 0,
            again: 0,
            sent_again: agreed.at,
            timer: None,
            left: None,
            sender: None,
            clock: agreed.sender_clock.map(|(shown, value)| SenderClock::new(shown, value)),
            in_name: InName::new(),
        }
    }

    fn handle_data(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.note_sender(port.now, &packet.segment.header);
        let Some(range) = self.progress.handle_data(&packet.segment) else {
            return Disposition::Forward;
        };
        if range.end <= self.progress.acked {
            // Its acknowledgement was lost on the wire.
            return match self.in_name.repeat() {
                Some(ack) => {
                    port.send(ack);
                    Disposition::Keep
                }
                None => Disposition::Forward,
            };
        }
        match self.buffer.insert(&range, packet) {
            Insertion::Last => {}
            Insertion::Between => self.unsent = self.unsent.min(range.start),
            // The mobile waits for it: if it were lost because the buffer is full, what is held
            // above it would stay for ever.
            Insertion::Full if range.start <= self.progress.acked => return Disposition::Forward,
            Insertion::Known | Insertion::Full => return Disposition::Keep,
            Insertion::Overlaps => return Disposition::Forward,
        }
        self.pump(port);
        Disposition::Keep
    }

    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.rtt.heard(port.now, packet.segment.header.ack == self.progress.seq(0));
        let disposition = match self.progress.handle_ack(&packet.segment) {
            Heard::New(_, acked) => {
                self.handle_new(acked, port);
                Disposition::Forward
            }
            Heard::Duplicate => self.handle_duplicate(port),
            Heard::Again => Disposition::Forward,
            Heard::Old | Heard::Nothing => return Disposition::Forward,
        };
        let echo = self.clock.zip(self.left).and_then(|(clock, left)| clock.at(left));
        if let (Some(echo), Some(stamps)) = (echo, &mut packet.segment.header.options.timestamps) {
            stamps.echo = echo;
        }
        self.in_name.remember(packet);
        disposition
    }

    fn handle_timeout(&mut self, port: &mut Port<'_, P>) {
        port.timed_out();
        self.opening = Opening::OneSegment;
        self.backoff = (self.backoff + 1).min(MOST_DOUBLED);
        for segment in self.buffer.beyond(0).filter(|segment| segment.sent.is_some()) {
            segment.given_up = true;
        }
        self.in_flight = 0;
        self.unsent = 0;
        self.timer = None;
        self.pump(port);
    }

    /// The box sends what it keeps itself, so it cuts it into pieces: repairing holes would take
    /// long.
    fn limit_segment(&mut self, bytes: u64, port: &mut Port<'_, P>) {
        let in_flight = &mut self.in_flight;
        self.buffer.cut_larger(bytes, |segment| {
            if segment.is_in_flight() {
                *in_flight -= segment.length();
            }
        });
        self.unsent = 0;
        self.timer = self.timer.filter(|_| self.in_flight > 0);
        self.pump(port);
    }

    /// What waited goes now, whatever the window.
    fn release(&mut self, port: &mut Port<'_, P>) {
        self.config.window = u32::MAX.into();
        self.opening = Opening::Full;
        self.unsent = 0;
        self.pump(port);
    }

    fn reserve(&self) -> u64 {
        self.buffer.room
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn load(&self) -> Load {
        let one = self.opening == Opening::OneSegment;
        Load {
            queued: self.buffer.bytes - self.in_flight,
            in_flight: self.in_flight,
            cwnd: if one { self.in_flight } else { self.config.window },
            held: self.buffer.bytes,
            stalled: one,
        }
    }
}

impl<P: Payload> WTcpFlow<P> {
    /// What the sender's host says now goes with all that leaves for the mobile from now on.
    fn note_sender(&mut self, now: Time, header: &TcpHeader) {
        let stamps = header.options.timestamps;
        if let (Some(clock), Some(stamps)) = (&mut self.clock, stamps) {
            clock.show(now, stamps.value);
        }
        if self.sender.is_none_or(|sender| !header.ack.before(sender.ack)) {
            let echo = stamps.map(|stamps| stamps.echo);
            self.sender = Some(FromSender { ack: header.ack, window: header.window, echo });
        }
    }

    fn handle_new(&mut self, acked: u64, port: &mut Port<'_, P>) {
        let mut newest = None;
        let (mut repaired, mut given_up) = (false, false);
        while let Some(segment) = self.buffer.take_acked(acked) {
            if segment.is_in_flight() {
                self.in_flight -= segment.length();
            }
            repaired |= segment.tries > 0;
            given_up |= segment.given_up;
            newest = Some(segment);
        }
        // If they had waited at the mobile for the retransmission, it would have sent duplicates.
        if given_up && self.duplicates == 0 {
            self.take_back();
        }
        if let Some(Cached { sent: Some(sent), .. }) = newest {
            self.left = Some(sent);
            if !repaired {
                self.sample(sent, port);
            }
        }
        self.opening = Opening::Full;
        self.duplicates = 0;
        self.timer = (self.in_flight > 0).then(|| port.now + self.timeout());
        self.pump(port);
    }

    /// The mobile has what was given up and not retransmitted: it was only late, and so is the
    /// rest.
    fn take_back(&mut self) {
        for segment in self.buffer.beyond(0).filter(|segment| segment.given_up) {
            segment.given_up = false;
            self.in_flight += segment.length();
        }
    }

    /// What was sent once has been acknowledged (Karn's algorithm), and waited for no repair.
    fn sample(&mut self, sent: Time, port: &mut Port<'_, P>) {
        self.rtt.sample(port.now - sent);
        port.measured(port.now - sent);
        self.backoff = 0;
        if sent > self.sent_again {
            self.again = 0;
        }
    }

    fn timeout(&self) -> Duration {
        self.rtt.timeout(self.config.tick) * (1 << self.backoff)
    }

    /// The sender need not hear of losses that the buffer repairs; what is not in it was lost on
    /// the wire.
    fn handle_duplicate(&mut self, port: &mut Port<'_, P>) -> Disposition {
        let acked = self.progress.acked;
        let oldest = self.buffer.oldest();
        let Some(oldest) = oldest.filter(|oldest| oldest.has_next(acked)) else {
            return Disposition::Forward;
        };
        self.duplicates += 1;
        if self.again > 0 {
            self.again -= 1;
            port.suppressed();
            return Disposition::Keep;
        }
        let is_time = self.duplicates >= self.config.threshold;
        if is_time && oldest.tries == 0 && oldest.sent.is_some() {
            oldest.tries = 1;
            oldest.sent = Some(port.now);
            let mut packet = oldest.packet.clone();
            refresh(&mut packet.segment.header, self.sender, self.clock);
            port.resend(oldest.range.start, packet, RepairReason::Duplicates);
            self.timer = Some(port.now + self.timeout());
        }
        port.suppressed();
        Disposition::Keep
    }

    /// Sends what the window allows.
    fn pump(&mut self, port: &mut Port<'_, P>) {
        let window = match self.opening {
            Opening::Full => self.config.window,
            Opening::OneSegment => 0,
        };
        for segment in self.buffer.beyond(self.unsent) {
            self.unsent = segment.range.start;
            if segment.is_in_flight() {
                continue;
            }
            if self.in_flight > 0 && self.in_flight + segment.length() > window {
                break;
            }
            segment.sent = Some(port.now);
            self.in_flight += segment.length();
            let mut packet = segment.packet.clone();
            refresh(&mut packet.segment.header, self.sender, self.clock);
            if std::mem::take(&mut segment.given_up) {
                segment.tries += 1;
                (self.again, self.sent_again) = (self.again + 1, port.now);
                port.resend(segment.range.start, packet, RepairReason::Timeout);
            } else {
                port.send(packet);
            }
        }
        if self.timer.is_none() && self.in_flight > 0 {
            self.timer = Some(port.now + self.timeout());
        }
    }
}

/// Puts in what the sender's host said last.
fn refresh(header: &mut TcpHeader, sender: Option<FromSender>, clock: Option<SenderClock>) {
    let Some(sender) = sender else { return };
    (header.ack, header.window) = (sender.ack, sender.window);
    if let (Some(stamps), Some(clock)) = (&mut header.options.timestamps, clock) {
        stamps.value = clock.newest();
        stamps.echo = sender.echo.unwrap_or(stamps.echo);
    }
}
