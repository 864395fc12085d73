//! Controlled Delay (RFC 8289) as the judge of a queue.

use base::{Stream, Time};

pub use aqm::codel::{CoDel, Config};

use super::{Departure, Judge, Parameters, Start, Verdict};

impl Parameters for Config {
    const NOTIFIES: bool = true;

    fn start(&self, _: &dyn Fn(&str) -> Stream) -> Start {
        Start::judged(CoDel::new(*self))
    }
}

impl Judge for CoDel {
    fn on_departure(&mut self, now: Time, departure: Departure) -> Verdict {
        Self::on_departure(self, now, departure)
    }
}
