//! A flow controller in the manner of FDA: Snoop, and a window for the sender that keeps the queue
//! at the border short.
//!
//! Hu and Yeung, "FDA: A Novel Base Station Flow Control Scheme for TCP over Heterogeneous
//! Networks", INFOCOM 2001, as Chakravorty et al. 2003 §VII describe it: "a Snoop-like strategy,
//! but \[…\] a novel flow-control scheme which goes some way to prevent excess queuing". The rule
//! itself is reconstructed, with the Window Regulator of Chan and Ramjee (INFOCOM 2004) as its
//! model: beyond what has passed, the sender may send as much as the queue falls short of its
//! target, and as much as the radio will drain before the new window takes effect.

use base::{Duration, TcpHeader, Time};
use settings::{Always, Bytes, section};
use tcp::Payload;

use crate::follow::{Agreed, Disposition, Follow, Following, Heard, Load, Port};
use crate::snoop::{SnoopConfig, SnoopFlow};
use crate::{Managed, Packet, SchemeKeys, Setup};

/// A box with the flow control.
pub type FdaLike<P> = Following<P, FdaLikeFlow<P>>;

section! {
    /// `[middlebox]` of fda-like.
    pub struct FdaLikeKeys {
        /// Repairs at the border, of snoop and fda-like.
        pub snoop: SnoopConfig as Always<SnoopConfig> = SnoopConfig::default();
        /// The flow control of fda-like.
        pub fda: FlowControl as Always<FlowControl> = FlowControl::default();
    }
}

section! {
    /// `[middlebox.fda]`: the flow control of fda-like; its repairs stand in `[middlebox.snoop]`.
    pub struct FlowControl {
        /// Bytes of a connection that are to wait at the border. Default: half of what a GPRS link
        /// of three slots holds in its round trip, after Chakravorty et al. 2003, §IV.D, "more than
        /// 50 %".
        pub target_queue: u64 as Bytes<u64, 1_500, { u32::MAX as u64 }> = 5_000;
    }
}

impl SchemeKeys for FdaLikeKeys {
    fn bytes_of_connection(&self, mss: u16) -> u64 {
        self.snoop.bytes_of_connection(mss)
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        setup.following::<P, FdaLikeFlow<P>>(self.clone())
    }
}

/// What is kept of one direction of a connection.
#[derive(Debug)]
pub struct FdaLikeFlow<P> {
    snoop: SnoopFlow<P>,
    target_queue: u64,
    mss: u64,
    /// The wired round trip: of the handshake, or from its end to the first data.
    wired_rtt: Option<Duration>,
    opened: Time,
    drain: Drain,
    /// The right edge that was announced to the sender.
    edge: u64,
}

/// How fast the radio takes data, in bytes per second.
#[derive(Debug, Default)]
struct Drain {
    rate: Option<f64>,
    /// When the current measurement began, and what was acknowledged then.
    since: Option<(Time, u64)>,
}

impl Drain {
    /// Weight of a new measurement, one a round trip.
    const GAIN: f64 = 0.25;

    /// `acked` bytes have been acknowledged, and `outstanding` are under way. Only a busy radio
    /// shows its rate.
    fn acknowledged(&mut self, now: Time, acked: u64, outstanding: u64, rtt: Option<Duration>) {
        let Some((since, before)) = self.since else {
            self.since = Some((now, acked));
            return;
        };
        let elapsed = now - since;
        if elapsed > Duration::ZERO && rtt.is_some_and(|rtt| elapsed >= rtt) {
            let measured = (acked - before) as f64 / elapsed.as_secs_f64();
            let rate = self.rate.unwrap_or(measured);
            self.rate = Some(rate + Self::GAIN * (measured - rate));
            self.since = Some((now, acked));
        }
        if outstanding == 0 {
            self.since = None;
        }
    }

