//! Second set, modification 3: "Opening/closure of dedicated channels"; third set, modification 2:
//! "RRC layer timeout".

use base::{Direction, Duration, Time};
use radio::umts::channels::{SpreadingFactor, SpreadingTable};
use radio::umts::rrc::{
    Action, Activity, AfterDch, Channels, Dedicated, Entity, FirstChannel, Inactivity, Input, Rest,
    RrcConfig, TrafficVolume,
};

const MS: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_secs(2);

fn config(activity: Activity) -> RrcConfig {
    RrcConfig {
        setup_delay: MS * 250,
        dch_delay: MS * 250,
        release_delay: Duration::ZERO,
        update_delay: MS * 100,
        paging_delay: Duration::ZERO,
        inactivity: Inactivity { dch: Some(TIMEOUT), fach: None, pch: None },
        activity,
        first_channel: FirstChannel::Dedicated,
        after_dch: AfterDch::Release,
        rest: Rest::CellPch,
        traffic_volume: TrafficVolume {
            downlink: 500,
            uplink: 500,
            time_to_trigger: Duration::ZERO,
            pending_time: MS * 1000,
        },
        updates_before_ura: None,
        out_of_service: Duration::from_secs(30),
        ..RrcConfig::default()
    }
}

fn entity(activity: Activity) -> Entity {
    Entity::new(config(activity), usual(), SpreadingTable::Module)
}

fn usual() -> Dedicated {
    let sf = |chips| SpreadingFactor::new(chips, Direction::Uplink).expect("a factor");
    Dedicated { downlink: sf(8), uplink: sf(32) }
}

/// Runs inputs at their ms until `end`, and says when dedicated channels opened and closed, in ms.
fn run(activity: Activity, inputs: &[(u64, Input)], end: u64) -> Vec<(u64, Channels)> {
    let mut entity = entity(activity);
    let mut log = Vec::new();
    let mut drain = |entity: &mut Entity, now: Time| {
        while let Some(action) = entity.poll_output() {
            match action {
                Action::Admit(wanted) => {
                    entity.handle_input(now, Input::Admitted(wanted)).expect("it was asked for");
                }
                Action::Use(channels) => log.push((now.as_nanos() / 1_000_000, channels)),
                Action::Cancel(_) | Action::Changed { .. } => {}
            }
        }
    };
    let mut wake = |entity: &mut Entity, until: Time| {
        while let Some(due) = entity.poll_timeout().filter(|due| *due <= until) {
            entity.handle_timeout(due);
            drain(entity, due);
        }
        drain(entity, until);
    };
    for (ms, input) in inputs {
        let now = Time::ZERO + MS * *ms;
        wake(&mut entity, now);
        entity.handle_input(now, *input).expect("legal");
        wake(&mut entity, now);
    }
    wake(&mut entity, Time::ZERO + MS * end);
    log
}

fn arrived(direction: Direction) -> Input {
    Input::Arrived { direction, waiting: 0 }
}

fn open() -> Channels {
    Channels::Dedicated(usual())
}

/// "Whenever a segment arrives in the downlink, both down- and uplink timers are reset": a
/// transfer one way keeps the way back open, and at its end both close at one moment.
#[test]
fn channels_of_both_directions_open_and_close_together() {
    for (data, other) in
        [(Direction::Downlink, Direction::Uplink), (Direction::Uplink, Direction::Downlink)]
    {
        let mut inputs = vec![(0, Input::Arrived { direction: data, waiting: 500 })];
        // The acknowledgement flow is silent for far longer than the time-out.
        inputs.extend((1..20).map(|step| (step * 1000, arrived(data))));
        inputs.push((19_500, arrived(other)));
        let log = run(Activity::Sdu, &inputs, 60_000);
        assert_eq!(log, [(250, open()), (21_500, Channels::None)], "data {data:?}");
    }
}

/// While RLC repeats for 9 s what the radio loses, nothing comes from above: by SDUs that is
/// quiet, and the channels close in the midst of a transfer; by PDUs it is not.
#[test]
fn what_counts_as_activity_is_a_parameter() {
    let direction = Direction::Downlink;
    let mut inputs = vec![(0, Input::Arrived { direction, waiting: 1500 })];
    let repeating = (25..925).map(|frame| (frame * 10, Input::Sent { direction, waiting: 300 }));
    inputs.extend(repeating);
    inputs.push((9_250, Input::Sent { direction, waiting: 0 }));

    let with_pdus = run(Activity::Pdu, &inputs, 60_000);
    assert_eq!(with_pdus, [(250, open()), (11_250, Channels::None)]);

    let sdus_alone = run(Activity::Sdu, &inputs, 60_000);
    assert_eq!(sdus_alone[..2], [(250, open()), (2250, Channels::None)], "cut off");
    assert!(sdus_alone.len() > 2, "what waits asks for channels again: {sdus_alone:?}");
}
