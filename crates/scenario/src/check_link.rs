//! Whether the keys of `[link]` and `[queue]` go together.

use crate::schema::{QueueKind, RadioKind, Step};
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// A recorded link has no rate beside its trace.
    pub(crate) fn link(&self) -> Result<(), Fault> {
        let Some(link) = &self.scenario.link else { return Ok(()) };
        let ways = [
            (&link.trace.down, link.rate, &link.schedule, "link", "link.trace.down"),
            (&link.trace.up, link.back.rate, &link.back.schedule, "link.back", "link.trace.up"),
        ];
        for (trace, rate, schedule, at, trace_key) in ways {
            if trace.is_none() {
                continue;
            }
            if rate.is_some() {
                let key = format!("{at}.rate");
                let message = format!("give {key} or {trace_key}, not both");
                return self.clash(&[trace_key, &key], message);
            }
            let has_rate = |step: &Step| step.rate.is_some();
            if schedule.iter().any(has_rate) {
                let key = format!("{at}.schedule");
                let message = format!("give a rate in {key} or {trace_key}, not both");
                return self.clash(&[&key, trace_key], message);
            }
        }
        Ok(())
    }

    /// A radio has plain queues, and only a radio knows flows.
    pub(crate) fn queue(&self) -> Result<(), Fault> {
        let queue = &self.scenario.queue;
        let kinds = [("queue.kind", queue.kind), ("queue.back.kind", queue.back.kind)];
        let managed = kinds.into_iter().find(|(_, kind)| *kind != QueueKind::DropTail);
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
        let marks = |kind| matches!(kind, QueueKind::Red | QueueKind::CoDel);
        if queue.ecn && !kinds.into_iter().any(|(_, kind)| marks(kind)) {
            let message = "queue.ecn needs queue.kind = red or codel";
            return self.clash(&["queue.ecn", "queue.kind"], message);
        }
        if queue.red.min_threshold >= queue.red.max_threshold {
            let message = "queue.red.min_threshold must be below queue.red.max_threshold";
            return self.clash(&["queue.red.min_threshold", "queue.red.max_threshold"], message);
        }
        Ok(())
    }
}
