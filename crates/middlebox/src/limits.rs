//! How much a box takes upon itself, and for how long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Duration, listed};
use settings::{Bytes, Count, Fault, OfTime, Table, section};

use crate::half_open::{HalfOpen, Share, caller, of_mobile};
use crate::map::Map;
use crate::{Address, Connection, Leg};

section! {
    /// `[limits]`: how much is taken on. What is beyond passes untouched, so that nobody is
    /// refused; what a mobile has of its own keeps one that opens too much from harming others
    /// (RFC 4987 §3).
    #[derive(Copy, Eq)]
    pub struct Limits {
        /// Connections at a time. Default: a port of everything there is, and memory for each.
        pub flows: u32 as Count<u32, 1, 1_000_000> = 65_536;
        /// Connections of one mobile at a time. Default: several web browsers.
        pub flows_per_mobile: u32 as Count<u32, 1, 1_000_000> = 256;
        /// Connections that open at a time: beyond it the oldest of them makes room (RFC 4987
        /// §3.2). Default: what Linux holds (`tcp_max_syn_backlog`, `somaxconn`).
        pub opening: u32 as Count<u32, 1, 1_000_000> = 4_096;
        /// Connections of one mobile that open at a time. Default: a page with many servers.
        pub opening_per_mobile: u32 as Count<u32, 1, 1_000_000> = 64;
        /// Connections that one fixed host calls and that open at a time. Default: half of those of
        /// a mobile, so that no host has all of them.
        pub opening_per_host: u32 as Count<u32, 1, 1_000_000> = 32;
        /// Bytes held for all mobiles together. Each has its own budget beside it, which is a key
        /// of its scheme. Default: 2,000 mobiles with the usual budget of one.
        pub bytes: u64 as Bytes<u64, 10_000, { u64::MAX }> = 256_000_000;
        /// A connection without a packet for so long is forgotten; its packets then pass untouched.
        /// Default: RFC 5382 REQ-5, at least 2 h 4 min.
        pub idle: Duration as OfTime<1> = Duration::from_secs(124 * 60);
        /// The same for one that opens, or that is over. Default: RFC 5382 REQ-5, at least 4 min.
        pub transitory: Duration as OfTime<1> = Duration::from_secs(4 * 60);
    }
    check(Self::goes_together)
}

impl Limits {
    /// Room for any number, with the times of RFC 5382.
    pub const NONE: Self = Self {
        flows: u32::MAX,
        flows_per_mobile: u32::MAX,
        opening: u32::MAX,
        opening_per_mobile: u32::MAX,
        opening_per_host: u32::MAX,
        bytes: u64::MAX,
        idle: Duration::from_secs(2 * 3_600 + 4 * 60),
        transitory: Duration::from_secs(4 * 60),
    };

    fn goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.transitory > self.idle {
            let message = format!("{at}.transitory must not be longer than {at}.idle");
            return tree.clash_at(at, &["transitory", "idle"], message);
        }
        Ok(())
    }
}

listed! {
    /// Why a connection passes untouched.
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
        let half_open = HalfOpen::default();
        Self(Arc::new(Mutex::new(Books { limits, whole, bytes: 0, mobiles, half_open })))
    }

    /// Other bounds from now on. Who is in stays; each box keeps its times.
    pub fn set_limits(&self, limits: Limits) {
        self.books().limits = limits;
    }

    /// Whether one of the mobiles with connections, by [`Address::handset`], is such a one.
    pub fn has(&self, is_such: impl Fn(Address) -> bool) -> bool {
        self.books().mobiles.keys().any(|&mobile| is_such(mobile))
    }

    /// The half-open connection that has to give way before one that is named as its caller's
    /// packets name it can open: the oldest within a bound that is reached. Whoever has the boxes
    /// has its box forget it, and asks again.
    pub fn displaced_by(&self, connection: &Connection) -> Option<Connection> {
        self.books().displaced_by(connection)
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
    /// Of mobiles with connections that stand: each box may hold its own bytes for them.
    booked: Map<Address, Booked>,
}

/// What a box has for a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct Booked {
    standing: u32,
    /// The largest of [`Reserve::per_mobile`] since it has had a connection.
    bytes: u64,
}

impl Door {
    /// Nobody has come yet.
    pub(crate) fn new(admission: Admission) -> Self {
        Self { admission, usage: Usage::default(), booked: Map::default() }
    }

    /// Connections of the box that open or stand.
    pub(crate) const fn usage(&self) -> Usage {
        self.usage
    }

