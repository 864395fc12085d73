use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

use LinkChange::{Down, Fading as Warn, Up};
use Mode::{BreakBeforeMake, MakeBeforeBreak};
use State::{At, Between, Both, Fading, Joining, Nowhere};

const SILENT: f64 = f64::NEG_INFINITY;

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

const fn up(access_point: u32) -> LinkChange {
    Up { access_point }
}

const fn down(access_point: u32) -> LinkChange {
    Down { access_point }
}

type Key = (State, Event, Mode, Anticipation);

const MODES: [Mode; 2] = [BreakBeforeMake, MakeBeforeBreak];
const ANTICIPATIONS: [Anticipation; 2] = [Anticipation::None, Anticipation::Ahead];

/// Every transition that can happen among three access points, written out.
fn expected(a: u32, b: u32, c: u32) -> Vec<(Key, HandoverStep)> {
    use Event::{Better, Due, Found, Lost};
    let mut rows = Vec::new();
    let mut row = |state, event, mode, anticipation, after, timer, announced: &[LinkChange]| {
        let announced = [announced.first().copied(), announced.get(1).copied()];
        rows.push((
            (state, event, mode, anticipation),
            HandoverStep { state: after, timer, announced },
        ));
    };
    for mode in MODES {
        for n in ANTICIPATIONS {
            let (between, fading) = (Between { next: b }, Fading { at: a, next: b });
            let (joining, both) = (Joining { at: a, next: b }, Both { at: a, old: b });
            row(Nowhere, Found(b), mode, n, between, Timer::Switch, &[]);
            row(between, Due, mode, n, At { at: b }, Timer::Off, &[up(b)]);
            row(between, Lost(b), mode, n, Nowhere, Timer::Off, &[]);
            row(At { at: a }, Lost(a), mode, n, Nowhere, Timer::Off, &[down(a)]);
            row(fading, Lost(a), mode, n, between, Timer::Switch, &[down(a)]);
            row(fading, Lost(b), mode, n, At { at: a }, Timer::Off, &[]);
            row(joining, Due, mode, n, Both { at: b, old: a }, Timer::Off, &[up(b)]);
            row(joining, Lost(a), mode, n, between, Timer::Goes, &[down(a)]);
            row(joining, Lost(b), mode, n, At { at: a }, Timer::Off, &[]);
            row(both, Better(b), mode, n, Both { at: b, old: a }, Timer::Off, &[up(b)]);
            row(both, Lost(a), mode, n, At { at: b }, Timer::Off, &[down(a)]);
            row(both, Lost(b), mode, n, At { at: a }, Timer::Off, &[down(b)]);
        }
        let (at_a, fading) = (At { at: a }, Fading { at: a, next: b });
        let both = Both { at: a, old: c };
        let warned = [Warn { next: b }];
        row(at_a, Better(b), mode, Anticipation::Ahead, fading, Timer::Anticipation, &warned);
        let announced = [down(c), Warn { next: b }];
        row(both, Better(b), mode, Anticipation::Ahead, fading, Timer::Anticipation, &announced);
        let (after, first): (State, &[LinkChange]) = match mode {
            BreakBeforeMake => (Between { next: b }, &[down(a)]),
            MakeBeforeBreak => (Joining { at: a, next: b }, &[]),
        };
        row(at_a, Better(b), mode, Anticipation::None, after, Timer::Switch, first);
        let announced = [&[down(c)], first].concat();
        row(both, Better(b), mode, Anticipation::None, after, Timer::Switch, &announced);
        for n in ANTICIPATIONS {
            row(fading, Due, mode, n, after, Timer::Switch, first);
        }
    }
    rows
}

/// Each state over three access points, each event on each of them: what is not in the table above
/// cannot happen.
#[test]
fn the_table_is_whole() {
    let mut table = BTreeMap::new();
    for (a, b, c) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
        for (key, step) in expected(a, b, c) {
            let before = table.insert(format!("{key:?}"), step);
            assert!(before.is_none_or(|before| before == step), "{key:?} stands twice");
        }
    }
    let one = 0..3_u32;
    let two = || (0..3_u32).flat_map(|a| (0..3_u32).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let states = [Nowhere]
        .into_iter()
        .chain(one.clone().flat_map(|a| [Between { next: a }, At { at: a }]))
        .chain(two().flat_map(|(at, b)| {
            [Fading { at, next: b }, Joining { at, next: b }, Both { at, old: b }]
        }));
    let events: Vec<_> = [Event::Due]
        .into_iter()
        .chain(one.flat_map(|a| [Event::Found(a), Event::Better(a), Event::Lost(a)]))
        .collect();
    let mut count = 0;
    for state in states {
        for event in &events {
            for (mode, anticipation) in
                MODES.iter().flat_map(|m| ANTICIPATIONS.iter().map(move |n| (*m, *n)))
            {
                let key: Key = (state, *event, mode, anticipation);
                let expect = table.get(&format!("{key:?}")).copied();
                assert_eq!(state.after(*event, mode, anticipation), expect, "{key:?}");
                count += usize::from(expect.is_some());
            }
        }
    }
    assert_eq!(count, table.len(), "every row was met");
}

