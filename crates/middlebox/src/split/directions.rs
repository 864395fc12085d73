//! The flows of split connections.

use super::FlowId;
use crate::side::Side;

/// Numbers of the directions that end at a mobile: consecutive, whichever they are.
#[derive(Debug, Default)]
pub(super) struct Directions {
    /// Twice the number of its connection, and one for the callee's data.
    of: Vec<u32>,
    free: Vec<u32>,
}

impl Directions {
    /// A number for the data of side `from` of connection `slot`.
    pub(super) fn add(&mut self, slot: u32, from: Side) -> FlowId {
        let direction = slot * 2 + from as u32;
        FlowId(if let Some(id) = self.free.pop() {
            self.of[id as usize] = direction;
            id
        } else {
            self.of.push(direction);
            self.of.len() as u32 - 1
        })
    }

    pub(super) fn remove(&mut self, flow: FlowId) {
        self.free.push(flow.0);
    }

    /// The connection, and whose data they are.
    pub(super) fn of(&self, flow: FlowId) -> (u32, Side) {
        let direction = self.of[flow.0 as usize];
        (direction / 2, if direction.is_multiple_of(2) { Side::Caller } else { Side::Callee })
    }
}
