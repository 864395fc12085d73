//! Who gets a TTI of HS-DSCH.

use base::{Direction, Time};
use observe::Observe;

use super::cell::HsCell;
use super::formats::Formats;
use crate::Sdu;
use crate::kit::moment::Moment;

const DOWN: Direction = Direction::Downlink;

impl<T: Sdu> HsCell<T> {
    /// Gives the TTI to one mobile: to one whose block failed if there is any, else to one that can
    /// have a new block; the one of the highest rank.
    pub(super) fn schedule_downlink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        if self.mobiles.active(DOWN).is_empty() {
            return;
        }
        let mut active = self.mobiles.take_active(DOWN);
        let failed = |cell: &mut Self, ue: u32| cell.has_failed(ue);
        if let Some(ue) = self.best_of(moment, &active, failed) {
            self.repeat_downlink(moment, ue);
        } else {
            let now = moment.now;
            let can = |cell: &mut Self, ue: u32| cell.can_send(now, ue);
            if let Some(ue) = self.best_of(moment, &active, can) {
                self.serve_downlink(moment, ue);
            }
        }
        active.retain(|ue| {
            let mobile = &self.mobiles[*ue as usize];
            let stays = mobile.flow.queue.pdus() > 0 || mobile.channels[0].harq.failed().is_some();
            if !stays {
                self.mobiles.deactivate(*ue, DOWN);
            }
            stays
        });
        self.mobiles.put_active(DOWN, active);
    }

    fn has_failed(&self, ue: u32) -> bool {
        self.mobiles[ue as usize].channels[0].harq.failed().is_some()
    }

    /// Whether a new block can be sent to `ue`: something waits, it has a process and a number for
    /// it, and its last report allows one.
    fn can_send(&mut self, now: Time, ue: u32) -> bool {
        let mobile = &mut self.mobiles[ue as usize];
        if mobile.flow.queue.pdus() == 0 {
            return false;
        }
        let format = mobile.allowed(now, &self.config);
        let channel = &mobile.channels[0];
        let can = format.is_some() && channel.harq.idle().is_some() && channel.has_number();
        self.note_format(ue, format);
        can
    }

    /// The mobile of `active` with the highest rank among those that `can`.
    fn best_of(
        &mut self,
        moment: &Moment<'_, impl Observe>,
        active: &[u32],
        can: impl Fn(&mut Self, u32) -> bool,
    ) -> Option<u32> {
        self.scheduler.clear();
        for ue in active {
            if can(self, *ue) {
                let is_alone = active.len() == 1;
                let rank = if is_alone { 0.0 } else { self.rank(moment.now, moment.slot, *ue) };
                self.scheduler.add(*ue, 0, rank);
            }
        }
        self.scheduler.pop()
    }

    fn rank(&mut self, now: Time, slot: u64, ue: u32) -> f64 {
        let mobile = &mut self.mobiles[ue as usize];
        let bytes = mobile.allowed(now, &self.config).map_or(0, Formats::bytes);
        let snr = mobile.channels[0].quality.reported(now);
        self.scheduler.rank(&mobile.channels[0].past, slot, bytes, snr)
    }

    fn repeat_downlink(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let harq = &mut self.mobiles[ue as usize].channels[0].harq;
        let Some(process) = harq.failed() else { return };
        if let Some(block) = harq.repeat(process, moment.slot) {
            self.transmit(moment, (ue, DOWN), process, &block);
        }
    }

    /// Sends a new block: the smallest that holds what waits, or the largest that is allowed.
    fn serve_downlink(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        let Some(most) = mobile.allowed(moment.now, &self.config) else { return };
        let format = self.config.formats.least_for(mobile.flow.queue.pdus(), most);
        let channel = &mut mobile.channels[0];
        let Some(process) = channel.harq.idle() else { return };
        mobile.flow.queue.take(self.config.formats.pdus(format), channel.contents(process));
        let bytes = Formats::bytes(format);
        let block = channel.begin(process, moment.slot, format, bytes);
        self.scheduler.serve(&mut channel.past, moment.slot, bytes);
        self.transmit(moment, (ue, DOWN), process, &block);
    }
}
