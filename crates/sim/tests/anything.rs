//! One law over the whole: any scenario that ships, with any values of its keys, runs by the law or
//! is refused in one line.

use std::collections::BTreeMap;
use std::env;

use base::Stream;

#[path = "../../../fuzz/bodies/scenario/mod.rs"]
mod body;

use body::law::Verdict;
use body::{Case, Chance, judge};

/// Cases of a run of the tests: less than a minute of them.
const CASES: u64 = 600;

/// The seed of their chance. `ANYTHING_SEED` and `ANYTHING_CASES` ask for others.
const SEED: u64 = 1996;

impl Chance for Stream {
    fn below(&mut self, bound: u32) -> u32 {
        Self::below(self, bound)
    }
}

#[expect(clippy::disallowed_methods, reason = "a test is told which cases to draw")]
fn asked(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// Cases that lack one setting of `case` each.
fn smaller(case: &Case) -> impl Iterator<Item = Case> {
    (0..case.settings.len()).rev().map(|at| {
        let mut smaller = case.clone();
        smaller.settings.remove(at);
        smaller
    })
}

/// The smallest case, made of a broken one by leaving out settings, that breaks a law as well.
fn smallest(mut case: Case, mut told: String) -> (Case, String) {
    loop {
        let broken = |smaller: Case| judge(&smaller).err().map(|told| (smaller, told));
        let smaller = smaller(&case).find_map(broken);
        match smaller {
            Some(smaller) => (case, told) = smaller,
            None => return (case, told),
        }
    }
}

#[test]
fn anything_runs_by_the_law_or_is_refused() {
    let seed = asked("ANYTHING_SEED").unwrap_or(SEED);
    let cases = asked("ANYTHING_CASES").unwrap_or(CASES);
    println!("ANYTHING_SEED={seed} ANYTHING_CASES={cases}");
    let mut verdicts = BTreeMap::<Verdict, u64>::new();
    let mut broken = Vec::new();
    for number in 0..cases {
        let case = Case::draw(&mut Stream::named(seed, &format!("case {number}")));
        match judge(&case) {
            Ok(verdict) => *verdicts.entry(verdict).or_default() += 1,
            Err(told) => {
                let (case, told) = smallest(case, told);
                println!("{told}\n  {case}");
                broken.push(case);
            }
        }
    }
    println!("{verdicts:?}");
    assert!(broken.is_empty(), "{} of {cases} cases break the law with seed {seed}", broken.len());
    let ran = verdicts.get(&Verdict::Ran).copied().unwrap_or(0);
    assert!(4 * ran > 3 * cases, "too few of {cases} cases ran: {verdicts:?}");
}

/// Cases that broke the law once, a line each.
#[test]
fn what_broke_the_law_once_keeps_it() {
    for command in include_str!("broke_the_law.txt").lines() {
        let case: Case = command.parse().expect("it is the command of a run");
        assert_eq!(case.to_string(), command);
        assert_eq!(judge(&case).err(), None, "{case}");
    }
}
