//! Hints about packets that a middlebox does not read, and that wait there for their turn.

use middlebox::{AtcpConfig, Class, Estimation, Scheme};
use scenario::{Flow, FlowDirection, Scenario};
use world::{Application, Voip};

use super::{About, about};
use crate::{BoxMobileSummary, ClassSummary, FlowSummary, LinkSummary, MiddleboxSummary};

/// MOS below which users of a call are not satisfied (ITU-T G.107 table B.1).
const SATISFIED: f64 = 4.03;

/// Delay that a call does not notice, in s (ITU-T G.107 §7.4: Idd is zero up to it).
const UNNOTICED: f64 = 0.1;

/// Packets dropped for want of room beyond this share are more than an accident.
const SOME: f64 = 0.01;

/// Echo requests after which a mobile that has answered none is taken not to answer.
const UNANSWERED: u64 = 3;

/// A round trip that takes so many times what the settings say has a queue in it.
const TWICE: f64 = 2.0;

/// Something waits for most of the time, and yet no link is busy for more than this share.
const IDLE: f64 = 0.6;

/// What waited in a middlebox, and beside what.
pub(super) struct Waited<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) flows: &'a [FlowSummary],
    pub(super) links: &'a [LinkSummary],
    pub(super) middlebox: &'a MiddleboxSummary,
}

