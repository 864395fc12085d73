//! Snoop: a cache of segments at the border, from which losses of the radio are repaired before the
//! sender learns of them.
//!
//! Balakrishnan, Seshan, Amir and Katz, "Improving TCP/IP Performance over Wireless Networks",
//! `MobiCom` 1995, with the rules of ns-2's `tcp/snoop.cc` for what the paper leaves open. Only
//! data towards mobiles are helped. For data from a mobile, Snoop marks the acknowledgements of
//! what was lost on the radio with a bit of its own (ELN); no header has room for that bit, and it
//! is left out.

use base::{Duration, Time};
use observe::RepairReason;
use settings::{Always, Count, OfTime, section};
use tcp::{Payload, Segment};

use crate::follow::{Agreed, Disposition, Follow, Following, Heard, Load, Port, Progress};
use crate::radio_rtt::RadioRtt;
use crate::segment_cache::{Insertion, SegmentCache};
use crate::{Managed, Packet, SchemeKeys, Setup};

/// A box with Snoop.
pub type Snoop<P> = Following<P, SnoopFlow<P>>;

section! {
    /// `[middlebox]` of snoop.
    pub struct SnoopKeys {
        /// Repairs at the border, of snoop and fda-like.
        pub snoop: SnoopConfig as Always<SnoopConfig> = SnoopConfig::default();
    }
}

section! {
    /// `[middlebox.snoop]`: repairs at the border, of snoop and fda-like. Defaults: ns-2.
    #[derive(Copy, Eq)]
    pub struct SnoopConfig {
        /// The most segments kept of a connection; any more pass.
        pub cache_segments: u32 as Count<u32, 0, 1_000_000> = 100;
        /// The least that the retransmission timer waits.
        pub tick: Duration as OfTime<1> = Duration::from_millis(100);
        /// The most times that a segment is retransmitted.
        pub max_tries: u32 as Count<u32, 0, 1_000_000> = 10;
        /// How many duplicate acknowledgements pass before one is taken for a loss.
        pub threshold: u32 as Count<u32, 0, 1_000> = 1;
    }
}

impl SchemeKeys for SnoopKeys {
    fn bytes_of_connection(&self, mss: u16) -> u64 {
        self.snoop.bytes_of_connection(mss)
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        setup.following::<P, SnoopFlow<P>>(self.snoop)
    }
}

impl SnoopConfig {
    pub(crate) fn bytes_of_connection(&self, mss: u16) -> u64 {
        u64::from(self.cache_segments) * u64::from(mss)
    }
}

/// What Snoop keeps of one direction of a connection.
#[derive(Debug)]
pub struct SnoopFlow<P> {
    config: SnoopConfig,
    /// How far the stream has come.
    pub(crate) progress: Progress,
    cache: SegmentCache<P>,
    /// Duplicates since the acknowledgement that they repeat.
    duplicates: u32,
    /// Duplicates still expected for segments that were sent after the lost one.
    expected: u32,
    /// The round-trip time over the radio.
    pub(crate) rtt: RadioRtt,
    timer: Option<Time>,
}

impl<P: Payload + Send> Follow<P> for SnoopFlow<P> {
    type Config = SnoopConfig;

    fn open(config: &SnoopConfig, agreed: &Agreed) -> Self {
        Self {
            config: *config,
            progress: Progress::new(agreed),
            cache: SegmentCache::new(config.cache_segments, agreed.mss),
            duplicates: 0,
            expected: 0,
            rtt: RadioRtt::new(agreed),
            timer: None,
        }
    }

