use observe::RrcState::{CellDch, CellFach, CellPch, Idle, UraPch};
use proptest::prelude::*;

use super::*;
use crate::testing::{at, sf};
use crate::umts::rrc::{Inactivity, TrafficVolume};

const MS: Duration = Duration::from_millis(1);

fn dedicated() -> Dedicated {
    Dedicated { downlink: sf(16), uplink: sf(32) }
}

fn entity(config: RrcConfig) -> Entity {
    Entity::new(config, dedicated(), SpreadingTable::Module)
}

fn config() -> RrcConfig {
    RrcConfig {
        initial: Idle,
        setup_delay: MS * 250,
        dch_delay: MS * 200,
        release_delay: MS * 50,
        update_delay: MS * 100,
        paging_delay: MS * 320,
        inactivity: Inactivity {
            dch: Some(Duration::from_secs(5)),
            fach: Some(Duration::from_secs(12)),
            pch: Some(Duration::from_secs(60)),
        },
        activity: Activity::Pdu,
        first_channel: FirstChannel::Dedicated,
        after_dch: AfterDch::Shared,
        rest: Rest::CellPch,
        traffic_volume: TrafficVolume {
            downlink: 500,
            uplink: 300,
            time_to_trigger: MS * 20,
            pending_time: MS * 1000,
        },
        updates_before_ura: Some(3),
        out_of_service: Duration::from_secs(30),
    }
}

fn arrived(direction: Direction, waiting: u64) -> Input {
    Input::Arrived { direction, waiting }
}

fn sent(direction: Direction, waiting: u64) -> Input {
    Input::Sent { direction, waiting }
}

const UP: Direction = Direction::Uplink;
const DOWN: Direction = Direction::Downlink;

/// A timed script: inputs at ms, and the changes of state and channels that must come, at ms.
/// Admission is granted unless the script refuses.
struct Script {
    entity: Entity,
    admit: bool,
    log: Vec<String>,
}

impl Script {
    fn new(config: RrcConfig) -> Self {
        let mut script = Self { entity: entity(config), admit: true, log: Vec::new() };
        script.drain(Time::ZERO);
        script
    }

    fn input(&mut self, ms: u64, input: Input) -> &mut Self {
        self.until(ms);
        self.entity.handle_input(at(ms), input).expect("legal");
        self.drain(at(ms));
        self
    }

    fn until(&mut self, ms: u64) -> &mut Self {
        while let Some(time) = self.entity.poll_timeout().filter(|time| *time <= at(ms)) {
            self.entity.handle_timeout(time);
            self.drain(time);
        }
        self
    }

    fn drain(&mut self, now: Time) {
        let ms = now.as_nanos() / 1_000_000;
        while let Some(action) = self.entity.poll_output() {
            match action {
                Action::Admit(wanted) => {
                    let answer = if self.admit { Input::Admitted(wanted) } else { Input::Refused };
                    self.entity.handle_input(now, answer).expect("an answer is legal");
                }
                Action::Cancel(_) => self.log.push(format!("{ms} cancel")),
                Action::Use(Channels::None) => self.log.push(format!("{ms} use none")),
                Action::Use(Channels::Shared) => self.log.push(format!("{ms} use shared")),
                Action::Use(Channels::Dedicated(Dedicated { downlink, uplink })) => {
                    self.log.push(format!("{ms} use {downlink}/{uplink}"));
                }
                Action::Changed { from, to, event } => {
                    let names = [from, to].map(RrcState::name);
                    self.log.push(format!("{ms} {} > {}: {}", names[0], names[1], event.name()));
                }
            }
        }
    }

    #[track_caller]
    fn expect(&mut self, lines: &[&str]) -> &mut Self {
        assert_eq!(self.log, lines);
        self.log.clear();
        self
    }
}

#[test]
fn a_packet_up_opens_both_directions_after_the_set_up() {
    Script::new(config())
        .input(1000, arrived(UP, 40))
        .until(1249)
        .expect(&[])
        .until(1250)
        .expect(&["1250 idle > cell-dch: connected on DCH", "1250 use 16/32"]);
}

#[test]
fn a_packet_down_waits_for_the_page_first() {
    Script::new(config())
        .input(1000, arrived(DOWN, 1500))
        .until(4000)
        .expect(&["1570 idle > cell-dch: connected on DCH", "1570 use 16/32"]);
}

