//! Data towards fixed hosts beside those towards mobiles.

use base::Time;
use observe::BoxContext;
use tcp::{Acknowledgement, Departure, Payload};

use super::{FlowId, PerFlow, RadioLeg, Terms};
use crate::{Address, Admission, Aside, Counters, Leg, Opaque, RadioReport, Reception, Reserve};

/// A radio leg `L`, and a sender for each connection's data towards a fixed host: a flow is given
/// to the one or the other by where its data go.
///
/// Facts are about the radio leg alone; what the wired one holds and retransmits is counted.
#[derive(Debug)]
pub struct BothWays<P, L> {
    radio: L,
    wired: PerFlow<P>,
    /// Where the data of each flow go.
    legs: Vec<Leg>,
}

impl<P: Payload + Send, L: RadioLeg<P>> BothWays<P, L> {
    /// `radio` towards mobiles, and `wired` towards fixed hosts.
    pub const fn new(radio: L, wired: PerFlow<P>) -> Self {
        Self { radio, wired, legs: Vec::new() }
    }

    fn on(&self, leg: Leg) -> &dyn RadioLeg<P> {
        match leg {
            Leg::Radio => &self.radio,
            Leg::Wired => &self.wired,
        }
    }

    fn of(&self, flow: FlowId) -> &dyn RadioLeg<P> {
        self.on(self.legs[flow.0 as usize])
    }

    fn of_mut(&mut self, flow: FlowId) -> &mut dyn RadioLeg<P> {
        match self.legs[flow.0 as usize] {
            Leg::Radio => &mut self.radio,
            Leg::Wired => &mut self.wired,
        }
    }

    /// Calls the leg of `flow`.
    fn with<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        flow: FlowId,
        act: impl FnOnce(&mut dyn RadioLeg<P>, &mut BoxContext<'_>) -> R,
    ) -> R {
        match self.legs[flow.0 as usize] {
            Leg::Radio => act(&mut self.radio, cx),
            Leg::Wired => {
                act(&mut self.wired, &mut BoxContext { now: cx.now, observe: &mut |_| {} })
            }
        }
    }
}

impl<P: Payload + Send, L: RadioLeg<P>> RadioLeg<P> for BothWays<P, L> {
    fn syn_window(&self, host: Address) -> u64 {
        self.on(host.leg).syn_window(host)
    }

    fn reserve(&self, leg: Leg) -> Reserve {
        self.on(leg).reserve(leg)
    }

    fn draw_from(&mut self, admission: &Admission) {
        self.radio.draw_from(admission);
        self.wired.draw_from(admission);
    }

    fn open(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, terms: &Terms) {
        let index = flow.0 as usize;
        if self.legs.len() <= index {
            self.legs.resize(index + 1, Leg::Radio);
        }
        self.legs[index] = terms.connection.destination.leg;
        self.with(cx, flow, |leg, cx| leg.open(cx, flow, terms));
    }

    fn write(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, payload: P) {
        self.with(cx, flow, |leg, cx| leg.write(cx, flow, payload));
    }

    fn close(&mut self, now: Time, flow: FlowId) {
        self.of_mut(flow).close(now, flow);
    }

    fn remove(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) -> u64 {
        self.with(cx, flow, |leg, cx| leg.remove(cx, flow))
    }

    fn handle_ack(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, ack: &Acknowledgement) {
        self.with(cx, flow, |leg, cx| leg.handle_ack(cx, flow, ack));
    }

    fn limit_segment(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, bytes: u32) {
        self.with(cx, flow, |leg, cx| leg.limit_segment(cx, flow, bytes));
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        self.radio.handle_timeout(cx);
        self.wired.handle_timeout(&mut BoxContext { now: cx.now, observe: &mut |_| {} });
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        self.radio.handle_report(cx, mobile, report);
    }

    fn handle_opaque(
        &mut self,
        cx: &mut BoxContext<'_>,
        mobile: u32,
        packet: &Opaque,
    ) -> Reception {
        self.radio.handle_opaque(cx, mobile, packet)
    }

    fn handle_echo(&mut self, cx: &mut BoxContext<'_>, mobile: Address, number: u32) {
        self.radio.handle_echo(cx, mobile, number);
    }

    fn poll_aside(&mut self) -> Option<Aside> {
        self.radio.poll_aside()
    }

    fn release_opaque(&mut self) {
        self.radio.release_opaque();
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<(FlowId, Departure<P>)> {
        let toward_mobile = self.radio.poll_output(cx);
        let cx = &mut BoxContext { now: cx.now, observe: &mut |_| {} };
        toward_mobile.or_else(|| self.wired.poll_output(cx))
    }

    fn poll_timeout(&self) -> Option<Time> {
        Time::earlier(self.radio.poll_timeout(), self.wired.poll_timeout())
    }

    fn right_edge(&mut self, now: Time, flow: FlowId) -> u64 {
        self.of_mut(flow).right_edge(now, flow)
    }

    fn poll_window_update(&mut self) -> Option<FlowId> {
        self.radio.poll_window_update().or_else(|| self.wired.poll_window_update())
    }

    fn poll_given_up(&mut self) -> Option<FlowId> {
        self.radio.poll_given_up().or_else(|| self.wired.poll_given_up())
    }

    fn acknowledged(&self, flow: FlowId) -> u64 {
        self.of(flow).acknowledged(flow)
    }

    fn forget(&mut self, number: u32, mobile: Address) {
        self.radio.forget(number, mobile);
        self.wired.forget(number, mobile);
    }

    fn held_bytes(&self, flow: FlowId) -> u64 {
        self.of(flow).held_bytes(flow)
    }

    fn count(&self, counters: &mut Counters) {
        self.radio.count(counters);
        let Counters { retransmissions, timeouts, .. } = *counters;
        self.wired.count(counters);
        counters.wired.retransmissions += counters.retransmissions - retransmissions;
        counters.wired.timeouts += counters.timeouts - timeouts;
    }
}
