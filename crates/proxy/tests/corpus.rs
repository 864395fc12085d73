//! What fuzzing keeps through the very same code.

#[path = "../../../fuzz/bodies/proxy/mod.rs"]
pub(super) mod body;
#[path = "../../../fuzz/bodies/corpus.rs"]
mod inputs;

#[test]
fn every_input_of_the_corpus_passes() {
    inputs::each("proxy", body::check);
}
