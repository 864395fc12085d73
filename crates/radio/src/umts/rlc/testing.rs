//! What the tests of all modes share.

use base::Time;

use super::{DataKind, Outcome, RlcConfig, Run, Sdus, Sn};
pub(crate) use crate::testing::at;
use crate::umts::mac::TransportBlocks;

/// SDUs of `sizes`, handed in at the start.
pub(crate) fn sdus(config: &RlcConfig, sizes: impl IntoIterator<Item = u32>) -> Sdus {
    let mut sdus = Sdus::new(config.segmentation());
    sizes.into_iter().for_each(|bytes| sdus.push(Time::ZERO, bytes));
    sdus
}

/// An empty TTI for `capacity` blocks that starts at `millis`.
pub(crate) fn tti(millis: u64, capacity: u32) -> TransportBlocks {
    let mut blocks = TransportBlocks::new();
    blocks.begin(at(millis), capacity);
    blocks
}

/// Loses the data PDUs numbered `lost`.
pub(crate) fn lose(blocks: &mut TransportBlocks, lost: &[u64]) {
    let pdus =
        |(place, run): (u32, Run)| (0..run.pdus).map(move |i| (place + i, run.sn + i.into()));
    let is_lost = |sn: Sn| lost.contains(&(sn - Sn::ZERO));
    let places = blocks.runs().flat_map(pdus).filter(|(_, sn)| is_lost(*sn));
    let places: Vec<_> = places.map(|(place, _)| place).collect();
    blocks.errors.set(&places);
}

/// What became of SDUs since it was asked last: ` +n` delivered, ` -n` discarded.
pub(crate) fn outcomes(sdus: &mut Sdus) -> String {
    let outcomes = std::iter::from_fn(|| sdus.poll_outcome());
    let show = |outcome| match outcome {
        Outcome::Delivered(number) => format!(" +{number}"),
        Outcome::Discarded(number) => format!(" -{number}"),
    };
    outcomes.map(show).collect()
}

/// What a TTI holds: data as `sn` or `sn-sn`, `r` before retransmissions, `?` after a poll.
pub(crate) fn show(blocks: &TransportBlocks) -> String {
    let show = |run: &Run| {
        let first = run.sn.wire();
        let last = (run.sn + u64::from(run.pdus - 1)).wire();
        let again = if run.kind == DataKind::Again { "r" } else { "" };
        let poll = if run.poll { "?" } else { "" };
        let range = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        format!("{again}{range}{poll}")
    };
    blocks.data.iter().map(show).collect::<Vec<_>>().join(" ")
}
