//! What mobiles' radios use.

use base::{Direction, Duration, Energy, EnergyPerBit, Power, Time};
use mobility::motion::{Motion, Position};
use observe::RrcState;
use radio::umts::cell::{CellConfig, UmtsCells};
use radio::umts::rrc::FirstChannel;
use radio::umts::{Bearer, CellPower, DchConfig, DchPower};
use radio::{EnergyUse, StateUse};

use crate::cells::Facts;
use crate::support::network::{carry, network, ue};
use crate::support::{Packet, at, dch, feed, millis, rlc, traffic};

const STATES: [&str; 7] =
    ["idle", "connection-setup", "cell-pch", "ura-pch", "cell-fach", "dch-setup", "cell-dch"];

/// Powers of which each can be told from sums of the others.
fn powers() -> CellPower {
    let milliwatts = Power::from_milliwatts;
    CellPower {
        dch: DchPower {
            cell_dch: milliwatts(1_000_000),
            downlink: EnergyPerBit::from_nanojoules(3),
            uplink: EnergyPerBit::from_nanojoules(5),
        },
        idle: milliwatts(1),
        connection_setup: milliwatts(10),
        pch: milliwatts(100),
        cell_fach: milliwatts(1_000),
        dch_setup: milliwatts(10_000),
    }
}

/// The times of RRC states are those of the states that draw power; energy is what these draw and
/// what the blocks sent take; and facts tell the same as what is asked for at the end.
pub(crate) fn check_laws(cell: &UmtsCells<Packet>, config: &CellConfig, facts: &Facts, end: Time) {
    let whole = end.saturating_since(Time::ZERO);
    for (number, used) in (0_u32..).zip(cell.energy(end)) {
        let time = |names: &[&str]| {
            let times = used.states().iter().filter(|state| names.contains(&state.name));
            Duration::from_nanos(times.map(|state| state.time.as_nanos()).sum())
        };
        assert_eq!(time(&STATES), whole, "times add up to the run: {used:?}");
        let spent = |state| rrc_time(facts, number, state, end);
        assert_eq!(time(&["idle", "connection-setup"]), spent(RrcState::Idle));
        assert_eq!(time(&["cell-pch"]), spent(RrcState::CellPch));
        assert_eq!(time(&["ura-pch"]), spent(RrcState::UraPch));
        assert_eq!(time(&["cell-fach", "dch-setup"]), spent(RrcState::CellFach));
        assert_eq!(time(&["cell-dch"]), spent(RrcState::CellDch));
        let drawn: Energy = used.states().iter().map(|state| state.power * state.time).sum();
        let carried = Direction::BOTH.map(|direction| {
            let bytes = cell.counters(number, direction).bytes_sent;
            config.power.per_bit[direction as usize].of_bytes(bytes)
        });
        assert_eq!(used.total(), drawn + carried.into_iter().sum());
        check_facts(facts, number, &used, end);
    }
}

/// How long a mobile was in an RRC state, by what was told of that.
fn rrc_time(facts: &Facts, ue: u32, state: RrcState, end: Time) -> Duration {
    let (mut now, mut since, mut spent) = (RrcState::Idle, Time::ZERO, Duration::ZERO);
    for (time, fact) in facts.rrc.iter().filter(|(_, fact)| fact.ue == ue) {
        if now == state {
            spent += time.saturating_since(since);
        }
        (now, since) = (fact.to, *time);
    }
    if now == state { spent + end.saturating_since(since) } else { spent }
}

/// Between two facts a mobile is in the state of the first, and uses no less than that draws.
fn check_facts(facts: &Facts, mobile: u32, used: &EnergyUse, end: Time) {
    let mut spent = [Duration::ZERO; STATES.len()];
    let place = |name| STATES.iter().position(|state| *state == name).expect("it is one");
    let (mut state, mut since, mut before) = ("idle", Time::ZERO, Energy::ZERO);
    for (time, fact) in facts.power.iter().filter(|(_, fact)| fact.mobile == mobile) {
        assert_ne!(fact.state, state, "a change changes something");
        spent[place(state)] += time.saturating_since(since);
        let power = used.states()[place(state)].power;
        assert!(fact.energy >= before + power * time.saturating_since(since), "{fact:?}");
        (state, since, before) = (fact.state, *time, fact.energy);
    }
    spent[place(state)] += end.saturating_since(since);
    assert_eq!(used.states().iter().map(|state| state.time).collect::<Vec<_>>(), spent);
    assert_eq!(used.state().name, state);
}

