//! How many connections and bytes a box takes on, and for how long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Duration, listed};
use settings::{Bytes, Count, OfTime, section};

use crate::half_open::{HalfOpen, Share, caller, of_mobile};
use crate::map::Map;
use crate::{Address, Connection, Leg};

section! {
    /// `[limits]`: how much is taken on. What is beyond passes untouched, so that nobody is
    /// refused; what a mobile has of its own keeps one that opens too much from harming others
    /// (RFC 4987 §3).
    #[derive(Copy, Eq)]
    pub struct MiddleboxLimits {
        /// Connections at a time. Default: a port of everything there is, and memory for each.
        pub flows: u32 as Count<u32, 1, 1_000_000> = 65_536;
        /// Connections of one mobile at a time. Default: several web browsers.
        pub flows_per_mobile: u32 as Count<u32, 1, 1_000_000> = 256;
        /// Half-open connections at a time: beyond it the oldest of them makes room (RFC 4987
        /// §3.2). Default: what Linux holds (`tcp_max_syn_backlog`, `somaxconn`).
        pub opening: u32 as Count<u32, 1, 1_000_000> = 4_096;
        /// Half-open connections of one mobile at a time. Default: a page with many servers.
        pub opening_per_mobile: u32 as Count<u32, 1, 1_000_000> = 64;
        /// Half-open connections that one fixed host calls, at a time. Default: half of those of a
        /// mobile, so that no host has all of them.
        pub opening_per_host: u32 as Count<u32, 1, 1_000_000> = 32;
        /// Bytes held for all mobiles together. Each has its own budget beside it, which is a key
        /// of its scheme. Default: 2,000 mobiles with the usual budget of one.
        pub bytes: u64 as Bytes<u64, 10_000, { u64::MAX }> = 256_000_000;
        /// Memory of packets that are not TCP and wait for their turn, of all mobiles together;
        /// those beyond it pass at once. Default: what 500 mobiles may let wait with the usual
        /// budget.
        pub others: u64 as Bytes<u64, 10_000, { u64::MAX }> = 64_000_000;
        /// A connection without a packet for so long is forgotten; its packets then pass untouched.
        /// Default: RFC 5382 REQ-5, at least 2 h 4 min.
        pub idle: Duration as OfTime<1> = Duration::from_secs(124 * 60);
        /// The same for a half-open one, or one that is over. Default: RFC 5382 REQ-5, at least 4
        /// min.
        pub transitory: Duration as OfTime<1> = Duration::from_secs(4 * 60);
    }
    in_order(transitory, idle)
}

impl MiddleboxLimits {
    /// Room for any number, with the times of RFC 5382.
    pub const NONE: Self = Self {
        flows: u32::MAX,
        flows_per_mobile: u32::MAX,
        opening: u32::MAX,
        opening_per_mobile: u32::MAX,
        opening_per_host: u32::MAX,
        bytes: u64::MAX,
        others: u64::MAX,
        idle: Duration::from_secs(2 * 3_600 + 4 * 60),
        transitory: Duration::from_secs(4 * 60),
    };
}

