//! The ends of a link.

use settings::{Fault, Form, Item, Key, Label, Leaf, Node, Scope, Takes};

/// The two ends of a link: a list of two names.
pub(crate) struct Ends;

impl Form for Ends {
    type Value = [String; 2];

    fn read(item: &Item, key: &str, _default: &[String; 2]) -> Result<[String; 2], Fault> {
        let expected = "expected the names of two nodes (letters, digits, - and _), as in \
                        [\"host\", \"GGSN\"]";
        let Node::List(items) = &item.node else { return Err(item.fault(key, expected)) };
        let name = |item: &Item| Label::parse(item.scalar()?).ok();
        match items.as_slice() {
            [from, to] => name(from).zip(name(to)).map(Into::into),
            [] | [_] | [_, _, _, ..] => None,
        }
        .ok_or_else(|| item.fault(key, expected))
    }

    fn visit(value: &[String; 2], key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        visit(Key::new(key, format!("{value:?}"), "the names of two nodes", Takes::other(), doc));
    }
}
