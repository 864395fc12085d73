//! M-TCP: the last byte is acknowledged late, so that a sender can be put to sleep with a closed
//! window when the mobile falls silent.
//!
//! Brown and Singh, "M-TCP: TCP for Mobile Cellular Networks", ACM CCR 27(5), 1997. The mobile's
//! own part (freezing its timers, a greeting when it is back) is left out, since hosts stay
//! unmodified; a report of the radio replaces the greeting. Reconstructed: a window that opens lets
//! the sender repeat all that is not acknowledged (4.4BSD), so it stays closed while the mobile
//! goes on acknowledging what the radio had kept for it; the timeout for silence is per mobile, not
//! per connection, and grows with the radio's round trip; and the box probes a silent mobile, since
//! a sleeping sender probes ever more rarely.

use base::{Duration, Flags, Time};
use settings::{Always, OfTime, section};
use tcp::Payload;

use crate::follow::{Agreed, Disposition, Follow, Following, Heard, InName, Load, Port, Progress};
use crate::radio_rtt::RadioRtt;
use crate::{Managed, Packet, RadioReport, SchemeKeys, Setup};

/// A box with M-TCP.
pub type MTcp<P> = Following<P, MTcpFlow<P>>;

section! {
    /// `[middlebox]` of m-tcp.
    pub struct MTcpKeys {
        /// Senders that are stopped.
        pub m_tcp: MTcpConfig as Always<MTcpConfig> = MTcpConfig::default();
    }
}

section! {
    /// `[middlebox.m_tcp]`: senders that are stopped while their mobile is silent.
    #[derive(Copy, Eq)]
    pub struct MTcpConfig {
        /// How long a mobile that owes an acknowledgement may be silent. Default: what GPRS takes
        /// at most with nothing waiting, 3 s down and 1.3 s up (Chakravorty et al. 2003, §II), in
        /// whole seconds.
        pub timeout: Duration as OfTime<1> = Duration::from_secs(5);
        /// How long the last byte is held back once nothing more is under way. Default: a usual
        /// delay of acknowledgements, within any sender's retransmission timeout.
        pub release: Duration as OfTime = Duration::from_millis(200);
    }
}

impl SchemeKeys for MTcpKeys {
    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        setup.following::<P, MTcpFlow<P>>(self.m_tcp)
    }
}

/// What M-TCP keeps of one direction of a connection.
#[derive(Debug)]
pub struct MTcpFlow<P> {
    config: MTcpConfig,
    progress: Progress,
    /// The offset acknowledged to the sender.
    told: u64,
    /// Where the stream ends, with its FIN.
    end: Option<u64>,
    in_name: InName<P>,
    /// The newest header of the sender's host.
    sender: InName<P>,
    state: State,
    rtt: RadioRtt,
    /// The segment whose round trip is measured: its end, and when it passed.
    timed: Option<(u64, Time)>,
    /// When the mobile will have been silent for too long: the sender is stopped, or woken, or
    /// the mobile is asked.
    silence: Option<Time>,
    /// Since when the sender is being woken with nothing more acknowledged.
    waking: Time,
    /// When the last byte is acknowledged because no more has come.
    release: Option<Time>,
}

/// Whether the sender may send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// As far as the mobile's window allows.
    Open,
    /// Not until the mobile answers again.
    Silent,
    /// Not until the radio reports coverage, or the mobile answers again.
    Uncovered,
    /// Not until the mobile has acknowledged all that is under way, or has stopped doing so.
    Waking,
}

impl<P: Payload + Send> Follow<P> for MTcpFlow<P> {
    type Config = MTcpConfig;

    fn open(config: &MTcpConfig, agreed: &Agreed) -> Self {
        Self {
            config: *config,
            progress: Progress::new(agreed),
            told: 0,
            end: None,
            in_name: InName::new(),
            sender: InName::new(),
            state: State::Open,
            rtt: RadioRtt::new(agreed),
            timed: None,
            silence: None,
            waking: agreed.at,
            release: None,
        }
    }

