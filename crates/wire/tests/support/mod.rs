//! What Wireshark says.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::thread;

/// One row of `fields` a packet, or `None` without tshark, which is said past the test harness:
/// `scripts/test.py` counts it.
pub(crate) fn tshark(capture: &[u8], fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("{}-{:?}.pcapng", std::process::id(), thread::current().id());
    let path = folder.join(name);
    std::fs::write(&path, capture).expect("the target folder is there");
    let output = Command::new("tshark")
        .arg("-r")
        .arg(&path)
        .args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"])
        .args(["-o", "udp.check_checksum:TRUE"])
        .args(["-o", "tcp.relative_sequence_numbers:FALSE"])
        .args(["-T", "fields", "-E", "separator=|"])
        .args(fields.iter().flat_map(|field| ["-e", field]))
        .output();
    std::fs::remove_file(&path).expect("just written");
    let output = match output {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let test = thread::current();
            let name = test.name().expect("a test has one");
            writeln!(io::stderr(), "skipped: {name}: needs tshark").expect("standard error");
            return None;
        }
        other => other.expect("tshark can be run"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("tshark prints UTF-8");
    Some(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}
