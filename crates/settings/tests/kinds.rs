//! Tables in which `kind` says which keys there are.

use settings::{Always, Count, Key, Schema, Scope, Section, Table, Word, kinds, section, words};

words! {
    /// Ways round.
    pub enum Way {
        /// As the clock.
        Right = "right",
        /// Against it.
        Left = "left",
    }
}

section! {
    /// What one kind has in a table of its own.
    pub struct TurnKeys {
        /// Which way.
        pub way: Way as Word<Way> = Way::Right;
    }
}

kinds! {
    /// Who is next.
    pub enum Order {
        /// Who came first.
        First = "first",
        /// Each in turn.
        Turns {
            /// How long a turn is.
            pub length: u32 as Count<u32, 1, 100> = 1;
            /// Which way they go.
            pub turn: TurnKeys as Always<TurnKeys> = TurnKeys::default();
        } = "turns",
        /// The longest.
        Longest {
            /// How long it must be.
            pub length: u32 as Count<u32, 1, 100> = 5;
        } = "longest",
    }
}

section! {
    /// A file.
    pub struct File {
        /// Who is next.
        pub order: Order as Always<Order> = Order::default();
    }
}

fn every_key() -> Vec<Key> {
    let mut keys = Vec::new();
    File::default().visit("", Scope::Every, &mut |key| keys.push(key));
    keys
}

fn read(text: &str, settings: &[(&str, &str)]) -> Result<Order, String> {
    let keys = every_key();
    let schema = Schema { keys: &keys, given: &[], grown: &[] };
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mut file = File::default();
    Table::parse(text)
        .and_then(|mut tree| {
            schema.apply(&mut tree, &settings)?;
            file.read(&tree, "")
        })
        .map_err(|fault| fault.among(&keys).of("mine").to_string())?;
    Ok(file.order)
}

#[test]
fn each_kind_has_its_own_keys() {
    assert_eq!(read("", &[]), Ok(Order::First));
    let turn = TurnKeys { way: Way::Left };
    let text = "[order]\nkind = \"turns\"\nlength = 7\nturn.way = \"left\"";
    assert_eq!(read(text, &[]), Ok(Order::Turns { length: 7, turn }));
}

#[test]
fn a_key_of_another_kind_is_refused() {
    let check = |text, settings: &[_], line: &str| {
        assert_eq!(read(text, settings), Err(line.to_owned()), "{text} {settings:?}");
    };
    let longest = "[order]\nkind = \"longest\"\nturn.way = \"left\"";
    check(longest, &[], "mine:3: order.turn: order.turn is for order.kind = turns alone");
    check(
        "",
        &[("order.length", "7")],
        "--set order.length=7: order.length is for order.kind = turns or longest alone",
    );
    check(
        "[order]\nkind = \"trns\"",
        &[],
        "mine:2: order.kind = \"trns\": must be first, turns or longest; did you mean turns?",
    );
    check("[order]\nkind = 1", &[], "mine:2: order.kind = 1: must be first, turns or longest");
    check(
        "[order]\nlenth = 1",
        &[],
        "mine:2: order.lenth: unknown key; did you mean order.length?",
    );
}

#[test]
fn a_setting_of_the_kind_takes_away_what_the_file_says_of_others() {
    let file = "[order]\nkind = \"turns\"\nlength = 7\n[order.turn]\nway = \"left\"";
    assert_eq!(read(file, &[("order.kind", "first")]), Ok(Order::First));
    let longest = read(file, &[("order.kind", "longest")]);
    assert_eq!(longest, Ok(Order::Longest { length: 7 }), "both kinds have it");
    let error = read(file, &[("order.kind", "first"), ("order.length", "3")]);
    let line = "--set order.length=3: order.length is for order.kind = turns or longest alone";
    assert_eq!(error, Err(line.to_owned()), "what is set is not taken away");
}

#[test]
fn every_key_is_listed_once_with_its_kinds() {
    let listed: Vec<_> = every_key()
        .into_iter()
        .map(|key| (key.name, key.needs.into_iter().flat_map(|needs| needs.kinds).collect()))
        .collect();
    let key = |name: &str, kinds: &[&'static str]| (name.to_owned(), kinds.to_vec());
    assert_eq!(
        listed,
        [
            key("order.kind", &[]),
            key("order.length", &["turns", "longest"]),
            key("order.turn.way", &["turns"]),
        ]
    );
}

#[test]
fn a_key_that_has_another_default_with_another_kind_says_so() {
    let others = every_key().into_iter().filter(|key| !key.other_defaults.is_empty());
    let listed: Vec<_> = others.map(|key| (key.name, key.value, key.other_defaults)).collect();
    let others = vec![("5".to_owned(), vec!["longest"])];
    assert_eq!(listed, [("order.length".to_owned(), "1".to_owned(), others)]);
}
