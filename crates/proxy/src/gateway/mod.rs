//! Packets to boxes and back.

mod inward;
mod outward;
mod report;

use std::collections::VecDeque;

use crate::Config;
use base::{TcpHeader, Time};
use bytes::Bytes;
use middlebox::{Connection, Exposure, Managed, Packet, Watch};
use wire::Fragments;

use crate::boxes::Boxes;
use crate::merged::counters;
use crate::openings::Openings;
use crate::passing::Passing;
use crate::places::Places;
use crate::reasons::{Bypasses, Drops, IcmpTally};
use crate::records::{FlowRecord, Records};
use crate::served::Standing;
use crate::{Fragments as FragmentStats, ProfileStats, Volume, merged};

/// All boxes of a proxy, as one machine over IP packets.
///
/// After every `handle_…`, poll packets until there is none, and read
/// [`Gateway::poll_timeout`]. Whoever keeps a journal polls exposures until there is none after
/// each poll of a packet, and before that leaves.
///
/// A packet has come a hop to get here and has another to go: what passes untouched gets one back,
/// and what a box sends has as many as it would have without the proxy.
#[derive(Debug)]
pub struct Gateway {
    config: Config,
    boxes: Boxes,
    draining: Draining,
    /// The largest packets towards the wired and the radio leg.
    mtu: [u16; 2],
    fragments: Fragments,
    passing: Passing,
    /// What a box was shown and does not want, as it came.
    declined: Vec<Declined>,
    /// Boxes that may have packets.
    stirred: VecDeque<u32>,
    /// What is left of a packet that had to be cut, and its box.
    rest: Option<(u32, Packet<Bytes>)>,
    /// Boxes that may have exposures to tell.
    telling: VecDeque<u32>,
    places: Places,
    /// The exposures that were told, by their places.
    exposures: Vec<Option<Exposure>>,
    /// Places of boxes that are gone.
    vacant: Vec<u32>,
    /// What boxes that are gone have counted, by profile.
    past: Vec<ProfileStats>,
    /// When an ICMP error may be looked into again.
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

/// Whether new connections are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Draining {
    No,
    Yes,
}

/// What was counted beside the boxes.
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

/// What a new configuration came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reloaded {
    /// Names of profiles whose connections go on as before, apart from new ones. They are in the
    /// [`Snapshot`](crate::Snapshot) as long as they have any.
    pub retired: Vec<String>,
}

impl Gateway {
    /// For packets of at most `mtu` bytes towards either leg, wired and radio.
    pub fn new(config: &Config, mtu: [u16; 2], seed: u64) -> Self {
        Self {
            config: config.clone(),
            boxes: Boxes::new(config, seed),
            draining: Draining::No,
            mtu,
            fragments: Fragments::default(),
            passing: Passing::default(),
            declined: Vec::new(),
            stirred: VecDeque::new(),
            rest: None,
            telling: VecDeque::new(),
            places: Places::new(config.limits.flows),
            exposures: Vec::new(),
            vacant: Vec::new(),
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
                self.with(now, number, |machine, watch| machine.handle_timeout(now, watch));
            }
        }
    }

    /// The next deadline; `None` is never.
    pub fn poll_timeout(&self) -> Option<Time> {
        let boxes = self.boxes.each().filter_map(|served| served.machine.poll_timeout());
        boxes.chain(self.fragments.poll_timeout()).min()
    }

    /// The next connection whose exposure may have changed: its place in a journal of
    /// [`Gateway::places`], and what it is now.
    pub fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        if let Some(place) = self.vacant.pop() {
            self.exposures[place as usize] = None;
            return Some((place, None));
        }
        while let Some(&number) = self.telling.front() {
            let news = self.boxes.get_mut(number).and_then(|served| {
                let (place, exposure) = served.machine.poll_exposure()?;
                let place = match exposure {
                    Some(_) => self.places.lend(&mut served.lent, place),
                    None => self.places.take_back(&mut served.lent, place),
                };
                Some((place, exposure))
            });
            match news {
                Some((Some(place), exposure)) => {
                    let at = place as usize;
                    self.exposures.resize(self.exposures.len().max(at + 1), None);
                    self.exposures[at] = exposure;
                    return Some((place, exposure));
                }
                // No place is free, or none was.
                Some((None, _)) => {}
                None => {
                    self.telling.pop_front();
                }
            }
        }
        None
    }

    /// The next connection of a box that has ended, within a second after that, if the
    /// configuration asks for these (`log.flows`).
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
    pub const fn places(&self) -> u32 {
        self.places.bound()
    }

    /// Uses `config` for new connections; those that stand keep their profile. The journal stays
    /// as large as it was.
    pub fn reload(&mut self, now: Time, config: &Config) -> Reloaded {
        let retired = self.boxes.reload(config, &self.config);
        self.config = config.clone();
        for number in self.boxes.orphans() {
            self.with(now, number, |machine, watch| machine.reset_all(now, watch));
        }
        self.boxes.numbers().into_iter().for_each(|number| self.remove_if_idle(now, number));
        if self.draining == Draining::Yes {
            self.drain(now);
        }
        Reloaded { retired }
    }

    /// The interfaces' largest packets, wired and radio, are now these.
    pub const fn set_mtu(&mut self, mtu: [u16; 2]) {
        self.mtu = mtu;
    }

    /// Takes no new connections, and hands back each that can go on without the proxy.
    pub fn drain(&mut self, now: Time) {
        self.draining = Draining::Yes;
        self.hurry_records();
        for number in self.boxes.numbers() {
            self.with(now, number, |machine, watch| machine.drain(now, watch));
        }
    }

    /// Connections that still depend on the proxy.
    pub fn flows(&self) -> u64 {
        self.boxes.each().map(|served| served.machine.flows()).sum()
    }

    /// Resets both ends of whatever still depends on the proxy.
    pub fn end(&mut self, now: Time) {
        for number in self.boxes.numbers() {
            self.with(now, number, |machine, watch| machine.reset_all(now, watch));
        }
    }

    /// Whether connections go on of profiles that the configuration no longer has.
    pub fn has_retired(&self) -> bool {
        self.boxes.each().any(|served| served.standing == Standing::Retired)
    }

    /// Whether mobiles have connections that no profile of the configuration has any more. New ones
    /// are not taken, so that once there are none there will be none, until it is reloaded.
    pub fn has_former(&self) -> bool {
        self.boxes.has_former()
    }

    /// Has a box do something that it may have packets and exposures of.
    fn with(
        &mut self,
        now: Time,
        number: u32,
        act: impl FnOnce(&mut dyn Managed<Bytes>, Watch<'_>),
    ) {
        if let Some(served) = self.boxes.get_mut(number) {
            served.with(now, act);
            self.stir(number);
        }
    }

    /// A box was told something: it may have packets and exposures.
    fn stir(&mut self, number: u32) {
        add(&mut self.stirred, number);
        add(&mut self.telling, number);
    }

    /// A box that is retired goes with its last connection, once all that it has to say is said.
    fn remove_if_idle(&mut self, now: Time, number: u32) {
        if self.stirred.contains(&number) {
            return;
        }
        if let Some(mut served) = self.boxes.remove_if_idle(number) {
            self.vacant.extend(self.places.take_back_all(&mut served.lent));
            self.past.push(counters(report::stats(now, &served)));
            self.past = merged(&self.past);
        }
    }
}

/// Boxes are few.
fn add(list: &mut VecDeque<u32>, number: u32) {
    if !list.contains(&number) {
        list.push_back(number);
    }
}
