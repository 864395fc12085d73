//! Files that keys name.

use std::sync::Arc;

use super::{Leaf, Takes, Text};
use crate::tree::Scalar;

/// What a file that a key names may hold.
pub trait Content {
    /// What the key takes, as in "the path of a trace".
    const EXPECTED: &'static str;
}

/// A file that a key names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File<C> {
    /// Its path, as it is written.
    pub path: String,
    /// What it holds; there in everything that is parsed.
    content: Option<Arc<C>>,
}

impl<C> File<C> {
    /// How a path begins that names a file which ships.
    pub const SHIPPED: &str = "shipped:";

    /// The file at `path`, which holds `content`.
    pub fn new(path: String, content: C) -> Self {
        Self { path, content: Some(content.into()) }
    }

    /// What it holds.
    ///
    /// # Panics
    /// If it was not read, which cannot be in a parsed scenario.
    pub fn content(&self) -> &C {
        self.content.as_ref().expect("the files of a scenario are read when it is parsed")
    }
}

impl<C: Content> Leaf for File<C> {
    type Value = Self;

    fn expected() -> String {
        C::EXPECTED.to_owned()
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        let path = Text::parse(scalar).ok().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| format!("expected {}, in quotes", C::EXPECTED))?;
        Ok(Self { path, content: None })
    }

    fn show(value: &Self) -> String {
        value.path.clone()
    }
}
