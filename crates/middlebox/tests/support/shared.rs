//! A box that a test can still reach while it is in a network.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Time;
use middlebox::{Address, Counters, Exposure, Managed, Middlebox, Packet, RadioReport};
use observe::BoxContext;
use tcp::Payload;

/// A box in two hands.
#[derive(Debug)]
pub struct Shared<M>(Arc<Mutex<M>>);

impl<M> Clone for Shared<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M> Shared<M> {
    /// Takes `middlebox`.
    pub fn new(middlebox: M) -> Self {
        Self(Arc::new(Mutex::new(middlebox)))
    }

    /// The box.
    pub fn get(&self) -> MutexGuard<'_, M> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Payload, M: Middlebox<P>> Middlebox<P> for Shared<M> {
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, packet: Packet<P>) {
        self.get().handle_packet(cx, packet);
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        self.get().handle_timeout(cx);
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        self.get().handle_report(cx, mobile, report);
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        self.get().poll_output(cx)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.get().poll_timeout()
    }

    fn counters(&self) -> Counters {
        self.get().counters()
    }
}

impl<P: Payload, M: Managed<P>> Managed<P> for Shared<M> {
    fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        self.get().poll_exposure()
    }
}
