//! Packets to mobiles that are not TCP, or of connections that no box takes part in, and all that a
//! subscriber sends: where the profile's box schedules them, they wait here until it is their turn.

use std::hash::BuildHasher;

use base::Time;
use middlebox::{Aside, Connection, Keeper, Opaque, Reception, Release};
use rustc_hash::FxBuildHasher;
use wire::Echo;

use super::Gateway;
use super::inward::hosts_of;
use crate::hosts;
use crate::reasons::{Drop, Icmp};
use crate::stats::Ended;

/// Bytes of memory that a packet takes beside its own, about: many small ones fill it as well.
const OVERHEAD: u64 = 128;

/// Packets that wait, and the numbers by which flows and answers to echo requests are known.
#[derive(Debug)]
pub(super) struct Others {
    packets: Keeper<Kept>,
    /// Memory that they take, in bytes.
    bytes: u64,
    /// Secret of the hash, so that nobody outside can tell which flows share a lane (RFC 8290
    /// §5.2.5).
    salt: u64,
    /// The identifier of echo requests of boxes.
    identifier: u16,
}

/// Treatment of a packet that no box reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// Wait for its turn.
    Waits,
    /// Way on as it came.
    Passes,
    /// The same, as there is no room for it to wait.
    NoRoom,
}

/// A packet that waits.
#[derive(Debug)]
struct Kept {
    since: Time,
    /// Class among those of its profile, if it is in one.
    class: Option<u32>,
    packet: Vec<u8>,
}

impl Kept {
    fn memory(&self) -> u64 {
        self.packet.len() as u64 + OVERHEAD
    }
}

impl Others {
    pub(super) fn new(seed: u64) -> Self {
        let mut chance = base::Stream::named(seed, "proxy lanes");
        Self {
            packets: Keeper::default(),
            bytes: 0,
            salt: u64::from(chance.next_u32()) << 32 | u64::from(chance.next_u32()),
            identifier: chance.next_u32() as u16,
        }
    }

    fn keep(&mut self, kept: Kept) -> u32 {
        self.bytes += kept.memory();
        self.packets.keep(kept)
    }

    fn take(&mut self, number: u32) -> Option<Kept> {
        let kept = self.packets.take(number)?;
        self.bytes -= kept.memory();
        Some(kept)
    }
}

impl Gateway {
    /// Lets a packet wait for its turn with the box of its mobile, if that schedules it.
    pub(super) fn wait(&mut self, now: Time, packet: &[u8]) -> Wait {
        if self.draining || !self.boxes.schedules_others() {
            return Wait::Passes;
        }
        let Some(headers) = wire::headers(packet) else { return Wait::Passes };
        let Some(hosts) = hosts_of(&headers.addresses) else { return Wait::Passes };
        let ports = headers.ports.unwrap_or_default();
        let Some(seen) = self.boxes.see(hosts, ports) else { return Wait::Passes };
        let Connection { source, destination, .. } = seen.connection;
        let Some(served) = self.boxes.get_mut(seen.number) else { return Wait::Passes };
        if !served.schedules(&seen.connection) {
            return Wait::Passes;
        }
        let bytes = packet.len();
        if self.others.bytes + bytes as u64 + OVERHEAD > self.config.limits.others {
            return Wait::NoRoom;
        }
        let class = served.class_of(headers.ports, headers.dscp);
        let mut buffer = self.passing.buffer();
        buffer.extend_from_slice(packet);
        let number = self.others.keep(Kept { since: now, class, packet: buffer });
        let flow = (self.others.salt, hosts, headers.protocol, headers.ports);
        let shown = Opaque {
            number,
            source,
            destination,
            flow: (FxBuildHasher.hash_one(flow) >> u32::BITS) as u32,
            ports: headers.ports,
            dscp: headers.dscp,
            bytes: bytes as u32,
            ecn: headers.ecn,
        };
        match served.with(now, |machine, cx| machine.handle_opaque(cx, &shown)) {
            Reception::Waits => {
                served.stats.others.came(class, bytes);
                self.mark_active(seen.number);
                Wait::Waits
            }
            Reception::Passes => {
                if let Some(kept) = self.others.take(number) {
                    self.passing.recycle(kept.packet);
                }
                Wait::Passes
            }
        }
    }

    /// Sends what box `number` sends beside segments.
    pub(super) fn send_asides(&mut self, now: Time, number: u32) {
        while let Some(served) = self.boxes.get_mut(number)
            && let Some(aside) = served.machine.poll_aside()
        {
            match aside {
                Aside::Packet(number, release) => {
                    let Some(kept) = self.others.take(number) else { continue };
                    let Kept { since, class, mut packet } = kept;
                    let ended = match release {
                        Release::Sent => Ended::Sent { is_marked: false, waited: now - since },
                        Release::Marked => {
                            let is_marked = wire::mark(&mut packet);
                            Ended::Sent { is_marked, waited: now - since }
                        }
                        Release::Late => Ended::Late,
                        Release::Crowded => Ended::Crowded,
                    };
                    served.stats.others.went(class, packet.len(), ended);
                    match ended {
                        Ended::Sent { .. } => self.passing.push_buffer(packet),
                        Ended::Late => self.lose(Drop::Late, packet),
                        Ended::Crowded => self.lose(Drop::Crowded, packet),
                    }
                }
                Aside::Echo([source, destination], number) => {
                    let Some(addresses) = hosts::addresses(source.host, destination.host) else {
                        continue;
                    };
                    let identifier = self.others.identifier;
                    let mut buffer = self.passing.buffer();
                    Echo { identifier, number }.emit(&addresses, &mut buffer);
                    served.stats.others.echoes.sent += 1;
                    self.passing.push_buffer(buffer);
                }
            }
        }
    }

    fn lose(&mut self, reason: Drop, packet: Vec<u8>) {
        self.tallies.drops.add(reason);
        self.passing.recycle(packet);
    }

    /// Takes in the answer to an echo request of a box, which asked a mobile in the name of a host,
    /// or a host in that of a mobile: `None` if it is nothing of the kind.
    pub(super) fn take_echo(&mut self, now: Time, packet: &[u8]) -> Option<Icmp> {
        if !self.boxes.schedules_others() {
            return None;
        }
        let (addresses, Echo { identifier, number }) = Echo::read_reply(packet)?;
        let seen = self.boxes.see(hosts_of(&addresses)?, [0; 2])?;
        let served = self.boxes.get_mut(seen.number)?;
        if identifier != self.others.identifier || !served.asks(&seen.connection) {
            return None;
        }
        served.stats.others.echoes.answered += 1;
        let asked = seen.connection.source;
        served.with(now, |machine, cx| machine.handle_echo(cx, asked, number));
        self.mark_active(seen.number);
        Some(Icmp::Echo)
    }
}
