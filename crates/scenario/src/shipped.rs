//! The scenarios that ship.

/// A scenario that ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

/// The scenarios that ship, by name.
pub const fn shipped() -> &'static [Shipped] {
    &[
        Shipped { name: "bottleneck", text: include_str!("../../../scenarios/bottleneck.toml") },
        Shipped {
            name: "dumbbell-100",
            text: include_str!("../../../scenarios/dumbbell-100.toml"),
        },
        Shipped { name: "plain-384", text: include_str!("../../../scenarios/plain-384.toml") },
        Shipped {
            name: "umts-dch-384",
            text: include_str!("../../../scenarios/umts-dch-384.toml"),
        },
    ]
}
