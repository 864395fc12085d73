//! Where a mobile is.

use base::{Duration, Time};

/// A place on the plane, in metres.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Position {
    /// East.
    pub x: f64,
    /// North.
    pub y: f64,
}

impl Position {
    /// The place `x` m east and `y` m north of the origin.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Metres to `other`.
    pub fn distance(self, other: Self) -> f64 {
        let (x, y) = (other.x - self.x, other.y - self.y);
        (x * x + y * y).sqrt()
    }
}

/// A straight leg to a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leg {
    /// Its end.
    pub to: Position,
    /// Metres a second, above zero.
    pub speed: f64,
    /// It rests before this leg until then; a time in the past has no effect.
    pub begins: Time,
}

impl Leg {
    /// A leg to `to` at `speed` m/s that begins where and when the one before it ends.
    pub const fn new(to: Position, speed: f64) -> Self {
        Self { to, speed, begins: Time::ZERO }
    }

    /// The same, not before `time`.
    #[must_use]
    pub const fn not_before(self, time: Time) -> Self {
        Self { begins: time, ..self }
    }
}

/// A walk along straight legs, with rests between them; at its end it rests or repeats. Finding a
/// position costs the same at any time.
#[derive(Clone, PartialEq, Debug)]
pub struct Motion {
    first: Position,
    /// When each leg begins, from where, and its velocity in m/s; in order of time.
    legs: Vec<(Time, Position, Position)>,
    /// The repetition of the last legs, if they repeat.
    round: Option<Round>,
}

/// Legs that repeat.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Round {
    /// When it first begins.
    since: Time,
    /// Above zero.
    takes: Duration,
}

impl Motion {
    /// Resting at `position`.
    pub const fn resting(position: Position) -> Self {
        Self { first: position, legs: Vec::new(), round: None }
    }

    /// From `position` at time 0 with a constant velocity in m/s along x and y.
    pub fn with_velocity(position: Position, velocity: Position) -> Self {
        let still = velocity == Position::default();
        let legs = if still { Vec::new() } else { vec![(Time::ZERO, position, velocity)] };
        Self { first: position, legs, round: None }
    }

    /// From `start` at time 0 along `legs`.
    ///
    /// # Panics
    /// If a speed is not above zero.
    pub fn along(start: Position, legs: &[Leg]) -> Self {
        let (mut now, mut from) = (Time::ZERO, start);
        let mut motion = Self::resting(start);
        for leg in legs {
            assert!(leg.speed > 0.0, "a leg is walked at a speed above zero, not {}", leg.speed);
            if leg.begins > now {
                motion.legs.push((now, from, Position::default()));
                now = leg.begins;
            }
            let distance = from.distance(leg.to);
            if distance == 0.0 {
                continue;
            }
            let share = leg.speed / distance;
            let velocity = Position::new((leg.to.x - from.x) * share, (leg.to.y - from.y) * share);
            motion.legs.push((now, from, velocity));
            now += Duration::from_secs_f64(distance / leg.speed);
            from = leg.to;
        }
        motion.legs.push((now, from, Position::default()));
        motion
    }

    /// From `start` at time 0 to the second of `ends`, then to the first and back for ever, at
    /// `speed` m/s.
    ///
    /// # Panics
    /// If the speed is not above zero.
    pub fn to_and_fro(start: Position, [one, other]: [Position; 2], speed: f64) -> Self {
        let mut motion = Self::along(start, &[other, one, other].map(|to| Leg::new(to, speed)));
        if let [.., (since, ..), _, (end, ..)] = *motion.legs.as_slice()
            && one != other
            && since < end
        {
            motion.legs.pop();
            motion.round = Some(Round { since, takes: end - since });
        }
        motion
    }

    /// True if it never moves.
    pub fn rests(&self) -> bool {
        self.legs.iter().all(|leg| leg.2 == Position::default())
    }

