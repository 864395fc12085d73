//! Runs every script in `tests/scripts` at the repository's root; its README has the syntax.
#![expect(clippy::disallowed_methods, reason = "the scripts are files")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::script;

#[test]
fn every_script_tells_the_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scripts");
    let files = scripts_below(&root);
    assert!(files.len() > 20, "found only {} scripts", files.len());
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix(&root).unwrap_or(file).display().to_string();
            let text = fs::read_to_string(file).expect("a readable script");
            script::run(&text).err().map(|failure| format!("tests/scripts/{name}:{failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

/// The runner itself must see a script that lies.
#[test]
fn a_script_that_lies_fails() {
    let check = |story: &str, expect: &str| {
        let text = format!("# One\n# two\n# three\nestablished rtt=0.1\n{story}\n");
        let failure = script::run(&text).expect_err(story);
        assert!(failure.contains(expect), "{story}: {failure}");
    };
    check("0 write 500\n+0 > P. 1:500(499) ack 1", "6: expected");
    check("0 write 500\n+0.1 > P. 1:501(500) ack 1", "6: it left at 0");
    check("0 write 500", "unexpected");
    check("0 > . 1:1(0) ack 1", "5: nothing left");
    check("0 ? cwnd 3", "5: cwnd is 2, not 3");
    check("0 frobnicate", "5: no such command");
    check("x", "5: no such time");
    assert!(script::run("# One\nset mss=1\n").is_err(), "three lines of intent are a must");
}

fn scripts_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of scripts") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(scripts_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "script") {
            found.push(path);
        }
    }
    found.sort();
    found
}
