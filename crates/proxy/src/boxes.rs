//! All boxes, those of earlier configurations included.

use crate::config::{Config, Profile};
use middlebox::{Admission, Connection, Role};

use crate::served::{ProfileStatus, Served};
use crate::view::{Seen, View};

/// Boxes by numbers that are never reused, and the views that assign packets to them: that of the
/// configuration, and those of earlier ones for connections that began under them.
#[derive(Debug)]
pub(crate) struct Boxes {
    all: Vec<Option<Box<Served>>>,
    /// The latest first.
    views: Vec<View>,
    /// The connections of all of them.
    admission: Admission,
    seed: u64,
    /// True if a profile of the configuration lets packets wait that are not TCP.
    schedules_others: bool,
}

/// Earlier views that are kept. Boxes that are in none of them are ended.
const VIEWS: usize = 8;

impl Boxes {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let admission = Admission::new(config.limits);
        let (all, views) = (Vec::new(), Vec::new());
        let mut boxes = Self { all, views, admission, seed, schedules_others: false };
        boxes.take_up(config, &[]);
        boxes
    }

    /// Takes `config` for new connections. A profile of which only the mobiles have changed keeps
    /// its box, unless the limits of all boxes have changed. Returns the names of the others, which
    /// are retired.
    pub(crate) fn reload(&mut self, config: &Config, before: &Config) -> Vec<String> {
        self.admission.set_limits(config.limits);
        let mut kept = Vec::new();
        let mut retired = Vec::new();
        for (number, served) in (0..).zip(&mut self.all) {
            let Some(served) = served.as_mut().filter(|it| it.status == ProfileStatus::Current)
            else {
                continue;
            };
            let stays = config.profile.iter().any(|profile| is_alike(profile, &served.profile));
            if stays && config.limits == before.limits {
                kept.push(number);
            } else {
                served.status = ProfileStatus::Retired;
                retired.push(served.profile.name.clone());
            }
        }
        self.take_up(config, &kept);
        retired
    }

    fn take_up(&mut self, config: &Config, kept: &[u32]) {
        let mut mobiles = Vec::new();
        for profile in &config.profile {
            let is_its = |number: &&u32| {
                self.get(**number).is_some_and(|served| is_alike(profile, &served.profile))
            };
            let number = kept.iter().find(is_its).copied().unwrap_or_else(|| {
                // The gateway lowers the MSS of hosts before a box sees it.
                let machine = profile.machine(config.limits, &self.admission, self.seed);
                self.all.push(Some(Box::new(Served::new(profile.clone(), machine))));
                self.all.len() as u32 - 1
            });
            if let Some(served) = self.get_mut(number) {
                served.profile.mobiles.clone_from(&profile.mobiles);
            }
            mobiles.extend(profile.mobiles.iter().map(|&prefix| (prefix, number)));
        }
        self.schedules_others = config.profile.iter().any(Profile::schedules_others);
        let view = View::new(mobiles);
        if self.views.first() != Some(&view) {
            self.views.insert(0, view);
            self.views.truncate(1 + VIEWS);
        }
    }

    /// Side of the radio where a box stands.
    pub(crate) fn role(&self, number: u32) -> Role {
        self.get(number).map_or(Role::Network, |served| served.profile.role())
    }

    /// True if packets that are not TCP may have to wait.
    pub(crate) const fn schedules_others(&self) -> bool {
        self.schedules_others
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Served> {
        self.all.get(number as usize)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Served> {
        self.all.get_mut(number as usize)?.as_deref_mut()
    }

    /// The numbers of all boxes.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        (0..self.all.len() as u32).filter(|&number| self.get(number).is_some()).collect()
    }

    /// All boxes: those of the configuration in its order, then those of earlier ones.
    pub(crate) fn iter(&self, config: &Config) -> impl Iterator<Item = &Served> {
        let place = |served: &&Served| match served.status {
            ProfileStatus::Current => {
                let name = |profile: &Profile| profile.name == served.profile.name;
                config.profile.iter().position(name).unwrap_or(usize::MAX)
            }
            ProfileStatus::Retired => usize::MAX,
        };
        let mut all: Vec<_> = self.each().collect();
        all.sort_by_key(place);
        all.into_iter()
    }

    /// All boxes, in the order of their numbers.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Served> {
        self.all.iter().flatten().map(|served| &**served)
    }

    /// Which box takes part in the connection of a packet.
    pub(crate) fn find(&self, hosts: [u128; 2], ports: [u16; 2]) -> Option<Seen> {
        let seen = self.views.iter().filter_map(|view| view.see(hosts, ports));
        let knows = |seen: &Seen| self.knows(seen.number, &seen.connection);
        seen.into_iter().find(knows)
    }

    /// Which box a new connection belongs to.
    pub(crate) fn see(&self, hosts: [u128; 2], ports: [u16; 2]) -> Option<Seen> {
        self.views.first()?.see(hosts, ports)
    }

    /// The half-open connection that has to give way before a new one can open, and its box.
    pub(crate) fn displaced_by(&self, connection: &Connection) -> Option<Seen> {
        let connection = self.admission.displaced_by(connection)?;
        let number = self.numbers().into_iter().find(|&it| self.knows(it, &connection))?;
        Some(Seen { number, connection })
    }

    /// Whether connections are left of a mobile that is no longer one, or not with all its
    /// addresses.
    pub(crate) fn has_former(&self) -> bool {
        let is_current = |mobile| self.views.first().is_some_and(|view| view.has(mobile));
        self.admission.has(|mobile| !is_current(mobile))
    }

    /// Whether a box takes part in a connection.
    pub(crate) fn knows(&self, number: u32, connection: &Connection) -> bool {
        self.get(number).is_some_and(|served| served.machine.knows(connection))
    }

    /// Removes a box that has no connections and gets none.
    pub(crate) fn remove_if_idle(&mut self, number: u32) -> Option<Box<Served>> {
        let served = self.get(number)?;
        let is_idle = served.status == ProfileStatus::Retired
            && served.machine.flows() == 0
            && served.stats.others.is_empty();
        if is_idle { self.all[number as usize].take() } else { None }
    }

    /// Boxes that no longer get packets.
    pub(crate) fn orphans(&self) -> Vec<u32> {
        let is_seen = |number: &u32| self.views.iter().any(|view| view.shows(*number));
        self.numbers().into_iter().filter(|number| !is_seen(number)).collect()
    }
}

/// Whether one box fits both profiles.
fn is_alike(one: &Profile, other: &Profile) -> bool {
    let settings = |of: &Profile| Profile { mobiles: Vec::new(), ..of.clone() };
    settings(one) == settings(other)
}
