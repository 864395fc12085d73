//! Whether `[queue]` goes with the network.

use link::queue::Kind;

use crate::schema::RadioKind;
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// A radio has plain queues, and only a radio knows flows.
    pub(crate) fn queue(&self) -> Result<(), Fault> {
        let queue = &self.scenario.queue;
        let managed = queue.kinds().into_iter().find(|(_, kind)| *kind != Kind::DropTail);
        let kind = self.scenario.radio.as_ref().map(|radio| radio.kind);
        if matches!(kind, Some(RadioKind::UmtsDch | RadioKind::UmtsCell)) {
            if let Some((key, _)) = managed {
                let message = "the queue ahead of UMTS is droptail";
                return self.clash(&[key, "radio"], message);
            }
        } else if kind.is_none() && queue.per_flow {
            let message = "queue.per_flow needs [radio]";
            return self.clash(&["queue.per_flow"], message);
        }
        Ok(())
    }
}
