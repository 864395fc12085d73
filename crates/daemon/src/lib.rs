//! The proxy daemon: what a [`proxy::Gateway`] needs to handle real packets, and to fail safely.

mod back_off;
mod call;
mod child;
mod configuration;
mod control;
mod daemon;
#[cfg(test)]
mod documented;
mod event;
mod families;
#[cfg(test)]
mod fixtures;
mod heartbeat;
mod host;
mod journal;
mod journal_file;
mod listeners;
mod log;
mod machine;
mod memory;
mod message;
mod metrics;
mod notify;
mod observation;
mod observer;
mod peers;
mod poll_server;
mod resets;
mod runtime_files;
mod shared_status;
mod signals;
mod stats;
mod status;
mod summary;
mod supervisor;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "system_calls_elsewhere.rs"
)]
mod system_calls;
mod worker;

pub use configuration::configuration;
pub use control::Question;
pub use daemon::serve;
pub use host::{Finding, Severity, check};
pub use status::status;
pub use summary::{Summary, Table};
