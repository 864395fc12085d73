//! The tables of the page on mobile IPv6 are those of the code.

use std::fmt::{Debug, Write};

use mobility::binding::{
    Transition, attachment, cache, fast, forwarding, holding, registration, token,
};

const PAGE: &str = include_str!("../../../docs/models/mobile-ipv6.md");
const BEGIN: &str = "<!-- generated from crates/mobility/src/binding: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

/// `UpdateAgain` becomes `update again`, `Advertised(Standard)` `advertised (standard)`.
fn words(name: impl Debug) -> String {
    let mut words = String::new();
    for letter in format!("{name:?}").chars() {
        let begins = letter.is_uppercase() && !words.is_empty() && !words.ends_with('(');
        if begins || letter == '(' {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// One table.
fn table<S: Copy + PartialEq + Debug, E: Copy + Debug, A: Debug>(
    title: &str,
    states: &[S],
    events: &[E],
    next: impl Fn(S, E) -> Transition<S, A>,
) -> String {
    let mut text = format!("\n**{title}**\n\n| event |");
    for state in states {
        write!(text, " {} |", words(state)).expect("strings are long enough");
    }
    writeln!(text, "\n|---|{}", "---|".repeat(states.len())).expect("strings are long enough");
    for event in events {
        write!(text, "| {} |", words(event)).expect("strings are long enough");
        for state in states {
            let Transition { to, action } = next(*state, *event);
            let to = if to == *state { String::new() } else { format!("→ {}", words(to)) };
            let action = words(action).replace("none", "");
            let both = [to, action].into_iter().filter(|word| !word.is_empty());
            let entry = both.collect::<Vec<_>>().join(", ");
            let entry = if entry.is_empty() { "·" } else { &entry };
            write!(text, " {entry} |").expect("strings are long enough");
        }
        text.push('\n');
    }
    text
}

macro_rules! table {
    ($module:ident, $title:literal) => {
        table($title, &$module::State::ALL, &$module::Event::ALL, $module::next)
    };
}

fn tables() -> String {
    [
        table!(attachment, "A mobile at an access router"),
        table!(registration, "A binding, as the mobile knows it"),
        table!(token, "A token of return routability"),
        table!(cache, "A binding, as an agent or a correspondent keeps it"),
        table!(fast, "Fast handover: the mobile"),
        table!(forwarding, "Fast handover: the old access router"),
        table!(holding, "Fast handover: the new access router"),
    ]
    .concat()
}

#[test]
fn the_page_is_up_to_date() {
    let (_, rest) = PAGE.split_once(BEGIN).expect("the page says where the tables begin");
    let (is, _) = rest.split_once(END).expect("the page says where they end");
    let expect = format!("{}\n", tables());
    assert!(is == expect, "put this into docs/models/mobile-ipv6.md:\n{expect}");
}
