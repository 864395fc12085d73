//! A binding cache (RFC 6275 §9.1), of an agent or a correspondent: the table of its entries.

use std::collections::BTreeMap;

use base::{Time, listed};

use super::transition::{Transition, go};
use super::{Address, Extent, Sequence, Update};

listed! {
    /// The state of an entry.
    pub enum State {
        /// Nothing is bound; the last sequence number is remembered.
        Absent,
        /// The agent asks whether somebody else has the address (RFC 6275 §10.3.1, RFC 5380 §6.2).
        Verifying,
        /// The address is bound.
        Bound,
    }
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A new update came.
    Update(Check),
    /// An update came that takes the binding back.
    Withdrawal,
    /// Nobody objected in time.
    Verified,
    /// Somebody else has the address.
    Taken,
    /// The lifetime is over.
    Expired,
}

/// Whether an address is checked for duplicates before its first binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// It is.
    First,
    /// It is not.
    None,
}

/// An action of the owner of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It binds the address and acknowledges.
    Bind,
    /// It asks for duplicates, and acknowledges later.
    Verify,
    /// It records the latest update, and keeps waiting.
    Note,
    /// It ends the binding and acknowledges.
    Release,
    /// It acknowledges, though there was nothing to end.
    Acknowledge,
    /// It refuses.
    Refuse,
    /// It ends the binding.
    Lapse,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (State::Absent, Event::Update(Check::First)) => go(State::Verifying, Action::Verify),
        (State::Verifying, Event::Update(Check::First)) => go(State::Verifying, Action::Note),
        (State::Bound, Event::Update(Check::First | Check::None))
        | (State::Absent | State::Verifying, Event::Update(Check::None))
        | (State::Verifying, Event::Verified) => go(State::Bound, Action::Bind),
        (State::Absent | State::Verifying, Event::Withdrawal) => {
            go(State::Absent, Action::Acknowledge)
        }
        (State::Bound, Event::Withdrawal) => go(State::Absent, Action::Release),
        (State::Absent | State::Verifying, Event::Taken) => go(State::Absent, Action::Refuse),
        (State::Bound, Event::Expired) => go(State::Absent, Action::Lapse),
        (State::Absent, Event::Verified | Event::Expired)
        | (State::Verifying, Event::Expired)
        | (State::Bound, Event::Verified | Event::Taken) => go(state, Action::None),
    }
}

impl Event {
    /// All states, in order.
    pub const ALL: [Self; 6] = [
        Self::Update(Check::First),
        Self::Update(Check::None),
        Self::Withdrawal,
        Self::Verified,
        Self::Taken,
        Self::Expired,
    ];
}

/// An address to which packets for another are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Binding {
    care_of: Address,
    expires: Time,
}

/// How many care-of addresses of one mobile can be bound at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// One (RFC 6275 §9.1; RFC 5380 keeps one `LCoA`).
    One,
    /// Two, to which packets go twice, while the mobile wants both (as with RFC 5648).
    Both,
}

/// Where packets to an address go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Route {
    /// To this address.
    To(Address),
    /// To both.
    ToBoth([Address; 2]),
    /// Nowhere: it was bound once, and is no longer.
    Ended,
    /// The cache has no entry: as without it.
    Unknown,
}

/// An entry of the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) state: State,
    /// Of the last update that was accepted.
    pub(super) sequence: Sequence,
    /// The last update that waits for its verification, with the source it came from.
    pub(super) waiting: Option<Waiting>,
    /// When the verification is over.
    pub(super) verified: Option<Time>,
    bindings: [Option<Binding>; 2],
}

/// An update that has to wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) update: Update,
    pub(super) source: Address,
}

impl Entry {
    const fn new(sequence: Sequence) -> Self {
        let bindings = [None; 2];
        Self { state: State::Absent, sequence, waiting: None, verified: None, bindings }
    }

    fn live(&self, now: Time) -> impl Iterator<Item = Address> + '_ {
        self.bindings
            .iter()
            .flatten()
            .filter(move |binding| now < binding.expires)
            .map(|binding| binding.care_of)
    }

    pub(super) fn apply(&mut self, event: Event) -> Action {
        let Transition { to, action } = next(self.state, event);
        self.state = to;
        match to {
            State::Absent => {
                (self.waiting, self.verified, self.bindings) = (None, None, [None; 2]);
            }
            State::Bound => (self.waiting, self.verified) = (None, None),
            State::Verifying => {}
        }
        action
    }

    /// Binds to `care_of` until `expires`.
    pub(super) fn bind(
        &mut self,
        now: Time,
        care_of: Address,
        expires: Time,
        extent: Extent,
        policy: Policy,
    ) {
        let other = self
            .bindings
            .iter()
            .flatten()
            .find(|binding| binding.care_of != care_of && now < binding.expires);
        let second = match (policy, extent) {
            (Policy::Both, Extent::Beside) => other.map(|other| Binding { expires, ..*other }),
            (Policy::Both, Extent::Only) | (Policy::One, Extent::Only | Extent::Beside) => None,
        };
        self.bindings = [Some(Binding { care_of, expires }), second];
    }

    fn due(&self, now: Time) -> Option<Event> {
        if self.verified.is_some_and(|at| at <= now) {
            return Some(Event::Verified);
        }
        let is_over = self.state == State::Bound && self.live(now).next().is_none();
        is_over.then_some(Event::Expired)
    }

    fn deadline(&self) -> Option<Time> {
        let last = self.bindings.iter().flatten().map(|binding| binding.expires).max();
        Time::earlier(self.verified, last)
    }
}