fn one(first_channel: FirstChannel) -> CellConfig {
    let mut config = network(1, 0.0, vec![ue(0, Motion::resting(Position::new(100.0, 0.0)), 0.0)]);
    config.power = powers().model();
    config.rrc.first_channel = first_channel;
    config
}

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn of<'a>(used: &'a EnergyUse, name: &str) -> &'a StateUse {
    used.states().iter().find(|state| state.name == name).expect("there is such a state")
}

#[test]
fn an_idle_mobile_uses_idle_power() {
    let cell: UmtsCells<Packet> = UmtsCells::new(0, &one(FirstChannel::Shared), 1);
    assert_eq!(cell.poll_timeout(), None, "it is not charged bit by bit");
    let used = cell.energy(seconds(1_000_000)).next().expect("there is a mobile");
    assert_eq!(used.total(), Power::from_milliwatts(1) * Duration::from_secs(1_000_000));
    assert_eq!(used.total(), of(&used, "idle").energy);
}

/// A page of 20 kB: the connection is set up, dedicated channels are asked for, used, and left for
/// the shared ones, which are left in turn.
#[test]
fn a_page_leads_through_every_state() {
    let config = one(FirstChannel::Shared);
    let mut cell = UmtsCells::new(0, &config, 1);
    let page = (0..14)
        .map(|number| (seconds(10), 0, Direction::Downlink, Packet { number, bytes: 1_500 }));
    let mut facts = Facts::default();
    carry(&mut cell, &page.collect::<Vec<_>>(), seconds(60), &mut facts);
    let states: Vec<_> = facts.power.iter().map(|(_, fact)| fact.state).collect();
    let expect = ["connection-setup", "dch-setup", "cell-dch", "cell-fach", "cell-pch", "idle"];
    assert_eq!(states, expect);
    let used = cell.energy(seconds(60)).next().expect("there is a mobile");
    assert_eq!(of(&used, "connection-setup").time, config.rrc.setup_delay);
    assert_eq!(of(&used, "dch-setup").time, config.rrc.dch_delay);
    assert_eq!(of(&used, "cell-pch").time, Duration::from_secs(20), "its inactivity timer");
    check_laws(&cell, &config, &facts, seconds(60));
}

#[test]
fn what_is_watched_uses_the_same() {
    let config = one(FirstChannel::Dedicated);
    let offers: Vec<_> = traffic(1, 40, millis(900))
        .into_iter()
        .map(|(time, direction, packet)| (time, 0, direction, packet))
        .collect();
    let run = |is_watched| {
        let mut cell = UmtsCells::new(0, &config, 1);
        if is_watched {
            carry(&mut cell, &offers, seconds(60), &mut Facts::default());
        } else {
            carry(&mut cell, &offers, seconds(60), &mut ());
        }
        cell.energy(seconds(60)).collect::<Vec<_>>()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_bearer_of_its_own_is_always_on_dedicated_channels() {
    let power = powers().dch.model();
    let config = DchConfig { power, ..dch(0.1, rlc()) };
    let mut bearer = Bearer::new(0, &config, 1, "energy");
    feed(&mut bearer, &traffic(1, 50, millis(60)), at(Duration::from_secs(100)));
    let used = bearer.energy(seconds(200)).expect("it is known");
    let [state] = used.states() else { panic!("it has one state: {used:?}") };
    assert_eq!((state.name, state.time), ("cell-dch", Duration::from_secs(200)));
    let carried = Direction::BOTH.map(|direction| {
        power.per_bit[direction as usize].of_bytes(bearer.counters(direction).bytes_sent)
    });
    assert!(carried.into_iter().all(|energy| energy > Energy::ZERO));
    let drawn = power.states[0].unwrap_or_default() * Duration::from_secs(200);
    assert_eq!(used.total(), drawn + carried.into_iter().sum());
}
