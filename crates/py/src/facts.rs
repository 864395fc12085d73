//! What a controller in Python is told. Times are seconds, sizes bytes, rates bit/s.

use cc::LossKind;
use pyo3::prelude::*;

/// The frame in which a controller moves its window.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct Limits(pub(crate) cc::Limits);

#[pymethods]
impl Limits {
    /// Payload bytes of a full segment.
    #[getter]
    const fn mss(&self) -> u32 {
        self.0.mss
    }

    /// Window to start with, in segments.
    #[getter]
    const fn initial_window(&self) -> u32 {
        self.0.initial_window
    }

    /// Slow-start threshold to start with, in segments.
    #[getter]
    const fn initial_ssthresh(&self) -> u32 {
        self.0.initial_ssthresh
    }

    /// A window beyond this, in segments, counts as this.
    #[getter]
    const fn maximum_window(&self) -> u32 {
        self.0.maximum_window
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// An acknowledgement of something new. Offsets count bytes of the stream from 0.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct Ack(pub(crate) cc::Ack);

#[pymethods]
impl Ack {
    /// When it arrived, in seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_secs_f64()
    }

    /// Bytes that it acknowledges cumulatively for the first time; 0 if it only selects.
    #[getter]
    const fn acked(&self) -> u64 {
        self.0.acked
    }

    /// Bytes that are known to have arrived only now: acknowledged or selected.
    #[getter]
    const fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// The lowest offset not acknowledged, after it.
    #[getter]
    const fn una(&self) -> u64 {
        self.0.una
    }

    /// The next offset to send, before anything is sent in answer to it.
    #[getter]
    const fn nxt(&self) -> u64 {
        self.0.nxt
    }

    /// Bytes from `una` to `nxt`.
    #[getter]
    const fn in_flight(&self) -> u64 {
        self.0.in_flight()
    }

    /// Bytes in the network after it, as loss recovery counts them.
    #[getter]
    const fn pipe(&self) -> u64 {
        self.0.pipe
    }

    /// The round-trip time in seconds of the newest segment it covers, if that was sent once.
    #[getter]
    fn rtt_s(&self) -> Option<f64> {
        self.0.rtt.map(base::Duration::as_secs_f64)
    }

    /// True while losses are being repaired, this acknowledgement included.
    #[getter]
    const fn recovering(&self) -> bool {
        self.0.recovering
    }

    /// True if the congestion window, and nothing else, held the sender back since the last one.
    #[getter]
    const fn window_limited(&self) -> bool {
        self.0.window_limited
    }

    /// How fast data were delivered, where `wants_rate` asks for it.
    #[getter]
    fn rate(&self) -> Option<RateSample> {
        self.0.rate.map(RateSample)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The delivery rate over the flight of the newest segment that an acknowledgement covers.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct RateSample(cc::RateSample);

#[pymethods]
impl RateSample {
    /// Bytes ever delivered on this connection.
    #[getter]
    const fn total(&self) -> u64 {
        self.0.total
    }

    /// Bytes ever delivered when the segment was sent.
    #[getter]
    const fn prior(&self) -> u64 {
        self.0.prior
    }

    /// How long the delivery of `total` − `prior` took, in seconds.
    #[getter]
    fn interval_s(&self) -> f64 {
        self.0.interval.as_secs_f64()
    }

    /// True if the application, not the window, held the sender back when the segment was sent.
    #[getter]
    const fn app_limited(&self) -> bool {
        self.0.app_limited
    }

    /// Bytes in the network when the segment was sent, itself included.
    #[getter]
    const fn pipe_at_send(&self) -> u64 {
        self.0.pipe_at_send
    }

    /// Bytes found lost since the segment was sent.
    #[getter]
    const fn lost(&self) -> u64 {
        self.0.lost
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A loss, or what counts as one.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct Loss(pub(crate) cc::Loss);

#[pymethods]
impl Loss {
    /// When it was found, in seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_secs_f64()
    }

    /// How it was found: `duplicate-acks`, `fine-timeout` (Vegas's), `timeout`, or `ecn` for a
    /// mark.
    #[getter]
    const fn kind(&self) -> &'static str {
        match self.0.kind {
            LossKind::DuplicateAcks => "duplicate-acks",
            LossKind::FineTimeout => "fine-timeout",
            LossKind::Timeout => "timeout",
            LossKind::Ecn => "ecn",
        }
    }

    /// Bytes from the lowest not acknowledged to the next to send, then.
    #[getter]
    const fn in_flight(&self) -> u64 {
        self.0.in_flight
    }

    /// When the lost segment was last sent, in seconds.
    #[getter]
    fn sent_s(&self) -> f64 {
        self.0.sent.as_secs_f64()
    }

    /// How often it had been sent.
    #[getter]
    const fn transmissions(&self) -> u32 {
        self.0.transmissions
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A segment found lost, whether or not it begins an episode of congestion.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct LostSegment(pub(crate) cc::LostSegment);

#[pymethods]
impl LostSegment {
    /// When that was found, in seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_secs_f64()
    }

    /// Its bytes.
    #[getter]
    const fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Bytes ever delivered when it was sent.
    #[getter]
    const fn prior(&self) -> u64 {
        self.0.prior
    }

    /// Bytes in the network when it was sent, itself included.
    #[getter]
    const fn pipe_at_send(&self) -> u64 {
        self.0.pipe_at_send
    }

    /// Bytes found lost since it was sent, itself included.
    #[getter]
    const fn lost(&self) -> u64 {
        self.0.lost
    }

    /// True if the application held the sender back when it was sent.
    #[getter]
    const fn app_limited(&self) -> bool {
        self.0.app_limited
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
