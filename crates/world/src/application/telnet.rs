//! Typing: one end sends keystrokes, the other echoes each, as a remote terminal does (RFC 854,
//! RFC 857). What counts is how long each echo takes.
//!
//! Simplified: the gaps between keystrokes are exponential, while those of people have a longer
//! tail (Danzig and Jamin 1991); and nothing is echoed but what was typed.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Stream, Time};
use observe::{Context, EchoFact, Observe};
use settings::{Bytes, Count, OfTime, Or, Unlimited, section};
use tcp::{Endpoint, Length, Payload, State};

use super::Program;
use super::draws::exponential;
use super::exchange::read_all;
use super::flow::{ENDLESS, NewFlow, Traffic};
use super::stop::{Stop, earlier};
use crate::{Body, MachineId, Side};

section! {
    /// `[flow.telnet]`: typing at the receiver, echoed by the sender.
    #[derive(Eq)]
    pub struct Telnet {
        /// Bytes that a keystroke sends.
        pub keystroke: u32 as Bytes<u32, 1, 1_000_000> = 1;
        /// Bytes that come back for each.
        pub echo: u32 as Bytes<u32, 1, 1_000_000> = 1;
        /// From one keystroke to the next on average; exponential.
        pub interval: Duration as OfTime<1> = Duration::from_secs(1);
        /// How many keystrokes there are; the connection is closed after the last echo.
        pub count: Option<u64> as Or<Unlimited, Count<u64, 1, 1_000_000_000>> = None;
    }
}

/// The end that types.
#[derive(Debug)]
pub struct Typist<P> {
    telnet: Arc<Telnet>,
    chance: Stream,
    /// What keystrokes are made of.
    data: P,
    /// Keystrokes to come.
    left: Option<u64>,
    /// When the next comes; the first a gap after the connection is established.
    next: Option<Time>,
    /// When those were typed whose echoes are not whole.
    waiting: VecDeque<Time>,
    /// Bytes of the first of these echoes.
    heard: u64,
    stop: Stop,
}

/// The end that echoes.
#[derive(Debug)]
pub struct Echoer<P> {
    telnet: Arc<Telnet>,
    /// What echoes are made of.
    data: P,
    /// Bytes of keystrokes that are not whole.
    heard: u64,
    stop: Stop,
}

impl Traffic for Telnet {
    const PORT: u16 = 23;
    const CLIENT: Option<Side> = Some(Side::Receiver);

    fn bytes(&self, _: Option<u64>) -> Option<u64> {
        self.count.map(|count| count * u64::from(self.echo))
    }

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let telnet = Arc::new(self.clone());
        let typist = Typist::new(&telnet, flow.chance("keystrokes"), ENDLESS);
        let typist = typist.stopping(flow.stop);
        let echoer = Echoer::new(&telnet, ENDLESS).stopping(flow.stop);
        Self::connect(flow, echoer, typist)
    }
}

impl<P: Payload> Typist<P> {
    /// Types by `chance`. `data` is at least as long as a keystroke.
    pub fn new(telnet: &Arc<Telnet>, chance: Stream, data: P) -> Self {
        Self {
            telnet: Arc::clone(telnet),
            chance,
            data,
            left: telnet.count,
            next: None,
            waiting: VecDeque::new(),
            heard: 0,
            stop: Stop::default(),
        }
    }

    /// The same, which types nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }

    /// Takes in echoes.
    fn listen(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        self.heard += read_all(endpoint);
        while let Some(rest) = self.heard.checked_sub(self.telnet.echo.into())
            && let Some(typed) = self.waiting.pop_front()
        {
            self.heard = rest;
            let fact = EchoFact { response: cx.now.saturating_since(typed) };
            cx.observe.echo(cx.now, endpoint.id(), fact);
        }
    }

    /// Draws when the next keystroke comes, if one is to come.
    fn pause(&mut self, now: Time) {
        let gap = exponential(self.telnet.interval, &mut self.chance);
        self.next = (self.left != Some(0)).then(|| now + gap);
    }
}

impl<P: Payload> Program<P> for Typist<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        self.listen(cx, endpoint);
        let has_stopped = self.stop.has_come(cx.now, endpoint);
        if endpoint.state() == State::CloseWait {
            endpoint.close();
        }
        match (endpoint.state(), self.next, self.left) {
            (_, _, _) if has_stopped => self.next = None,
            (State::Established, _, Some(0)) if self.waiting.is_empty() => {
                self.next = None;
                endpoint.close();
            }
            (State::Established, None, left) if left != Some(0) => self.pause(cx.now),
            (State::Established, Some(next), _) if next <= cx.now => {
                let keystroke = u64::from(self.telnet.keystroke);
                endpoint.write(self.data.slice(0, keystroke));
                self.waiting.push_back(cx.now);
                self.left = self.left.map(|left| left - 1);
                self.pause(cx.now);
            }
            (State::Established, _, _) => {}
            (_, _, _) => self.next = None,
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.next, self.stop.poll_timeout())
    }
}

impl<P> Echoer<P> {
    /// `data` is at least as long as an echo.
    pub fn new(telnet: &Arc<Telnet>, data: P) -> Self {
        Self { telnet: Arc::clone(telnet), data, heard: 0, stop: Stop::default() }
    }

    /// The same, which echoes nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }
}

impl<P: Payload> Program<P> for Echoer<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        self.heard += read_all(endpoint);
        let has_stopped = self.stop.has_come(cx.now, endpoint);
        while let Some(rest) = self.heard.checked_sub(self.telnet.keystroke.into())
            && !has_stopped
        {
            self.heard = rest;
            endpoint.write(self.data.slice(0, self.telnet.echo.into()));
        }
        if endpoint.state() == State::CloseWait {
            endpoint.close();
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stop.poll_timeout()
    }
}
