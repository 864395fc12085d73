//! An entry of a transition table.

/// What follows from an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition<State, Action> {
    /// The state after it, often the same.
    pub to: State,
    /// What is done.
    pub action: Action,
}

pub(super) const fn go<State: Copy, Action: Copy>(
    to: State,
    action: Action,
) -> Transition<State, Action> {
    Transition { to, action }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Debug;

    use super::*;

    /// Compares the code with a table written by hand: a line of states; then a line for each
    /// event, with the state after it, `.` for the same, and the action if there is one.
    pub(in super::super) fn check<S: Copy + PartialEq + Debug, E: Copy + Debug, A: Debug>(
        table: &str,
        states: &[S],
        events: &[E],
        next: impl Fn(S, E) -> Transition<S, A>,
    ) {
        let mut lines = table.lines().filter(|line| !line.trim().is_empty());
        let mut expect = |is: Vec<String>| {
            let line = lines.next().expect("the table has a line for it");
            assert_eq!(is, line.split_whitespace().collect::<Vec<_>>());
        };
        expect(states.iter().map(word).collect());
        for event in events {
            let entries = states.iter().map(|from| entry(from, &next(*from, *event)));
            expect([word(event)].into_iter().chain(entries).collect());
        }
        assert_eq!(lines.next(), None, "there is no such event");
    }

    fn word(name: impl Debug) -> String {
        format!("{name:?}").to_lowercase()
    }

    fn entry<S: PartialEq + Debug, A: Debug>(from: &S, is: &Transition<S, A>) -> String {
        let to = if is.to == *from { ".".into() } else { word(&is.to) };
        let action = format!("{:?}", is.action);
        if action == "None" { to } else { format!("{to}+{action}") }
    }
}
