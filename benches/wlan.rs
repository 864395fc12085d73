//! What a WLAN costs: `cargo bench -p benches --bench wlan`.

mod packet;

use base::{Duration, Time};
use divan::Bencher;
use link::queue;
use mobility::handover::Mode;
use mobility::motion::{Leg, Motion, Position};
use packet::Packet;
use radio::wlan::{Access, AccessPoint, DataRate, End, Output, Wlan, WlanKeys};

fn main() {
    divan::main();
}

/// 100 stations that walk among four access points for 300 s, without traffic.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn walk_of_100_stations_300_s(bencher: Bencher<'_, '_>) {
    bencher.bench(|| run(Access::ContentionFree, 0));
}

/// 10 of them have a packet under way at any time, each answered with 40 bytes.
#[divan::bench(args = [Access::ContentionFree, Access::CsmaCa], sample_count = 20, sample_size = 1)]
fn saturated_300_s(bencher: Bencher<'_, '_>, access: Access) {
    bencher.bench(|| run(access, 10));
}

/// Says how many packets arrived at stations.
fn run(access: Access, busy: u32) -> u64 {
    let points: Vec<_> = (0..4)
        .map(|number| AccessPoint {
            name: format!("AP-{number}"),
            position: [f64::from(number) * 150.0, 0.0],
        })
        .collect();
    let stations: Vec<_> = (0..100).map(|number| walker(f64::from(number))).collect();
    let queue = queue::Config {
        limit: queue::droptail::Limit { packets: Some(50), bytes: None },
        ..queue::Config::UNLIMITED
    };
    let mut wlan: Wlan<Packet> = Wlan::new(&config(access, points), [queue; 2], &stations, 1);
    let end = Time::ZERO + Duration::from_secs(300);
    let mut arrived = 0;
    for station in 0..busy {
        send(&mut wlan, Time::ZERO, station);
    }
    while let Some(now) = wlan.poll_timeout().filter(|now| *now <= end) {
        wlan.handle_timeout(now);
        while let Some(output) = wlan.poll_output() {
            match output {
                Output::Delivered { at: End::Station(station), .. } => {
                    arrived += 1;
                    // Refused while the station is between two access points.
                    let _ = wlan.handle_uplink(now, station, None, Packet::new(40));
                    send(&mut wlan, now, station);
                }
                Output::Link { station, .. } if station < busy => send(&mut wlan, now, station),
                Output::Delivered { .. } | Output::Dropped(_) | Output::Link { .. } => {}
            }
        }
    }
    arrived
}

fn send(wlan: &mut Wlan<Packet>, now: Time, station: u32) {
    if let Some(point) = wlan.attached(station) {
        // A full queue gives it back.
        let _ = wlan.handle_downlink(now, point, station, Packet::new(1500));
    }
}

/// To and fro along the access points at 2 m/s.
fn walker(number: f64) -> Motion {
    let leg = |x| Leg::new(Position::new(x, number / 2.0), 2.0);
    let legs = [leg(450.0), leg(0.0)];
    Motion::along(Position::new(4.0 * number, 10.0), &legs)
}

fn config(access: Access, access_point: Vec<AccessPoint>) -> WlanKeys {
    WlanKeys {
        basic_rate: DataRate::Mbps1,
        access,
        range: 120.0,
        handover: Mode::BreakBeforeMake,
        hysteresis: 3.0,
        time_to_trigger: Duration::from_millis(200),
        access_point,
        ..WlanKeys::default()
    }
}
