//! A satellite bearer as one machine.

use base::{Direction, Duration, Time};
use observe::{Context, Observe};

use super::config::SatelliteConfig;
use super::lane::{SatelliteLane, SatelliteMoment};
use super::path::Way;
use crate::{Counters, EnergyUse, Output, RateReport, Sdu};

/// The bearer of one terminal: down from the gateway by a satellite to the terminal, and up.
#[derive(Debug)]
pub struct SatelliteBearer<T> {
    machine: u32,
    lanes: [SatelliteLane<T>; 2],
    gaps: Vec<[Time; 2]>,
    pause: Duration,
    way: Way,
    /// Now.
    now: Time,
    /// When a lane sends next.
    ticks: [Option<Time>; 2],
    reported: RateReport,
    report: Option<RateReport>,
}

impl<T: Sdu> SatelliteBearer<T> {
    /// A bearer that reports facts as machine number `machine`. Its random streams come from `seed`
    /// and names that begin with `name`.
    pub fn new(machine: u32, config: &SatelliteConfig, seed: u64, name: &str) -> Self {
        let mut bearer = Self {
            machine,
            lanes: Direction::BOTH
                .map(|direction| SatelliteLane::new(direction, config, seed, name)),
            gaps: config.gaps.clone(),
            pause: config.change.pause,
            way: Way::new(&config.path, seed, name),
            now: Time::ZERO,
            ticks: [None; 2],
            reported: RateReport { rate: None },
            report: None,
        };
        bearer.look();
        bearer
    }

    /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue there is
    /// full.
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        direction: Direction,
        sdu: T,
    ) -> Result<(), T> {
        self.handle_timeout(cx);
        let taken = self.lanes[direction as usize].push(cx.now, sdu);
        self.schedule();
        // What finds the sender idle is sent at once.
        self.handle_timeout(cx);
        taken
    }

    /// Does what is due by now.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some(tick) =
            Time::earlier(self.ticks[0], self.ticks[1]).filter(|at| *at <= cx.now)
        {
            self.now = self.now.max(tick);
            let due = usize::from(self.ticks[0] != Some(tick));
            let moment = &mut SatelliteMoment {
                now: tick,
                machine: self.machine,
                observe: &mut *cx.observe,
            };
            self.lanes[due].run(moment);
            self.schedule();
        }
        self.now = self.now.max(cx.now);
        self.look();
    }

    /// From `now` on its rates and gaps are those of `config`.
    pub fn reconfigure(&mut self, now: Time, config: &SatelliteConfig) {
        self.now = self.now.max(now);
        self.gaps.clone_from(&config.gaps);
        for lane in &mut self.lanes {
            lane.reconfigure(now, config);
        }
        self.schedule();
        self.look();
    }

    /// The next SDU that has come out. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        let now = self.now;
        let mut lanes = self.lanes.iter_mut();
        lanes.find_map(|lane| Some((lane.direction, lane.poll_output(now)?)))
    }

    /// When something is due next. It changes with each `handle_…` and `poll_…`.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let visible = self.lanes.iter().filter_map(SatelliteLane::visible);
        let due = self.ticks.into_iter().flatten().chain(visible).min();
        due.map(|at| at.max(self.now))
    }

    /// What the downlink can carry, if that has changed since it was asked last. Checked while
    /// there is traffic.
    #[must_use]
    pub const fn poll_report(&mut self) -> Option<RateReport> {
        self.report.take()
    }

    /// The SDUs of `direction` between entry and exit.
    pub fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        self.lanes[direction as usize].held()
    }

    /// What a terminal draws is not known.
    pub const fn energy(&self, _now: Time) -> Option<EnergyUse> {
        None
    }

    /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
    pub fn counters(&self, direction: Direction) -> Counters {
        self.lanes[direction as usize].counters()
    }

    /// The sum over SDUs of `direction` of the time that each has waited by `now`, from hand-in to
    /// the end of its transmission; over `now` it is the mean length of the queue.
    pub fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.lanes[direction as usize].waited(now)
    }

    /// Which share of the bytes that the rate of `direction` carries in the first `span` was sent,
    /// outages included; `None` if it carries nothing.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        self.lanes[direction as usize].utilization(span)
    }

    /// Until when nothing is sent, if anything stops it at `at`; else `at`.
    fn open(&self, mut at: Time) -> Time {
        loop {
            let gap = self.gaps.partition_point(|[from, _]| *from <= at);
            let outage = gap.checked_sub(1).map_or(at, |gap| self.gaps[gap][1].max(at));
            let pause = self.way.last_change(outage).map_or(outage, |change| change + self.pause);
            let until = outage.max(pause);
            if until == at {
                return at;
            }
            at = until;
        }
    }

    fn schedule(&mut self) {
        let next = |lane: &SatelliteLane<T>| lane.next(self.now, |at| self.open(at));
        self.ticks = [next(&self.lanes[0]), next(&self.lanes[1])];
    }

    /// Whether what the downlink can carry has changed.
    fn look(&mut self) {
        let is_open = self.open(self.now) == self.now;
        let report = RateReport { rate: self.lanes[0].rate(self.now).filter(|_| is_open) };
        if self.reported != report {
            self.reported = report;
            self.report = Some(report);
        }
    }
}