    /// When it moves next, at `time` or later; `None` if it rests from then on.
    pub fn next_move(&self, time: Time) -> Option<Time> {
        let first = self.first_time(time);
        let begun = self.legs.partition_point(|leg| leg.0 <= first);
        let moving = |leg: &&(Time, Position, Position)| leg.2 != Position::default();
        let next = self.legs[begun.saturating_sub(1)..].iter().find(moving)?;
        Some(next.0.max(time))
    }

    /// When its direction or speed changes before `end`, in order of time.
    pub fn bends(&self, end: Time) -> impl Iterator<Item = Time> {
        let first = || self.legs.iter().map(|leg| leg.0);
        let again = move |Round { since, takes }: Round| {
            let round = move |number| {
                first().filter(move |time| *time >= since).map(move |time| time + takes * number)
            };
            (1..).flat_map(round)
        };
        let again = self.round.into_iter().flat_map(again);
        first().chain(again).take_while(move |time| *time < end)
    }

    /// Where it is at `time`.
    pub fn at(&self, time: Time) -> Position {
        let time = self.first_time(time);
        let begun = self.legs.partition_point(|leg| leg.0 <= time);
        let Some((since, from, velocity)) = begun.checked_sub(1).map(|last| self.legs[last]) else {
            return self.first;
        };
        let seconds = time.saturating_since(since).as_secs_f64();
        Position::new(from.x + velocity.x * seconds, from.y + velocity.y * seconds)
    }