listed! {
    /// Why a connection passes untouched.
    pub enum Bypass {
        /// [`MiddleboxLimits::flows`].
        Flows,
        /// [`MiddleboxLimits::flows_per_mobile`].
        FlowsPerMobile,
        /// [`MiddleboxLimits::opening`].
        Opening,
        /// [`MiddleboxLimits::opening_per_mobile`].
        OpeningPerMobile,
        /// [`MiddleboxLimits::bytes`].
        Bytes,
        /// The box takes no new connections any more.
        Draining,
        /// Its SYN brought data (RFC 7413), or the box has not seen all of its handshake.
        Handshake,
        /// The box was told to ignore it.
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

/// Admission control: the connections of one box, or of several that share their limits.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Mutex<AdmissionState>>);

impl Admission {
    /// No connections yet.
    pub fn new(limits: MiddleboxLimits) -> Self {
        let (whole, mobiles) = (Usage::default(), Map::default());
        let half_open = HalfOpen::default();
        Self(Arc::new(Mutex::new(AdmissionState { limits, whole, bytes: 0, mobiles, half_open })))
    }

    /// Uses other limits from now on. Admitted connections stay; each box keeps its times.
    pub fn set_limits(&self, limits: MiddleboxLimits) {
        self.state().limits = limits;
    }

    /// Whether `is_such` holds of one of the mobiles with connections, by [`Address::handset`].
    pub fn has(&self, is_such: impl Fn(Address) -> bool) -> bool {
        self.state().mobiles.keys().any(|&mobile| is_such(mobile))
    }

    /// The half-open connection that has to give way before one that is named as its caller's
    /// packets name it can open: the oldest within a limit that is reached. The owner of the boxes
    /// has its box forget it, and asks again.
    pub fn displaced_by(&self, connection: &Connection) -> Option<Connection> {
        self.state().displaced_by(connection)
    }

    /// Lends a connection that may hold `has` bytes `more` of them, if that is at most an eighth of
    /// what is left of half of [`MiddleboxLimits::bytes`]: however much some connections need,
    /// there is room for others, and the other half is for new ones. Returns whether it does.
    pub(crate) fn lend(&self, has: u64, more: u64) -> bool {
        let mut state = self.state();
        let left = u128::from(state.limits.bytes / 2).saturating_sub(state.bytes);
        let lends = u128::from(has) + u128::from(more) <= left / 8;
        state.bytes += if lends { more.into() } else { 0 };
        lends
    }

    /// Takes back what was lent.
    pub(crate) fn take_back(&self, bytes: u64) {
        self.state().bytes -= u128::from(bytes);
    }

    fn state(&self) -> MutexGuard<'_, AdmissionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Admission control of one box.
#[derive(Debug)]
pub(crate) struct BoxAdmission {
    shared: Admission,
    /// Half-open and established connections of this box.
    pub(crate) usage: Usage,
    /// Of mobiles with established connections: each box may hold its own bytes for them.
    reserved: Map<Address, Reserved>,
}

/// What a box has reserved for a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct Reserved {
    established: u32,
    /// The largest of [`Reserve::per_mobile`] since it has had a connection.
    bytes: u64,
}

impl BoxAdmission {
    /// No connections yet.
    pub(crate) fn new(shared: Admission) -> Self {
        Self { shared, usage: Usage::default(), reserved: Map::default() }
    }

    /// A connection becomes half-open, named as its caller's packets name it.
    pub(crate) fn open(&mut self, connection: &Connection) -> Result<(), Bypass> {
        self.shared.state().open(connection)?;
        self.usage.opening += 1;
        Ok(())
    }

    /// A half-open connection is removed.
    pub(crate) fn cancel(&mut self, connection: &Connection) {
        self.shared.state().cancel(connection);
        self.usage.opening -= 1;
    }

    /// A half-open connection is established, and may hold as much as `reserve`. If it has to
    /// bypass the box instead, it is canceled.
    pub(crate) fn establish(
        &mut self,
        connection: &Connection,
        reserve: Reserve,
    ) -> Result<(), Bypass> {
        let ends = mobiles(connection);
        self.usage.opening -= 1;
        let reserved = |mobile| self.reserved.get(mobile).map_or(0, |reserved| reserved.bytes);
        let more = |mobile| u128::from(reserve.per_mobile.saturating_sub(reserved(mobile)));
        let bytes = u128::from(reserve.per_flow) + ends.iter().flatten().map(more).sum::<u128>();
        self.shared.state().establish(connection, bytes)?;
        for mobile in ends.into_iter().flatten() {
            let reserved = self.reserved.entry(mobile).or_default();
            reserved.established += 1;
            reserved.bytes = reserved.bytes.max(reserve.per_mobile);
        }
        self.usage.established += 1;
        Ok(())
    }

    /// An established connection with `reserve` is gone.
    pub(crate) fn close(&mut self, connection: &Connection, reserve: Reserve) {
        let ends = mobiles(connection);
        let mut bytes = u128::from(reserve.per_flow);
        for mobile in ends.iter().flatten() {
            let Some(reserved) = self.reserved.get_mut(mobile) else { continue };
            reserved.established -= 1;
            if reserved.established == 0 {
                bytes += u128::from(reserved.bytes);
                self.reserved.remove(mobile);
            }
        }
        self.shared.state().close(ends, bytes);
        self.usage.established -= 1;
    }
}

#[derive(Debug)]
struct AdmissionState {
    limits: MiddleboxLimits,
    whole: Usage,
    /// Reserved for all connections, or lent to them.
    bytes: u128,
    /// Of mobiles with connections.
    mobiles: Map<Address, Usage>,
    /// The half-open ones of all connections.
    half_open: HalfOpen,
}

/// Half-open connections of which one may have to give way.
enum HalfOpenScope {
    Mobile(Address),
    All,
}

/// Connections that a box takes part in, by how far they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Half-open: their handshake is under way.
    pub opening: u32,
    /// Established.
    pub established: u32,
}

impl Usage {
    /// All of them.
    pub const fn flows(self) -> u32 {
        self.opening + self.established
    }
}

impl AdmissionState {
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

    /// The first limit that one more connection would exceed, and which half-open ones may give
    /// way.
    fn exceeded_by(&self, connection: &Connection) -> Option<(Bypass, HalfOpenScope)> {
        let limits = &self.limits;
        for mobile in mobiles(connection).into_iter().flatten() {
            let usage = self.mobiles.get(&mobile).copied().unwrap_or_default();
            let scope = HalfOpenScope::Mobile(mobile);
            if usage.opening >= limits.opening_per_mobile {
                return Some((Bypass::OpeningPerMobile, scope));
            }
            if usage.flows() >= limits.flows_per_mobile {
                return Some((Bypass::FlowsPerMobile, scope));
            }
        }
        if self.whole.opening >= limits.opening {
            return Some((Bypass::Opening, HalfOpenScope::All));
        }
        (self.whole.flows() >= limits.flows).then_some((Bypass::Flows, HalfOpenScope::All))
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
            HalfOpenScope::Mobile(mobile) => {
                self.half_open.oldest_of_more(of_mobile(mobile), caller(source, Some(mobile)))
            }
            HalfOpenScope::All => self.half_open.oldest_of_more(Share::All, caller(source, None)),
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
        self.whole.established += 1;
        for mobile in mobiles(connection).into_iter().flatten() {
            self.change(mobile, |usage| {
                usage.opening -= 1;
                usage.established += 1;
            });
        }
        Ok(())
    }

    fn close(&mut self, ends: Ends, bytes: u128) {
        self.whole.established -= 1;
        self.bytes -= bytes;
        for mobile in ends.into_iter().flatten() {
            self.change(mobile, |usage| usage.established -= 1);
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

    const LIMITS: MiddleboxLimits = MiddleboxLimits {
        flows: 4,
        flows_per_mobile: 3,
        opening: 3,
        opening_per_mobile: 2,
        bytes: 100,
        ..MiddleboxLimits::NONE
    };

    const fn mobile(host: u128) -> Address {
        Address { leg: Leg::Radio, host }
    }

    fn of_mobile(admission: &Admission, host: u128) -> Usage {
        admission.state().mobiles[&mobile(host).handset()]
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
        let mut own = BoxAdmission::new(admission.clone());
        let small = Reserve { per_mobile: 10, per_flow: 5 };
        assert_eq!(own.open(&by(1, 1)), Ok(()));
        assert_eq!(own.open(&by(1, 2)), Ok(()));
        assert_eq!(own.open(&by(1, 3)), Err(Bypass::OpeningPerMobile));
        assert_eq!(own.open(&by(2, 1)), Ok(()));
        assert_eq!(own.open(&by(3, 1)), Err(Bypass::Opening));
        assert_eq!(own.establish(&by(1, 1), small), Ok(()));
        assert_eq!(own.establish(&by(1, 2), small), Ok(()));
        assert_eq!(own.open(&by(1, 3)), Ok(()));
        assert_eq!(own.open(&by(1, 4)), Err(Bypass::FlowsPerMobile));
        assert_eq!(own.open(&by(3, 1)), Err(Bypass::Flows));
        // 10 + 5 + 5 are taken.
        let large = Reserve { per_mobile: 10, per_flow: 71 };
        assert_eq!(own.establish(&by(2, 1), large), Err(Bypass::Bytes));
        assert_eq!(own.open(&by(2, 1)), Ok(()));
        assert_eq!(own.establish(&by(2, 1), Reserve { per_flow: 70, ..large }), Ok(()));
        assert_eq!(admission.state().bytes, 100);
    }

    /// The oldest within the bound that is reached makes room: of the host that calls, of the
    /// mobile, of all; and of the callers that have more.
    #[test]
    fn the_oldest_within_a_bound_makes_room() {
        let limits =
            MiddleboxLimits { opening: 6, opening_per_mobile: 4, opening_per_host: 2, ..LIMITS };
        let admission = Admission::new(MiddleboxLimits { flows: 9, flows_per_mobile: 9, ..limits });
        let mut own = BoxAdmission::new(admission.clone());
        let call = |host, to, port| between(Address { leg: Leg::Wired, host }, mobile(to), port);
        let mut open = |connection: Connection| {
            let displaced = admission.displaced_by(&connection);
            if let Some(other) = &displaced {
                own.cancel(other);
            }
            assert_eq!(admission.displaced_by(&connection), None);
            (own.open(&connection), displaced)
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
        let [mut one, mut other] = [(); 2].map(|()| BoxAdmission::new(admission.clone()));
        assert_eq!((one.open(&by(1, 1)), one.open(&by(2, 1))), (Ok(()), Ok(())));
        assert_eq!((other.open(&by(3, 1)), other.open(&by(4, 1))), (Ok(()), Err(Bypass::Opening)));
        assert_eq!((one.usage.opening, other.usage.opening), (2, 1));
        assert_eq!(of_mobile(&admission, 1).opening, 1);
        admission.set_limits(MiddleboxLimits { opening: 1, bytes: 5, ..LIMITS });
        let reserve = Reserve { per_mobile: 0, per_flow: 5 };
        assert_eq!(one.establish(&by(1, 1), reserve), Ok(()));
        assert_eq!(one.open(&by(1, 2)), Err(Bypass::Opening));
        admission.set_limits(MiddleboxLimits { bytes: 3, ..LIMITS });
        assert_eq!(other.establish(&by(3, 1), reserve), Err(Bypass::Bytes));
        one.close(&by(1, 1), reserve);
        one.cancel(&by(2, 1));
        assert_eq!((one.usage, other.usage), (Usage::default(), Usage::default()));
    }

    #[test]
    fn addresses_of_one_handset_share_its_bounds() {
        let admission = Admission::new(LIMITS);
        let mut own = BoxAdmission::new(admission.clone());
        let prefix = 0x2001_0DB8_0045_0001 << 64;
        assert_eq!(own.open(&by(prefix | 1, 1)), Ok(()));
        assert_eq!(own.open(&by(prefix | 2, 1)), Ok(()));
        assert_eq!(own.open(&by(prefix | 3, 1)), Err(Bypass::OpeningPerMobile));
        assert_eq!(own.open(&by((prefix + (1 << 64)) | 1, 1)), Ok(()));
        assert_eq!(of_mobile(&admission, prefix | 9).opening, 2);
        // Of a connection between two of them it is one end.
        assert_eq!(ends(mobile(prefix | 1), mobile(prefix | 2)).iter().flatten().count(), 1);
        own.cancel(&by(prefix | 1, 1));
        let reserve = Reserve { per_mobile: 10, per_flow: 5 };
        assert_eq!(own.establish(&by(prefix | 2, 1), reserve), Ok(()));
        assert_eq!(own.open(&by(prefix | 7, 1)), Ok(()));
        assert_eq!(own.establish(&by(prefix | 7, 1), reserve), Ok(()));
        assert_eq!(own.shared.state().bytes, 20);
    }

    /// What boxes are asked for; connections by their positions among the half-open or established
    /// ones.
    #[derive(Clone, Debug)]
    enum Operation {
        Open { index: usize, one: u128, other: u128 },
        Cancel(usize),
        Establish(usize, Reserve),
        Grow(usize, u64),
        Close(usize),
    }

    fn operation() -> impl Strategy<Value = Operation> {
        let reserve = (0..40_u64, 0..9_u64);
        let reserve = reserve.prop_map(|(per_mobile, per_flow)| Reserve { per_mobile, per_flow });
        prop_oneof![
            3 => (0..3_usize, 1..4_u128, 0..4_u128)
                .prop_map(|(index, one, other)| Operation::Open { index, one, other }),
            1 => any::<usize>().prop_map(Operation::Cancel),
            3 => (any::<usize>(), reserve).prop_map(|(which, of)| Operation::Establish(which, of)),
            3 => (any::<usize>(), 0..9_u64).prop_map(|(which, more)| Operation::Grow(which, more)),
            2 => any::<usize>().prop_map(Operation::Close),
        ]
    }

    /// Boxes that share one admission, and the connections of each.
    struct Boxes {
        admissions: [BoxAdmission; 3],
        opening: Vec<(usize, Connection)>,
        /// With what each was lent.
        established: Vec<(usize, Connection, Reserve, u64)>,
        /// Connections of a mobile in a box, and the most that one of them wanted for it.
        reserved: BTreeMap<(usize, u128), (u32, u64)>,
        /// Each connection has a port of its own.
        port: u16,
    }

    impl Boxes {
        fn act(&mut self, operation: &Operation) {
            match *operation {
                Operation::Open { index, one, other } => {
                    self.port += 1;
                    let connection = match other {
                        0 => by(one, self.port),
                        _ => between(mobile(one), mobile(other), self.port),
                    };
                    if self.admissions[index].open(&connection).is_ok() {
                        self.opening.push((index, connection));
                    }
                }
                Operation::Cancel(which) if !self.opening.is_empty() => {
                    let (index, connection) = self.opening.remove(which % self.opening.len());
                    self.admissions[index].cancel(&connection);
                }
                Operation::Establish(which, reserve) if !self.opening.is_empty() => {
                    let (index, connection) = self.opening.remove(which % self.opening.len());
                    if self.admissions[index].establish(&connection, reserve).is_ok() {
                        self.established.push((index, connection, reserve, 0));
                        for mobile in mobiles(&connection).iter().flatten() {
                            let (flows, most) =
                                self.reserved.entry((index, mobile.host)).or_default();
                            *flows += 1;
                            *most = reserve.per_mobile.max(*most);
                        }
                    }
                }
                Operation::Grow(which, more) if !self.established.is_empty() => {
                    let which = which % self.established.len();
                    let (index, _, reserve, lent) = &mut self.established[which];
                    let admission = &self.admissions[*index].shared;
                    let free = (LIMITS.bytes / 2).saturating_sub(admission.state().bytes as u64);
                    let has = reserve.per_flow + *lent;
                    assert_eq!(admission.lend(has, more), has + more <= free / 8);
                    *lent += if has + more <= free / 8 { more } else { 0 };
                }
                Operation::Close(which) if !self.established.is_empty() => {
                    let (index, connection, reserve, lent) =
                        self.established.remove(which % self.established.len());
                    self.admissions[index].shared.take_back(lent);
                    self.admissions[index].close(&connection, reserve);
                    for mobile in mobiles(&connection).iter().flatten() {
                        let reserved = self.reserved.get_mut(&(index, mobile.host));
                        let (flows, _) = reserved.expect("it stood");
                        *flows -= 1;
                        if *flows == 0 {
                            self.reserved.remove(&(index, mobile.host));
                        }
                    }
                }
                Operation::Cancel(_)
                | Operation::Establish(..)
                | Operation::Grow(..)
                | Operation::Close(_) => {}
            }
        }

        /// The sum of all reservations is reserved, and within the limit.
        fn balance(&self) {
            let flows = self.established.iter().map(|(.., reserve, lent)| reserve.per_flow + lent);
            let flows: u64 = flows.sum();
            let mobiles: u64 = self.reserved.values().map(|&(_, most)| most).sum();
            let state = self.admissions[0].shared.state();
            assert_eq!(state.bytes, u128::from(flows + mobiles));
            assert!(state.bytes <= state.limits.bytes.into());
            let usage = (self.opening.len() as u32, self.established.len() as u32);
            assert_eq!((state.whole.opening, state.whole.established), usage);
        }
    }

    proptest! {
        /// A connection gives back what it took, in whichever order those of several boxes with
        /// budgets of their own come and go.
        #[test]
        fn reservations_come_back_to_zero(
            operations in prop::collection::vec(operation(), 0..100),
        ) {
            let limits = MiddleboxLimits { flows: 20, flows_per_mobile: 9, opening: 9, ..LIMITS };
            let admission = Admission::new(limits);
            let admissions = std::array::from_fn(|_| BoxAdmission::new(admission.clone()));
            let (opening, established) = (Vec::new(), Vec::new());
            let reserved = BTreeMap::new();
            let mut boxes = Boxes { admissions, opening, established, reserved, port: 0 };
            for operation in &operations {
                boxes.act(operation);
                boxes.balance();
            }
            while !boxes.opening.is_empty() || !boxes.established.is_empty() {
                boxes.act(&Operation::Cancel(0));
                boxes.act(&Operation::Close(0));
            }
            let AdmissionState { bytes, whole, mobiles, .. } = &*admission.state();
            prop_assert_eq!((*bytes, whole.flows(), mobiles.len()), (0, 0, 0));
            prop_assert!(boxes.admissions.iter().all(|each| each.reserved.is_empty()));
        }
    }
}
