#![no_main]

#[path = "../bodies/scenario/mod.rs"]
mod body;

use body::{Case, Chance, judge};

/// What an input holds, and zeros after its end.
struct Input<'a>(&'a [u8]);

impl Chance for Input<'_> {
    fn below(&mut self, bound: u32) -> u32 {
        let (word, rest) = self.0.split_at(self.0.len().min(4));
        self.0 = rest;
        let draw = word.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        ((draw * u64::from(bound)) >> 32) as u32
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let case = Case::draw(&mut Input(input));
    if let Err(told) = judge(&case) {
        panic!("{told}\n  {case}");
    }
});
