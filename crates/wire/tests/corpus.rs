//! What fuzzing keeps through the very same code.

#[path = "../../../fuzz/bodies/parse.rs"]
mod body;
#[path = "../../../fuzz/bodies/corpus.rs"]
mod corpus;

#[test]
fn every_input_of_the_corpus_passes() {
    corpus::each("parse", body::check);
}
