//! A mobile at one access router: the table of its link and of its address there.

/// How far a mobile is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It cannot be heard there.
    Down,
    /// The link is there; no advertisement has come yet.
    Seeking,
    /// Duplicate address detection runs, and the address must wait for it (RFC 4862 §5.4).
    Tentative,
    /// It runs, and the address is used all the same (RFC 4429).
    Optimistic,
    /// The address can be used.
    Usable,
    /// The address is somebody else's (RFC 4862 §5.4.5).
    Duplicate,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The link came up.
    Up,
    /// It came up, and the address is known to be free (RFC 5568).
    UpPrepared,
    /// It went.
    Down,
    /// An advertisement of the router came.
    Advertised(Detection),
    /// No advertisement came for a while.
    Unanswered,
    /// Nobody objected to the address in time.
    Verified,
    /// Somebody has the address.
    Conflict,
}

/// What a mobile does about duplicates of a new address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detection {
    /// It asks, waits, and only then uses the address (RFC 4862 §5.4).
    Standard,
    /// It asks and uses it at once (RFC 4429).
    Optimistic,
    /// It does not ask.
    Off,
}

/// What the mobile does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It asks for an advertisement, or waits for the next.
    Seek,
    /// It asks whether somebody has the address.
    Probe,
    /// It asks, and uses the address.
    ProbeAndUse,
    /// It uses the address.
    Use,
    /// It does without the address, never having used it.
    Reject,
    /// It uses the address no longer.
    Remove,
    /// It uses the address no longer: it is somebody else's.
    Withdraw,
}

/// What follows from an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The state after it, often the same.
    pub to: State,
    /// What is done.
    pub action: Action,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition {
    match state {
        State::Down => down(event),
        State::Seeking => seeking(event),
        State::Tentative => tentative(event),
        State::Optimistic => optimistic(event),
        State::Usable => usable(event),
        State::Duplicate => duplicate(event),
    }
}

const fn go(to: State, action: Action) -> Transition {
    Transition { to, action }
}

const fn down(event: Event) -> Transition {
    match event {
        Event::Up => go(State::Seeking, Action::Seek),
        Event::UpPrepared => go(State::Usable, Action::Use),
        Event::Down
        | Event::Advertised(_)
        | Event::Unanswered
        | Event::Verified
        | Event::Conflict => go(State::Down, Action::None),
    }
}

/// RFC 6275 §11.5.1: an advertisement tells on which link the mobile is.
const fn seeking(event: Event) -> Transition {
    match event {
        Event::Advertised(Detection::Standard) => go(State::Tentative, Action::Probe),
        Event::Advertised(Detection::Optimistic) => go(State::Optimistic, Action::ProbeAndUse),
        Event::Advertised(Detection::Off) | Event::UpPrepared => go(State::Usable, Action::Use),
        Event::Unanswered => go(State::Seeking, Action::Seek),
        Event::Down => go(State::Down, Action::None),
        Event::Up | Event::Verified | Event::Conflict => go(State::Seeking, Action::None),
    }
}

const fn tentative(event: Event) -> Transition {
    match event {
        Event::Verified | Event::UpPrepared => go(State::Usable, Action::Use),
        Event::Conflict => go(State::Duplicate, Action::Reject),
        Event::Down => go(State::Down, Action::None),
        Event::Up | Event::Advertised(_) | Event::Unanswered => go(State::Tentative, Action::None),
    }
}

const fn optimistic(event: Event) -> Transition {
    match event {
        Event::Verified | Event::UpPrepared => go(State::Usable, Action::None),
        Event::Conflict => go(State::Duplicate, Action::Withdraw),
        Event::Down => go(State::Down, Action::Remove),
        Event::Up | Event::Advertised(_) | Event::Unanswered => go(State::Optimistic, Action::None),
    }
}

