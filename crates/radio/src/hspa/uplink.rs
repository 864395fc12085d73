//! What mobiles send on E-DCH.

use base::Direction;
use observe::Observe;

use super::cell::HsCell;
use super::formats::MAC_E_HEADER;
use super::pdus;
use crate::Sdu;
use crate::kit::moment::Moment;
use crate::umts::rlc::Health;
use crate::umts::rlc::am::pdu_bytes;

const UP: Direction = Direction::Uplink;

impl<T: Sdu> HsCell<T> {
    /// In a TTI of E-DCH each mobile that has something to send does so: its processes take turns
    /// (TS 25.321 §11.8.1.1).
    pub(super) fn send_uplink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        let timing = self.config.timings[1];
        if self.mobiles.active(UP).is_empty() || !moment.slot.is_multiple_of(timing.tti) {
            return;
        }
        let process = (moment.slot / timing.tti % u64::from(timing.processes)) as u32;
        let mut active = self.mobiles.take_active(UP);
        for ue in &active {
            // What it has to send after this TTI is asked in the end.
            self.mobiles.deactivate(*ue, UP);
            self.mobiles.touch(*ue);
            let harq = &mut self.mobiles[*ue as usize].channels[1].harq;
            if harq.failed() == Some(process) {
                if let Some(block) = harq.repeat(process, moment.slot) {
                    self.transmit(moment, (*ue, UP), process, &block);
                }
            } else if harq.block(process).is_none() {
                self.begin_uplink(moment, *ue, process);
            }
        }
        active.clear();
        self.mobiles.put_active(UP, active);
    }

    /// A mobile sends what it has, up to its grant.
    fn begin_uplink(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32, process: u32) {
        let now = moment.now;
        let mobile = &mut self.mobiles[ue as usize];
        if !mobile.channels[1].has_number() {
            return;
        }
        if mobile.fill(now, UP, self.config.grant, &mut self.blocks) == Health::UnrecoverableError {
            mobile.establish(now, UP);
            return;
        }
        let pdus = self.blocks.used();
        if pdus == 0 {
            return;
        }
        let channel = &mut mobile.channels[1];
        let contents = channel.contents(process);
        pdus::unpack(&mut self.blocks, |item| contents.push(item));
        let bits = pdus * pdu_bytes(&self.config.rlc) * 8 + MAC_E_HEADER;
        let block = channel.begin(process, moment.slot, 0, bits.div_ceil(8));
        mobile.tell_dequeued(now, UP, moment.machine, moment.observe);
        self.transmit(moment, (ue, UP), process, &block);
    }
}
