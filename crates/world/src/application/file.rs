//! A file, or a stream without end, as an FTP source sends it.

use base::Time;
use observe::{Context, Observe};
use tcp::{Endpoint, Length, Payload, State};

use super::Program;
use super::flow::{ENDLESS, NewFlow, Traffic};
use super::stop::Stop;
use crate::{Body, MachineId};

/// A file of the flow's `bytes`; without them data for the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct File;

/// Hands over all it has at once and then, where `close` is set, closes.
#[derive(Debug)]
pub struct Source<P> {
    /// What is not yet handed over.
    data: Option<P>,
    /// Whether the connection ends with the data.
    close: bool,
    stop: Stop,
}

/// Reads data as they come, and closes when the peer has.
#[derive(Debug)]
pub struct Sink;

impl Traffic for File {
    /// discard (RFC 863).
    const PORT: u16 = 9;

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let source = match flow.bytes {
            Some(bytes) => Source::file(Length(bytes)),
            None => Source::stream(ENDLESS),
        };
        let source = Source { stop: Stop::at(flow.stop), ..source };
        Self::connect(flow, source, Sink)
    }
}

impl<P> Source<P> {
    /// All `data`, and then the connection ends.
    pub const fn file(data: P) -> Self {
        Self { data: Some(data), close: true, stop: Stop::at(None) }
    }

    /// All `data`, and then the connection stays open.
    pub const fn stream(data: P) -> Self {
        Self { data: Some(data), close: false, stop: Stop::at(None) }
    }
}

impl<P: Payload> Program<P> for Source<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        if let Some(data) = self.data.take() {
            endpoint.write(data);
            if self.close {
                endpoint.close();
            }
        }
        self.stop.has_come(cx.now, endpoint);
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stop.poll_timeout()
    }
}

impl<P: Payload> Program<P> for Sink {
    fn run(&mut self, _: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        while endpoint.read().is_some() {}
        if endpoint.state() == State::CloseWait {
            endpoint.close();
        }
    }
}
