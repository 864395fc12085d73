//! What uses a TCP endpoint.

use base::{Observe, Time};
use tcp::{Endpoint, Payload, State};

use crate::{Browser, Server};

/// A program above TCP.
#[derive(Debug)]
pub enum Application<P> {
    /// Hands over all it has at once and then, where `close` is set, closes: an FTP source.
    Source {
        /// What is still to be handed over.
        data: Option<P>,
        /// Whether the connection ends with the data.
        close: bool,
    },
    /// Reads whatever comes as it comes, and closes when the peer has.
    Sink,
    /// Asks for pages and reads them.
    Browser(Browser<P>),
    /// Answers requests with pages.
    Server(Server<P>),
}

impl<P: Payload> Application<P> {
    /// Does whatever there is to do now.
    pub(crate) fn run(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint<P>,
        observe: &mut impl Observe,
    ) {
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
            Self::Browser(browser) => browser.run(now, endpoint, observe),
            Self::Server(server) => server.run(endpoint),
        }
    }

    /// When it wants to run next.
    pub(crate) const fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Browser(browser) => browser.poll_timeout(),
            Self::Source { .. } | Self::Sink | Self::Server(_) => None,
        }
    }
}
