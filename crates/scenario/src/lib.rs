//! Scenario files: one schema, validated, built into a world.
//!
//! A scenario is TOML text and a list of settings that change it. [`Scenario::parse`] reads both
//! into typed values or answers with an [`Error`] of one line. The `section!`s of `schema`
//! and of the components that these join are the only place where a key, its unit, its range and
//! its default stand; [`keys`] lists them.
//!
//! ```
//! let settings = [("tcp.variant".to_owned(), "vegas".to_owned())];
//! let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "umts-dch-384");
//! let text = shipped.expect("it ships").text;
//! let scenario = scenario::Scenario::parse(text, "umts-dch-384", &settings)?;
//! assert_eq!(scenario.tcp.variant.name(), "vegas");
//!
//! let settings = [("tcp.varaint".to_owned(), "vegas".to_owned())];
//! let error = scenario::Scenario::parse(text, "umts-dch-384", &settings).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "--set tcp.varaint=vegas: unknown key; did you mean tcp.variant?"
//! );
//! # Ok::<(), scenario::Error>(())
//! ```

mod bearers;
mod build;
mod check_flow;
mod check_jitter;
mod check_middlebox;
mod check_mobile;
mod check_route;
mod endpoints;
mod files;
mod flows;
mod form;
mod freeze;
mod live;
mod mobile_network;
mod parts;
mod profile;
mod routes;
mod schema;
mod shipped;
mod validate;
mod wlan;

pub use build::{Network, build, build_open, build_over, build_part};
pub use flows::NetworkFlow;
pub use form::{Capture, Start};
pub use live::{Change, Live, LiveKey, LiveState};
pub use parts::Part;
pub use profile::profiles;
pub use schema::{
    Flow, FlowDirection, Ftp, Hosts, Middlebox, Opener, Peer, Route, Scenario, Wan, Wired, keys,
    keys_under, number, queue_packets,
};
pub use settings::{Error, Key, Takes, ValueKind};
pub use shipped::{Shipped, shipped};
pub use validate::Outside;
