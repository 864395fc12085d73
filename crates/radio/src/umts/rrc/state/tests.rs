use std::collections::BTreeMap;
use std::fmt::Write;

use super::*;

const PAGE: &str = include_str!("../../../../../../docs/models/umts-rrc.md");
const BEGIN: &str = "<!-- generated from crates/radio/src/umts/rrc/state.rs: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

/// As TS 25.331 writes it.
const fn name(state: State) -> &'static str {
    match state {
        State::Idle => "Idle",
        State::CellDch => "CELL_DCH",
        State::CellFach => "CELL_FACH",
        State::CellPch => "CELL_PCH",
        State::UraPch => "URA_PCH",
    }
}

/// Every state × event by hand. `.` the state stays; `x` it cannot happen; else the new state, the
/// procedure that begins, or both.
const TABLE: &str = "
                     idle     dch      fach     cell     ura
    UplinkData       connect  .        .        fach+update fach+update
    DownlinkData     page     .        .        page     page
    Paged            connect  x        x        fach+update fach+update
    ConnectedOnDch   dch      x        x        x        x
    ConnectedOnFach  fach     x        x        x        x
    Refused          .        x        .        x        x
    TrafficVolume    x        .        open     x        x
    DchOpened        x        x        dch      x        x
    Inactivity       x        close    cell     idle     idle
    SentToFach       x        fach     x        x        x
    SentToCellPch    x        cell     cell     x        x
    SentToUraPch     x        ura      ura      x        x
    CellReselected   .        x        update   fach+update .
    UraReselected    .        x        update   fach+update fach+update
    UpdateConfirmed  x        x        .        x        x
    RadioLinkFailure x        fach+update x     x        x
    OutOfService     .        x        idle     idle     idle
    Released         x        idle     idle     idle     idle
";

fn expected(state: State, entry: &str) -> Option<Transition> {
    let mut transition = Transition { to: state, start: None };
    for word in entry.split('+') {
        match word {
            "x" => return None,
            "." => {}
            "idle" => transition.to = State::Idle,
            "dch" => transition.to = State::CellDch,
            "fach" => transition.to = State::CellFach,
            "cell" => transition.to = State::CellPch,
            "ura" => transition.to = State::UraPch,
            "page" => transition.start = Some(Procedure::Paging),
            "connect" => transition.start = Some(Procedure::ConnectionSetup),
            "open" => transition.start = Some(Procedure::DchSetup),
            "close" => transition.start = Some(Procedure::DchRelease),
            "update" => transition.start = Some(Procedure::Update),
            word => panic!("what is {word}?"),
        }
    }
    Some(transition)
}

#[test]
fn every_event_in_every_state() {
    let rows: Vec<Vec<&str>> =
        TABLE.lines().map(|line| line.split_whitespace().collect()).skip(2).collect();
    let mut seen = 0;
    for (event, row) in Event::ALL.into_iter().zip(rows) {
        assert_eq!(row[0], format!("{event:?}"));
        for (state, entry) in State::ALL.into_iter().zip(&row[1..]) {
            assert_eq!(next(state, event).ok(), expected(state, entry), "{event:?} in {state:?}");
            seen += 1;
        }
    }
    assert_eq!(seen, State::ALL.len() * Event::ALL.len());
}

#[test]
fn what_cannot_happen_says_why() {
    let message = |state, event| next(state, event).unwrap_err().to_string();
    assert_eq!(
        message(State::CellDch, Event::CellReselected),
        "cell reselected in cell-dch: on dedicated channels the network moves the UE, by handover"
    );
    assert_eq!(message(State::Idle, Event::Released), "released in idle: there is no connection");
}

/// Every state can be reached from idle, and idle from every state.
#[test]
fn no_state_is_a_trap_or_an_island() {
    let step = |from: State| {
        let to = move |event| next(from, event).ok().map(|transition| transition.to);
        Event::ALL.into_iter().filter_map(to)
    };
    let reached = |from: State| {
        let mut known = vec![from];
        for index in 0..State::ALL.len() {
            let Some(state) = known.get(index).copied() else { break };
            let fresh: Vec<State> = step(state).filter(|to| !known.contains(to)).collect();
            for state in fresh {
                if !known.contains(&state) {
                    known.push(state);
                }
            }
        }
        known
    };
    for state in State::ALL {
        assert_eq!(reached(state).len(), State::ALL.len(), "from {state:?}");
    }
}

/// A procedure's end is legal where the procedure is.
#[test]
fn procedures_end_where_they_began() {
    for state in State::ALL {
        for transition in Event::ALL.into_iter().filter_map(|event| next(state, event).ok()) {
            let ends: &[Event] = match transition.start {
                None => &[],
                Some(Procedure::Paging) => &[Event::Paged],
                Some(Procedure::ConnectionSetup) => {
                    &[Event::ConnectedOnDch, Event::ConnectedOnFach, Event::Refused]
                }
                Some(Procedure::DchSetup) => &[Event::DchOpened, Event::Refused],
                Some(Procedure::DchRelease) => &[Event::SentToFach],
                Some(Procedure::Update) => {
                    &[Event::UpdateConfirmed, Event::SentToCellPch, Event::SentToUraPch]
                }
            };
            for end in ends {
                assert!(next(transition.to, *end).is_ok(), "{end:?} in {:?}", transition.to);
            }
        }
    }
}

/// The diagram and the table in the docs are what the code says.
#[test]
fn the_page_is_up_to_date() {
    let generated = format!("{}\n{}", diagram(), matrix());
    let printed = PAGE.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let (printed, _) = printed.expect("the page has its marks");
    assert!(
        printed == generated,
        "docs/models/umts-rrc.md is stale: put this between its marks\n\n{generated}"
    );
}

/// The changes of state, with what makes them, for mermaid.
fn diagram() -> String {
    let mut edges: BTreeMap<(State, State), Vec<String>> = BTreeMap::new();
    for state in State::ALL {
        for event in Event::ALL {
            let Ok(Transition { to, start }) = next(state, event) else { continue };
            if to != state {
                let and = start.map_or(String::new(), |start| format!(" / {}", start.name()));
                edges.entry((state, to)).or_default().push(format!("{}{and}", event.name()));
            }
        }
    }
    let mut text = String::from("```mermaid\nstateDiagram-v2\n    [*] --> Idle\n");
    for ((from, to), labels) in edges {
        let label = labels.join("<br>");
        writeln!(text, "    {} --> {} : {label}", name(from), name(to)).expect("a string grows");
    }
    text + "```\n"
}

/// Every state × event.
fn matrix() -> String {
    let mut text = String::from("| event |");
    for state in State::ALL {
        write!(text, " {} |", name(state)).expect("a string grows");
    }
    text += "\n|---|---|---|---|---|---|\n";
    for event in Event::ALL {
        write!(text, "| {} |", event.name()).expect("a string grows");
        for state in State::ALL {
            let entry = match next(state, event) {
                Err(_) => "–".to_owned(),
                Ok(Transition { to, start: None }) if to == state => "stays".to_owned(),
                Ok(Transition { to, start: None }) => format!("→ {}", name(to)),
                Ok(Transition { to, start: Some(start) }) if to == state => start.name().to_owned(),
                Ok(Transition { to, start: Some(start) }) => {
                    format!("→ {}, {}", name(to), start.name())
                }
            };
            write!(text, " {entry} |").expect("a string grows");
        }
        text.push('\n');
    }
    text
}
