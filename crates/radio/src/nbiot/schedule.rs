//! Who is told of a block, and what becomes of it.

use base::Direction;
use observe::Observe;

use super::cell::NbIotCell;
use super::config::{LEAD_DOWN, LEAD_UP, time_of};
use super::lane::{BLOCK_HEADER, Block};
use super::mobile::Job;
use super::stage::Stage;
use crate::Sdu;
use crate::kit::moment::Moment;
use crate::rlc36::Contents;

/// What a mobile is granted at least: with its report of what waits there is room for some of it.
/// Our choice.
const LEAST_GRANT: u64 = 16;

impl<T: Sdu> NbIotCell<T> {
    /// The first subframe from `from` on in which a listening mobile can be told of a block, if
    /// there is one.
    pub(super) fn turn_of(&self, ue: u32, from: u64) -> Option<u64> {
        let mobile = &self.mobiles[ue as usize];
        let exchanges = self.config.connection.exchanges;
        mobile.job(time_of(from), exchanges)?;
        let space = self.config.level(from, ue).control;
        let mut at = space.candidate(from.max(mobile.ready_from));
        loop {
            let free = self.carrier.free_from(at, space.repetitions);
            if free == at {
                return Some(at);
            }
            at = space.candidate(free);
        }
    }

    /// Tells a mobile of a block, and reserves what that takes.
    pub(super) fn tell(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let exchanges = self.config.connection.exchanges;
        let Some(job) = self.mobiles[ue as usize].job(moment.now, exchanges) else { return };
        let Some(block) = self.block_of(moment, ue, job) else { return };
        let (slot, direction) = (moment.slot, block.direction);
        let level = self.config.level(slot, ue);
        let (control, length) = (level.control.repetitions, block.format.subframes);
        let (ack, width) = (level.ack(), level.tones.width());
        self.carrier.take_down(slot, slot, control);
        let begin = match direction {
            Direction::Downlink => {
                let begin = self.carrier.free_from(slot + control + LEAD_DOWN, length);
                self.carrier.take_down(slot, begin, length);
                begin
            }
            Direction::Uplink => self.carrier.take_up(slot + control + LEAD_UP, width, length),
        };
        let mobile = &mut self.mobiles[ue as usize];
        let answered = begin + length + super::config::TURN;
        mobile.on_air = [begin, begin + length];
        mobile.acknowledged = [answered, answered + ack];
        mobile.served = (slot, direction);
        mobile.block = Some(block);
        mobile.enter(Stage::Control(direction), slot + control);
        if direction == Direction::Downlink {
            self.note_report(moment, ue);
        }
    }

    /// The block that a job makes; `None` if there is nothing to send after all.
    fn block_of(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        ue: u32,
        job: Job,
    ) -> Option<Block> {
        let level = self.config.level(moment.slot, ue);
        let mobile = &mut self.mobiles[ue as usize];
        let format_of = |lane: &mut super::lane::NbIotLane<T>, wanted| {
            level.formats[lane.dtch.direction as usize].choose(lane.snr(moment.now), wanted)
        };
        match job {
            Job::Repeat(_) => {
                let block = mobile.block.as_mut()?;
                block.transmissions += 1;
                Some(*block)
            }
            Job::Signal(direction, bytes) => Some(Block {
                direction,
                contents: Contents::empty(),
                is_signalling: true,
                format: format_of(&mut mobile.lanes[direction as usize], bytes),
                transmissions: 1,
                backlog: 0,
            }),
            Job::New(direction) => {
                let known = mobile.known;
                let [lane, other] = mobile.pair(direction);
                let report = other.dtch.receiver.report_bytes(moment.now);
                let wanted = match direction {
                    Direction::Downlink => lane.dtch.waiting() + report,
                    Direction::Uplink => (known + report).max(LEAST_GRANT),
                };
                let format = format_of(lane, wanted + BLOCK_HEADER);
                let room = u64::from(format.bytes).saturating_sub(BLOCK_HEADER);
                let status = other.dtch.receiver.report(moment.now, room);
                let contents = lane.dtch.fill(moment, room, status);
                let backlog = lane.dtch.waiting();
                if !contents.has_data() && contents.status.is_none() {
                    if direction == Direction::Uplink {
                        mobile.known = 0;
                    }
                    return None;
                }
                let block = Block {
                    direction,
                    contents,
                    is_signalling: false,
                    format,
                    transmissions: 1,
                    backlog,
                };
                Some(block)
            }
        }
    }

    /// The base station reports what a mobile could get, if that is not what it was.
    fn note_report(&mut self, moment: &Moment<'_, impl Observe>, ue: u32) {
        let level = self.config.level(moment.slot, ue);
        let mobile = &mut self.mobiles[ue as usize];
        let most = level.formats[0].choose(mobile.lanes[0].snr(moment.now), u64::MAX);
        let report = (most.bytes, most.subframes);
        if std::mem::replace(&mut mobile.reported, report) != report {
            self.mobiles.report(ue);
        }
    }

    /// A block ends.
    pub(super) fn land(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let (repeats, exchanges) = (self.config.repeats, self.config.connection.exchanges);
        let mobile = &mut self.mobiles[ue as usize];
        let Some(block) = mobile.block.take() else { return };
        let direction = block.direction;
        mobile.last = moment.slot;
        mobile.meter.carried(direction, u64::from(block.format.bytes));
        if mobile.lanes[direction as usize].draw(moment, ue, &block) {
            if block.transmissions <= repeats {
                mobile.block = Some(block);
                return;
            }
            mobile.lanes[direction as usize].dtch.count_given_up();
            if block.is_signalling {
                mobile.must_retry = true;
            } else if direction == Direction::Uplink {
                mobile.known = mobile.lanes[1].dtch.waiting();
            }
            return;
        }
        if block.is_signalling {
            let attempt = mobile.access.as_mut();
            let is_done = attempt.is_some_and(|attempt| {
                attempt.step += 1;
                attempt.message(exchanges).is_none()
            });
            if is_done {
                mobile.access = None;
                mobile.is_connected = true;
                // The last message says how much waits.
                mobile.known = mobile.lanes[1].dtch.waiting();
            }
            return;
        }
        let [lane, other] = mobile.pair(direction);
        lane.dtch.receive(moment.now, &block.contents);
        if let Some(status) = &block.contents.status {
            other.dtch.transmitter.handle_status(status);
        }
        if direction == Direction::Uplink {
            mobile.known = block.backlog;
        }
    }
}
