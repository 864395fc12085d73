use proptest::prelude::*;

use super::*;
use crate::umts::conditions::FRAME;

fn mobility() -> Mobility {
    Mobility {
        hysteresis: 2.0,
        hard_hysteresis: 6.0,
        time_to_trigger: FRAME * 20,
        cells: 2,
        relocation_time: FRAME * 100,
        ..Mobility::default()
    }
}

/// Cells as (`NodeB`, RNC, carrier).
fn topology(iur: Iur, cells: &[(u32, u32, u32)]) -> Topology {
    let site = |&(node_b, rnc, carrier): &(u32, u32, u32)| Site { node_b, rnc, carrier };
    Topology { cells: cells.iter().map(site).collect(), iur }
}

fn at(frame: u64) -> Time {
    Time::ZERO + FRAME * frame
}

/// Measures `pilots` for `frames` and says what was decided, and in which frame.
fn hold(
    set: &mut ActiveSet,
    topology: &Topology,
    pilots: &[f64],
    frames: std::ops::Range<u64>,
) -> Vec<(u64, Decision)> {
    let decide = |frame| Some((frame, set.measure(at(frame), topology, pilots)?));
    frames.filter_map(decide).collect()
}

const ONE_RNC: [(u32, u32, u32); 4] = [(0, 0, 0), (0, 0, 0), (1, 0, 0), (2, 0, 0)];

#[test]
fn a_cell_joins_after_the_time_to_trigger() {
    let net = topology(Iur::Absent, &ONE_RNC);
    let decided =
        |pilots: &[f64]| hold(&mut ActiveSet::new(mobility(), &net, 0), &net, pilots, 0..100);
    // The range of 1a is 3 dB less half of the hysteresis.
    let add = |cell, kind| vec![(20, Decision::Add { cell, kind })];
    assert_eq!(decided(&[-8.0, -20.0, -10.0, -20.0]), add(2, Kind::Soft));
    assert_eq!(decided(&[-8.0, -9.9, -20.0, -20.0]), add(1, Kind::Softer));
    assert_eq!(decided(&[-8.0, -10.1, -10.1, -20.0]), vec![]);
    assert_eq!(decided(&[-8.0, -9.0, -8.5, -20.0]), {
        // Of two at once the better comes first; then the set is full, and 1c wants 1 dB more.
        add(2, Kind::Soft)
    });
}

#[test]
fn a_dip_within_the_time_to_trigger_starts_it_anew() {
    let net = topology(Iur::Absent, &ONE_RNC);
    let mut set = ActiveSet::new(mobility(), &net, 0);
    let (near, far) = ([-8.0, -20.0, -9.0, -20.0], [-8.0, -20.0, -12.0, -20.0]);
    assert_eq!(hold(&mut set, &net, &near, 0..20), vec![]);
    assert!(set.is_pending());
    assert_eq!(hold(&mut set, &net, &far, 20..21), vec![]);
    assert!(!set.is_pending());
    let decision = Decision::Add { cell: 2, kind: Kind::Soft };
    assert_eq!(hold(&mut set, &net, &near, 21..60), vec![(41, decision)]);
}

#[test]
fn a_cell_leaves_below_its_range_and_the_last_one_stays() {
    let net = topology(Iur::Absent, &ONE_RNC);
    let mut set = ActiveSet::new(mobility(), &net, 0);
    hold(&mut set, &net, &[-8.0, -20.0, -8.0, -20.0], 0..30);
    assert_eq!(set.members(), [0, 2]);
    assert_eq!(hold(&mut set, &net, &[-13.9, -20.0, -8.0, -20.0], 30..200), vec![]);
    let remove = vec![(220, Decision::Remove { cell: 0 })];
    assert_eq!(hold(&mut set, &net, &[-14.0, -20.0, -8.0, -20.0], 200..400), remove);
    assert_eq!(set.members(), [2]);
    assert_eq!(hold(&mut set, &net, &[-30.0, -30.0, -25.0, -30.0], 400..600), vec![]);
}

#[test]
fn a_better_cell_replaces_the_worst_of_a_full_set() {
    let net = topology(Iur::Absent, &ONE_RNC);
    let mut set = ActiveSet::new(mobility(), &net, 0);
    hold(&mut set, &net, &[-8.0, -20.0, -9.0, -20.0], 0..30);
    let replace = Decision::Replace { old: 2, new: 3, kind: Kind::Soft };
    assert_eq!(hold(&mut set, &net, &[-8.0, -20.0, -9.0, -8.0], 30..99), vec![(50, replace)]);
    assert_eq!(set.members(), [0, 3]);
}

#[test]
fn hard_where_soft_is_not_allowed() {
    let check = |net: Topology, mobility: Mobility, expected: Option<Decision>| {
        let mut set = ActiveSet::new(mobility, &net, 0);
        let decided = hold(&mut set, &net, &[-10.0, -7.0], 0..50);
        assert_eq!(
            decided,
            expected.map(|decision| (20, decision)).into_iter().collect::<Vec<_>>()
        );
    };
    let hard = |serving| Some(Decision::Hard { to: 1, serving });
    let soft = Some(Decision::Add { cell: 1, kind: Kind::Soft });
    let never = Mobility { handover: Diversity::Never, ..mobility() };
    let one_rnc = || topology(Iur::Absent, &[(0, 0, 0), (1, 0, 0)]);
    check(one_rnc(), mobility(), soft);
    check(one_rnc(), never, hard(Serving::Kept));
    check(one_rnc(), Mobility { hard_hysteresis: 6.1, ..never }, None);
    check(topology(Iur::Absent, &[(0, 0, 0), (1, 0, 1)]), mobility(), hard(Serving::Kept));
    check(topology(Iur::Absent, &[(0, 0, 0), (1, 1, 0)]), mobility(), hard(Serving::Moved));
    check(topology(Iur::Connected, &[(0, 0, 0), (1, 1, 0)]), mobility(), soft);
    check(topology(Iur::Connected, &[(0, 0, 0), (1, 1, 0)]), never, hard(Serving::Kept));
}

