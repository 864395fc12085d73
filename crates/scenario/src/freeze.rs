//! What mobiles know of their disconnections beforehand (Freeze-TCP).

use std::sync::Arc;

use base::{Duration, Stream, Time};
use world::Disconnection;

use crate::Scenario;

impl Scenario {
    /// When the mobile number `index` of several is warned of disconnections and when they are
    /// over, in order and apart. `None` if it is never warned.
    pub(crate) fn disconnections(&self, index: Option<usize>) -> Option<Arc<[Disconnection]>> {
        let lead = self.tcp.freeze.warning?;
        let warn = |[from, to]: [Time; 2]| Disconnection {
            warned: Time::ZERO + (from - Time::ZERO).saturating_sub(lead),
            over: to,
        };
        let mut spans: Vec<_> = self.outages(index).into_iter().map(warn).collect();
        spans.extend(self.false_warnings(lead, index));
        Some(apart(spans).into())
    }

    /// When nothing gets through to that mobile.
    fn outages(&self, index: Option<usize>) -> Vec<[Time; 2]> {
        let given = self.link.iter().flat_map(|link| &link.losses.outages);
        let mut outages: Vec<_> = given.map(|span| span.map(|time| Time::ZERO + time)).collect();
        if let Some(radio) = &self.radio {
            let name = index.map_or_else(|| "Uu".to_owned(), |index| format!("Uu-{index}"));
            outages.extend(radio.keys().outages(&self.radio_context(), &name));
        }
        outages
    }

    fn false_warnings(
        &self,
        lead: Duration,
        index: Option<usize>,
    ) -> impl Iterator<Item = Disconnection> {
        let name = format!("false warnings of mobile {}", index.unwrap_or(0));
        let mut chance = Stream::named(self.seed, &name);
        let end = Time::ZERO + self.duration;
        let mut now = Time::ZERO;
        self.tcp.freeze.false_warnings.into_iter().flat_map(move |mean| {
            let mut warnings = Vec::new();
            while now < end {
                now +=
                    Duration::from_secs_f64(mean.as_secs_f64() * -(1.0 - chance.next_f64()).ln());
                warnings.push(Disconnection { warned: now, over: now + lead });
            }
            warnings
        })
    }
}

/// `spans` in order, those that meet as one.
fn apart(mut spans: Vec<Disconnection>) -> Vec<Disconnection> {
    spans.sort_unstable_by_key(|span| (span.warned, span.over));
    let mut apart: Vec<Disconnection> = Vec::new();
    for span in spans {
        match apart.last_mut().filter(|last| last.over >= span.warned) {
            Some(last) => last.over = last.over.max(span.over),
            None => apart.push(span),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(text: &str) -> Scenario {
        Scenario::parse(text, "x", &[]).expect("it is valid")
    }

    fn spans(text: &str) -> Option<Vec<[f64; 2]>> {
        let of = |one: &Disconnection| [one.warned, one.over].map(Time::as_secs_f64);
        Some(scenario(text).disconnections(None)?.iter().map(of).collect())
    }

    #[test]
    fn a_warning_comes_ahead_of_each_outage() {
        let link =
            "[link]\nrate = \"1 Mbit/s\"\noutages = [[\"5 s\", \"20 s\"], [\"21 s\", \"22 s\"]]";
        assert_eq!(spans(link), None);
        let warned =
            |warning: &str| spans(&format!("{link}\n[tcp.freeze]\nwarning = \"{warning}\""));
        assert_eq!(warned("0 s"), Some(vec![[5.0, 20.0], [21.0, 22.0]]));
        assert_eq!(warned("500 ms"), Some(vec![[4.5, 20.0], [20.5, 22.0]]));
        assert_eq!(warned("2 s"), Some(vec![[3.0, 22.0]]), "those that meet are one");
        assert_eq!(warned("9 s"), Some(vec![[0.0, 22.0]]), "not before the start");
    }

    #[test]
    fn warnings_in_vain_last_as_long_as_the_warning() {
        let text = "duration = \"1000 s\"\n[link]\nrate = \"1 Mbit/s\"\n[tcp.freeze]\n\
                    warning = \"1 s\"\nfalse_warnings = \"50 s\"";
        let spans = spans(text).expect("it warns");
        assert!((10..30).contains(&spans.len()), "{}", spans.len());
        assert!(spans.iter().all(|[from, to]| to - from > 0.999), "{spans:?}");
    }

    #[test]
    fn lost_coverage_is_a_disconnection() {
        let text = "[radio]\nschedule = [{at = \"3 s\", coverage = false}, \
                    {at = \"7 s\", coverage = true}]\n[tcp.freeze]\nwarning = \"1 s\"";
        assert_eq!(spans(text), Some(vec![[2.0, 7.0]]));
    }
}
