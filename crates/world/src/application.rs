//! What uses a TCP endpoint.

use base::Time;
use observe::{Context, Observe};
use tcp::{Endpoint, Payload, State};

use crate::exchange::{Answerer, Asker};
use crate::probe::Prober;
use crate::telnet::{Echoer, Typist};
use crate::{Browser, Server};

/// A program above TCP.
#[derive(Debug)]
pub enum Application<P> {
    /// Hands over all it has at once and then, where `close` is set, closes: an FTP source.
    Source {
        /// What is not yet handed over.
        data: Option<P>,
        /// Whether the connection ends with the data.
        close: bool,
    },
    /// Reads data as they come, and closes when the peer has.
    Sink,
    /// Asks for pages and reads them.
    Browser(Browser<P>),
    /// Answers requests with pages.
    Server(Server<P>),
    /// Types, and waits for echoes.
    Typist(Typist<P>),
    /// Echoes what is typed.
    Echoer(Echoer<P>),
    /// Sends single segments with pauses, and then closes.
    Prober(Prober<P>),
    /// Asks once.
    Asker(Asker<P>),
    /// Answers once, and then closes.
    Answerer(Answerer<P>),
    /// The application has ended.
    Gone,
}

impl<P: Payload> Application<P> {
    /// Does what is due now.
    pub(crate) fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        match self {
            Self::Source { data, close } => {
                if let Some(data) = data.take() {
                    endpoint.write(data);
                    if *close {
                        endpoint.close();
                    }
                }
            }
            Self::Sink => {
                while endpoint.read().is_some() {}
                if endpoint.state() == State::CloseWait {
                    endpoint.close();
                }
            }
            Self::Browser(browser) => browser.run(cx, endpoint),
            Self::Server(server) => server.run(endpoint),
            Self::Typist(typist) => typist.run(cx, endpoint),
            Self::Echoer(echoer) => echoer.run(endpoint),
            Self::Prober(prober) => prober.run(cx.now, endpoint),
            Self::Asker(asker) => asker.run(endpoint),
            Self::Answerer(answerer) => answerer.run(endpoint),
            Self::Gone => {}
        }
    }

    /// When it wants to run next.
    pub(crate) const fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Browser(browser) => browser.poll_timeout(),
            Self::Typist(typist) => typist.poll_timeout(),
            Self::Prober(prober) => prober.poll_timeout(),
            Self::Source { .. }
            | Self::Sink
            | Self::Server(_)
            | Self::Echoer(_)
            | Self::Asker(_)
            | Self::Answerer(_)
            | Self::Gone => None,
        }
    }
}