    /// When it first reached its position at `time`, on the same leg.
    fn first_time(&self, time: Time) -> Time {
        match self.round {
            Some(Round { since, takes }) if time > since => {
                since + Duration::from_nanos((time - since).as_nanos() % takes.as_nanos())
            }
            Some(_) | None => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(motion: &Motion, seconds: f64) -> (f64, f64) {
        let place = motion.at(Time::ZERO + Duration::from_secs_f64(seconds));
        (place.x, place.y)
    }

    #[test]
    fn legs_are_walked_at_their_speeds() {
        let legs = [
            Leg::new(Position::new(30.0, 40.0), 5.0),
            Leg::new(Position::new(30.0, 40.0), 9.0),
            Leg::new(Position::new(30.0, 0.0), 20.0),
        ];
        let motion = Motion::along(Position::default(), &legs);
        assert_eq!(at(&motion, 0.0), (0.0, 0.0));
        assert_eq!(at(&motion, 5.0), (15.0, 20.0));
        assert_eq!(at(&motion, 10.0), (30.0, 40.0));
        assert_eq!(at(&motion, 11.0), (30.0, 20.0));
        assert_eq!(at(&motion, 12.0), (30.0, 0.0));
        assert_eq!(at(&motion, 1e6), (30.0, 0.0), "it rests at its end");
        assert!(!motion.rests());
        assert!(Motion::resting(Position::new(1.0, 2.0)).rests());
        assert!(Motion::along(Position::default(), &[]).rests());
    }

    /// The walk of yew2012 §IV: at home until 5 s, at 100 m/s to the first cell, from 30 s on at
    /// 1 m/s to the second.
    #[test]
    fn legs_wait_for_their_time() {
        let second = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let legs = [
            Leg::new(Position::new(1000.0, 0.0), 100.0).not_before(second(5)),
            Leg::new(Position::new(1200.0, 0.0), 1.0).not_before(second(30)),
            Leg::new(Position::new(1300.0, 0.0), 1.0).not_before(second(30)),
        ];
        let motion = Motion::along(Position::default(), &legs);
        let table = [
            (0.0, 0.0),
            (5.0, 0.0),
            (6.0, 100.0),
            (15.0, 1000.0),
            (29.9, 1000.0),
            (31.0, 1001.0),
            (230.0, 1200.0),
            (231.0, 1201.0),
            (1000.0, 1300.0),
        ];
        for (seconds, x) in table {
            assert_eq!(at(&motion, seconds), (x, 0.0), "at {seconds} s");
        }
        assert!(!motion.rests());
        let next = |at| motion.next_move(second(at));
        assert_eq!(next(0), Some(second(5)));
        assert_eq!(next(5), Some(second(5)));
        assert_eq!(next(7), Some(second(7)), "it is on its way");
        assert_eq!(next(15), Some(second(30)));
        assert_eq!(next(240), Some(second(240)));
        assert_eq!(next(330), None, "it has arrived");
        let rest = Leg::new(Position::default(), 1.0).not_before(second(9));
        assert!(Motion::along(Position::default(), &[rest]).rests(), "a rest is no motion");
        assert_eq!(Motion::resting(Position::default()).next_move(Time::ZERO), None);
    }

    #[test]
    fn to_and_fro_is_for_ever() {
        let place = |x| Position::new(x, 0.0);
        let motion = Motion::to_and_fro(place(30.0), [place(0.0), place(40.0)], 2.0);
        // 5 s to the second end, then 20 s each way.
        for round in [0, 1, 1_000_000] {
            for (seconds, x) in [(5, 40.0), (15, 20.0), (25, 0.0), (30, 10.0), (44, 38.0)] {
                let seconds = f64::from(round) * 40.0 + f64::from(seconds);
                assert_eq!(at(&motion, seconds), (x, 0.0), "at {seconds} s");
            }
        }
        assert_eq!(at(&motion, 0.0), (30.0, 0.0));
        let second = |seconds| Time::ZERO + Duration::from_secs(seconds);
        assert_eq!(motion.next_move(second(4_000_000_007)), Some(second(4_000_000_007)));
        let bends: Vec<_> = motion.bends(second(100)).collect();
        assert_eq!(bends, [0, 5, 25, 45, 65, 85].map(second));
        assert!(!motion.rests());
        let nowhere = Motion::to_and_fro(place(3.0), [place(3.0); 2], 2.0);
        assert!(nowhere.rests());
        let nearly = Motion::to_and_fro(place(0.0), [place(0.0), place(1e-12)], 2.0);
        assert!(at(&nearly, 9.0).0 < 1e-9, "a round that takes no time");
    }

    #[test]
    fn a_velocity_is_for_ever() {
        let motion = Motion::with_velocity(Position::new(1.0, 2.0), Position::new(-3.0, 0.5));
        assert_eq!(at(&motion, 1000.0), (-2999.0, 502.0));
        let still = Motion::with_velocity(Position::new(1.0, 2.0), Position::default());
        assert!(still.rests());
        assert_eq!(at(&still, 7.0), (1.0, 2.0));
    }

    proptest! {
        /// Nobody is faster than the fastest leg: no jump at a corner.
        #[test]
        fn motion_is_continuous(
            corners in prop::collection::vec(
                (-1e3..1e3_f64, -1e3..1e3_f64, 0.1..50.0_f64, 0..2_000_u64), 0..6),
            moments in prop::collection::vec(0.0..2_000.0_f64, 2),
        ) {
            let leg = |&(x, y, speed, begins): &(f64, f64, f64, u64)| {
                let begins = Time::ZERO + Duration::from_secs(begins);
                Leg { to: Position::new(x, y), speed, begins }
            };
            let legs: Vec<Leg> = corners.iter().map(leg).collect();
            let motion = Motion::along(Position::default(), &legs);
            let fastest = legs.iter().map(|leg| leg.speed).fold(0.0, f64::max);
            let [a, b] = [moments[0], moments[1]]
                .map(|seconds| motion.at(Time::ZERO + Duration::from_secs_f64(seconds)));
            let walked = fastest * (moments[1] - moments[0]).abs();
            prop_assert!(a.distance(b) <= walked + 1e-3, "{a:?} {b:?} {walked}");
            let [one, other] = [moments[0].min(moments[1]), moments[0].max(moments[1])]
                .map(|seconds| Time::ZERO + Duration::from_secs_f64(seconds));
            if motion.next_move(one).is_none_or(|next| next > other) {
                prop_assert!(motion.at(one) == motion.at(other), "it moves before it says so");
            }
        }
    }
}
