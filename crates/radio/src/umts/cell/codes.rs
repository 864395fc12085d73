//! Admission and channelisation codes.

use observe::{CodeEvent, CodeFact, Context, Observe};

use super::machine::UmtsCells;
use crate::Sdu;
use crate::umts::admission::{Refusal, Request};
use crate::umts::interference::ErrorRates;
use crate::umts::rrc::{Channels, Dedicated};

impl<T: Sdu> UmtsCells<T> {
    /// Reserves dedicated channels for `ue` in its cells: what it wants, or less.
    pub(super) fn admit(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        wanted: Dedicated,
    ) -> Option<Dedicated> {
        // A UE that asks again before its old channels are closed no longer needs them.
        if matches!(self.mobiles[ue as usize].channels, Channels::Dedicated(_)) {
            self.carry(cx, ue, Channels::None);
        }
        let mobile = &self.mobiles[ue as usize];
        let camps = *mobile.cells.first()?;
        let request = Request { cells: &mobile.cells, gains: &mobile.gains, wanted };
        let radio = match self.config.interference.error_rates {
            ErrorRates::Given => None,
            ErrorRates::FromPlace => Some(&self.radio),
        };
        let sectors = &self.sectors;
        let is_free = |cell: u32, sf| sectors[cell as usize].codes.free(sf) > 0;
        let given = self.config.admission.admit(&request, self.config.spreading, radio, is_free);
        let refused = match given {
            Ok(given) if given != wanted && !is_free(camps, wanted.downlink) => {
                Some((camps, CodeEvent::NoCode))
            }
            Ok(_) => None,
            Err(Refusal::Codes { cell }) => Some((cell, CodeEvent::NoCode)),
            Err(Refusal::Power { cell, .. }) => Some((cell, CodeEvent::NoPower)),
            Err(Refusal::NoiseRise { cell, .. }) => Some((cell, CodeEvent::NoUplink)),
        };
        if let Some((cell, event)) = refused {
            let (machine, sf) = (self.mobiles.machine, wanted.downlink.chips() as u16);
            cx.observe.code(cx.now, CodeFact { machine, cell, ue, sf, code: 0, event });
        }
        let given = given.ok()?;
        for cell in mobile.cells.clone() {
            self.allocate(cx, ue, cell, given);
        }
        Some(given)
    }

    /// Takes a code of `cell` for `ue`. Says whether there was one.
    pub(super) fn allocate(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        cell: u32,
        dedicated: Dedicated,
    ) -> bool {
        let (machine, sf) = (self.mobiles.machine, dedicated.downlink);
        let code = self.sectors[cell as usize].codes.allocate(sf);
        let (number, event) = match code {
            Ok(code) => (code.number() as u16, CodeEvent::Allocated),
            Err(_) => (0, CodeEvent::NoCode),
        };
        let sf = sf.chips() as u16;
        cx.observe.code(cx.now, CodeFact { machine, cell, ue, sf, code: number, event });
        self.mobiles[ue as usize].codes.extend(code.ok().map(|code| (cell, code)));
        code.is_ok()
    }

    /// Gives back the codes of `ue` in the cells that are not among `kept`.
    pub(super) fn release_but(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        kept: &[u32],
    ) {
        let (machine, sectors) = (self.mobiles.machine, &mut self.sectors);
        self.mobiles[ue as usize].codes.retain(|(cell, code)| {
            let keeps = kept.contains(cell);
            if !keeps {
                sectors[*cell as usize].codes.release(*code);
                let (sf, number) = (code.sf().chips() as u16, code.number() as u16);
                let (cell, event) = (*cell, CodeEvent::Released);
                cx.observe.code(cx.now, CodeFact { machine, cell, ue, sf, code: number, event });
            }
            keeps
        });
    }

    pub(super) fn release(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32) {
        self.release_but(cx, ue, &[]);
        self.radio.drop_link(ue);
    }
}
