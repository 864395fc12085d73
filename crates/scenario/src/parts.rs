//! Networks that fall into parts, which can be run apart from each other.

use crate::{Flow, FlowDirection, Hosts, Scenario};

/// A mobile whose bearer is its own, with its flows and the way to it: a network for itself, where
/// no other mobile changes anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The number of the mobile, from 0.
    pub mobile: u32,
    /// How many mobiles there are.
    pub of: u32,
}

impl Part {
    /// The parts of the network of `scenario`, in the order of its mobiles; none if its mobiles
    /// have something in common: a radio of cells or access points, a wire that takes time to send
    /// a packet, or flows between them.
    ///
    /// A middlebox keeps mobiles apart: whatever it has of one is that mobile's alone.
    pub fn all(scenario: &Scenario) -> impl ExactSizeIterator<Item = Self> + use<> {
        let radio = scenario.radio.as_ref().filter(|radio| radio.cells().is_none());
        let mobiles = radio.map_or(0, |radio| radio.keys().mobiles() as u32);
        let is_shared = scenario.mobile_ip.is_some()
            || scenario.link.is_some()
            || scenario.wired.iter().any(|wire| wire.rate.is_some());
        let is_alone = |group: &Flow| {
            group.hosts == Hosts::Shared && group.direction != FlowDirection::BetweenMobiles
        };
        let of = if !is_shared && scenario.groups().all(is_alone) { mobiles } else { 0 };
        (0..if of > 1 { of } else { 0 }).map(move |mobile| Self { mobile, of })
    }

    /// Whether the mobile whose turn is number `turn` is this one.
    pub(crate) const fn has_turn(self, turn: u32) -> bool {
        turn % self.of == self.mobile
    }
}
