//! What a key takes the place of, belongs to or inherits: as laws of all keys that say so.

use scenario::{Key, Outside, Scenario, keys};
use settings::{Condition, InFile, Test};

use crate::flows::capture;
use crate::satellites::SEEN;

/// A network of each sort that keys need, apart from `[radio]` alone.
const LINK: &str = "[link]\nrate = \"1 Mbit/s\"\n[[flow.group]]\nname = \"one\"\n";
const MOVING: &str = include_str!("../../../scenarios/hmipv6-handover.toml");

/// Wires alone, each of which may have a queue of its own.
const CHAIN: &str =
    "[[wired]]\nname = \"one\"\nbetween = [\"host\", \"node\"]\nrate = \"1 Mbit/s\"\n";

/// The name of the member of a list that stands in these networks.
const MEMBER: &str = "one";

/// Values, of which some key of any sort takes one and another key another.
const VALUES: [&str; 27] = [
    "2",
    "3",
    "0.5",
    "3 s",
    "40 ms",
    "400 ms",
    "90 s",
    "9 kB",
    "1 kB",
    "5 %",
    "1 kbit/s",
    "9 dB",
    "32",
    "8",
    "seen.csv",
    "shipped:lte-drive-down",
    "shipped:lte-drive-test",
    "two.pcapng",
    "1 %,2 %",
    "[{at = '0 s', delay = '1 s'}]",
    "[{at = '0 s', snr = '9 dB'}]",
    "[{at = '0 s', ground = '1 s'}]",
    "[{at = '2 s', rate = '2 kbit/s'}]",
    "12 dB",
    "2 dB",
    "40 dB",
    "-50 dB",
];

fn parse(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let read = &|path: &str| match path {
        "seen.csv" => Ok(SEEN.to_vec()),
        "two.pcapng" => Ok(capture()),
        _ => Err("No such file or directory".to_owned()),
    };
    let outside = Outside { customs: &[], read };
    Scenario::parse_from(text, "mine", &settings, &outside).map_err(|error| error.to_string())
}

/// `text` with a line for `key`, in its table.
fn with(text: &str, key: &str, value: &str) -> String {
    let (table, name) = key.rsplit_once('.').expect("it is in a table");
    let is_plain = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    let is_list = value.starts_with('[');
    let limits = value.split(',').collect::<Vec<_>>();
    let written = match limits.as_slice() {
        _ if is_plain || is_list => value.to_owned(),
        [low, high] => format!("[{low:?}, {high:?}]"),
        _ => format!("{value:?}"),
    };
    let one = "name = \"one\"\n";
    let members = [
        ("flow.group.one.", one),
        ("radio.ue.one.", one),
        ("wired.one.", one),
        ("wired.wan.", "name = \"wan\"\n"),
    ];
    for (list, head) in members {
        if let Some(inner) = key.strip_prefix(list) {
            return text.replace(head, &format!("{head}{inner} = {written}\n"));
        }
    }
    let head = format!("[{table}]\n");
    let line = format!("{name} = {written}\n");
    if text.contains(&head) {
        return text.replace(&head, &format!("{head}{line}"));
    }
    format!("{text}{head}{line}")
}

/// A network that `key` can be in.
fn network(key: &Key) -> String {
    let kind = |of: &str| {
        let needs = key.needs.iter().find(|needs| needs.key == of)?;
        Some(needs.kinds[0])
    };
    if key.name.starts_with("radio.") {
        let listed =
            if key.name.starts_with("radio.ue.") { "[[radio.ue]]\nname = \"one\"\n" } else { "" };
        return format!("[radio]\nkind = {:?}\n{listed}", kind("radio.kind").unwrap_or("umts-dch"));
    }
    if key.name.starts_with("mobile_ip.") || key.name.starts_with("wlan.") {
        return MOVING.to_owned();
    }
    if key.name.starts_with("wired.") {
        let link = "[link]\nrate = \"1 Mbit/s\"\n";
        return format!("{link}[[wired]]\nname = {MEMBER:?}\nbetween = [\"host\", \"node\"]\n");
    }
    let text = match kind("middlebox.kind") {
        Some(kind) => format!("{LINK}[middlebox]\nkind = {kind:?}\n"),
        None => LINK.to_owned(),
    };
    // What answers the share of marks has to be told of all of them.
    let of_marks = ["bbr.", "dctcp.", "prague."].iter().find_map(|table| key.name.find(table));
    match of_marks {
        Some(at) => with(&text, &format!("{}ecn", named(&key.name[..at])), "accurate"),
        None => text,
    }
}

/// Values that `key` takes, apart from its default.
fn values(key: &Key) -> impl Iterator<Item = &str> {
    let words = key.takes.words.iter().map(String::as_str);
    words.chain(VALUES).filter(|value| *value != key.value)
}

