//! TCP endpoints (RFC 9293) as machines without sockets.
//!
//! An [`Endpoint`] takes the time and segments, and hands out segments and one deadline. What it
//! carries is a parameter: a [`Length`] in a simulation, [`bytes::Bytes`] on a wire. Its halves,
//! [`Sender`] and [`Receiver`], work alone as well.
//!
//! ```
//! use std::sync::Arc;
//!
//! use base::{Seq, Time};
//! use observe::Context;
//! use tcp::{Config, Endpoint, Length, Payload, State};
//! let config = Arc::new(Config { mss: 512, ..Config::plain() });
//! let mut client = Endpoint::<Length>::connect(0, &config, 1000, 80, Seq::new(7));
//! let mut server = Endpoint::<Length>::listen(1, &config, 80, 1000, Seq::new(9));
//! client.write(Length(2_000));
//! let cx = &mut Context { now: Time::ZERO, observe: &mut () };
//! loop {
//!     let out = client.poll_output(cx);
//!     let back = server.poll_output(cx);
//!     if out.is_none() && back.is_none() {
//!         break;
//!     }
//!     out.iter().for_each(|segment| server.handle_segment(cx, segment));
//!     back.iter().for_each(|segment| client.handle_segment(cx, segment));
//! }
//! assert_eq!(server.state(), State::Established);
//! assert_eq!(server.read().map(|payload| payload.length()), Some(2_000));
//! ```

mod challenge;
mod close;
mod config;
mod cwnd_usage;
mod data_in;
mod delivery;
mod ecn_counters;
mod ecn_echo;
mod ecn_feedback;
mod ecn_sender;
mod ecn_setup;
mod endpoint;
mod freeze;
mod handshake;
mod pacing;
mod payload;
mod peer_window;
mod persist;
mod pieces;
mod profile;
mod reassembly;
mod receiver;
mod recovery;
mod relay;
mod retransmission_timer;
mod sack_blocks;
mod scoreboard;
mod segment;
mod send_buffer;
mod sender;
mod shared;
mod spurious;
mod state;
mod stretches;
mod timestamps;
mod tiny_segments;
mod unopened;
mod variant;
mod window_opening;

pub use cc::{EcnFeedback, Retained, SavedPath};
pub use close::refusal;
pub use config::*;
pub use data_in::Arrival;
pub use ecn_feedback::MarkReport;
pub use endpoint::Endpoint;
pub use payload::{Length, Payload};
pub use pieces::Pieces;
pub use receiver::{AckDue, Receiver};
pub use recovery::*;
pub use sack_blocks::Reports;
pub use segment::Segment;
pub use sender::{AckOutcome, Acknowledgement, Agreement, Departure, Larger, Sender};
pub use shared::Shared;
pub use state::{Event, State};
pub use timestamps::Timeliness;
pub use tiny_segments::are_tiny_segments;
