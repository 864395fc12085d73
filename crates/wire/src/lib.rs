//! Typed headers to bytes and back, checksums, captures.