fn known(name: &str) -> &'static Key {
    let is_it = |key: &&Key| settings::matches(&key.name, name);
    keys().iter().find(is_it).unwrap_or_else(|| panic!("{name}"))
}

fn named(pattern: &str) -> String {
    pattern.replace(settings::MEMBER, MEMBER)
}

/// `text` where `condition` holds, and where it does not.
fn both_ways(text: &str, condition: &Condition) -> Option<[String; 2]> {
    let by = named(&condition.keys[0]);
    let set = |value: &str| with(text, &by, value);
    let words = || values(known(&by)).chain([known(&by).value.as_str()]);
    let is_possible = |text: &String| parse(text, &[]).is_ok();
    match &condition.test {
        Test::Given if by == "mobile_ip" => Some([MOVING.to_owned(), text.to_owned()]),
        Test::Given if by == "link" => Some([text.to_owned(), CHAIN.to_owned()]),
        Test::Given if by == "radio" => Some(["[radio]\n".to_owned(), text.to_owned()]),
        Test::Given => Some([format!("{text}[{by}]\n"), text.to_owned()]),
        Test::Is(of) => {
            let without = words().filter(|word| !of.contains(word)).map(set).find(is_possible);
            Some([set(of[0]), without?])
        }
        Test::Not(word) => {
            let with = words().filter(|other| other != word).map(set).find(is_possible);
            Some([with?, set(word)])
        }
    }
}

/// The words of conditions are such that their keys take.
#[test]
fn conditions_name_what_there_is() {
    for condition in keys().iter().flat_map(|key| &key.only_with) {
        for by in &condition.keys {
            match &condition.test {
                Test::Given => assert!(keys().iter().any(|key| key.name.starts_with(by)), "{by}"),
                Test::Not(word) => {
                    let mut takes = values(known(by)).chain([known(by).value.as_str()]);
                    assert!(takes.any(|value| value == *word), "{by} {word}");
                }
                Test::Is(words) if condition.in_file == InFile::Kept => {
                    assert!(!words.is_empty(), "{by}");
                }
                Test::Is(words) => {
                    let takes = &known(by).takes.words;
                    assert!(words.iter().all(|word| takes.iter().any(|own| own == word)), "{by}");
                }
            }
        }
    }
}

/// Without it a wire has no queue.
const RATE: &str = "wired.one.rate";

