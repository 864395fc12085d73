//! What fuzzing keeps through the very same code.

#[path = "../../../fuzz/bodies/frames.rs"]
pub(crate) mod frames;
#[path = "../../../fuzz/bodies/corpus.rs"]
mod inputs;
#[path = "../../../fuzz/bodies/parse.rs"]
mod parse;

#[test]
fn every_input_of_the_corpus_passes() {
    inputs::each("frames", frames::check);
    inputs::each("parse", parse::check);
}
