//! Networks that fall into parts, which can be run apart from each other.

use crate::{Flow, FlowDirection, Hosts, Scenario};

/// A mobile with its bearer, its flows, and the wires and the middlebox on its way: a network of
/// its own, in which no other mobile changes anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The number of the mobile, from 0.
    pub mobile: u32,
    /// How many mobiles there are.
    pub of: u32,
}

impl Part {
    /// The parts of the network of `scenario`, in the order of its mobiles. None if mobiles share
    /// a radio of cells or access points, a wire that has a rate or disorders packets, or flows.
    ///
    /// A middlebox is no obstacle: what it does for one mobile does not depend on others.
    pub fn all(scenario: &Scenario) -> impl ExactSizeIterator<Item = Self> + use<> {
        let radio = scenario.radio.as_ref().filter(|radio| !radio.is_shared());
        let mobiles = radio.map_or(0, |radio| radio.keys().mobiles() as u32);
        let is_shared = scenario.mobile_ip.is_some()
            || scenario.link.is_some()
            || scenario.wired.iter().any(|wire| wire.rate.is_some() || wire.has_chance());
        let is_alone = |group: &Flow| {
            group.hosts == Hosts::Shared
                && group.to.is_none()
                && !group.has_chance()
                && group.direction != FlowDirection::BetweenMobiles
        };
        let is_apart = mobiles > 1 && !is_shared && scenario.groups().all(is_alone);
        let of = if is_apart { mobiles } else { 0 };
        (0..of).map(move |mobile| Self { mobile, of })
    }

    /// Whether the mobile whose turn is number `turn` is this one.
    pub(crate) const fn has_turn(self, turn: u32) -> bool {
        turn % self.of == self.mobile
    }
}
