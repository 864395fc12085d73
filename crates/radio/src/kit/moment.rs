//! The beginning of a slot.

use base::Time;

/// When something happens in a cell, and who watches.
pub(crate) struct Moment<'a, O> {
    pub(crate) slot: u64,
    pub(crate) now: Time,
    /// The number of the cell among machines.
    pub(crate) machine: u32,
    pub(crate) observe: &'a mut O,
}
