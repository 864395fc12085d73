//! Packets to boxes and back.

mod inward;
mod others;
mod outward;
mod report;
mod runs;

use std::collections::VecDeque;

use crate::Config;
use base::{TcpHeader, Time};
use bytes::Bytes;
use middlebox::{Connection, Exposure, Managed, Packet};
use observe::BoxContext;
use wire::Fragments;

use others::Others;

use crate::boxes::Boxes;
use crate::journal_places::JournalPlaces;
use crate::merged::counters;
use crate::openings::Openings;
use crate::passing::Passing;
use crate::reasons::{Bypasses, Drops, IcmpTally};
use crate::records::{FlowRecord, Records};
use crate::served::ProfileStatus;
use crate::{Fragments as FragmentStats, ProfileStats, Volume, merged};

/// All boxes of a proxy, as one machine over IP packets.
///
/// After every `handle_…`, poll packets until there is none, and read [`Gateway::poll_timeout`].
/// The keeper of a journal polls exposures until there is none before a polled packet leaves, and
/// when there is no packet.
///
/// The detour to the proxy takes a hop: packets that pass untouched get one back, and packets of a
/// box have as many as without the proxy.
#[derive(Debug)]
pub struct Gateway {
    config: Config,
    boxes: Boxes,
    /// Whether no new connections are taken.
    draining: bool,
    /// The largest packets towards the wired and the radio leg.
    mtu: [u16; 2],
    fragments: Fragments,
    passing: Passing,
    others: Others,
    /// Packets that boxes hand back, as they came.
    declined: Vec<Declined>,
    /// Boxes that may have packets.
    boxes_with_packets: VecDeque<u32>,
    /// The next packet of a box, with the box: the end of one that had to be cut, or one that
    /// others go ahead of.
    next: Option<(u32, Packet<Bytes>)>,
    /// Boxes that may have changed exposures.
    boxes_with_exposures: VecDeque<u32>,
    journal_places: JournalPlaces,
    /// The exposures that were returned, by their places.
    exposures: Vec<Option<Exposure>>,
    /// Places of boxes that are gone.
    vacated_places: Vec<u32>,
    /// What boxes that are gone have counted, by profile.
    past: Vec<ProfileStats>,
    /// When an ICMP error may be examined again.
    quotes_from: Time,
    openings: Openings,
    records: Records,
    tallies: Tallies,
}

/// A segment that a box was shown and hands back.
#[derive(Debug)]
struct Declined {
    connection: Connection,
    /// As the box was shown it.
    header: TcpHeader,
    /// As it came, in one packet or several.
    original: Vec<Vec<u8>>,
}

/// Counters of the gateway itself.
#[derive(Debug, Default)]
struct Tallies {
    received: Volume,
    sent: Volume,
    bypasses: Bypasses,
    drops: Drops,
    icmp: IcmpTally,
    fragments: FragmentStats,
    cut: u64,
    stripped: u64,
}

impl Gateway {
    /// For packets of at most `mtu` bytes towards either leg, wired and radio.
    pub fn new(config: &Config, mtu: [u16; 2], seed: u64) -> Self {
        Self {
            config: config.clone(),
            boxes: Boxes::new(config, seed),
            draining: false,
            mtu,
            fragments: Fragments::default(),
            passing: Passing::default(),
            others: Others::new(seed),
            declined: Vec::new(),
            boxes_with_packets: VecDeque::new(),
            next: None,
            boxes_with_exposures: VecDeque::new(),
            journal_places: JournalPlaces::new(config.limits.flows),
            exposures: Vec::new(),
            vacated_places: Vec::new(),
            past: Vec::new(),
            quotes_from: Time::ZERO,
            openings: Openings::default(),
            records: Records::default(),
            tallies: Tallies::default(),
        }
    }

    /// Time has passed. Before the deadline nothing happens.
    pub fn handle_timeout(&mut self, now: Time) {
        self.fragments.handle_timeout(now);
        for number in self.boxes.numbers() {
            let deadline = self.boxes.get(number).and_then(|served| served.machine.poll_timeout());
            if deadline.is_some_and(|time| time <= now) {
                self.with(now, number, |machine, cx| machine.handle_timeout(cx));
            }
        }
    }

    /// The next deadline; `None` is never.
    pub fn poll_timeout(&self) -> Option<Time> {
        let boxes = self.boxes.each().filter_map(|served| served.machine.poll_timeout());
        boxes.chain(self.fragments.poll_timeout()).min()
    }

