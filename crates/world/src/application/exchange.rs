//! One request and one answer over a connection, which the answering end then closes: an object of
//! HTTP/1.0 (RFC 1945 §1.3), or what a connection of a capture carried.

use base::Time;
use observe::{Context, Observe};
use tcp::{Endpoint, Length, Payload, State};

use super::flow::{ENDLESS, NewFlow, Traffic};
use super::stop::Stop;
use super::{AnyProgram, Program};
use crate::{Body, MachineId, Side};

/// The sizes of request and answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Bytes of the request, from the receiver of the data.
    pub request: u64,
    /// Bytes of the answer, the data; it comes once the request is whole.
    pub answer: u64,
}

impl Traffic for Exchange {
    /// http.
    const PORT: u16 = 80;
    const CLIENT: Option<Side> = Some(Side::Receiver);
    /// As browsers and servers of pages do.
    const NO_DELAY: bool = true;

    fn bytes(&self, _: Option<u64>) -> Option<u64> {
        Some(self.answer)
    }

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let answerer = Answerer::new(*self, &ENDLESS).stopping(flow.stop);
        let asker = Asker::new(*self, &ENDLESS).stopping(flow.stop);
        Self::connect(flow, answerer, asker)
    }
}

/// The end that asks.
#[derive(Debug)]
pub struct Asker<P> {
    /// What is not yet written.
    request: Option<P>,
    /// Bytes of the answer that are missing.
    left: u64,
    /// The browser that is notified of its progress.
    browser: Option<MachineId>,
    stop: Stop,
}

/// The end that answers.
#[derive(Debug)]
pub struct Answerer<P> {
    /// Bytes of the request that are missing.
    left: u64,
    /// What is not yet written.
    answer: Option<P>,
    stop: Stop,
}

/// How far an exchange has come, for the end that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// Something is missing.
    Missing,
    /// The answer is whole.
    Whole,
    /// The connection is closed, and the answer is whole.
    Closed,
    /// The connection is closed, and something is missing.
    Failed,
}

impl<P: Payload> Asker<P> {
    /// Asks by a piece of `data`, which is at least as long as the request.
    pub fn new(exchange: Exchange, data: &P) -> Self {
        let request = Some(data.slice(0, exchange.request));
        Self { request, left: exchange.answer, browser: None, stop: Stop::default() }
    }

    /// The same, which asks nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }

    /// From now on `browser` is notified of its progress.
    pub(crate) const fn watch(&mut self, browser: MachineId) {
        self.browser = Some(browser);
    }

    /// How far it has come, with `state` at this end.
    pub(crate) const fn progress(&self, state: State) -> Progress {
        match (is_over(state), self.left) {
            (false, 0) => Progress::Whole,
            (false, 1..) => Progress::Missing,
            (true, 0) => Progress::Closed,
            (true, 1..) => Progress::Failed,
        }
    }

    /// The browser to notify, if something may have changed.
    pub(crate) fn watched_by(&self, state: State) -> Option<MachineId> {
        self.browser.filter(|_| self.progress(state) != Progress::Missing)
    }
}

impl<P: Payload> Answerer<P> {
    /// Answers by a piece of `data`, which is at least as long as the answer.
    pub fn new(exchange: Exchange, data: &P) -> Self {
        let answer = Some(data.slice(0, exchange.answer));
        Self { left: exchange.request, answer, stop: Stop::default() }
    }

    /// The same, which answers nothing from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }
}

impl<P: Payload> Program<P> for Asker<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        if let Some(request) = self.request.take() {
            endpoint.write(request);
        }
        self.stop.has_come(cx.now, endpoint);
        self.left = self.left.saturating_sub(read_all(endpoint));
        if endpoint.state() == State::CloseWait {
            endpoint.close();
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stop.poll_timeout()
    }
}

impl<P: Payload> Program<P> for Answerer<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        self.left = self.left.saturating_sub(read_all(endpoint));
        if !self.stop.has_come(cx.now, endpoint)
            && self.left == 0
            && let Some(answer) = self.answer.take()
        {
            endpoint.write(answer);
            endpoint.close();
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stop.poll_timeout()
    }
}

/// Whether this end has seen that nothing more will come.
const fn is_over(state: State) -> bool {
    matches!(
        state,
        State::CloseWait | State::Closing | State::LastAck | State::TimeWait | State::Closed
    )
}

/// Reads everything that has come; returns its bytes.
pub(crate) fn read_all<P: Payload>(endpoint: &mut Endpoint<P>) -> u64 {
    std::iter::from_fn(|| endpoint.read()).map(|piece| piece.length()).sum()
}

impl<P> AnyProgram<P> {
    /// The asking end, if it is one.
    pub(crate) const fn asker(&self) -> Option<&Asker<P>> {
        if let Self::Asker(asker) = self { Some(asker) } else { None }
    }
}
