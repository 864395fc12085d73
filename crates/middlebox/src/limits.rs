//! How much a box takes upon itself, and for how long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::Duration;

use crate::map::Map;
use crate::{Address, Leg};

/// Bounds of a box. What exceeds them passes untouched, so that nobody is refused; what a mobile
/// has of its own keeps one that opens too much from harming others (RFC 4987 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections that the box takes part in at once.
    pub flows: u32,
    /// The same of one mobile.
    pub flows_per_mobile: u32,
    /// Of those, connections whose handshake is under way.
    pub opening: u32,
    /// The same of one mobile.
    pub opening_per_mobile: u32,
    /// Payload bytes that all connections that stand may have the box hold.
    pub bytes: u64,
    /// A connection without a packet for so long is forgotten (RFC 5382 REQ-5: at least 2 h 4 min).
    pub idle: Duration,
    /// The same for one that opens, or that is over (RFC 5382 REQ-5: at least 4 min).
    pub transitory: Duration,
}

impl Limits {
    /// Room for any number, with the times of RFC 5382.
    pub const NONE: Self = Self {
        flows: u32::MAX,
        flows_per_mobile: u32::MAX,
        opening: u32::MAX,
        opening_per_mobile: u32::MAX,
        bytes: u64::MAX,
        idle: Duration::from_secs(2 * 3_600 + 4 * 60),
        transitory: Duration::from_secs(4 * 60),
    };
}

/// Why a connection passes untouched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bypass {
    /// [`Limits::flows`].
    Flows,
    /// [`Limits::flows_per_mobile`].
    FlowsPerMobile,
    /// [`Limits::opening`].
    Opening,
    /// [`Limits::opening_per_mobile`].
    OpeningPerMobile,
    /// [`Limits::bytes`].
    Bytes,
    /// The box takes no new connections any more.
    Draining,
    /// Its SYN brought data (RFC 7413), or the box has not seen all of its handshake.
    Handshake,
    /// The box was told to leave it.
    Left,
}

impl Bypass {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Flows,
        Self::FlowsPerMobile,
        Self::Opening,
        Self::OpeningPerMobile,
        Self::Bytes,
        Self::Draining,
        Self::Handshake,
        Self::Left,
    ];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::FlowsPerMobile => "flows_per_mobile",
            Self::Opening => "opening",
            Self::OpeningPerMobile => "opening_per_mobile",
            Self::Bytes => "bytes",
            Self::Draining => "draining",
            Self::Handshake => "handshake",
            Self::Left => "left",
        }
    }
}

/// The most bytes that a box can come to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserve {
    /// For a mobile with connections, however many.
    pub per_mobile: u64,
    /// For each connection besides, or for each of its directions.
    pub per_flow: u64,
}

/// The mobiles at the two ends of a connection.
pub(crate) type Ends = [Option<Address>; 2];

/// Who has been let in, by one box or by several that share their bounds.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Mutex<Books>>);

impl Admission {
    /// Nobody yet.
    pub fn new(limits: Limits) -> Self {
        let (whole, mobiles) = (Usage::default(), Map::default());
        Self(Arc::new(Mutex::new(Books { limits, whole, bytes: 0, mobiles })))
    }

