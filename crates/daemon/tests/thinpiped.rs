//! The program `thinpiped`, which `cargo test` builds for these and for the live tests.

use std::path::Path;
use std::process::Command;

fn check(arguments: &[&str], status: i32, out: &str, err: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thinpiped"));
    let output = command.args(arguments).output().expect("the program starts");
    let [said, complained] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert_eq!((output.status.code(), &*said, &*complained), (Some(status), out, err));
}

#[test]
fn it_says_its_version() {
    check(&["--version"], 0, concat!("thinpiped ", env!("CARGO_PKG_VERSION"), "\n"), "");
}

#[test]
fn bad_input_is_one_line() {
    check(&[], 2, "", "thinpiped: --config FILE is missing; see --help\n");
    check(&["x"], 2, "", "thinpiped: \"x\": there is no such word; see --help\n");
    let absent = "thinpiped: no-such.toml: cannot be read: No such file or directory\n";
    check(&["--config", "no-such.toml", "--check"], 2, "", absent);
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.toml");
    std::fs::write(&file, "nonsense = 1\n").expect("the file can be written");
    let file = file.to_str().expect("a path of text");
    let expected = format!("thinpiped: {file}:1: nonsense: unknown key\n");
    check(&["--config", file, "--check"], 2, "", &expected);
}