fn config(mode: Mode) -> Config {
    Config {
        mode,
        hysteresis_db: 3.0,
        time_to_trigger: Duration::from_millis(200),
        switch_time: Duration::from_millis(50),
        anticipation: None,
    }
}

/// Measures at each beacon of 100 ms and tells every change and its time in ms.
fn changes(config: Config, levels: &[&[f64]]) -> Vec<(u64, LinkChange)> {
    let mut handover = Handover::new(config, levels[0]);
    let mut changes = Vec::new();
    let mut poll = |handover: &mut Handover, millis| {
        while let Some(change) = handover.poll_output() {
            changes.push((millis, change));
        }
    };
    for (beacon, levels) in (0..).zip(levels) {
        while let Some(due) = handover.poll_timeout().filter(|due| *due <= at(beacon * 100)) {
            handover.handle_timeout(due);
            poll(&mut handover, due.as_nanos() / 1_000_000);
        }
        handover.measure(at(beacon * 100), levels);
        poll(&mut handover, beacon * 100);
    }
    changes
}

/// From the first to the second, and out of the first.
const WALK: [&[f64]; 9] = [
    &[-50.0, SILENT],
    &[-60.0, -70.0],
    &[-63.0, -60.0],
    &[-64.0, -60.0],
    &[-65.0, -60.0],
    &[-66.0, -60.0],
    &[-67.0, -60.0],
    &[SILENT, -60.0],
    &[SILENT, -60.0],
];

#[test]
fn break_before_make() {
    let expect = vec![(0, up(0)), (500, down(0)), (550, up(1))];
    assert_eq!(changes(config(BreakBeforeMake), &WALK), expect);
}

#[test]
fn make_before_break() {
    let expect = vec![(0, up(0)), (550, up(1)), (700, down(0))];
    assert_eq!(changes(config(MakeBeforeBreak), &WALK), expect);
}

#[test]
fn a_change_is_told_ahead() {
    let anticipation = Some(Duration::from_millis(120));
    let early = |mode| Config { anticipation, ..config(mode) };
    let next = Warn { next: 1 };
    let expect = vec![(0, up(0)), (500, next), (620, down(0)), (670, up(1))];
    assert_eq!(changes(early(BreakBeforeMake), &WALK), expect);
    let expect = vec![(0, up(0)), (500, next), (670, up(1)), (700, down(0))];
    assert_eq!(changes(early(MakeBeforeBreak), &WALK), expect);
    let long = Config { anticipation: Some(Duration::from_secs(1)), ..config(MakeBeforeBreak) };
    let expect = vec![(0, up(0)), (500, next), (700, down(0)), (750, up(1))];
    assert_eq!(changes(long, &[&WALK[..], &[WALK[8]]].concat()), expect, "cut short");
}

#[test]
fn a_short_peak_triggers_nothing() {
    let flat: [&[f64]; 7] = [
        &[-60.0, -60.0],
        &[-60.0, -55.0],
        &[-60.0, -55.0],
        &[-60.0, -60.0],
        &[-60.0, -55.0],
        &[-60.0, -55.0],
        &[-60.0, -60.0],
    ];
    assert_eq!(changes(config(BreakBeforeMake), &flat), [(0, up(0))], "the first of equals");
}

#[test]
fn out_of_all_range_and_back() {
    let gap: [&[f64]; 5] =
        [&[-60.0, SILENT], &[SILENT, SILENT], &[SILENT, SILENT], &[SILENT, -80.0], &[-60.0, -80.0]];
    let expect = vec![(0, up(0)), (100, down(0)), (350, up(1))];
    for mode in MODES {
        assert_eq!(changes(config(mode), &gap), expect);
    }
    let mut nobody = Handover::new(config(BreakBeforeMake), &[SILENT]);
    assert_eq!((nobody.poll_output(), nobody.poll_timeout()), (None, None));
    nobody.measure(at(0), &[SILENT]);
    assert!(nobody.is_settled());
}

