//! The virtual clock: runs a world, measures and records it.
