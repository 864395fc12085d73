//! The window of H-TCP from loss to loss, on a link that drops the packets named here: for each
//! loss `loss`, its time and the windows before and after it, and for each second that follows
//! `window`, the time and the window. Times are in seconds, windows in segments.

use std::ops::ControlFlow;

use base::{Duration, Time};
use scenario::Scenario;
use sim::{CwndRow, Event, Recording, Threads, simulate};

const MSS: f64 = 1_000.0;

const SETTINGS: [(&str, &str); 10] = [
    ("duration", "30 s"),
    ("flow.segments", "10000000"),
    ("wired.access.rate", "10 Gbit/s"),
    ("link.rate", "1 Gbit/s"),
    ("link.delay", "49 ms"),
    ("link.drop_arrivals", "400,35000,107000,197000"),
    ("queue.packets", "100000"),
    ("tcp.congestion_control", "htcp"),
    ("tcp.recovery", "sack"),
    ("tcp.window", "100000"),
];

fn main() {
    let settings = SETTINGS.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let bottleneck = scenario::shipped().iter().find(|shipped| shipped.name == "bottleneck");
    let text = bottleneck.expect("it ships").text;
    let scenario = Scenario::parse(text, "bottleneck", &settings).expect("the settings are valid");
    let outcome =
        simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
            .expect("nothing interrupts it");
    let flow = &outcome.metrics.flows()[0];
    let losses = flow.events.iter().filter(|row| row.event == Event::FastRetransmit);
    let losses: Vec<Time> = losses.map(|row| row.time).collect();
    let end = Time::ZERO + Duration::from_secs(30);
    let ends = losses.iter().skip(1).chain([&end]);
    for (&loss, &end) in losses.iter().zip(ends) {
        let before = flow.cwnd().partition_point(|row| row.time < loss) - 1;
        let [before, after] = [before, before + 1].map(|at| segments(&flow.cwnd()[at]));
        println!("loss {} {before} {after}", loss.as_secs_f64());
        let mut now = loss + Duration::from_secs(1);
        while now < end {
            let at = flow.cwnd().partition_point(|row| row.time <= now) - 1;
            println!("window {} {}", now.as_secs_f64(), segments(&flow.cwnd()[at]));
            now += Duration::from_secs(1);
        }
    }
}

fn segments(row: &CwndRow) -> f64 {
    row.cwnd as f64 / MSS
}
