//! Downlink and uplink.

/// The two directions of a radio bearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards the mobile.
    Downlink,
    /// From the mobile.
    Uplink,
}

impl Direction {
    /// Both; each stands at its own number as an index.
    pub const BOTH: [Self; 2] = [Self::Downlink, Self::Uplink];

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Downlink => "downlink",
            Self::Uplink => "uplink",
        }
    }

    /// Of what each direction has, what this one has.
    pub fn of<T>(self, downlink: T, uplink: T) -> T {
        match self {
            Self::Downlink => downlink,
            Self::Uplink => uplink,
        }
    }
}
