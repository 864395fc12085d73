//! What a mobile is told of itself and of the networks it can be in.

use base::Duration;
use settings::words;

use super::super::attachment::Detection;
use super::super::backoff::Patience;
use super::super::correspondent::CorrespondentConfig;
use super::super::registration::RegistrationConfig;
use super::Address;

/// What a mobile is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MobileConfig {
    /// Its home address.
    pub home: Address,
    /// Its home agent.
    pub home_agent: Address,
    /// How it registers there.
    pub home_registration: RegistrationConfig,
    /// The MAP it uses where an access router advertises it (RFC 5380).
    pub regional: Option<Regional>,
    /// The access routers, by their numbers from 0.
    pub access: Vec<Access>,
    /// How it asks for advertisements; `None` waits for the next one.
    pub solicitation: Option<Solicitation>,
    /// What it does about duplicates of its local addresses; its home address is its own.
    pub detection: Detection,
    /// How long it waits for objections. RFC 4861 §10: `RETRANS_TIMER`, 1 s.
    pub retransmit_timer: Duration,
    /// What it does where it can be heard by two access routers.
    pub overlap: Overlap,
    /// Route optimization, if it does that.
    pub optimization: Option<Optimization>,
    /// As the correspondent of other mobiles, by its home address, if it keeps their bindings.
    pub correspondent: Option<CorrespondentConfig>,
    /// Fast handovers, if it does them.
    pub fast: Option<FastMobileConfig>,
}

/// A MAP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Regional {
    /// Its address.
    pub map: Address,
    /// The mobile's regional care-of address (`RCoA`) there.
    pub care_of: Address,
    /// How it registers there. RFC 5380 §6.1.
    pub registration: RegistrationConfig,
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
    /// The mobile's own.
    Home,
    /// Another.
    Foreign,
}

/// How advertisements are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solicitation {
    /// Until the next one. RFC 4861 §10: `RTR_SOLICITATION_INTERVAL`, 4 s. Not zero.
    pub interval: Duration,
    /// How many. RFC 4861 §10: `MAX_RTR_SOLICITATIONS`, 3.
    pub attempts: u32,
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
    /// With these.
    pub correspondents: Vec<Address>,
    /// How it registers there.
    pub registration: RegistrationConfig,
    /// Waits for tokens. RFC 6275 §11.8 with §12: `INITIAL_BINDACK_TIMEOUT`, 1 s, to
    /// `MAX_BINDACK_TIMEOUT`, 32 s.
    pub token_patience: Patience,
    /// For how long a token is used. RFC 6275 §12: `MAX_TOKEN_LIFETIME`, 210 s.
    pub token_lifetime: Duration,
}

/// Fast handovers of a mobile (RFC 5568 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FastMobileConfig {
    /// Waits for answers of access routers. RFC 5568 §9 leaves them to configuration.
    pub patience: Patience,
    /// How often one is asked. RFC 5568 §9: `RTSOLPR_RETRIES` and `FBU_RETRIES`, 3.
    pub attempts: u32,
}
