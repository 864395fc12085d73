//! Segment scripts: the set-up, the story, and the endpoint that they are about.

mod options;
mod segment;
mod setup;

use std::collections::VecDeque;

use base::{Duration, Time, Timestamps};
use observe::{Context, Observe, TcpFact};
use tcp::{Endpoint, Length, Payload, Segment, State};

use segment::Numbers;
use setup::{Opening, Setup};

/// Runs a script, once for each variant that it names. The error starts with the line's number.
pub(crate) fn run(text: &str) -> Result<(), String> {
    let intent = text.lines().take_while(|line| line.starts_with("# ")).count();
    if intent != 3 {
        return Err(format!("{intent}: a script opens with three lines of intent"));
    }
    let variants = setup::variants(text);
    variants.iter().try_for_each(|variant| {
        run_variant(text, variant).map_err(|failure| format!("{failure} ({variant})"))
    })
}

fn run_variant(text: &str, variant: &str) -> Result<(), String> {
    let mut setup = Setup::new(variant)?;
    let mut run: Option<Run> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let outcome = match &mut run {
            _ if line.is_empty() => Ok(()),
            Some(run) => run.line(line),
            None => setup.line(line).map(|opening| run = opening.map(|how| Run::new(&setup, how))),
        };
        outcome.map_err(|problem| format!("{}: {problem}", index + 1))?;
    }
    let Some(run) = run else { return Err("1: the script never opens".into()) };
    run.nothing_unexpected().map_err(|problem| format!("{}: {problem}", text.lines().count()))
}

/// What an endpoint said of itself.
#[derive(Debug, Default)]
struct Log {
    mss: f64,
    cwnd: f64,
    ssthresh: f64,
    timeouts: f64,
    fast_retransmits: f64,
    rtts: f64,
    closes: f64,
    rto: f64,
    rtt: f64,
    base_rtt: f64,
    delivered: f64,
    acked: f64,
}

impl Observe for Log {
    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        match fact {
            TcpFact::Window { cwnd, ssthresh } => {
                self.cwnd = cwnd as f64 / self.mss;
                self.ssthresh = ssthresh as f64 / self.mss;
            }
            TcpFact::Timeout { rto, .. } => {
                self.timeouts += 1.0;
                self.rto = rto.as_secs_f64();
            }
            TcpFact::FastRetransmit { .. } => self.fast_retransmits += 1.0,
            TcpFact::Rtt(sample) => {
                self.rtts += 1.0;
                self.rtt = sample.rtt.as_secs_f64();
            }
            TcpFact::Data { delivered, .. } => self.delivered = delivered as f64,
            TcpFact::Acked { offset } => self.acked = offset as f64,
            TcpFact::Closed { .. } => self.closes += 1.0,
            TcpFact::BaseRtt { rtt } => self.base_rtt = rtt.as_secs_f64(),
            TcpFact::Established { .. } | TcpFact::Sent { .. } | TcpFact::Limited { .. } => {}
        }
    }
}

#[derive(Debug)]
struct Run {
    endpoint: Endpoint<Length>,
    numbers: Numbers,
    log: Log,
    /// The start of the story.
    origin: Time,
    now: Time,
    left: VecDeque<(Time, Segment<Length>)>,
    read_at_once: bool,
    /// The peer that acknowledges by itself: how late, and what is on its way.
    ack_each: Option<Duration>,
    acks: VecDeque<(Time, Segment<Length>)>,
    /// The peer's clock at the start of the story.
    peer_clock: u32,
}

/// A tick of the peer's clock.
const MILLISECOND: Duration = Duration::from_millis(1);

impl Run {
    fn new(setup: &Setup, opening: Opening) -> Self {
        let mut run = Self {
            endpoint: setup.endpoint(&opening),
            numbers: setup.numbers(),
            log: Log { mss: f64::from(setup.config.mss), ..Log::default() },
            origin: Time::ZERO,
            now: Time::ZERO,
            left: VecDeque::new(),
            read_at_once: setup.read_at_once,
            ack_each: None,
            acks: VecDeque::new(),
            peer_clock: setup.peer_clock,
        };
        run.pump();
        if let Opening::Established { rtt } = opening {
            run.left.clear();
            run.now += rtt;
            run.origin = run.now;
            run.arrive(&setup.syn_ack());
            run.left.clear();
        }
        run
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (time, what) = line.split_once(char::is_whitespace).ok_or("no such time")?;
        let time = self.parse_time(time)?;
        let (command, rest) = what.trim().split_once(' ').unwrap_or((what.trim(), ""));
        // Timers run out when all is there that arrives at their time.
        if command != "<" || time > self.now {
            self.advance(time);
        }
        match command {
            "?" => return self.check(rest),
            ">" => return self.expect(rest),
            _ => self.nothing_unexpected()?,
        }
        match command {
            "<" => {
                let segment = self.numbers.arriving(rest)?;
                self.arrive(&segment);
            }
            "write" => {
                let bytes = rest.trim().parse().map_err(|_| "no such number of bytes")?;
                self.endpoint.write(Length(bytes));
            }
            "read" => while self.endpoint.read().is_some() {},
            "close" => self.endpoint.close(),
            "freeze" => self.endpoint.freeze(),
            "thaw" => self.endpoint.thaw(),
            "moved" => self.endpoint.on_path_change(self.now),
            "abort" => self.endpoint.abort(&mut Context { now: self.now, observe: &mut self.log }),
            "ack_each" if rest == "off" => self.ack_each = None,
            "ack_each" => self.ack_each = Some(setup::seconds(rest)?),
            other => return Err(format!("no such command: {other}")),
        }
        self.pump();
        Ok(())
    }

