//! TCP endpoints (RFC 9293) as machines without sockets.
//!
//! An [`Endpoint`] is told the time and handed segments; it hands out segments and one deadline.
//! What it carries is a parameter: a [`Length`] in a simulation, [`bytes::Bytes`] on a wire. Its
//! halves, [`Sender`] and [`Receiver`], work alone as well.
//!
//! ```
//! use base::{Duration, Seq, Time};
//! use tcp::{Config, Endpoint, Length, Payload, State};
//! # use tcp::{CongestionControl, RecoveryKind, RtoConfig, RttSampling, Variant};
//! # let config = Config {
//! #     variant: Variant {
//! #         congestion_control: CongestionControl::Reno, recovery: RecoveryKind::Reno },
//! #     mss: 512, window: 64, initial_window: 2, initial_ssthresh: None, receive_buffer: 32_768,
//! #     rto: RtoConfig { tick: Duration::from_millis(10), min: Duration::from_secs(1),
//! #         max: Duration::from_secs(60), initial: Duration::from_secs(3),
//! #         max_retransmissions: None },
//! #     rtt_sampling: RttSampling::OnePerWindow, delayed_ack: None, limited_transmit: true,
//! #     slow_start_restart: false, recover_guard: true, nagle: false,
//! #     time_wait: Duration::from_secs(60),
//! # };
//! let mut client = Endpoint::<Length>::connect(0, &config, 1000, 80, Seq::new(7));
//! let mut server = Endpoint::<Length>::listen(1, &config, 80, 1000, Seq::new(9));
//! client.write(Length(2_000));
//! let now = Time::ZERO;
//! loop {
//!     let out = client.poll_output(now, &mut ());
//!     let back = server.poll_output(now, &mut ());
//!     if out.is_none() && back.is_none() {
//!         break;
//!     }
//!     out.into_iter().for_each(|segment| server.handle_segment(now, segment, &mut ()));
//!     back.into_iter().for_each(|segment| client.handle_segment(now, segment, &mut ()));
//! }
//! assert_eq!(server.state(), State::Established);
//! assert_eq!(server.read().map(|payload| payload.length()), Some(2_000));
//! ```

mod ack_in;
mod close;
mod config;
mod data_in;
mod data_out;
mod endpoint;
mod handshake;
mod payload;
mod persist;
mod pieces;
mod reassembly;
mod receiver;
mod recovery;
mod rto;
mod segment;
mod sender;
mod sent;
mod state;

pub use ack_in::{AckOutcome, Acknowledgement};
pub use config::{Config, CongestionControl, RecoveryKind, RtoConfig, RttSampling, Variant};
pub use data_in::Arrival;
pub use data_out::Departure;
pub use endpoint::Endpoint;
pub use payload::{Length, Payload};
pub use receiver::{AckDue, Receiver};
pub use segment::Segment;
pub use sender::Sender;
pub use state::{Event, State};
