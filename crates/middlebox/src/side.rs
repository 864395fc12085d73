//! The two ends of a connection.

use std::ops::{Index, IndexMut};

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The one whose SYN came first.
    Caller,
    /// The other.
    Callee,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Caller, Self::Callee];

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Caller => Self::Callee,
            Self::Callee => Self::Caller,
        }
    }
}

/// One of each end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair<T>(pub(crate) [T; 2]);

impl<T> Index<Side> for Pair<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        &self.0[side as usize]
    }
}

impl<T> IndexMut<Side> for Pair<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        &mut self.0[side as usize]
    }
}