    /// Other bounds from now on. Who is in stays; each box keeps its times.
    pub fn set_limits(&self, limits: Limits) {
        self.books().limits = limits;
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// By which one box lets connections in.
#[derive(Debug)]
pub(crate) struct Door {
    admission: Admission,
    /// Of this box.
    usage: Usage,
}

impl Door {
    /// Nobody has come yet.
    pub(crate) fn new(admission: Admission) -> Self {
        Self { admission, usage: Usage::default() }
    }

    /// Connections that open or stand: of one mobile, or of the whole box.
    pub(crate) fn usage(&self, mobile: Option<Address>) -> Usage {
        let of = |mobile| self.admission.books().mobiles.get(&mobile).copied().unwrap_or_default();
        mobile.map_or(self.usage, of)
    }

    /// A connection is about to open.
    pub(crate) fn open(&mut self, ends: Ends) -> Result<(), Bypass> {
        self.admission.books().open(ends)?;
        self.usage.opening += 1;
        Ok(())
    }

    /// A connection that was about to open is not any more.
    pub(crate) fn cancel(&mut self, ends: Ends) {
        self.admission.books().cancel(ends);
        self.usage.opening -= 1;
    }

    /// A connection that was about to open stands, and may hold as much as `reserve`. If it has to
    /// pass instead it is canceled.
    pub(crate) fn stand(&mut self, ends: Ends, reserve: Reserve) -> Result<(), Bypass> {
        self.usage.opening -= 1;
        self.admission.books().stand(ends, reserve)?;
        self.usage.standing += 1;
        Ok(())
    }

    /// A connection that stood with `reserve` is gone.
    pub(crate) fn leave(&mut self, ends: Ends, reserve: Reserve) {
        self.admission.books().leave(ends, reserve);
        self.usage.standing -= 1;
    }
}

#[derive(Debug)]
struct Books {
    limits: Limits,
    whole: Usage,
    bytes: u64,
    /// Of mobiles with connections.
    mobiles: Map<Address, Usage>,
}

/// Connections that a box takes part in, by how far they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Their handshake is under way.
    pub opening: u32,
    /// They stand.
    pub standing: u32,
}

impl Usage {
    /// All of them.
    pub const fn flows(self) -> u32 {
        self.opening + self.standing
    }
}

impl Books {
    fn open(&mut self, ends: Ends) -> Result<(), Bypass> {
        let limits = &self.limits;
        let usages = || ends.iter().flatten().filter_map(|mobile| self.mobiles.get(mobile));
        if usages().any(|usage| usage.opening >= limits.opening_per_mobile) {
            return Err(Bypass::OpeningPerMobile);
        }
        if usages().any(|usage| usage.flows() >= limits.flows_per_mobile) {
            return Err(Bypass::FlowsPerMobile);
        }
        if self.whole.opening >= limits.opening {
            return Err(Bypass::Opening);
        }
        if self.whole.flows() >= limits.flows {
            return Err(Bypass::Flows);
        }
        self.whole.opening += 1;
        for mobile in ends.into_iter().flatten() {
            self.mobiles.entry(mobile).or_default().opening += 1;
        }
        Ok(())
    }

    fn cancel(&mut self, ends: Ends) {
        self.whole.opening -= 1;
        for mobile in ends.into_iter().flatten() {
            self.change(mobile, |usage| usage.opening -= 1);
        }
    }

    fn stand(&mut self, ends: Ends, reserve: Reserve) -> Result<(), Bypass> {
        let first = |mobile| self.mobiles.get(mobile).is_none_or(|usage| usage.standing == 0);
        let new = ends.iter().flatten().filter(|mobile| first(mobile)).count() as u64;
        let wanted = reserve.per_flow.saturating_add(reserve.per_mobile.saturating_mul(new));
        if wanted > self.limits.bytes.saturating_sub(self.bytes) {
            self.cancel(ends);
            return Err(Bypass::Bytes);
        }
        self.bytes += wanted;
        self.whole.opening -= 1;
        self.whole.standing += 1;
        for mobile in ends.into_iter().flatten() {
            self.change(mobile, |usage| {
                usage.opening -= 1;
                usage.standing += 1;
            });
        }
        Ok(())
    }

    fn leave(&mut self, ends: Ends, reserve: Reserve) {
        self.whole.standing -= 1;
        self.bytes -= reserve.per_flow;
        for mobile in ends.into_iter().flatten() {
            let mut last = false;
            self.change(mobile, |usage| {
                usage.standing -= 1;
                last = usage.standing == 0;
            });
            self.bytes -= if last { reserve.per_mobile } else { 0 };
        }
    }

    fn change(&mut self, mobile: Address, act: impl FnOnce(&mut Usage)) {
        let Some(usage) = self.mobiles.get_mut(&mobile) else { return };
        act(usage);
        if usage.flows() == 0 {
            self.mobiles.remove(&mobile);
        }
    }
}

/// The mobiles among the two.
pub(crate) fn ends(one: Address, other: Address) -> Ends {
    let other = Some(other).filter(|&other| other != one);
    [Some(one), other].map(|end| end.filter(|end| end.leg == Leg::Radio))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        flows: 4,
        flows_per_mobile: 3,
        opening: 3,
        opening_per_mobile: 2,
        bytes: 100,
        ..Limits::NONE
    };

