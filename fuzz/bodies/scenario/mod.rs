//! Any scenario that ships, with any values of its keys: it runs by the law, or is refused in one
//! line.

mod case;
pub(crate) mod law;

pub(crate) use case::{Case, Chance};
pub(crate) use law::judge;