    /// A connection is about to open, named as its caller's packets name it.
    pub(crate) fn open(&mut self, connection: &Connection) -> Result<(), Bypass> {
        self.admission.books().open(connection)?;
        self.usage.opening += 1;
        Ok(())
    }

    /// A connection that was about to open is not any more.
    pub(crate) fn cancel(&mut self, connection: &Connection) {
        self.admission.books().cancel(connection);
        self.usage.opening -= 1;
    }

    /// A connection that was about to open stands, and may hold as much as `reserve`. If it has to
    /// pass instead it is canceled.
    pub(crate) fn establish(
        &mut self,
        connection: &Connection,
        reserve: Reserve,
    ) -> Result<(), Bypass> {
        let ends = mobiles(connection);
        self.usage.opening -= 1;
        let booked = |mobile| self.booked.get(mobile).map_or(0, |booked| booked.bytes);
        let more = |mobile| u128::from(reserve.per_mobile.saturating_sub(booked(mobile)));
        let bytes = u128::from(reserve.per_flow) + ends.iter().flatten().map(more).sum::<u128>();
        self.admission.books().establish(connection, bytes)?;
        for mobile in ends.into_iter().flatten() {
            let booked = self.booked.entry(mobile).or_default();
            booked.standing += 1;
            booked.bytes = booked.bytes.max(reserve.per_mobile);
        }
        self.usage.standing += 1;
        Ok(())
    }

    /// A connection that stood with `reserve` is gone.
    pub(crate) fn leave(&mut self, connection: &Connection, reserve: Reserve) {
        let ends = mobiles(connection);
        let mut bytes = u128::from(reserve.per_flow);
        for mobile in ends.iter().flatten() {
            let Some(booked) = self.booked.get_mut(mobile) else { continue };
            booked.standing -= 1;
            if booked.standing == 0 {
                bytes += u128::from(booked.bytes);
                self.booked.remove(mobile);
            }
        }
        self.admission.books().leave(ends, bytes);
        self.usage.standing -= 1;
    }
}

#[derive(Debug)]
struct Books {
    limits: Limits,
    whole: Usage,
    /// That all connections may come to hold.
    bytes: u128,
    /// Of mobiles with connections.
    mobiles: Map<Address, Usage>,
    /// Those of all connections that open.
    half_open: HalfOpen,
}

/// Half-open connections of which one may have to give way.
enum Crowd {
    Mobile(Address),
    All,
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
    fn open(&mut self, connection: &Connection) -> Result<(), Bypass> {
        if let Some((reason, _)) = self.exceeded_by(connection) {
            return Err(reason);
        }
        self.whole.opening += 1;
        for mobile in mobiles(connection).into_iter().flatten() {
            self.mobiles.entry(mobile).or_default().opening += 1;
        }
        self.half_open.insert(*connection);
        Ok(())
    }

    /// The first bound that one more connection would exceed, and where there may be room for it.
    fn exceeded_by(&self, connection: &Connection) -> Option<(Bypass, Crowd)> {
        let limits = &self.limits;
        for mobile in mobiles(connection).into_iter().flatten() {
            let usage = self.mobiles.get(&mobile).copied().unwrap_or_default();
            let crowd = Crowd::Mobile(mobile);
            if usage.opening >= limits.opening_per_mobile {
                return Some((Bypass::OpeningPerMobile, crowd));
            }
            if usage.flows() >= limits.flows_per_mobile {
                return Some((Bypass::FlowsPerMobile, crowd));
            }
        }
        if self.whole.opening >= limits.opening {
            return Some((Bypass::Opening, Crowd::All));
        }
        (self.whole.flows() >= limits.flows).then_some((Bypass::Flows, Crowd::All))
    }

    fn displaced_by(&self, connection: &Connection) -> Option<Connection> {
        let source = connection.source;
        if self.half_open.has(connection) {
            return None;
        }
        let host = Share::Host(source.handset().host);
        if self.half_open.count(host) >= self.limits.opening_per_host {
            return self.half_open.oldest(host);
        }
        match self.exceeded_by(connection)?.1 {
            Crowd::Mobile(mobile) => {
                self.half_open.oldest_of_more(of_mobile(mobile), caller(source, Some(mobile)))
            }
            Crowd::All => self.half_open.oldest_of_more(Share::All, caller(source, None)),
        }
    }

    fn cancel(&mut self, connection: &Connection) {
        self.half_open.remove(connection);
        self.whole.opening -= 1;
        for mobile in mobiles(connection).into_iter().flatten() {
            self.change(mobile, |usage| usage.opening -= 1);
        }
    }

