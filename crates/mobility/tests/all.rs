//! All integration tests of this crate, as one program: to link each alone takes minutes.

mod binding;
mod fast;
mod page;
mod strangers;
mod support;
mod walks;
