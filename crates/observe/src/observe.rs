//! What a measurement sees of a running world.
//!
//! Machines report the facts of their layer to an observer as they happen; observers (metrics,
//! traces, captures) never answer. An observer with `ON = false` costs nothing: every call compiles
//! away.

use base::Time;

use crate::{
    BlockFact, CodeFact, CommonFact, ConnectionFact, EchoFact, HandoverFact, MiddleboxFact,
    MobilityFact, PacketFact, PageFact, PowerFact, RatioFact, RrcFact, TcpFact,
};

/// A sink for facts. Each method does nothing unless a sink wants that kind of fact.
pub trait Observe {
    /// False if nothing is recorded, so that work done only to record can be left out.
    const ON: bool = true;

    /// True if it wants to know of dequeued packets, which machines track only then.
    const DEQUEUES: bool = false;

    /// A packet left or reached an endpoint or a middlebox, or entered, left or was dropped at a
    /// link or bearer.
    fn packet(&mut self, _now: Time, _fact: &PacketFact<'_>) {}

    /// Packet `uid` leaves the queue of link or bearer number `machine` at `time`, when its first
    /// bit is sent. Reported as soon as it is known: for a pipe, when the packet enters.
    fn dequeued(&mut self, _time: Time, _machine: u32, _uid: u64) {}

    /// Something happened inside TCP endpoint number `endpoint`.
    fn tcp(&mut self, _now: Time, _endpoint: u32, _fact: TcpFact) {}

    /// A radio block was sent.
    fn block(&mut self, _now: Time, _fact: BlockFact) {}

    /// An RRC connection changed its state.
    fn rrc(&mut self, _now: Time, _fact: RrcFact) {}

    /// A mobile's radio is better or worse than it was.
    fn ratio(&mut self, _now: Time, _fact: RatioFact) {}

    /// A mobile's radio draws another power.
    fn power(&mut self, _now: Time, _fact: PowerFact) {}

    /// A code was allocated or released, or none was free.
    fn code(&mut self, _now: Time, _fact: CodeFact) {}

    /// A mobile's set of cells changed.
    fn handover(&mut self, _now: Time, _fact: HandoverFact) {}

    /// A common channel was used in the TTI that begins.
    fn common(&mut self, _now: Time, _fact: CommonFact) {}

    /// A page has arrived at the browser of TCP endpoint number `endpoint`.
    fn page(&mut self, _now: Time, _endpoint: u32, _fact: PageFact) {}

    /// What was typed at TCP endpoint number `endpoint` has come back.
    fn echo(&mut self, _now: Time, _endpoint: u32, _fact: EchoFact) {}

    /// An application opened a connection.
    fn connection(&mut self, _now: Time, _fact: ConnectionFact) {}

    /// Something happened inside middlebox number `machine`.
    fn middlebox(&mut self, _now: Time, _machine: u32, _fact: MiddleboxFact) {}

    /// Something happened in mobility agent number `machine`.
    fn mobility(&mut self, _now: Time, _machine: u32, _fact: MobilityFact) {}
}

/// What a machine passes to all that acts or reports facts: the time, and the observer.
#[derive(Debug)]
pub struct Context<'a, O: ?Sized> {
    /// The time.
    pub now: Time,
    /// The observer.
    pub observe: &'a mut O,
}

impl<O: Observe> Context<'_, O> {
    /// [`Observe::ON`].
    pub const fn is_watched(&self) -> bool {
        O::ON
    }

    /// [`Observe::packet`], now.
    pub fn packet(&mut self, fact: &PacketFact<'_>) {
        self.observe.packet(self.now, fact);
    }

    /// [`Observe::tcp`], now.
    pub fn tcp(&mut self, endpoint: u32, fact: TcpFact) {
        self.observe.tcp(self.now, endpoint, fact);
    }

    /// [`Observe::page`], now.
    pub fn page(&mut self, endpoint: u32, fact: PageFact) {
        self.observe.page(self.now, endpoint, fact);
    }

    /// [`Observe::middlebox`], now.
    pub fn middlebox(&mut self, machine: u32, fact: MiddleboxFact) {
        self.observe.middlebox(self.now, machine, fact);
    }

    /// [`Observe::mobility`], now.
    pub fn mobility(&mut self, machine: u32, fact: MobilityFact) {
        self.observe.mobility(self.now, machine, fact);
    }
}

/// The [`Context`] of a box. Boxes are trait objects, whose methods cannot be generic, so what
/// receives the facts is one, too.
pub type BoxContext<'a> = Context<'a, dyn FnMut(MiddleboxFact) + 'a>;

impl BoxContext<'_> {
    /// Something happened inside the box, now.
    pub fn tell(&mut self, fact: MiddleboxFact) {
        (self.observe)(fact);
    }
}

/// The observer that sees nothing.
impl Observe for () {
    const ON: bool = false;
}

/// Tells both of two observers of facts, whatever their kind.
macro_rules! tell_both {
    ($($kind:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $kind(&mut self, $($argument: $type),*) {
            self.0.$kind($($argument),*);
            self.1.$kind($($argument),*);
        })*
    };
}

/// Two observers; both get every fact.
impl<A: Observe, B: Observe> Observe for (A, B) {
    const ON: bool = A::ON || B::ON;
    const DEQUEUES: bool = A::DEQUEUES || B::DEQUEUES;

    tell_both! {
        packet(now: Time, fact: &PacketFact<'_>);
        dequeued(time: Time, machine: u32, uid: u64);
        tcp(now: Time, endpoint: u32, fact: TcpFact);
        block(now: Time, fact: BlockFact);
        rrc(now: Time, fact: RrcFact);
        ratio(now: Time, fact: RatioFact);
        power(now: Time, fact: PowerFact);
        code(now: Time, fact: CodeFact);
        handover(now: Time, fact: HandoverFact);
        common(now: Time, fact: CommonFact);
        page(now: Time, endpoint: u32, fact: PageFact);
        echo(now: Time, endpoint: u32, fact: EchoFact);
        connection(now: Time, fact: ConnectionFact);
        middlebox(now: Time, machine: u32, fact: MiddleboxFact);
        mobility(now: Time, machine: u32, fact: MobilityFact);
    }
}
