//! Maps.

use rustc_hash::FxBuildHasher;

/// A map whose hasher has no seed and whose order nobody sees.
#[expect(clippy::disallowed_types, reason = "looked up, never walked: order does not show")]
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, FxBuildHasher>;
