//! What comes out of a bearer.

use link::Dropped;

/// What comes out of a bearer: every SDU that it took in, in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<T> {
    /// An SDU at the far end.
    Delivered(T),
    /// An SDU that the link control gave up, or whose headers could not be restored.
    Discarded(T),
    /// An SDU that the queue ahead of the radio dropped after the bearer had taken it in.
    Dropped(Dropped<T>),
}