impl Waited<'_> {
    /// The hints; none where no packet came that the box does not read.
    pub(super) fn hints(&self) -> Vec<String> {
        let scheme = self.scenario.middlebox.as_ref().map(|of| &of.scheme);
        let Some(Scheme::Atcp { keys }) = scheme else { return Vec::new() };
        if self.middlebox.classes.is_empty() {
            return Vec::new();
        }
        let atcp = &keys.atcp;
        let calls = self.calls_in_the_crowd(atcp);
        let of_mobiles = [self.silent(), self.narrow(atcp), self.wide(atcp), self.held(atcp)];
        let crowded = self.middlebox.classes.iter().filter_map(|class| crowded(class, atcp));
        let greedy = atcp.classes.iter().filter_map(|class| self.greedy(class, atcp));
        let by_class = calls.into_iter().chain(greedy).chain(crowded);
        by_class.chain(of_mobiles.into_iter().flatten()).collect()
    }

    /// Calls that wait as long as everything else does.
    fn calls_in_the_crowd(&self, atcp: &AtcpConfig) -> Option<String> {
        let calls = about(self.flows, |flow| {
            let group = self.scenario.groups().find(|group| group.name == flow.group)?;
            let class = self.plain_class(atcp, group)?;
            let waited = class.waited_s.p95.filter(|&waited| waited > UNNOTICED)?;
            let mos = flow.voip.as_ref()?.mos.filter(|&mos| mos < SATISFIED)?;
            Some((mos, waited, name_of(class)))
        })?;
        let worst = calls.values.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
        let (whose, (least, waited, which)) = (calls.whose, worst?);
        Some(format!(
            "{whose}: a call with a MOS of {least:.2}, whose packets take turns with all others: \
             those {which} waited up to {waited:.2} s (95 %) in the middlebox; a class with its \
             dscp or port and a priority lets them go first ([[middlebox.atcp.classes]])"
        ))
    }

    /// The class of a group of calls that is not preferred.
    fn plain_class(&self, atcp: &AtcpConfig, group: &Flow) -> Option<&ClassSummary> {
        if group.application != Application::Voip || group.direction == FlowDirection::Uplink {
            return None;
        }
        let port = group.port.unwrap_or(Voip::PORT);
        let place = atcp.class_of(&[port], group.dscp);
        if place.is_some_and(|place| atcp.classes[place].priority > 0) {
            return None;
        }
        let name = place.map_or(Class::NONE, |place| &atcp.classes[place].name);
        self.middlebox.classes.iter().find(|class| class.name == name)
    }

    /// A class that is preferred and takes what lower priorities may have.
    fn greedy(&self, class: &Class, atcp: &AtcpConfig) -> Option<String> {
        let sent = self.middlebox.classes.iter().find(|of| of.name == class.name)?.sent_bytes;
        let mobiles = self.middlebox.by_mobile.len().max(1) as f64;
        let bps = sent as f64 * 8.0 / self.scenario.duration.as_secs_f64() / mobiles;
        let (rate, name) = (atcp.rate.as_bps() as f64, &class.name);
        let spared = atcp.deference.filter(|part| class.priority > 0 && bps > part * rate)?;
        Some(format!(
            "packets in class {name} take {:.1} kbit/s, and lower priorities leave while {spared} \
             of middlebox.atcp.rate ({:.1} kbit/s) is not used: a rate below the radio's starves \
             them",
            bps / 1000.0,
            rate / 1000.0
        ))
    }

    /// Mobiles that answer no echo request, where no connection tells of them either.
    fn silent(&self) -> Option<String> {
        if self.middlebox.rtt_s.samples > 0 {
            return None;
        }
        let is_silent = |mobile: &BoxMobileSummary| {
            (mobile.echoes_answered == 0 && mobile.echoes_sent >= UNANSWERED).then_some(())
        };
        let whose = self.mobiles(is_silent)?.whose;
        Some(format!(
            "{whose} answered no echo request: what leaves the middlebox beside connections \
             follows middlebox.atcp.rate alone, whatever the radio carries"
        ))
    }

    /// Windows that the budget keeps small.
    fn narrow(&self, atcp: &AtcpConfig) -> Option<String> {
        let most = atcp.budget / 2;
        let round_trip = atcp.round_trip.as_secs_f64();
        let mobiles = self.mobiles(|mobile| {
            let window = mobile.estimate_bps? / 8.0 * round_trip;
            (window > most as f64).then_some(window)
        })?;
        let (whose, window) = (mobiles.whose, mobiles.values.into_iter().fold(0.0, f64::max));
        Some(format!(
            "{whose}: the radio carries {window:.0} B in middlebox.atcp.round_trip, and a window \
             is at most half of middlebox.atcp.budget, {most} B"
        ))
    }

    /// A window that fills the radio's queue.
    fn wide(&self, atcp: &AtcpConfig) -> Option<String> {
        if atcp.estimator != Estimation::Static {
            return None;
        }
        let echoes = self.middlebox.echoes.as_ref().map(|echoes| &echoes.rtt_s);
        let answers = echoes.into_iter().chain([&self.middlebox.rtt_s]);
        let rtt = answers.max_by_key(|rtt| rtt.samples)?.p50?;
        let expected = atcp.round_trip.as_secs_f64();
        (rtt > TWICE * expected).then(|| {
            let clamp = atcp.clamp;
            format!(
                "what the middlebox sends takes {rtt:.2} s to be answered (median), and \
                 middlebox.atcp.round_trip is {expected:.2} s: a window of {clamp} B is more than \
                 the radio drains (middlebox.atcp.clamp and rate)"
            )
        })
    }

    /// A window that leaves the radio idle.
    fn held(&self, atcp: &AtcpConfig) -> Option<String> {
        let busiest = self.links.iter().filter_map(|link| link.utilization).fold(0.0, f64::max);
        if busiest == 0.0 || busiest > IDLE {
            return None;
        }
        let mobiles =
            self.mobiles(|mobile| mobile.waiting_share.filter(|&share| share > super::MOST))?;
        let (whose, waited, busy) = (&mobiles.whose, mobiles.percent(), 100.0 * busiest);
        let clamp = match atcp.estimator {
            Estimation::Static => "clamp",
            Estimation::Westwood | Estimation::Radio => "budget",
        };
        Some(format!(
            "{whose}: something waited in the middlebox for {waited} of the time, while no link \
             was busy for more than {busy:.0} %: the window is less than the radio drains \
             (middlebox.atcp.rate, round_trip and {clamp})"
        ))
    }

    /// The mobiles of which `value` says something.
    fn mobiles<T>(&self, value: impl Fn(&BoxMobileSummary) -> Option<T>) -> Option<About<T>> {
        let all = &self.middlebox.by_mobile;
        let found = all.iter().filter_map(|mobile| Some((mobile.mobile, value(mobile)?)));
        About::of(found, ["mobile", "mobiles"], all.len())
    }
}

/// Packets of a class for which there was no room.
fn crowded(class: &ClassSummary, atcp: &AtcpConfig) -> Option<String> {
    let share = class.crowded as f64 / class.packets.max(1) as f64;
    let (which, budget, percent) = (name_of(class), atcp.budget, 100.0 * share);
    (share > SOME).then(|| {
        format!(
            "{percent:.0} % of the packets {which} that wait in the middlebox were dropped for \
             want of room: middlebox.atcp.budget is {budget} B"
        )
    })
}

/// The class in words.
fn name_of(class: &ClassSummary) -> String {
    if class.name == Class::NONE {
        "in no class".to_owned()
    } else {
        format!("in class {}", class.name)
    }
}
