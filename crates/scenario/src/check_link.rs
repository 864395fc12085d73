//! Whether `[queue]` goes with the network.

use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// Only a radio knows flows.
    pub(crate) fn queue(&self) -> Result<(), Fault> {
        if self.scenario.radio.is_none() && self.scenario.queue.per_flow {
            let message = "queue.per_flow needs [radio]";
            return self.clash(&["queue.per_flow"], message);
        }
        Ok(())
    }
}
