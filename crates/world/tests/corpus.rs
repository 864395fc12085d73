//! What fuzzing keeps through the very same code.

#[path = "../../../fuzz/bodies/world.rs"]
mod body;
#[path = "../../../fuzz/bodies/corpus.rs"]
mod corpus;

#[test]
fn every_input_of_the_corpus_passes() {
    corpus::each("world", body::check);
}
