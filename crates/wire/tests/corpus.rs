//! What fuzzing keeps through the very same code.

#[path = "../../../fuzz/bodies/parse.rs"]
mod body;
#[path = "../../../fuzz/bodies/corpus.rs"]
mod inputs;

#[test]
fn every_input_of_the_corpus_passes() {
    inputs::each("parse", body::check);
}