/// In the overlap the next is joined as soon as it is heard, and the old one not gone back to.
#[test]
fn a_negative_hysteresis_joins_early() {
    let mut early = config(MakeBeforeBreak);
    (early.hysteresis_db, early.time_to_trigger) = (-100.0, Duration::ZERO);
    let expect = vec![(0, up(0)), (150, up(1)), (700, down(0))];
    assert_eq!(changes(early, &WALK), expect);
}

#[test]
fn back_to_the_old_one_of_two() {
    let mut quick = config(MakeBeforeBreak);
    quick.time_to_trigger = Duration::ZERO;
    let turn: [&[f64]; 6] = [
        &[-60.0, SILENT],
        &[-60.0, -50.0],
        &[-60.0, -50.0],
        &[-50.0, -60.0],
        &[-50.0, -60.0],
        &[-50.0, SILENT],
    ];
    let expect = vec![(0, up(0)), (150, up(1)), (300, up(0)), (500, down(1))];
    assert_eq!(changes(quick, &turn), expect);
}

fn any_config() -> impl Strategy<Value = Config> {
    let time = 0..300_u64;
    (any::<bool>(), 0..8_u32, time.clone(), time.clone(), prop::option::of(time)).prop_map(
        |(make, hysteresis, trigger, switch, anticipation)| Config {
            mode: if make { MakeBeforeBreak } else { BreakBeforeMake },
            hysteresis_db: f64::from(hysteresis),
            time_to_trigger: Duration::from_millis(trigger),
            switch_time: Duration::from_millis(switch),
            anticipation: anticipation.map(Duration::from_millis),
        },
    )
}

fn any_level() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(SILENT), 3 => (-80..-50_i32).prop_map(f64::from)]
}

proptest! {
    /// What is told is what is: links by `Up` and `Down` are the state's, none is to one that is
    /// not heard, a lone radio has one link and none for the switch time in between; and when
    /// levels rest the loudest is used in the end.
    #[test]
    fn laws(
        config in any_config(),
        levels in prop::collection::vec(prop::collection::vec(any_level(), 3), 1..60),
    ) {
        let mut handover = Handover::new(config, &levels[0]);
        let mut links: Vec<u32> = Vec::new();
        let (mut broken_at, mut warned_at) = (None, None);
        let last = levels.last().cloned().unwrap_or_default();
        let rest = std::iter::repeat_n(&last, 40);
        for (beacon, levels) in (0..).zip(levels.iter().chain(rest)) {
            let mut is_measured = false;
            while !is_measured {
                let due = handover.poll_timeout().filter(|due| *due <= at(beacon * 100));
                let now = due.unwrap_or(at(beacon * 100));
                if due.is_some() {
                    handover.handle_timeout(now);
                } else {
                    handover.measure(now, levels);
                    is_measured = true;
                }
                while let Some(change) = handover.poll_output() {
                    match change {
                        Up { access_point } => {
                            links.retain(|link| *link != access_point);
                            links.insert(0, access_point);
                            if let Some(broken_at) = broken_at.take()
                                && config.mode == BreakBeforeMake
                            {
                                prop_assert!(now - broken_at >= config.switch_time);
                            }
                        }
                        Down { access_point } => {
                            prop_assert!(links.contains(&access_point));
                            links.retain(|link| *link != access_point);
                            broken_at = links.is_empty().then_some(now);
                        }
                        Warn { next } => {
                            prop_assert!(!links.contains(&next) && links.len() == 1);
                            prop_assert!(config.anticipation.is_some());
                            warned_at = Some(now);
                        }
                    }
                }
                let announced: Vec<_> = handover.state().links().into_iter().flatten().collect();
                prop_assert_eq!(&announced, &links);
                let most = if config.mode == BreakBeforeMake { 1 } else { 2 };
                prop_assert!(links.len() <= most);
                if matches!(handover.state(), Fading { .. }) {
                    prop_assert!(warned_at.is_some());
                }
            }
            for link in &links {
                prop_assert!(levels[*link as usize] > SILENT, "no link to who is not heard");
            }
        }
        prop_assert!(handover.is_settled(), "{:?}", handover);
        let best = last.iter().copied().fold(SILENT, f64::max);
        match handover.state().links()[0] {
            Some(at) => prop_assert!(last[at as usize] + config.hysteresis_db >= best),
            None => prop_assert!(best.is_infinite()),
        }
    }
}