#[test]
fn a_drift_rnc_comes_to_serve_when_the_old_one_has_no_cell_left() {
    let net = topology(Iur::Connected, &[(0, 0, 0), (1, 1, 0)]);
    let mut set = ActiveSet::new(mobility(), &net, 0);
    assert!(!set.drifts(&net));
    hold(&mut set, &net, &[-10.0, -8.0], 0..21);
    assert!(set.drifts(&net) && set.serving() == 0);
    let decided = hold(&mut set, &net, &[-20.0, -8.0], 21..400);
    let (leaves, relocates) = (Decision::Remove { cell: 0 }, Decision::Relocate { rnc: 1 });
    assert_eq!(decided, vec![(41, leaves), (141, relocates)]);
    assert!(!set.drifts(&net) && set.serving() == 1 && !set.is_pending());
}

/// Feeds (quality, frames) and says in which frame each state is new.
fn watch(script: &[(f64, u64)]) -> Vec<(u64, LinkState)> {
    let mut monitor = LinkMonitor::new(Mobility { n315: 2, ..Mobility::default() });
    let (mut frame, mut last, mut log) = (0, LinkState::Up, Vec::new());
    for (quality, frames) in script {
        for _ in 0..*frames {
            frame += 1;
            let state = monitor.measure(at(frame), *quality);
            if state != last {
                log.push((frame, state));
                last = state;
            }
        }
    }
    log
}

#[test]
fn a_link_fails_after_n313_frames_and_t313() {
    use LinkState::{Failed, Failing, Up};
    assert_eq!(watch(&[(-10.0, 50), (-20.0, 500)]), [(70, Failing), (370, Failed)]);
    assert_eq!(watch(&[(-20.0, 19), (-10.0, 1), (-20.0, 19)]), []);
    assert_eq!(
        watch(&[(-20.0, 100), (-10.0, 1), (-17.0, 5), (-10.0, 1)]),
        [(20, Failing), (107, Up)]
    );
    assert_eq!(watch(&[(-17.0, 9000)]), [], "between the thresholds nothing is reported");
    assert_eq!(watch(&[(-20.0, 25), (-10.0, 1), (-20.0, 400)]), [(20, Failing), (320, Failed)]);
}

proptest! {
    /// Whatever the pilots do: the set is never empty, never too large, holds no cell twice, and
    /// decisions are those that make it so.
    #[test]
    fn sets_follow_from_decisions(
        rounds in prop::collection::vec(
            (prop::collection::vec(-25.0..-3.0_f64, 5), 1..80_u64),
            1..25,
        ),
        cells in 1..4_u32,
        connected in any::<bool>(),
        soft in any::<bool>(),
    ) {
        let iur = if connected { Iur::Connected } else { Iur::Absent };
        let handover = if soft { Diversity::Allowed } else { Diversity::Never };
        let net = topology(iur, &[(0, 0, 0), (0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 1)]);
        let mobility = Mobility { handover, cells, ..mobility() };
        let mut set = ActiveSet::new(mobility, &net, 0);
        let (mut shadow, mut serving, mut frame) = (vec![0], 0, 0);
        for (pilots, frames) in rounds {
            for _ in 0..frames {
                frame += 1;
                match set.measure(at(frame), &net, &pilots) {
                    None => {}
                    Some(Decision::Add { cell, .. }) => shadow.push(cell),
                    Some(Decision::Remove { cell }) => shadow.retain(|member| *member != cell),
                    Some(Decision::Replace { old, new, .. }) => {
                        prop_assert_eq!(shadow.len(), cells as usize);
                        shadow.retain(|member| *member != old);
                        shadow.push(new);
                    }
                    Some(Decision::Hard { to, serving: fate }) => {
                        shadow = vec![to];
                        if fate == Serving::Moved {
                            serving = net.rnc(to);
                        }
                    }
                    Some(Decision::Relocate { rnc }) => {
                        prop_assert!(rnc != serving && connected);
                        serving = rnc;
                    }
                }
                prop_assert_eq!(set.members(), &shadow[..]);
                prop_assert_eq!(set.serving(), serving);
                prop_assert!((1..=cells).contains(&(shadow.len() as u32)));
                prop_assert!(soft || shadow.len() == 1);
                prop_assert!(connected || !set.drifts(&net), "no drift without Iur");
                let carrier = |cell: &u32| net.cells[*cell as usize].carrier;
                prop_assert!(shadow.iter().all(|cell| carrier(cell) == carrier(&shadow[0])));
                let is_new = |(i, cell)| !shadow[..i].contains(cell);
                prop_assert!(shadow.iter().enumerate().all(is_new));
            }
        }
    }

    /// Hysteresis: pilots that wander by less than it make a cell join at most once, and neither
    /// leave nor change with another.
    #[test]
    fn small_wandering_makes_no_ping_pong(
        wander in prop::collection::vec(-0.49..0.49_f64, 2000),
        apart in -4.0..4.0_f64,
        hard in any::<bool>(),
    ) {
        let net = topology(Iur::Connected, &[(0, 0, 0), (1, 0, u32::from(hard))]);
        let mut set = ActiveSet::new(mobility(), &net, 0);
        let pairs = wander.chunks(2).enumerate();
        let decided = pairs.filter_map(|(frame, noise)| {
            set.measure(at(frame as u64), &net, &[-8.0 + noise[0], -8.0 + apart + noise[1]])
        });
        prop_assert!(decided.count() <= 1);
    }
}
