//! The configuration of a mobile and of the networks it can be in.

use base::Duration;
use settings::words;

use super::super::attachment::Detection;
use super::super::registration::RegistrationConfig;
use super::Address;

/// The configuration of a mobile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MobileConfig {
    /// Its home address.
    pub home: Address,
    /// Its home agent.
    pub home_agent: Address,
    /// How it registers there and at the MAP. RFC 5380 §6.1.
    pub registration: RegistrationConfig,
    /// The MAP it uses where an access router advertises it (RFC 5380).
    pub regional: Option<Regional>,
    /// The access routers, by their numbers from 0.
    pub access: Vec<Access>,
    /// Whether it asks for advertisements, or waits for the next one.
    pub solicits: bool,
    /// How it checks local addresses for duplicates; its home address needs no check.
    pub detection: Detection,
    /// How long it waits for objections. RFC 4861 §10: `RETRANS_TIMER`, 1 s.
    pub retransmit_timer: Duration,
    /// True if what it sends from its home address while it is away goes through a tunnel to the
    /// home agent.
    pub reverse_tunnel: bool,
    /// What it does where it can be heard by two access routers.
    pub overlap: Overlap,
    /// Route optimization, if enabled.
    pub optimization: Option<Optimization>,
    /// Whether it holds bindings of other mobiles, as their correspondent.
    pub keeps_bindings: bool,
    /// Whether it does fast handovers (RFC 5568 §3).
    pub fast_handovers: bool,
}

/// A MAP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Regional {
    /// Its address.
    pub map: Address,
    /// The mobile's regional care-of address (`RCoA`) there.
    pub care_of: Address,
}

/// An access router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Its address.
    pub router: Address,
    /// The mobile's address on its link: a local care-of address (`LCoA`), or the home address.
    pub care_of: Address,
    /// Whose network it is.
    pub network: Network,
}

/// Whose network an access router is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// The mobile's home network.
    Home,
    /// A foreign network.
    Foreign,
}

words! {
    /// What is done with two usable addresses of a mobile.
    pub enum Overlap {
        /// The newest alone is bound.
        Newest = "keep-last",
        /// Packets go to both (as with RFC 5648); the mobile sends by the newest.
        Both = "bicast",
    }
}

/// Route optimization (RFC 6275 §11.6, §11.7.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Optimization {
    /// The correspondents.
    pub correspondents: Vec<Address>,
    /// How it registers there.
    pub registration: RegistrationConfig,
}
