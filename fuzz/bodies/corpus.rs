//! The inputs that fuzzing keeps (`fuzz/README.md`).

/// Hands all of a target to what it checks.
pub(crate) fn each(target: &str, check: impl Fn(&[u8])) {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("it can be listed").path();
        #[expect(clippy::disallowed_methods, reason = "a test reads what it replays")]
        let input = std::fs::read(&path).expect("it can be read");
        println!("{}", path.display());
        check(&input);
        inputs += 1;
    }
    assert!(inputs > 20);
}