#[test]
fn data_up_do_not_wait_for_the_page() {
    Script::new(config())
        .input(1000, arrived(DOWN, 1500))
        .input(1100, arrived(UP, 40))
        .until(1350)
        .expect(&["1350 idle > cell-dch: connected on DCH", "1350 use 16/32"]);
}

#[test]
fn quiet_leads_down_step_by_step() {
    Script::new(config()).input(0, arrived(UP, 40)).input(1000, sent(UP, 0)).until(200_000).expect(
        &[
            "250 idle > cell-dch: connected on DCH",
            "250 use 16/32",
            "6050 cell-dch > cell-fach: sent to FACH",
            "6050 use shared",
            "18050 cell-fach > cell-pch: inactivity",
            "18050 use none",
            "78050 cell-pch > idle: inactivity",
        ],
    );
}

#[test]
fn quiet_can_release_and_a_state_can_bear_it_for_ever() {
    let inactivity = Inactivity { fach: None, ..config().inactivity };
    Script::new(RrcConfig { inactivity, ..config() })
        .input(0, arrived(UP, 40))
        .input(500, sent(UP, 0))
        .until(900_000)
        .expect(&[
            "250 idle > cell-dch: connected on DCH",
            "250 use 16/32",
            "5550 cell-dch > cell-fach: sent to FACH",
            "5550 use shared",
        ]);
    Script::new(RrcConfig { after_dch: AfterDch::Release, ..config() })
        .input(0, arrived(UP, 40))
        .input(500, sent(UP, 0))
        .until(900_000)
        .expect(&[
            "250 idle > cell-dch: connected on DCH",
            "250 use 16/32",
            "5500 cell-dch > idle: released",
            "5500 use none",
        ]);
}

#[test]
fn small_traffic_rides_on_the_shared_channels() {
    let mut script = Script::new(RrcConfig { initial: CellFach, ..config() });
    script
        .expect(&["0 use shared"])
        .input(100, arrived(UP, 300))
        .input(200, arrived(DOWN, 500))
        .until(1000)
        .expect(&[])
        .input(1000, arrived(DOWN, 501))
        .input(1010, sent(DOWN, 500))
        .until(2000)
        .expect(&[])
        .input(2000, arrived(UP, 301))
        .until(3000)
        .expect(&["2220 cell-fach > cell-dch: DCH opened", "2220 use 16/32"]);
}

#[test]
fn a_refusal_keeps_the_shared_channels_and_is_asked_again() {
    let mut script = Script::new(config());
    script.admit = false;
    script
        .input(0, arrived(DOWN, 10_000))
        .until(570)
        .expect(&["570 idle > cell-fach: connected on FACH", "570 use shared"]);
    script.admit = true;
    let again = &["1520 cell-fach > cell-dch: DCH opened", "1520 use 16/32"];
    script.until(1519).expect(&[]).until(4000).expect(again);
}

#[test]
fn the_initial_dch_opens_at_once_and_the_rest_begins_as_it_says() {
    Script::new(RrcConfig { initial: CellDch, ..config() }).expect(&[
        "0 use shared",
        "0 cell-fach > cell-dch: DCH opened",
        "0 use 16/32",
    ]);
    for initial in [Idle, CellPch, UraPch] {
        Script::new(RrcConfig { initial, ..config() }).expect(&[]);
    }
}

#[test]
fn the_sum_of_the_flows_chooses_the_spreading_factors() {
    let mut entity = entity(config());
    assert_eq!(entity.demand(), dedicated());
    let kbps = |n: u64| Rate::from_bps(n * 1000);
    entity.add_flow(UP, kbps(100));
    entity.add_flow(UP, kbps(40));
    assert_eq!(entity.demand(), Dedicated { uplink: sf(8), ..dedicated() }, "140 kbit/s");
    entity.add_flow(DOWN, kbps(10));
    assert_eq!(entity.demand(), Dedicated { uplink: sf(8), downlink: sf(256) });
    entity.remove_flow(UP, kbps(100));
    assert_eq!(entity.demand().uplink, sf(32));
    entity.add_flow(UP, kbps(5000));
    assert_eq!(entity.demand().uplink, sf(4), "none carries it: the fastest");
}