    /// The next connection whose exposure may have changed: its place in a journal of
    /// [`Gateway::journal_places`], and the present exposure.
    pub fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        if let Some(place) = self.vacated_places.pop() {
            self.exposures[place as usize] = None;
            return Some((place, None));
        }
        while let Some(&number) = self.boxes_with_exposures.front() {
            let change = self.boxes.get_mut(number).and_then(|served| {
                let (place, exposure) = served.machine.poll_exposure()?;
                let place = match exposure {
                    Some(_) => self.journal_places.assign(&mut served.places, place),
                    None => self.journal_places.release(&mut served.places, place),
                };
                Some((place, exposure))
            });
            match change {
                Some((Some(place), exposure)) => {
                    let at = place as usize;
                    self.exposures.resize(self.exposures.len().max(at + 1), None);
                    self.exposures[at] = exposure;
                    return Some((place, exposure));
                }
                // No place is free, or none was.
                Some((None, _)) => {}
                None => {
                    self.boxes_with_exposures.pop_front();
                }
            }
        }
        None
    }

    /// The next connection of a box that has ended, within a second of its end, if the
    /// configuration asks for it (`log.flows`).
    pub fn poll_record(&mut self, now: Time) -> Option<FlowRecord> {
        let Self { records, boxes, config, .. } = self;
        if !config.log.flows {
            records.forget();
            return None;
        }
        records.poll(now, |number, connection| boxes.knows(number, connection))
    }

    /// The next [`Gateway::poll_record`] looks at all connections, and not only within a second.
    pub const fn hurry_records(&mut self) {
        self.records.hurry();
    }

    /// Places of a journal that holds all connections there can be.
    pub const fn journal_places(&self) -> u32 {
        self.journal_places.bound
    }

    /// Uses `config` for new connections; established ones keep their profile. The journal stays as
    /// large as it was.
    ///
    /// Returns the names of retired profiles, whose connections go on as before, apart from new
    /// ones. They are in the [`Snapshot`](crate::Snapshot) as long as they have any.
    pub fn reload(&mut self, now: Time, config: &Config) -> Vec<String> {
        let retired = self.boxes.reload(config, &self.config);
        self.config = config.clone();
        for number in self.boxes.orphans() {
            self.with(now, number, |machine, cx| machine.reset_all(cx));
        }
        self.boxes.numbers().into_iter().for_each(|number| self.remove_if_idle(now, number));
        if self.draining {
            self.drain(now);
        }
        retired
    }

    /// The interfaces' largest packets, wired and radio, are now these.
    pub const fn set_mtu(&mut self, mtu: [u16; 2]) {
        self.mtu = mtu;
    }

    /// Takes no new connections, and hands back each that can go on without the proxy.
    pub fn drain(&mut self, now: Time) {
        self.draining = true;
        self.hurry_records();
        for number in self.boxes.numbers() {
            self.with(now, number, |machine, cx| machine.drain(cx));
        }
    }

    /// Connections that still depend on the proxy.
    pub fn flows(&self) -> u64 {
        self.boxes.each().map(|served| served.machine.flows()).sum()
    }

    /// Resets both ends of whatever still depends on the proxy.
    pub fn reset_all(&mut self, now: Time) {
        for number in self.boxes.numbers() {
            self.with(now, number, |machine, cx| machine.reset_all(cx));
        }
    }

    /// Whether profiles that the configuration no longer has still have connections.
    pub fn has_retired(&self) -> bool {
        self.boxes.each().any(|served| served.status == ProfileStatus::Retired)
    }

    /// Whether mobiles have connections that are in no profile of the configuration any more. They
    /// get no new ones, so that once there are none there will be none until the next reload.
    pub fn has_former(&self) -> bool {
        self.boxes.has_former()
    }

    /// Calls a box, which may have packets and exposures afterwards.
    fn with(
        &mut self,
        now: Time,
        number: u32,
        act: impl FnOnce(&mut dyn Managed<Bytes>, &mut BoxContext<'_>),
    ) {
        if let Some(served) = self.boxes.get_mut(number) {
            served.with(now, act);
            self.mark_active(number);
        }
    }

    /// A box was called: it may have packets and exposures.
    fn mark_active(&mut self, number: u32) {
        add(&mut self.boxes_with_packets, number);
        add(&mut self.boxes_with_exposures, number);
    }

    /// Removes a retired box with its last connection, once it has nothing more to return.
    fn remove_if_idle(&mut self, now: Time, number: u32) {
        if self.boxes_with_packets.contains(&number) {
            return;
        }
        if let Some(mut served) = self.boxes.remove_if_idle(number) {
            self.vacated_places.extend(self.journal_places.release_all(&mut served.places));
            self.past.push(counters(report::stats(now, &served)));
            self.past = merged(&self.past);
        }
    }
}

/// There are few boxes.
fn add(list: &mut VecDeque<u32>, number: u32) {
    if !list.contains(&number) {
        list.push_back(number);
    }
}