    /// Bytes that it takes in `span`.
    fn bytes_in(&self, span: Option<Duration>) -> u64 {
        let seconds = span.unwrap_or(Duration::ZERO).as_secs_f64();
        (self.rate.unwrap_or(0.0) * seconds) as u64
    }
}

impl<P: Payload + Send> Follow<P> for FdaLikeFlow<P> {
    type Config = FdaLikeKeys;

    /// The first window, too, is set by the box: a right edge is never taken back.
    fn edit_syn(config: &FdaLikeKeys, header: &mut TcpHeader) {
        header.window = header.window.min(config.fda.target_queue.min(u64::from(u16::MAX)) as u16);
    }

    fn open(config: &FdaLikeKeys, agreed: &Agreed) -> Self {
        Self {
            snoop: SnoopFlow::open(&config.snoop, agreed),
            target_queue: config.fda.target_queue,
            mss: u64::from(agreed.mss),
            wired_rtt: agreed.wired_rtt,
            opened: agreed.at,
            drain: Drain::default(),
            edge: agreed.window,
        }
    }

    fn handle_data(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.wired_rtt = self.wired_rtt.or(Some(port.now - self.opened));
        self.snoop.handle_data(packet, port)
    }

    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        let (heard, disposition) = self.snoop.hear(&packet.segment, port);
        let progress = &self.snoop.progress;
        let (acked, outstanding) = (progress.acked, progress.outstanding());
        match heard {
            Heard::Nothing => return disposition,
            Heard::New(..) => {
                let rtt = self.snoop.rtt.smoothed();
                self.drain.acknowledged(port.now, acked, outstanding, rtt);
            }
            Heard::Duplicate | Heard::Again | Heard::Old => {}
        }
        if disposition == Disposition::Forward {
            self.advertise(&mut packet.segment.header, port);
        }
        disposition
    }

    fn handle_timeout(&mut self, port: &mut Port<'_, P>) {
        self.snoop.handle_timeout(port);
    }

    fn limit_segment(&mut self, bytes: u64, port: &mut Port<'_, P>) {
        self.snoop.limit_segment(bytes, port);
    }

    fn reserve(&self) -> u64 {
        self.snoop.reserve()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.snoop.poll_timeout()
    }

    fn load(&self) -> Load {
        let load = self.snoop.load();
        let queued = self.queue();
        let cwnd = self.edge.saturating_sub(self.snoop.progress.acked);
        Load { queued, in_flight: load.in_flight - queued, cwnd, ..load }
    }
}

impl<P: Payload + Send> FdaLikeFlow<P> {
    /// Bytes that wait at the border: what is under way, less what the radio itself holds.
    fn queue(&self) -> u64 {
        let in_radio = self.drain.bytes_in(self.snoop.rtt.smallest);
        self.snoop.progress.outstanding().saturating_sub(in_radio)
    }

    /// The offset up to which the sender may send.
    fn wanted(&self) -> u64 {
        let credit = self.target_queue + self.drain.bytes_in(self.wired_rtt);
        (self.snoop.progress.passed + credit).saturating_sub(self.queue())
    }

    /// Writes the window into a header of the mobile: never beyond the mobile's own right edge,
    /// never less than before, and no silly windows (RFC 9293 §3.8.6.2.2).
    fn advertise(&mut self, header: &mut TcpHeader, port: &mut Port<'_, P>) {
        let progress = &self.snoop.progress;
        let (shift, Some(ack)) = (progress.shift, progress.offset(header.ack)) else { return };
        let own = ack + (u64::from(header.window) << shift);
        let wanted = self.wanted().min(own);
        if wanted == own || wanted >= self.edge + self.mss {
            self.edge = self.edge.max(wanted);
        }
        let room = self.edge.saturating_sub(ack).div_ceil(1 << shift);
        if room < u64::from(header.window) {
            header.window = room as u16;
            let window = room << shift;
            self.edge = self.edge.max(ack + window);
            port.advertised(window, ack + window);
        }
    }
}
