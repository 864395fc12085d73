//! Facts to tell a controller, to be varied with `..ACK` and `..LOSS`.

use base::Time;
use cc::{Ack, BbrParameters, Loss, LossKind, Marked, Parameters};

/// An acknowledgement of one byte by a sender that is held back by its window.
pub(crate) const ACK: Ack = Ack {
    now: Time::ZERO,
    acked: 1,
    delivered: 1,
    una: 0,
    nxt: 0,
    pipe: 0,
    rtt: None,
    recovering: false,
    window_limited: true,
    most_in_flight: 0,
    rate: None,
    marked: Marked::NONE,
};

/// A first loss.
pub(crate) const LOSS: Loss = Loss {
    now: Time::ZERO,
    kind: LossKind::DuplicateAcks,
    in_flight: 0,
    sent: Time::ZERO,
    transmissions: 1,
    after_mark: false,
};

/// The usual parameters, with a seed.
pub(crate) fn seeded() -> Parameters {
    let bbr = BbrParameters { seed: 1, ..BbrParameters::default() };
    Parameters { bbr, ..Parameters::default() }
}
