//! Keys with a unit, a range, a default and a source, read from TOML and from settings.
//!
//! A component says of itself what it can be told: [`section!`] declares a table of keys,
//! [`words!`] a choice, [`kinds!`] a table whose `kind` says which keys it has. What is wrong is
//! one line that names the place, the key and what would be valid ([`Fault`]).

mod apply;
mod error;
mod form;
mod nearest;
mod tree;

pub use apply::Schema;
pub use base::{Words, words};
pub use error::{Error, Fault};
pub use form::*;
pub use nearest::nearest;
pub use tree::{Item, Kind, Node, Origin, Scalar, Table, setting_value};