    fn handle_data(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        let range = self.progress.handle_data(&packet.segment);
        let Some(range) = range.filter(|range| range.end > self.progress.acked) else {
            return Disposition::Forward;
        };
        match self.cache.insert(&range, packet) {
            Insertion::Last => {
                self.timer = self.timer.or_else(|| Some(port.now + self.timeout()));
            }
            Insertion::Between => self.timer = Some(port.now + self.timeout()),
            Insertion::Known | Insertion::Overlaps => {
                for segment in self.cache.overlapping(&range) {
                    segment.by_sender = true;
                    segment.tries = 0;
                    if segment.range == range {
                        segment.packet = packet.clone();
                    }
                }
                self.timer = Some(port.now + self.timeout());
            }
            Insertion::Full => {}
        }
        for segment in self.cache.overlapping(&range) {
            segment.sent = Some(port.now);
        }
        Disposition::Forward
    }

    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.hear(&packet.segment, port).1
    }

    fn handle_timeout(&mut self, port: &mut Port<'_, P>) {
        self.timer = None;
        let (acked, max_tries) = (self.progress.acked, self.config.max_tries);
        let oldest = self.cache.oldest();
        if oldest.is_some_and(|oldest| oldest.has_next(acked) && oldest.tries < max_tries) {
            port.timed_out();
            self.repair(RepairReason::Timeout, port);
        }
    }

    fn limit_segment(&mut self, bytes: u64, _port: &mut Port<'_, P>) {
        self.cache.drop_larger(bytes);
        (self.duplicates, self.expected) = (0, 0);
        self.timer = self.timer.filter(|_| self.cache.len() > 0);
    }

    fn reserve(&self) -> u64 {
        self.cache.room
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn load(&self) -> Load {
        Load {
            in_flight: self.progress.outstanding(),
            cwnd: self.progress.window,
            held: self.cache.bytes,
            ..Load::default()
        }
    }
}

impl<P: Payload> SnoopFlow<P> {
    /// A segment of the mobile: what it acknowledges, and whether it goes on.
    pub(crate) fn hear(
        &mut self,
        segment: &Segment<P>,
        port: &mut Port<'_, P>,
    ) -> (Heard, Disposition) {
        self.rtt.heard(port.now, segment.header.ack == self.progress.seq(0));
        let heard = self.progress.handle_ack(segment);
        let disposition = match heard {
            Heard::New(_, acked) => {
                self.handle_new(acked, port);
                Disposition::Forward
            }
            Heard::Duplicate => self.handle_duplicate(port),
            Heard::Again | Heard::Old | Heard::Nothing => Disposition::Forward,
        };
        (heard, disposition)
    }

    fn handle_new(&mut self, acked: u64, port: &mut Port<'_, P>) {
        let (mut newest, mut once) = (None, true);
        while let Some(segment) = self.cache.take_acked(acked) {
            once &= segment.tries == 0 && !segment.by_sender;
            newest = Some(segment);
        }
        // Karn's algorithm: only segments that were sent once, and did not wait for a repair, are
        // timed. ns-2 times all.
        let once = newest.filter(|_| once);
        if let Some(sent) = once.and_then(|segment| segment.sent) {
            self.rtt.sample(port.now - sent);
            port.measured(port.now - sent);
        }
        (self.duplicates, self.expected) = (0, 0);
        self.timer = self.cache.oldest().is_some().then(|| port.now + self.timeout());
    }

    fn handle_duplicate(&mut self, port: &mut Port<'_, P>) -> Disposition {
        if self.expected > 0 {
            self.expected -= 1;
            port.suppressed();
            return Disposition::Keep;
        }
        let (acked, kept) = (self.progress.acked, self.cache.len() as u32);
        let oldest = self.cache.oldest();
        let Some(oldest) = oldest.filter(|oldest| oldest.has_next(acked)) else {
            return Disposition::Forward;
        };
        self.duplicates += 1;
        if oldest.by_sender || self.duplicates != self.config.threshold + 1 {
            return Disposition::Forward;
        }
        // One for each segment behind the lost one, less those that have come already.
        self.expected = (kept - 1).saturating_sub(self.duplicates);
        if oldest.tries > 0 {
            return Disposition::Forward;
        }
        self.repair(RepairReason::Duplicates, port);
        port.suppressed();
        Disposition::Keep
    }

    /// Sends the oldest segment again.
    fn repair(&mut self, reason: RepairReason, port: &mut Port<'_, P>) {
        if let Some(oldest) = self.cache.oldest() {
            oldest.tries += 1;
            oldest.sent = Some(port.now);
            port.resend(oldest.range.start, oldest.packet.clone(), reason);
            self.timer = Some(port.now + self.timeout());
        }
    }

    fn timeout(&self) -> Duration {
        self.rtt.timeout(self.config.tick)
    }
}