/// A key that does nothing is refused in a file, and noted in a setting.
#[test]
fn a_key_without_what_it_belongs_to() {
    let mut seen = 0;
    let conditions = keys().iter().flat_map(|key| key.only_with.iter().map(move |it| (key, it)));
    // Settings make no routes, and `[mobile_ip]` alone has them.
    for (key, condition) in conditions.filter(|(key, _)| !key.name.starts_with("route.")) {
        let name = named(&key.name);
        let is_of_rate = named(&condition.keys[0]) == RATE;
        let others = || key.only_with.iter().filter(|other| *other != condition);
        if (is_of_rate || condition.keys[0] == "link") && others().next().is_some() {
            continue; // the other condition is asked where there is a rate, or a link
        }
        let asks = |key: &Key| key.only_with.contains(condition);
        if others().any(|other| keys().iter().any(|key| key.name == other.keys[0] && asks(key))) {
            continue; // the key of the other condition needs this one, too, and asks it
        }
        let has_queue = name.starts_with("wired.one.queue.") && !is_of_rate;
        let text = network(key);
        let text = if has_queue { with(&text, RATE, "1 kbit/s") } else { text };
        let of_words = others().filter(|other| matches!(other.test, Test::Is(_)));
        let text = of_words
            .clone()
            .fold(text, |text, other| both_ways(&text, other).map_or(text, |[holds, _]| holds));
        let Some([holds, fails]) = both_ways(&text, condition) else {
            assert!(of_words.count() > 0, "{name}");
            continue; // the key of the other condition needs this one, too, and asks it
        };
        let fits = |value: &&str| parse(&with(&holds, &name, value), &[]).is_ok();
        let value = values(key).find(fits).unwrap_or_else(|| panic!("{name} in {holds}"));
        for settings in [&[][..], &[(&*name, value)]] {
            let text = if settings.is_empty() { with(&holds, &name, value) } else { holds.clone() };
            assert_eq!(parse(&text, settings).expect(&name).idle, [""; 0], "{name}");
        }
        let told = named(&condition.to_string());
        let line = format!("{name} changes nothing {told}");
        assert_eq!(parse(&fails, &[(&name, value)]).expect(&name).idle, [line], "{fails}");
        let in_file = parse(&with(&fails, &name, value), &[]);
        match condition.in_file {
            InFile::Kept => assert_eq!(in_file.expect(&name).idle, [""; 0], "{name}"),
            InFile::Refused => {
                let line = in_file.expect_err(&name);
                let table = named(&condition.subject);
                let subject = if line.contains(&name) { &name } else { &table };
                assert!(line.ends_with(&format!(": {subject}: does nothing {told}")), "{line}");
            }
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

/// A setting that decides that a key of the file does nothing is the one that counts.
#[test]
fn a_setting_wins_over_a_key_that_it_leaves_without_effect() {
    let paced = with(&with(LINK, "tcp.spacing", "always"), "tcp.spacing_rtt", "base");
    assert_eq!(parse(&paced, &[("tcp.spacing", "off")]).expect("valid").idle, [""; 0]);
    let red = with(&with(LINK, "queue.kind", "red"), "queue.red.min_threshold", "4");
    assert_eq!(parse(&red, &[("queue.kind", "codel")]).expect("valid").idle, [""; 0]);
    let both = [("tcp.spacing", "off"), ("tcp.spacing_rtt", "base")];
    let line = "tcp.spacing_rtt changes nothing while tcp.spacing is off";
    assert_eq!(parse(LINK, &both).expect("valid").idle, [line]);
}

/// A group that begins with a key of `[tcp]` uses it, where nobody else does.
#[test]
fn a_key_that_a_group_uses_is_not_idle() {
    let vegas = ("tcp.vegas.alpha", "3");
    let idle = |settings: &[(&str, &str)]| parse(LINK, settings).expect("valid").idle;
    assert_eq!(idle(&[vegas]).len(), 1);
    assert_eq!(idle(&[vegas, ("flow.group.a.tcp.variant", "vegas")]), [""; 0]);
    assert_eq!(idle(&[vegas, ("flow.group.a.tcp.variant", "cubic")]).len(), 1);
}

/// A setting wins over the file, in whatever words.
#[test]
fn a_setting_takes_the_place_of_what_it_supersedes() {
    let mut seen = 0;
    for key in keys() {
        for (rule, over) in
            key.supersedes.iter().flat_map(|rule| rule.over.iter().map(move |over| (rule, over)))
        {
            let (by, over) = (named(&rule.by), named(over));
            let is_of = |names: [&str; 2]| names.contains(&&*by);
            let text = if is_of(["link.rate", "link.trace.down"]) {
                "[link]\n".to_owned()
            } else if is_of(["wan.rtt", "wired.wan.delay"]) {
                "[[wired]]\nname = \"wan\"\nbetween = [\"host\", \"node\"]\n".to_owned()
            } else {
                network(key)
            };
            let fits = |settings: &[(&str, &str)], text: &str| parse(text, settings).is_ok();
            let value = values(known(&by)).find(|value| fits(&[(&by, value)], &text));
            let said = values(known(&over)).find(|value| fits(&[], &with(&text, &over, value)));
            let value = value.unwrap_or_else(|| panic!("{by} in {text}"));
            let said = said.unwrap_or_else(|| panic!("{over} in {text}"));
            let scenario = parse(&with(&text, &over, said), &[(&by, value)]);
            let scenario = scenario.unwrap_or_else(|error| panic!("{by} over {over}: {error}"));
            let shown = |name: &str| scenario.values().into_iter().find(|key| key.name == name);
            assert_ne!(shown(&over).map(|key| key.value).as_deref(), Some(said), "{by} {over}");
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

/// The senders of a middlebox take over what hosts are told, apart from how they control congestion
/// and repair losses.
#[test]
fn what_is_inherited_arrives() {
    let of_heir = keys().iter().filter(|key| key.name.starts_with("middlebox.tcp."));
    let mut own = Vec::new();
    for key in of_heir {
        let name = key.name.strip_prefix("middlebox.").expect("it begins so");
        let text = format!("{LINK}[middlebox]\nkind = \"split\"\n");
        let before = parse(&text, &[]).expect("valid");
        let of = |scenario: &Scenario, name: &str| {
            scenario.values().into_iter().find(|key| key.name == name).expect("it is there").value
        };
        let changed = values(known(name)).find_map(|value| {
            let scenario = parse(&text, &[(name, value)]).ok()?;
            (of(&scenario, name) != of(&before, name)).then_some(scenario)
        });
        let after = changed.unwrap_or_else(|| panic!("no other value of {name}"));
        if key.inherits.is_some() {
            assert_eq!(of(&after, &key.name), of(&after, name), "{name}");
        } else {
            assert_eq!(of(&after, &key.name), of(&before, &key.name), "{name}");
            own.push(name);
        }
    }
    let expected = ["tcp.variant", "tcp.congestion_control", "tcp.recovery", "tcp.sack"];
    assert_eq!(own, expected);
}
