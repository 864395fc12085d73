//! The two ends of a connection.

use std::ops::{Index, IndexMut};

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// The one whose SYN came first.
    Caller,
    /// The other.
    Callee,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Caller, Self::Callee];

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Caller => Self::Callee,
            Self::Callee => Self::Caller,
        }
    }
}

/// One of each end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair<T>(pub(super) [T; 2]);

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
