//! What uses a TCP endpoint.

use tcp::{Endpoint, Payload, State};

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
}

impl<P: Payload> Application<P> {
    /// Does whatever there is to do now.
    pub(crate) fn run(&mut self, endpoint: &mut Endpoint<P>) {
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
        }
    }
}