    fn parse_time(&self, text: &str) -> Result<Time, String> {
        let (from, text) = match text.strip_prefix('+') {
            Some(rest) => (self.now, rest),
            None => (self.origin, text),
        };
        let time = from + setup::seconds(text).map_err(|_| "no such time")?;
        if time < self.now { Err("time runs backwards".into()) } else { Ok(time) }
    }

    /// Lets time pass: timers and the peer's own acknowledgements.
    fn advance(&mut self, to: Time) {
        loop {
            let timer = self.endpoint.poll_timeout();
            let ack = self.acks.front().map(|(time, _)| *time);
            let Some(next) = [timer, ack].into_iter().flatten().min().filter(|&time| time <= to)
            else {
                break;
            };
            self.now = self.now.max(next);
            if ack == Some(next)
                && let Some((_, segment)) = self.acks.pop_front()
            {
                self.arrive(&segment);
            } else {
                self.endpoint
                    .handle_timeout(&mut Context { now: self.now, observe: &mut self.log });
                self.pump();
            }
        }
        self.now = to;
    }

    fn arrive(&mut self, segment: &Segment<Length>) {
        self.endpoint
            .handle_segment(&mut Context { now: self.now, observe: &mut self.log }, segment);
        self.pump();
    }

    fn pump(&mut self) {
        while self.read_at_once && self.endpoint.read().is_some() {}
        while let Some(segment) =
            self.endpoint.poll_output(&mut Context { now: self.now, observe: &mut self.log })
        {
            match self.ack_each {
                Some(delay) if segment.payload.length() > 0 => {
                    let ack = segment.header.seq + segment.numbers();
                    let at = self.now + delay;
                    let timestamps = segment.header.options.timestamps.map(|ours| {
                        let value = self.peer_clock + (at - self.origin).whole(MILLISECOND) as u32;
                        Timestamps { value, echo: ours.value }
                    });
                    self.acks.push_back((at, self.numbers.pure_ack(ack, timestamps)));
                }
                _ => self.left.push_back((self.now, segment)),
            }
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        let Some((time, segment)) = self.left.pop_front() else {
            return Err("nothing left".into());
        };
        if time != self.now {
            return Err(format!("it left at {}", self.seconds(time)));
        }
        self.numbers.compare(text, &segment)
    }

    fn nothing_unexpected(&self) -> Result<(), String> {
        let Some((time, segment)) = self.left.front() else { return Ok(()) };
        let shown = self.numbers.show(segment);
        Err(format!("unexpected at {}: {shown}", self.seconds(*time)))
    }

    fn seconds(&self, time: Time) -> f64 {
        (time - self.origin).as_secs_f64()
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() || words.len() % 2 == 1 {
            return Err("names and values, please".into());
        }
        words.chunks(2).try_for_each(|pair| self.check_one(pair[0], pair[1]))
    }

    fn check_one(&self, name: &str, expect: &str) -> Result<(), String> {
        let actual = match name {
            "state" => state_name(self.endpoint.state()).to_owned(),
            "cwnd" => shorten(self.log.cwnd),
            "ssthresh" => shorten(self.log.ssthresh),
            "timeouts" => shorten(self.log.timeouts),
            "fast_retransmits" => shorten(self.log.fast_retransmits),
            "rtts" => shorten(self.log.rtts),
            "closes" => shorten(self.log.closes),
            "rto" => shorten(self.log.rto),
            "rtt" => shorten(self.log.rtt),
            "base_rtt" => shorten(self.log.base_rtt),
            "delivered" => shorten(self.log.delivered),
            "acked" => shorten(self.log.acked),
            "marked" => self.endpoint.sender().marked_packets().to_string(),
            "readable" => self.endpoint.receiver().readable().to_string(),
            other => return Err(format!("no such fact: {other}")),
        };
        if actual == expect { Ok(()) } else { Err(format!("{name} is {actual}, not {expect}")) }
    }
}

/// Three decimals, without zeros at the end.
fn shorten(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Closed => "CLOSED",
        State::Listen => "LISTEN",
        State::SynSent => "SYN-SENT",
        State::SynReceived => "SYN-RECEIVED",
        State::Established => "ESTABLISHED",
        State::FinWait1 => "FIN-WAIT-1",
        State::FinWait2 => "FIN-WAIT-2",
        State::CloseWait => "CLOSE-WAIT",
        State::Closing => "CLOSING",
        State::LastAck => "LAST-ACK",
        State::TimeWait => "TIME-WAIT",
    }
}