/// RFC 4862 §5.4: only addresses that are not verified yet can be found to be duplicates.
const fn usable(event: Event) -> Transition {
    match event {
        Event::Down => go(State::Down, Action::Remove),
        Event::Up
        | Event::UpPrepared
        | Event::Advertised(_)
        | Event::Unanswered
        | Event::Verified
        | Event::Conflict => go(State::Usable, Action::None),
    }
}

/// The mobile has no other address there: it waits until it can be heard elsewhere.
const fn duplicate(event: Event) -> Transition {
    match event {
        Event::Down => go(State::Down, Action::None),
        Event::Up
        | Event::UpPrepared
        | Event::Advertised(_)
        | Event::Unanswered
        | Event::Verified
        | Event::Conflict => go(State::Duplicate, Action::None),
    }
}

impl State {
    /// All, in order.
    pub const ALL: [Self; 6] = [
        Self::Down,
        Self::Seeking,
        Self::Tentative,
        Self::Optimistic,
        Self::Usable,
        Self::Duplicate,
    ];

    /// Whether packets can go by the address.
    pub const fn is_usable(self) -> bool {
        match self {
            Self::Optimistic | Self::Usable => true,
            Self::Down | Self::Seeking | Self::Tentative | Self::Duplicate => false,
        }
    }
}

impl Event {
    /// All, in order.
    pub const ALL: [Self; 9] = [
        Self::Up,
        Self::UpPrepared,
        Self::Down,
        Self::Advertised(Detection::Standard),
        Self::Advertised(Detection::Optimistic),
        Self::Advertised(Detection::Off),
        Self::Unanswered,
        Self::Verified,
        Self::Conflict,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every state × event by hand: the new state, `.` for the same; then what is done.
    const TABLE: &str = "
                   down        seeking         tentative  optimistic  usable      duplicate
        up         seeking+Seek .              .          .           .           .
        prepared   usable+Use  usable+Use      usable+Use usable      .           .
        down       .           down            down       down+Remove down+Remove down
        standard   .           tentative+Probe .          .           .           .
        optimistic .           optimistic+ProbeAndUse .   .           .           .
        off        .           usable+Use      .          .           .           .
        unanswered .           .+Seek          .          .           .           .
        verified   .           .               usable+Use usable      .           .
        conflict   .           .  duplicate+Reject  duplicate+Withdraw  .         .
    ";

    fn state(word: &str) -> State {
        let found = State::ALL.into_iter().find(|s| format!("{s:?}").to_lowercase() == word);
        found.unwrap_or_else(|| panic!("what is {word}?"))
    }

    #[test]
    fn every_event_in_every_state() {
        let rows: Vec<Vec<&str>> = TABLE
            .lines()
            .map(|line| line.split_whitespace().collect())
            .filter(|row: &Vec<_>| !row.is_empty())
            .collect();
        assert_eq!(rows.len(), Event::ALL.len() + 1);
        for (event, row) in Event::ALL.into_iter().zip(&rows[1..]) {
            for (from, entry) in State::ALL.into_iter().zip(&row[1..]) {
                let (to, action) = entry.split_once('+').unwrap_or((entry, "None"));
                let transition = next(from, event);
                let to = if to == "." { from } else { state(to) };
                assert_eq!(transition.to, to, "{event:?} in {from:?}");
                assert_eq!(format!("{:?}", transition.action), action, "{event:?} in {from:?}");
            }
            assert_eq!(row.len(), State::ALL.len() + 1);
        }
    }

    #[test]
    fn an_address_is_used_exactly_between_use_and_removal() {
        for from in State::ALL {
            for event in Event::ALL {
                let Transition { to, action } = next(from, event);
                let change = match action {
                    Action::Use | Action::ProbeAndUse => (false, true),
                    Action::Remove | Action::Withdraw => (true, false),
                    Action::None | Action::Seek | Action::Probe | Action::Reject => {
                        (from.is_usable(), from.is_usable())
                    }
                };
                assert_eq!((from.is_usable(), to.is_usable()), change, "{event:?} in {from:?}");
            }
        }
    }
}