    const fn mobile(host: u128) -> Address {
        Address { leg: Leg::Radio, host }
    }

    fn to(host: u128) -> Ends {
        ends(Address { leg: Leg::Wired, host: 1 }, mobile(host))
    }

    #[test]
    fn each_bound_is_told_by_its_name() {
        let admission = Admission::new(LIMITS);
        let mut door = Door::new(admission.clone());
        let small = Reserve { per_mobile: 10, per_flow: 5 };
        assert_eq!(door.open(to(1)), Ok(()));
        assert_eq!(door.open(to(1)), Ok(()));
        assert_eq!(door.open(to(1)), Err(Bypass::OpeningPerMobile));
        assert_eq!(door.open(to(2)), Ok(()));
        assert_eq!(door.open(to(3)), Err(Bypass::Opening));
        assert_eq!(door.stand(to(1), small), Ok(()));
        assert_eq!(door.stand(to(1), small), Ok(()));
        assert_eq!(door.open(to(1)), Ok(()));
        assert_eq!(door.open(to(1)), Err(Bypass::FlowsPerMobile));
        assert_eq!(door.open(to(3)), Err(Bypass::Flows));
        // 10 + 5 + 5 are taken.
        let large = Reserve { per_mobile: 10, per_flow: 71 };
        assert_eq!(door.stand(to(2), large), Err(Bypass::Bytes));
        assert_eq!(door.open(to(2)), Ok(()));
        assert_eq!(door.stand(to(2), Reserve { per_flow: 70, ..large }), Ok(()));
        assert_eq!(admission.books().bytes, 100);
    }

    #[test]
    fn boxes_share_what_they_are_told_to() {
        let admission = Admission::new(LIMITS);
        let [mut one, mut other] = [(); 2].map(|()| Door::new(admission.clone()));
        assert_eq!((one.open(to(1)), one.open(to(2))), (Ok(()), Ok(())));
        assert_eq!((other.open(to(3)), other.open(to(4))), (Ok(()), Err(Bypass::Opening)));
        assert_eq!((one.usage(None).opening, other.usage(None).opening), (2, 1));
        assert_eq!(other.usage(Some(mobile(1))).opening, 1);
        admission.set_limits(Limits { opening: 1, bytes: 5, ..LIMITS });
        let reserve = Reserve { per_mobile: 0, per_flow: 5 };
        assert_eq!((one.stand(to(1), reserve), one.open(to(1))), (Ok(()), Err(Bypass::Opening)));
        admission.set_limits(Limits { bytes: 3, ..LIMITS });
        assert_eq!(other.stand(to(3), reserve), Err(Bypass::Bytes));
        one.leave(to(1), reserve);
        one.cancel(to(2));
        assert_eq!((one.usage(None), other.usage(None)), (Usage::default(), Usage::default()));
    }

    #[test]
    fn who_leaves_leaves_nothing_behind() {
        let admission = Admission::new(LIMITS);
        let mut door = Door::new(admission.clone());
        let reserve = Reserve { per_mobile: 10, per_flow: 5 };
        let both = ends(mobile(1), mobile(2));
        for _ in 0..100 {
            assert_eq!(door.open(both), Ok(()));
            assert_eq!(door.open(to(1)), Ok(()));
            assert_eq!(door.stand(both, reserve), Ok(()));
            assert_eq!(door.stand(to(1), reserve), Ok(()));
            assert_eq!(admission.books().bytes, 30);
            door.leave(both, reserve);
            assert_eq!(admission.books().bytes, 15);
            door.leave(to(1), reserve);
            assert_eq!(door.open(both), Ok(()));
            door.cancel(both);
            assert_eq!(door.usage(None).flows(), 0);
            let Books { bytes, whole, mobiles, .. } = &*admission.books();
            assert_eq!((*bytes, whole.flows(), mobiles.len()), (0, 0, 0));
        }
    }
}