#[test]
fn a_ue_at_rest_updates_its_cell_and_goes_back_to_rest() {
    let mut script = Script::new(RrcConfig { initial: CellPch, ..config() });
    script.input(1000, Input::CellReselected).until(2000).expect(&[
        "1000 cell-pch > cell-fach: cell reselected",
        "1100 cell-fach > cell-pch: sent to CELL_PCH",
    ]);
    script.input(2000, Input::CellReselected).until(2500);
    script.log.clear();
    script.input(3000, Input::CellReselected).until(4000).expect(&[
        "3000 cell-pch > cell-fach: cell reselected",
        "3100 cell-fach > ura-pch: sent to URA_PCH",
    ]);
    script.input(5000, Input::CellReselected).until(6000).expect(&[]);
    script.input(6000, Input::UraReselected).until(7000).expect(&[
        "6000 ura-pch > cell-fach: URA reselected",
        "6100 cell-fach > ura-pch: sent to URA_PCH",
    ]);
    script.until(70_000).expect(&["60000 ura-pch > idle: inactivity"]);
}

#[test]
fn data_during_an_update_keep_the_ue_on_the_shared_channels() {
    let mut script = Script::new(RrcConfig { initial: CellPch, ..config() });
    script
        .input(1000, Input::CellReselected)
        .input(1050, arrived(UP, 40))
        .until(2000)
        .expect(&["1000 cell-pch > cell-fach: cell reselected", "1100 use shared"]);
}

#[test]
fn a_page_wakes_a_ue_at_rest() {
    Script::new(RrcConfig { initial: UraPch, ..config() })
        .input(1000, arrived(DOWN, 40))
        .until(2000)
        .expect(&["1320 ura-pch > cell-fach: paged", "1420 use shared"]);
}

#[test]
fn a_lost_link_is_followed_by_an_update_and_dedicated_channels_again() {
    Script::new(RrcConfig { initial: CellDch, ..config() })
        .input(1000, arrived(DOWN, 9000))
        .input(2000, Input::RadioLinkFailure)
        .until(3000)
        .expect(&[
            "0 use shared",
            "0 cell-fach > cell-dch: DCH opened",
            "0 use 16/32",
            "2000 cell-dch > cell-fach: radio link failure",
            "2000 use none",
            "2100 use shared",
            "2300 cell-fach > cell-dch: DCH opened",
            "2300 use 16/32",
        ]);
}

#[test]
fn without_coverage_the_connection_ends_after_its_timer() {
    let mut script = Script::new(RrcConfig { initial: CellDch, ..config() });
    script.log.clear();
    script
        .input(1000, arrived(DOWN, 9000))
        .input(1500, Input::CoverageLost)
        .input(4500, Input::RadioLinkFailure)
        .until(40_000)
        .expect(&[
            "4500 cell-dch > cell-fach: radio link failure",
            "4500 use none",
            "34500 cell-fach > idle: out of service",
        ])
        .input(50_000, Input::CoverageFound)
        .until(52_000)
        .expect(&["50570 idle > cell-dch: connected on DCH", "50570 use 16/32"]);
}

#[test]
fn coverage_that_comes_back_in_time_costs_an_update() {
    let mut script = Script::new(RrcConfig { initial: CellFach, ..config() });
    script
        .input(1000, arrived(DOWN, 40))
        .input(2000, Input::CoverageLost)
        .input(8000, Input::CoverageFound)
        .until(9000)
        .expect(&["0 use shared", "2000 use none", "8100 use shared"]);
}

#[test]
fn a_set_up_that_is_overtaken_gives_its_channels_back() {
    Script::new(RrcConfig { initial: CellFach, ..config() })
        .input(1000, arrived(DOWN, 9000))
        .until(1020)
        .input(1100, Input::CellReselected)
        .until(1500)
        .expect(&[
            "0 use shared",
            "1100 cancel",
            "1100 use none",
            "1200 use shared",
            "1400 cell-fach > cell-dch: DCH opened",
            "1400 use 16/32",
        ]);
    let mut late = entity(config());
    late.handle_input(at(0), Input::Admitted(dedicated())).expect("legal");
    assert_eq!(late.poll_output(), Some(Action::Cancel(dedicated())));
}