    fn handle_data(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        let passed = self.progress.passed;
        let Some(range) = self.progress.handle_data(&packet.segment) else {
            return Disposition::Forward;
        };
        self.sender.remember(packet);
        // Karn's algorithm: segments that may have been sent twice are not timed.
        let is_new = range.start >= passed;
        self.timed = self.timed.or(Some((range.end, port.now))).filter(|_| is_new);
        if range.end <= self.progress.acked && self.told < self.progress.acked {
            // Its timer ran out for the byte held back: it would send nothing else until that is
            // acknowledged.
            self.told = self.progress.acked;
            self.acknowledge(port);
            return Disposition::Keep;
        }
        if packet.segment.has(Flags::FIN) {
            self.end = Some(range.end);
        }
        if self.progress.outstanding() > 0 {
            self.release = None;
            if self.state == State::Open {
                self.silence = self.silence.or(Some(port.now + self.too_long()));
            }
        }
        Disposition::Forward
    }

    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.rtt.heard(port.now, packet.segment.header.ack == self.progress.seq(0));
        let heard = self.progress.handle_ack(&packet.segment);
        let is_new = match heard {
            Heard::Old | Heard::Nothing => return Disposition::Forward,
            Heard::New(..) => true,
            Heard::Duplicate | Heard::Again => false,
        };
        let acked = self.progress.acked;
        if let Some((_, passed)) = self.timed.take_if(|(end, _)| *end <= acked) {
            self.rtt.sample(port.now - passed);
            port.measured(port.now - passed);
        }
        let waits = self.progress.outstanding() > 0;
        let is_last = self.end.is_some_and(|end| acked >= end);
        let was = self.state;
        self.state = if waits && was != State::Open { State::Waking } else { State::Open };
        if self.state == State::Open {
            let is_whole = is_last || was != State::Open;
            self.told = self.told.max(if is_whole { acked } else { acked.saturating_sub(1) });
        }
        packet.segment.header.ack = self.progress.seq(self.told);
        self.in_name.remember(packet);
        if self.state == State::Waking {
            packet.segment.header.window = 0;
            if is_new || was != State::Waking {
                self.pause(port.now);
            }
            return Disposition::Forward;
        }
        if was != State::Open {
            port.advertised(self.progress.window, self.told + self.progress.window);
        }
        self.silence = waits.then(|| port.now + self.too_long());
        self.release = (!waits && self.told < acked).then(|| port.now + self.config.release);
        Disposition::Forward
    }

    fn handle_timeout(&mut self, port: &mut Port<'_, P>) {
        if self.release.take_if(|release| *release <= port.now).is_some() {
            self.told = self.progress.acked;
            self.acknowledge(port);
        }
        if self.silence.take_if(|silence| *silence <= port.now).is_some() {
            self.fall_silent(port);
        }
    }

    fn handle_report(&mut self, report: RadioReport, port: &mut Port<'_, P>) {
        match (report.rate, self.state) {
            (None, State::Open | State::Waking) => self.freeze(State::Uncovered, port),
            (None, State::Silent) => (self.state, self.silence) = (State::Uncovered, None),
            (Some(_), State::Uncovered) if self.progress.outstanding() > 0 => {
                self.state = State::Waking;
                self.pause(port.now);
            }
            (Some(_), State::Uncovered) => self.wake(port),
            (None, State::Uncovered) | (Some(_), State::Open | State::Silent | State::Waking) => {}
        }
    }

    /// The byte held back is acknowledged, and a sender that sleeps is woken.
    fn release(&mut self, port: &mut Port<'_, P>) {
        if self.state != State::Open {
            self.wake(port);
        } else if self.told < self.progress.acked {
            self.told = self.progress.acked;
            self.acknowledge(port);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        [self.silence, self.release].into_iter().flatten().min()
    }

    fn load(&self) -> Load {
        Load {
            in_flight: self.progress.outstanding(),
            cwnd: if self.state == State::Open { self.progress.window } else { 0 },
            stalled: matches!(self.state, State::Silent | State::Uncovered),
            ..Load::default()
        }
    }
}

impl<P: Payload> MTcpFlow<P> {
    /// Puts the sender to sleep: the byte held back makes this a new acknowledgement.
    fn freeze(&mut self, state: State, port: &mut Port<'_, P>) {
        self.state = state;
        self.told = self.progress.acked;
        (self.timed, self.silence, self.release) = (None, None, None);
        port.advertised(0, self.told);
        self.acknowledge(port);
    }

    /// Probes the mobile with a number that it has received (RFC 1122 §4.2.3.6).
    fn ask(&mut self, port: &mut Port<'_, P>) {
        self.silence = Some(port.now + self.config.timeout);
        if let Some(mut packet) = self.sender.repeat() {
            packet.segment.header.seq = self.progress.seq(self.progress.acked) - 1;
            port.send(packet);
        }
    }

    /// Opens the window of a sender that sleeps.
    fn wake(&mut self, port: &mut Port<'_, P>) {
        self.state = State::Open;
        self.told = self.progress.acked;
        port.advertised(self.progress.window, self.told + self.progress.window);
        self.acknowledge(port);
    }

    /// How long a mobile that owes an acknowledgement may be silent.
    fn too_long(&self) -> Duration {
        self.rtt.silence(self.config.timeout)
    }

    /// How long it may be silent while it acknowledges what the radio had kept. That is on its way
    /// already and should take one round trip: twice that, and the delay of an acknowledgement.
    fn pausing(&self) -> Duration {
        let MTcpConfig { timeout, release } = self.config;
        self.rtt.smallest.map_or(timeout, |smallest| (smallest * 2 + release).min(timeout))
    }

    /// The sender is being woken, and the mobile has just gone on acknowledging.
    fn pause(&mut self, now: Time) {
        self.waking = now;
        self.silence = Some(now + self.pausing());
    }

    /// This connection has been silent for too long. If others of the mobile have not, the mobile
    /// is there, and the radio is busy with them.
    fn fall_silent(&mut self, port: &mut Port<'_, P>) {
        let until = match self.state {
            State::Open => port.heard + self.too_long(),
            State::Waking => (port.heard + self.pausing()).min(self.waking + self.too_long()),
            State::Silent => return self.ask(port),
            State::Uncovered => return,
        };
        if until > port.now {
            self.silence = Some(until);
        } else if self.state == State::Open {
            port.timed_out();
            self.freeze(State::Silent, port);
            self.ask(port);
        } else {
            // What was under way during the stall is lost: no acknowledgement is due until more
            // comes.
            self.wake(port);
        }
    }

    /// Sends the acknowledgement for the sender in the name of the mobile, with the mobile's last
    /// window while it may send.
    fn acknowledge(&self, port: &mut Port<'_, P>) {
        if let Some(mut packet) = self.in_name.repeat() {
            let header = &mut packet.segment.header;
            header.ack = self.progress.seq(self.told);
            if self.state != State::Open {
                header.window = 0;
            }
            port.send(packet);
        }
    }
}
