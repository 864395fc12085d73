//! What a controller in Python is told. Times are seconds, sizes bytes, rates bit/s.

use cc::LossKind;
use pyo3::prelude::*;

/// Declares what Python sees of a fact of `cc`: each attribute with its type and where it is from.
macro_rules! fact {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$about:meta])* $attribute:ident: $kind:ty = |$of:ident| $value:expr,)* }
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "thinpipe._core")]
        pub(crate) struct $name(pub(crate) cc::$name);

        #[pymethods]
        impl $name {
            $($(#[$about])*
            #[getter]
            fn $attribute(&self) -> $kind {
                let $of = &self.0;
                $value
            })*

            fn __repr__(&self) -> String {
                format!("{:?}", self.0)
            }
        }
    };
}

fact! {
    /// The frame in which a controller moves its window.
    Limits {
        /// Payload bytes of a full segment.
        mss: u32 = |of| of.mss,
        /// Window to start with, in segments.
        initial_window: u32 = |of| of.initial_window,
        /// Slow-start threshold to start with, in segments.
        initial_ssthresh: u32 = |of| of.initial_ssthresh,
        /// A window beyond this, in segments, counts as this.
        maximum_window: u32 = |of| of.maximum_window,
    }
}

fact! {
    /// An acknowledgement of something new. Offsets count bytes of the stream from 0.
    Ack {
        /// When it arrived, in seconds.
        now_s: f64 = |of| of.now.as_secs_f64(),
        /// Bytes that it acknowledges cumulatively for the first time; 0 if it only selects.
        acked: u64 = |of| of.acked,
        /// Bytes that are known to have arrived only now: acknowledged or selected.
        delivered: u64 = |of| of.delivered,
        /// The lowest offset not acknowledged, after it.
        una: u64 = |of| of.una,
        /// The next offset to send, before anything is sent in answer to it.
        nxt: u64 = |of| of.nxt,
        /// Bytes from `una` to `nxt`.
        in_flight: u64 = |of| of.in_flight(),
        /// Bytes in the network after it, as loss recovery counts them.
        pipe: u64 = |of| of.pipe,
        /// The round-trip time in seconds of the newest segment it covers, if that was sent once.
        rtt_s: Option<f64> = |of| of.rtt.map(base::Duration::as_secs_f64),
        /// True while losses are being repaired, this acknowledgement included.
        recovering: bool = |of| of.recovering,
        /// True if the congestion window, and nothing else, held the sender back at some time in
        /// the last window of data.
        window_limited: bool = |of| of.window_limited,
        /// Bytes in flight at most in the last window of data.
        most_in_flight: u64 = |of| of.most_in_flight,
        /// How fast data were delivered, where `wants_rate` asks for it.
        rate: Option<RateSample> = |of| of.rate.map(RateSample),
        /// Packets that arrived with a mark; 0 unless `tcp.ecn` is accurate.
        marked_packets: u64 = |of| of.marked.packets,
        /// Bytes of their payload.
        marked_bytes: u64 = |of| of.marked.bytes,
    }
}

fact! {
    /// The delivery rate over the flight of the newest segment that an acknowledgement covers.
    RateSample {
        /// Bytes ever delivered on this connection.
        total: u64 = |of| of.total,
        /// Bytes ever delivered when the segment was sent.
        prior: u64 = |of| of.prior,
        /// How long the delivery of `total` − `prior` took, in seconds.
        interval_s: f64 = |of| of.interval.as_secs_f64(),
        /// True if the application, not the window, held the sender back when the segment was sent.
        app_limited: bool = |of| of.app_limited,
        /// Bytes in the network when the segment was sent, itself included.
        pipe_at_send: u64 = |of| of.pipe_at_send,
        /// Bytes found lost since the segment was sent.
        lost: u64 = |of| of.lost,
    }
}

fact! {
    /// A loss, or what counts as one.
    Loss {
        /// When it was found, in seconds.
        now_s: f64 = |of| of.now.as_secs_f64(),
        /// How it was found: `duplicate-acks`, `fine-timeout` (Vegas's), `timeout`, or `ecn` for a
        /// mark.
        kind: &'static str = |of| match of.kind {
            LossKind::DuplicateAcks => "duplicate-acks",
            LossKind::FineTimeout => "fine-timeout",
            LossKind::Timeout => "timeout",
            LossKind::Ecn => "ecn",
        },
        /// Bytes from the lowest not acknowledged to the next to send, then.
        in_flight: u64 = |of| of.in_flight,
        /// When the lost segment was last sent, in seconds.
        sent_s: f64 = |of| of.sent.as_secs_f64(),
        /// How often it had been sent.
        transmissions: u32 = |of| of.transmissions,
        /// True if a mark of the same window of data has been told of before: one reduction is for
        /// both (RFC 3168 §6.1.2).
        after_mark: bool = |of| of.after_mark,
    }
}

fact! {
    /// A segment found lost, whether or not it begins an episode of congestion.
    LostSegment {
        /// When that was found, in seconds.
        now_s: f64 = |of| of.now.as_secs_f64(),
        /// Its bytes.
        bytes: u64 = |of| of.bytes,
        /// Bytes ever delivered when it was sent.
        prior: u64 = |of| of.prior,
        /// Bytes in the network when it was sent, itself included.
        pipe_at_send: u64 = |of| of.pipe_at_send,
        /// Bytes found lost since it was sent, itself included.
        lost: u64 = |of| of.lost,
        /// True if the application held the sender back when it was sent.
        app_limited: bool = |of| of.app_limited,
    }
}
