//! The box of a subscriber, between a modem and the hosts behind it: it takes part in no
//! connection, since these hosts talk to others with round trips of all lengths, which share no
//! list of unacknowledged packets. Each flow that goes up, of TCP too, waits in a lane of its own
//! for room in one window, the modem's ([`super::others`]).

use std::collections::VecDeque;

use base::Time;
use observe::BoxContext;
use tcp::Payload;

use super::{Atcp, AtcpConfig};
use crate::{
    Address, Aside, Counters, Managed, Middlebox, Opaque, Packet, RadioLeg, RadioReport, Reception,
};

/// The aggregate of an uplink.
#[derive(Debug)]
pub(crate) struct Subscriber<P> {
    pipe: Atcp<P>,
    counters: Counters,
    /// Segments that were shown to it all the same.
    passing: VecDeque<Packet<P>>,
    draining: bool,
    deadline: Option<Time>,
}

impl<P: Payload + Send> Subscriber<P> {
    /// A box of the uplink that facts call `number`.
    pub(crate) fn new(config: AtcpConfig, number: u32) -> Self {
        let mut pipe = Atcp::new(config);
        pipe.open_pipe(number);
        let (passing, counters) = (VecDeque::new(), Counters::default());
        Self { pipe, counters, passing, draining: false, deadline: None }
    }
}

impl<P: Payload + Send> Middlebox<P> for Subscriber<P> {
    fn handle_packet(&mut self, _cx: &mut BoxContext<'_>, packet: Packet<P>) {
        self.passing.push_back(packet);
    }

    /// While nothing is known of the pipe all passes at once, as if there were no box.
    fn handle_opaque(&mut self, cx: &mut BoxContext<'_>, packet: &Opaque) -> Reception {
        self.counters.packets_in += 1;
        if self.draining || !self.pipe.knows_its_pipe() {
            self.counters.packets_out += 1;
            return Reception::Passes;
        }
        self.pipe.handle_opaque(cx, 0, packet)
    }

    fn handle_echo(&mut self, cx: &mut BoxContext<'_>, host: Address, number: u32) {
        self.pipe.handle_echo(cx, host, number);
    }

    fn poll_aside(&mut self) -> Option<Aside> {
        let aside = self.pipe.poll_aside();
        if let Some(Aside::Packet(_, release)) = aside {
            self.counters.packets_out += u64::from(!release.is_loss());
        }
        aside
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        self.pipe.handle_timeout(cx);
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, modem: Address, report: RadioReport) {
        self.pipe.handle_report(cx, modem, report);
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        if let Some(packet) = self.passing.pop_front() {
            return Some(packet);
        }
        let segment = self.pipe.poll_output(cx);
        assert!(segment.is_none(), "it has no connections");
        self.deadline = self.pipe.poll_timeout();
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }

    fn counters(&self) -> Counters {
        let (held_bytes, held_max) = self.pipe.waiting();
        Counters { held_bytes, held_max, ..self.counters }
    }
}

impl<P: Payload + Send> Managed<P> for Subscriber<P> {
    fn drain(&mut self, _cx: &mut BoxContext<'_>) {
        self.draining = true;
        self.pipe.release_opaque();
    }

    fn reset_all(&mut self, _cx: &mut BoxContext<'_>) {
        self.pipe.release_opaque();
    }
}
