//! The machines of a world, their names, and which of them is due next.

use std::ops::{Index, IndexMut};

use base::{Agenda, Time};

use crate::{Body, Machine, MachineId, Packet};

/// All machines by number.
#[derive(Debug)]
pub(super) struct Machines<B: Body> {
    all: Vec<Machine<B>>,
    names: Vec<String>,
    agenda: Agenda,
}

impl<B: Body> Default for Machines<B> {
    fn default() -> Self {
        Self { all: Vec::new(), names: Vec::new(), agenda: Agenda::new(0) }
    }
}

impl<B: Body> Machines<B> {
    /// Adds one, which is not due before it is rescheduled.
    pub(super) fn add(&mut self, name: &str, machine: Machine<B>) -> MachineId {
        self.all.push(machine);
        self.names.push(name.to_owned());
        MachineId(self.agenda.add())
    }

    /// The name of machine `id`.
    pub(super) fn name(&self, id: MachineId) -> &str {
        &self.names[id.0 as usize]
    }

    /// The number of the next that is added.
    pub(super) const fn next_id(&self) -> MachineId {
        MachineId(self.all.len() as u32)
    }

    /// Takes the next that is due at or before `until`, and when that was.
    pub(super) fn next_due(&mut self, until: Time) -> Option<(Time, MachineId)> {
        self.agenda.next(until).map(|(now, id)| (now, MachineId(id)))
    }

    /// When the next is due.
    pub(super) fn earliest(&self) -> Option<Time> {
        self.agenda.earliest()
    }

    /// Machine `id` is due at its own deadline.
    pub(super) fn reschedule(&mut self, id: MachineId) {
        self.agenda.set(id.0, self[id].poll_timeout());
    }

    /// The same for a caller that knows the `deadline`, as where packets pass: to find the machine
    /// again costs more than the rest.
    #[inline]
    pub(super) fn schedule(&mut self, id: MachineId, deadline: Option<Time>) {
        self.agenda.set(id.0, deadline);
    }

    /// Machine `id` is due at `time`, whatever its own deadline.
    pub(super) fn wake(&mut self, id: MachineId, time: Time) {
        self.agenda.set(id.0, Some(time));
    }

    /// Their names, in order.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }

    /// Each with its number and name, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (MachineId, &str, &Machine<B>)> {
        let numbered = self.names.iter().zip(&self.all).enumerate();
        numbered.map(|(i, (name, machine))| (MachineId(i as u32), name.as_str(), machine))
    }

    /// The packets within them.
    pub(super) fn held(&self) -> impl Iterator<Item = &Packet<B>> {
        self.all.iter().flat_map(Machine::held)
    }
}

impl<B: Body> Index<MachineId> for Machines<B> {
    type Output = Machine<B>;

    #[inline]
    fn index(&self, id: MachineId) -> &Machine<B> {
        &self.all[id.0 as usize]
    }
}

impl<B: Body> IndexMut<MachineId> for Machines<B> {
    #[inline]
    fn index_mut(&mut self, id: MachineId) -> &mut Machine<B> {
        &mut self.all[id.0 as usize]
    }
}
