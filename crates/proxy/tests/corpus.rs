//! The inputs that fuzzing keeps (`fuzz/README.md`) through the very same code.

#[path = "../../../fuzz/bodies/proxy/mod.rs"]
mod body;

#[test]
fn every_input_of_the_corpus_passes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/proxy");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("it can be listed").path();
        #[expect(clippy::disallowed_methods, reason = "a test reads what it replays")]
        let input = std::fs::read(&path).expect("it can be read");
        println!("{}", path.display());
        body::check(&input);
        inputs += 1;
    }
    assert!(inputs > 20);
}
