//! Who sends and who receives.

/// One of the two sides of a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leg {
    /// Where the fixed hosts are.
    Wired,
    /// Where the mobiles are.
    Radio,
}

/// A host, and on which side of the box it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The side.
    pub leg: Leg,
    /// An IPv6 address, an IPv4 address mapped into one (RFC 4291 §2.5.5.2), or in a simulation
    /// the number of a node.
    pub host: u128,
}