#[test]
fn what_cannot_happen_changes_nothing() {
    let mut entity = entity(config());
    let error = entity.handle_input(at(0), Input::RadioLinkFailure).unwrap_err();
    assert_eq!(error.why, "there is no connection");
    assert_eq!((entity.state(), entity.poll_output()), (Idle, None));
}

/// What a network can do to a UE.
fn inputs() -> impl Strategy<Value = Option<Input>> {
    let direction = prop_oneof![Just(UP), Just(DOWN)];
    let bytes = prop_oneof![Just(0_u64), 1..2000_u64];
    prop_oneof![
        (direction.clone(), bytes.clone())
            .prop_map(|(direction, waiting)| Some(Input::Arrived { direction, waiting })),
        (direction, bytes)
            .prop_map(|(direction, waiting)| Some(Input::Sent { direction, waiting })),
        Just(Some(Input::CellReselected)),
        Just(Some(Input::UraReselected)),
        Just(Some(Input::RadioLinkFailure)),
        Just(Some(Input::CoverageLost)),
        Just(Some(Input::CoverageFound)),
        Just(Some(Input::Release)),
        Just(None),
    ]
}

proptest! {
    /// Whatever happens, in whatever order: channels fit the state, reservations are balanced, the
    /// machine stands still when nothing happens, and deadlines lie ahead.
    #[test]
    fn random_walks_keep_the_laws(
        walk in prop::collection::vec((inputs(), 0..20_000_u64, any::<bool>()), 1..80),
        initial in prop::sample::select(RrcState::ALL.to_vec()),
        first in prop_oneof![Just(FirstChannel::Dedicated), Just(FirstChannel::Shared)],
        after_dch in prop_oneof![Just(AfterDch::Shared), Just(AfterDch::Release)],
        rest in prop_oneof![Just(Rest::CellPch), Just(Rest::UraPch), Just(Rest::Release)],
        delays in prop_oneof![Just(0_u64), Just(1)],
    ) {
        let plain = config();
        let mut entity = entity(RrcConfig {
            initial,
            first_channel: first,
            after_dch,
            rest,
            setup_delay: plain.setup_delay * delays,
            dch_delay: plain.dch_delay * delays,
            release_delay: plain.release_delay * delays,
            update_delay: plain.update_delay * delays,
            ..plain
        });
        let (mut now, mut reserved, mut state, mut used) = (0, 0_i32, None, Channels::None);
        for (input, pause, admit) in walk {
            now += pause;
            let mut steps = 0;
            if let Some(input) = input {
                let before = (entity.state(), entity.channels());
                entity.handle_timeout(at(now));
                let calm = (entity.state(), entity.channels());
                if let Err(illegal) = entity.handle_input(at(now), input) {
                    prop_assert_eq!(illegal.state, calm.0);
                    prop_assert_eq!(calm, (entity.state(), entity.channels()), "{:?}", before);
                }
            }
            loop {
                while let Some(action) = entity.poll_output() {
                    match action {
                        Action::Admit(wanted) => {
                            reserved += i32::from(admit);
                            let answer =
                                if admit { Input::Admitted(wanted) } else { Input::Refused };
                            prop_assert!(entity.handle_input(at(now), answer).is_ok());
                        }
                        Action::Cancel(_) => reserved -= 1,
                        Action::Use(channels) => {
                            reserved -= i32::from(matches!(used, Channels::Dedicated(_)));
                            used = channels;
                        }
                        Action::Changed { from, to, event } => {
                            prop_assert_eq!(state.unwrap_or(from), from);
                            prop_assert_eq!(next(from, event).map(|it| it.to), Ok(to));
                            state = Some(to);
                        }
                    }
                }
                let Some(due) = entity.poll_timeout().filter(|due| *due <= at(now)) else { break };
                entity.handle_timeout(due);
                steps += 1;
                prop_assert!(steps < 100, "it does not come to rest");
            }
            prop_assert_eq!(entity.channels(), used);
            prop_assert!((0..=1).contains(&reserved), "{} reserved", reserved);
            match (entity.state(), used) {
                (Idle | CellPch | UraPch, Channels::None)
                | (CellFach, Channels::None | Channels::Shared)
                | (CellDch, Channels::Dedicated(_)) => {}
                (state, used) => prop_assert!(false, "{:?} with {:?}", state, used),
            }
        }
    }
}
