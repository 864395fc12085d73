//! Agents with the values of the standards, to be changed by tests.

use std::collections::BTreeMap;

use base::Duration;
use mobility::binding::{
    Access, AccessRouter, AccessRouterConfig, Address, Agent, Anchor, AnchorConfig, Correspondent,
    Detection, FastRouterConfig, Interval, Mobile, MobileConfig, Neighbor, Network as Whose,
    Optimization, Overlap, Policy, Regional, RegistrationConfig, Role,
};

use super::{CN, HA, MAP, Network, Nodes, access_router, home, lcoa, rcoa};

/// Routers 1 to that advertise the MAP, as far as there is one.
pub(crate) const ROUTERS: u32 = 3;

#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) mobiles: u32,
    /// Routers from this one on advertise the MAP; none does if there are fewer.
    pub(crate) domain_from: u32,
    pub(crate) detection: Detection,
    pub(crate) anchor_detection: Option<Duration>,
    pub(crate) policy: Policy,
    pub(crate) overlap: Overlap,
    pub(crate) solicits: bool,
    pub(crate) optimizes: bool,
    pub(crate) fast: bool,
    pub(crate) lifetime: Duration,
    /// Addresses that others have, at every link.
    pub(crate) taken: Vec<Address>,
    pub(crate) seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            mobiles: 1,
            domain_from: 1,
            detection: Detection::Standard,
            anchor_detection: Some(Duration::from_secs(1)),
            policy: Policy::One,
            overlap: Overlap::Newest,
            solicits: true,
            optimizes: false,
            fast: false,
            lifetime: Duration::from_secs(420),
            taken: Vec::new(),
            seed: 1,
        }
    }
}

impl Setup {
    /// Without a MAP.
    pub(crate) fn plain() -> Self {
        Self { domain_from: ROUTERS + 1, ..Self::default() }
    }

    /// Nobody waits for duplicates.
    pub(crate) fn quick() -> Self {
        Self { detection: Detection::Off, anchor_detection: None, ..Self::default() }
    }

    pub(crate) fn build(&self) -> Network {
        let mut nodes: Nodes = BTreeMap::new();
        let home_agent = self.anchor(HA, Role::HomeAgent);
        let map = self.anchor(MAP, Role::Map);
        nodes.insert(HA, Some(Anchor::new(1, home_agent, self.seed).into()));
        nodes.insert(MAP, Some(Anchor::new(2, map, self.seed).into()));
        let fixed = || Agent::from(Correspondent::new(0, CN));
        nodes.insert(CN, self.optimizes.then(fixed));
        for number in 1..=ROUTERS {
            let router = AccessRouter::new(2 + number, self.access_router(number), self.seed);
            nodes.insert(access_router(number), Some(router.into()));
        }
        for number in 0..self.mobiles {
            let mobile = Mobile::new(100 + number, self.mobile(number));
            nodes.insert(home(number), Some(mobile.into()));
        }
        Network::new(nodes, self.seed)
    }

    fn anchor(&self, address: Address, role: Role) -> AnchorConfig {
        AnchorConfig {
            address,
            role,
            lifetime_max: Duration::from_secs(420),
            detection: self.anchor_detection,
            taken: self.taken.clone(),
            policy: self.policy,
            access: (role == Role::HomeAgent).then(|| self.access_router(0)),
        }
    }

    fn access_router(&self, number: u32) -> AccessRouterConfig {
        let others = (1..=ROUTERS).filter(|other| *other != number);
        let neighbors =
            others.map(|router| Neighbor { router, address: access_router(router) }).collect();
        AccessRouterConfig {
            router: number,
            address: access_router(number),
            map: (number > 0 && number >= self.domain_from).then_some(MAP),
            interval: Some(Interval { min: Duration::from_secs(5), max: Duration::from_secs(7) }),
            answer_delay_max: Duration::ZERO,
            taken: self.taken.clone(),
            fast: (self.fast && number > 0)
                .then(|| FastRouterConfig { neighbors, forward: Duration::from_secs(5) }),
        }
    }

    fn registration(&self) -> RegistrationConfig {
        RegistrationConfig { lifetime: self.lifetime, refresh_ahead: Duration::from_secs(10) }
    }

    /// The other mobiles.
    fn peers(&self, number: u32) -> impl Iterator<Item = Address> {
        (0..self.mobiles).filter(move |other| *other != number).map(home)
    }

    fn mobile(&self, number: u32) -> MobileConfig {
        let access = (0..=ROUTERS).map(|router| Access {
            router: access_router(router),
            care_of: lcoa(number, router),
            network: if router == 0 { Whose::Home } else { Whose::Foreign },
        });
        let registration = self.registration();
        MobileConfig {
            home: home(number),
            home_agent: HA,
            registration,
            regional: Some(Regional { map: MAP, care_of: rcoa(number) }),
            access: access.collect(),
            solicits: self.solicits,
            detection: self.detection,
            retransmit_timer: Duration::from_secs(1),
            reverse_tunnel: true,
            overlap: self.overlap,
            optimization: self.optimizes.then(|| Optimization {
                correspondents: std::iter::once(CN).chain(self.peers(number)).collect(),
                registration,
            }),
            keeps_bindings: self.optimizes,
            fast_handovers: self.fast,
        }
    }
}