    fn establish(&mut self, connection: &Connection, bytes: u128) -> Result<(), Bypass> {
        if self.bytes + bytes > self.limits.bytes.into() {
            self.cancel(connection);
            return Err(Bypass::Bytes);
        }
        self.half_open.remove(connection);
        self.bytes += bytes;
        self.whole.opening -= 1;
        self.whole.standing += 1;
        for mobile in mobiles(connection).into_iter().flatten() {
            self.change(mobile, |usage| {
                usage.opening -= 1;
                usage.standing += 1;
            });
        }
        Ok(())
    }

    fn leave(&mut self, ends: Ends, bytes: u128) {
        self.whole.standing -= 1;
        self.bytes -= bytes;
        for mobile in ends.into_iter().flatten() {
            self.change(mobile, |usage| usage.standing -= 1);
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

/// The mobiles among the two, by their addresses.
pub(crate) fn ends(one: Address, other: Address) -> Ends {
    let other = Some(other).filter(|other| other.handset() != one.handset());
    [Some(one), other].map(|end| end.filter(|end| end.leg == Leg::Radio))
}

/// The mobiles of a connection, each by the one name of all its addresses.
fn mobiles(connection: &Connection) -> Ends {
    ends(connection.source, connection.destination).map(|end| end.map(Address::handset))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

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

    fn of_mobile(admission: &Admission, host: u128) -> Usage {
        admission.books().mobiles[&mobile(host).handset()]
    }

    /// From the mobile to a fixed host.
    fn by(host: u128, source_port: u16) -> Connection {
        between(mobile(host), Address { leg: Leg::Wired, host: 1 }, source_port)
    }

    const fn between(source: Address, destination: Address, source_port: u16) -> Connection {
        Connection { source, destination, source_port, destination_port: 80 }
    }

    #[test]
    fn each_bound_is_told_by_its_name() {
        let admission = Admission::new(LIMITS);
        let mut door = Door::new(admission.clone());
        let small = Reserve { per_mobile: 10, per_flow: 5 };
        assert_eq!(door.open(&by(1, 1)), Ok(()));
        assert_eq!(door.open(&by(1, 2)), Ok(()));
        assert_eq!(door.open(&by(1, 3)), Err(Bypass::OpeningPerMobile));
        assert_eq!(door.open(&by(2, 1)), Ok(()));
        assert_eq!(door.open(&by(3, 1)), Err(Bypass::Opening));
        assert_eq!(door.establish(&by(1, 1), small), Ok(()));
        assert_eq!(door.establish(&by(1, 2), small), Ok(()));
        assert_eq!(door.open(&by(1, 3)), Ok(()));
        assert_eq!(door.open(&by(1, 4)), Err(Bypass::FlowsPerMobile));
        assert_eq!(door.open(&by(3, 1)), Err(Bypass::Flows));
        // 10 + 5 + 5 are taken.
        let large = Reserve { per_mobile: 10, per_flow: 71 };
        assert_eq!(door.establish(&by(2, 1), large), Err(Bypass::Bytes));
        assert_eq!(door.open(&by(2, 1)), Ok(()));
        assert_eq!(door.establish(&by(2, 1), Reserve { per_flow: 70, ..large }), Ok(()));
        assert_eq!(admission.books().bytes, 100);
    }

    /// The oldest within the bound that is reached makes room: of the host that calls, of the
    /// mobile, of all; and of the callers that have more.
    #[test]
    fn the_oldest_within_a_bound_makes_room() {
        let limits = Limits { opening: 6, opening_per_mobile: 4, opening_per_host: 2, ..LIMITS };
        let admission = Admission::new(Limits { flows: 9, flows_per_mobile: 9, ..limits });
        let mut door = Door::new(admission.clone());
        let call = |host, to, port| between(Address { leg: Leg::Wired, host }, mobile(to), port);
        let mut open = |connection: Connection| {
            let displaced = admission.displaced_by(&connection);
            if let Some(other) = &displaced {
                door.cancel(other);
            }
            assert_eq!(admission.displaced_by(&connection), None);
            (door.open(&connection), displaced)
        };
        assert_eq!(open(call(7, 1, 1)), (Ok(()), None));
        assert_eq!(open(call(7, 2, 2)), (Ok(()), None));
        assert_eq!(open(call(7, 1, 3)), (Ok(()), Some(call(7, 1, 1))), "of the host");
        assert_eq!(open(call(8, 1, 1)), (Ok(()), None));
        assert_eq!(open(call(9, 1, 1)), (Ok(()), None));
        assert_eq!(open(by(1, 1)), (Ok(()), None));
        assert_eq!(open(by(1, 2)), (Ok(()), Some(call(7, 1, 3))), "of those that call the mobile");
        assert_eq!(open(by(1, 3)), (Ok(()), Some(by(1, 1))), "of its own");
        assert_eq!(open(by(2, 1)), (Ok(()), None));
        assert_eq!(open(call(6, 3, 1)), (Ok(()), Some(call(7, 2, 2))), "of all that hosts call");
        assert_eq!(admission.displaced_by(&by(2, 1)), None, "it has its place");
    }

    #[test]
    fn boxes_share_what_they_are_told_to() {
        let admission = Admission::new(LIMITS);
        let [mut one, mut other] = [(); 2].map(|()| Door::new(admission.clone()));
        assert_eq!((one.open(&by(1, 1)), one.open(&by(2, 1))), (Ok(()), Ok(())));
        assert_eq!((other.open(&by(3, 1)), other.open(&by(4, 1))), (Ok(()), Err(Bypass::Opening)));
        assert_eq!((one.usage().opening, other.usage().opening), (2, 1));
        assert_eq!(of_mobile(&admission, 1).opening, 1);
        admission.set_limits(Limits { opening: 1, bytes: 5, ..LIMITS });
        let reserve = Reserve { per_mobile: 0, per_flow: 5 };
        assert_eq!(one.establish(&by(1, 1), reserve), Ok(()));
        assert_eq!(one.open(&by(1, 2)), Err(Bypass::Opening));
        admission.set_limits(Limits { bytes: 3, ..LIMITS });
        assert_eq!(other.establish(&by(3, 1), reserve), Err(Bypass::Bytes));
        one.leave(&by(1, 1), reserve);
        one.cancel(&by(2, 1));
        assert_eq!((one.usage(), other.usage()), (Usage::default(), Usage::default()));
    }

    #[test]
    fn who_leaves_leaves_nothing_behind() {
        let admission = Admission::new(LIMITS);
        let mut door = Door::new(admission.clone());
        let reserve = Reserve { per_mobile: 10, per_flow: 5 };
        let both = between(mobile(1), mobile(2), 9);
        for _ in 0..100 {
            assert_eq!(door.open(&both), Ok(()));
            assert_eq!(door.open(&by(1, 1)), Ok(()));
            assert_eq!(door.establish(&both, reserve), Ok(()));
            assert_eq!(door.establish(&by(1, 1), reserve), Ok(()));
            assert_eq!(admission.books().bytes, 30);
            door.leave(&both, reserve);
            assert_eq!(admission.books().bytes, 15);
            door.leave(&by(1, 1), reserve);
            assert_eq!(door.open(&both), Ok(()));
            door.cancel(&both);
            assert_eq!(door.usage().flows(), 0);
            let Books { bytes, whole, mobiles, .. } = &*admission.books();
            assert_eq!((*bytes, whole.flows(), mobiles.len()), (0, 0, 0));
        }
    }

    #[test]
    fn addresses_of_one_handset_share_its_bounds() {
        let admission = Admission::new(LIMITS);
        let mut door = Door::new(admission.clone());
        let prefix = 0x2001_0DB8_0045_0001 << 64;
        assert_eq!(door.open(&by(prefix | 1, 1)), Ok(()));
        assert_eq!(door.open(&by(prefix | 2, 1)), Ok(()));
        assert_eq!(door.open(&by(prefix | 3, 1)), Err(Bypass::OpeningPerMobile));
        assert_eq!(door.open(&by((prefix + (1 << 64)) | 1, 1)), Ok(()));
        assert_eq!(of_mobile(&admission, prefix | 9).opening, 2);
        // Of a connection between two of them it is one end.
        assert_eq!(ends(mobile(prefix | 1), mobile(prefix | 2)).iter().flatten().count(), 1);
        door.cancel(&by(prefix | 1, 1));
        let reserve = Reserve { per_mobile: 10, per_flow: 5 };
        assert_eq!(door.establish(&by(prefix | 2, 1), reserve), Ok(()));
        assert_eq!(door.open(&by(prefix | 7, 1)), Ok(()));
        assert_eq!(door.establish(&by(prefix | 7, 1), reserve), Ok(()));
        assert_eq!(door.admission.books().bytes, 20);
    }

    /// What boxes are asked for; connections by their places among those that open or stand.
    #[derive(Clone, Debug)]
    enum Operation {
        Open { door: usize, one: u128, other: u128 },
        Cancel(usize),
        Stand(usize, Reserve),
        Leave(usize),
    }

    fn operation() -> impl Strategy<Value = Operation> {
        let reserve = (0..40_u64, 0..9_u64);
        let reserve = reserve.prop_map(|(per_mobile, per_flow)| Reserve { per_mobile, per_flow });
        prop_oneof![
            3 => (0..3_usize, 1..4_u128, 0..4_u128)
                .prop_map(|(door, one, other)| Operation::Open { door, one, other }),
            1 => any::<usize>().prop_map(Operation::Cancel),
            3 => (any::<usize>(), reserve).prop_map(|(which, of)| Operation::Stand(which, of)),
            2 => any::<usize>().prop_map(Operation::Leave),
        ]
    }

    /// Boxes with one book, and who came by which.
    struct Boxes {
        doors: [Door; 3],
        opening: Vec<(usize, Connection)>,
        standing: Vec<(usize, Connection, Reserve)>,
        /// Connections of a mobile in a box, and the most that one of them wanted for it.
        booked: BTreeMap<(usize, u128), (u32, u64)>,
        /// Each connection has a port of its own.
        port: u16,
    }

    impl Boxes {
        fn act(&mut self, operation: &Operation) {
            match *operation {
                Operation::Open { door, one, other } => {
                    self.port += 1;
                    let connection = match other {
                        0 => by(one, self.port),
                        _ => between(mobile(one), mobile(other), self.port),
                    };
                    if self.doors[door].open(&connection).is_ok() {
                        self.opening.push((door, connection));
                    }
                }
                Operation::Cancel(which) if !self.opening.is_empty() => {
                    let (door, connection) = self.opening.remove(which % self.opening.len());
                    self.doors[door].cancel(&connection);
                }
                Operation::Stand(which, reserve) if !self.opening.is_empty() => {
                    let (door, connection) = self.opening.remove(which % self.opening.len());
                    if self.doors[door].establish(&connection, reserve).is_ok() {
                        self.standing.push((door, connection, reserve));
                        for mobile in mobiles(&connection).iter().flatten() {
                            let (flows, most) = self.booked.entry((door, mobile.host)).or_default();
                            *flows += 1;
                            *most = reserve.per_mobile.max(*most);
                        }
                    }
                }
                Operation::Leave(which) if !self.standing.is_empty() => {
                    let (door, connection, reserve) =
                        self.standing.remove(which % self.standing.len());
                    self.doors[door].leave(&connection, reserve);
                    for mobile in mobiles(&connection).iter().flatten() {
                        let booked = self.booked.get_mut(&(door, mobile.host));
                        let (flows, _) = booked.expect("it stood");
                        *flows -= 1;
                        if *flows == 0 {
                            self.booked.remove(&(door, mobile.host));
                        }
                    }
                }
                Operation::Cancel(_) | Operation::Stand(..) | Operation::Leave(_) => {}
            }
        }

        /// Booked is what all boxes together may hold, and no more than there may be.
        fn balance(&self) {
            let flows: u64 = self.standing.iter().map(|(.., reserve)| reserve.per_flow).sum();
            let mobiles: u64 = self.booked.values().map(|&(_, most)| most).sum();
            let books = self.doors[0].admission.books();
            assert_eq!(books.bytes, u128::from(flows + mobiles));
            assert!(books.bytes <= books.limits.bytes.into());
            let usage = (self.opening.len() as u32, self.standing.len() as u32);
            assert_eq!((books.whole.opening, books.whole.standing), usage);
        }
    }

    proptest! {
        /// A connection gives back what it took, in whichever order those of several boxes with
        /// budgets of their own come and go.
        #[test]
        fn books_come_back_to_zero(operations in prop::collection::vec(operation(), 0..100)) {
            let limits = Limits { flows: 20, flows_per_mobile: 9, opening: 9, ..LIMITS };
            let admission = Admission::new(limits);
            let doors = std::array::from_fn(|_| Door::new(admission.clone()));
            let (opening, standing) = (Vec::new(), Vec::new());
            let mut boxes = Boxes { doors, opening, standing, booked: BTreeMap::new(), port: 0 };
            for operation in &operations {
                boxes.act(operation);
                boxes.balance();
            }
            while !boxes.opening.is_empty() || !boxes.standing.is_empty() {
                boxes.act(&Operation::Cancel(0));
                boxes.act(&Operation::Leave(0));
            }
            let Books { bytes, whole, mobiles, .. } = &*admission.books();
            prop_assert_eq!((*bytes, whole.flows(), mobiles.len()), (0, 0, 0));
            prop_assert!(boxes.doors.iter().all(|door| door.booked.is_empty()));
        }
    }
}
