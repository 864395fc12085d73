//! What a measurement sees of the power that mobiles draw.

use base::{Energy, Power};

/// A mobile's radio has entered another of the states that differ in power.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerFact {
    /// The number of the machine that has its bearer.
    pub machine: u32,
    /// The mobile among those of the machine, from 0.
    pub mobile: u32,
    /// What the state is called.
    pub state: &'static str,
    /// What it draws there, without what it carries.
    pub power: Power,
    /// What it has used since the start.
    pub energy: Energy,
}
