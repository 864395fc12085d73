#![no_main]

#[path = "../bodies/frames.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|input: &[u8]| body::check(input));