/// The entries, by the addresses that are bound.
#[derive(Debug)]
pub(super) struct Cache {
    entries: BTreeMap<Address, Entry>,
    /// When something is due next, cached: entries change seldom but are looked up for each packet.
    deadline: Option<Time>,
}

impl Cache {
    pub(super) const fn new() -> Self {
        Self { entries: BTreeMap::new(), deadline: None }
    }

    /// Where packets to `home` go at `now`: never by an expired binding.
    pub(super) fn route(&self, now: Time, home: Address) -> Route {
        let Some(entry) = self.entries.get(&home) else { return Route::Unknown };
        let mut live = entry.live(now);
        match (live.next(), live.next()) {
            (Some(one), Some(other)) => Route::ToBoth([one, other]),
            (Some(one), None) => Route::To(one),
            (None, _) => Route::Ended,
        }
    }

    /// Whether a packet may come through a tunnel from `care_of` (RFC 6275 §10.4.5), or with a
    /// home address option (§9.3.1).
    pub(super) fn has_care_of(&self, now: Time, care_of: Address) -> bool {
        self.entries.values().any(|entry| entry.live(now).any(|other| other == care_of))
    }

    /// Accepts `update` if its number is new; else returns the last number (RFC 6275 §9.5.1).
    /// Without a remembered number any is accepted.
    pub(super) fn accept_update(&mut self, update: &Update) -> Result<&mut Entry, Sequence> {
        use std::collections::btree_map::Entry as Slot;
        match self.entries.entry(update.home) {
            Slot::Vacant(slot) => Ok(slot.insert(Entry::new(update.sequence))),
            Slot::Occupied(slot) => {
                let entry = slot.into_mut();
                if !update.sequence.is_newer_than(entry.sequence) {
                    return Err(entry.sequence);
                }
                entry.sequence = update.sequence;
                Ok(entry)
            }
        }
    }

    pub(super) fn get_mut(&mut self, home: Address) -> Option<&mut Entry> {
        self.entries.get_mut(&home)
    }

    /// The next entry with something due at `now`.
    pub(super) fn due(&mut self, now: Time) -> Option<(Address, Event, &mut Entry)> {
        if self.deadline.is_none_or(|at| now < at) {
            return None;
        }
        self.entries.iter_mut().find_map(|(home, entry)| {
            let event = entry.due(now)?;
            Some((*home, event, entry))
        })
    }

    /// To be called after changes of entries.
    pub(super) fn set_deadline(&mut self) {
        self.deadline = self.entries.values().filter_map(Entry::deadline).min();
    }

    pub(super) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use base::Duration;

    use super::*;
    use crate::binding::Authority;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                      absent           verifying          bound
        update(first) verifying+Verify .+Note             .+Bind
        update(none)  bound+Bind       bound+Bind         .+Bind
        withdrawal    .+Acknowledge    absent+Acknowledge absent+Release
        verified      .                bound+Bind         .
        taken         .+Refuse         absent+Refuse      .
        expired       .                .                  absent+Lapse
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }

    const HOME: Address = Address(1);
    const SECOND: Duration = Duration::from_secs(1);

    fn update(sequence: u16) -> Update {
        Update {
            home: HOME,
            care_of: Address(2),
            sequence: Sequence(sequence),
            lifetime: SECOND,
            extent: Extent::Only,
            authority: Authority::Agent,
        }
    }

    #[test]
    fn old_numbers_are_told_the_last_one() {
        let mut cache = Cache::new();
        let mut check = |sequence, expect: Result<(), u16>| {
            let accepted =
                cache.accept_update(&update(sequence)).map(|_| ()).map_err(|last| last.0);
            assert_eq!(accepted, expect, "{sequence}");
        };
        check(65_000, Ok(()));
        check(65_000, Err(65_000));
        check(64_999, Err(65_000));
        check(3, Ok(()));
        check(65_001, Err(3));
    }

    #[test]
    fn a_binding_ends_at_its_lifetime_to_the_nanosecond() {
        let mut cache = Cache::new();
        assert_eq!(cache.route(Time::ZERO, HOME), Route::Unknown);
        let entry = cache.accept_update(&update(1)).expect("news");
        assert_eq!(entry.apply(Event::Update(Check::None)), Action::Bind);
        entry.bind(Time::ZERO, Address(2), Time::ZERO + SECOND, Extent::Only, Policy::One);
        cache.set_deadline();
        let last = Time::from_nanos(999_999_999);
        assert_eq!(cache.route(last, HOME), Route::To(Address(2)));
        assert!(cache.due(last).is_none());
        assert_eq!(cache.route(Time::ZERO + SECOND, HOME), Route::Ended);
        assert!(!cache.has_care_of(Time::ZERO + SECOND, Address(2)));
        let (home, event, entry) = cache.due(Time::ZERO + SECOND).expect("it is over");
        assert_eq!((home, event), (HOME, Event::Expired));
        assert_eq!(entry.apply(event), Action::Lapse);
        cache.set_deadline();
        assert_eq!(cache.deadline(), None);
    }

    #[test]
    fn a_second_address_stays_only_where_both_sides_want_it() {
        let check = |policy, extent, expect| {
            let mut cache = Cache::new();
            let entry = cache.accept_update(&update(1)).expect("news");
            let (now, end) = (Time::ZERO, Time::ZERO + SECOND);
            entry.bind(now, Address(2), end, Extent::Only, policy);
            entry.bind(now, Address(3), end, extent, policy);
            assert_eq!(cache.route(now, HOME), expect);
        };
        let one = Route::To(Address(3));
        check(Policy::One, Extent::Only, one);
        check(Policy::One, Extent::Beside, one);
        check(Policy::Both, Extent::Only, one);
        check(Policy::Both, Extent::Beside, Route::ToBoth([Address(3), Address(2)]));
    }
}
