//! What was recorded.

use proptest::prelude::*;
use radio::satellite::Recording;

fn check(text: &str, expect: &str) {
    assert_eq!(Recording::parse(text.as_bytes()).expect_err("refused"), expect, "{text:?}");
}

#[test]
fn good_files() {
    for text in [
        "time_s,rtt_ms\n0,30\n15,45.5\n",
        "time_s,rtt_ms\n15,45.5",
        "# of a terminal\r\n\"time_s\",\"rtt_ms\"\r\n0,30\r\n\r\n0,31\r\n",
        "UP_kbps, Time_ms, RTT_s, down_bps\n100, 5, 0.03, 0\n",
        "\u{feff}time_s,rtt_s,down_mbps,up_mbps\n0,0,1e3,0.5\n",
    ] {
        assert!(Recording::parse(text.as_bytes()).is_ok(), "{text:?}");
    }
}

#[test]
fn bad_files_are_one_line() {
    const NOTHING: &str = "has no line with a time: expected a header, such as \
                           time_s,rtt_ms,down_mbps,up_mbps, and lines of numbers";
    check("", NOTHING);
    check("time_s,rtt_ms\n", NOTHING);
    check(
        "time_s,rtt_ms,loss\n",
        "line 1: unknown column \"loss\": expected time_s, time_ms, rtt_s, rtt_ms, down_bps, \
         down_kbps, down_mbps, up_bps, up_kbps, up_mbps",
    );
    check("# what\n0,30\n", &NO_HEADER.replace("line 1", "line 2"));
    check("0,30\n", NO_HEADER);
    check("time_s,time_ms,rtt_s\n", "line 1: two columns of time");
    check("time_s,up_mbps\n", "line 1: no column of rtt, such as rtt_ms");
    check("rtt_s\n", "line 1: no column of time, such as time_s");
    check("time_s,rtt_ms\n0,30\n1\n", "line 3: 1 values: expected 2, as in the header");
    check("time_s,rtt_ms\n0,30\n\n1,1,1\n", "line 4: 3 values: expected 2, as in the header");
    check("time_s,rtt_ms\n0,-3\n", "line 2: rtt_ms \"-3\": expected a number from 0 to 1000000");
    check("time_s,rtt_ms\n0,nan\n", "line 2: rtt_ms \"nan\": expected a number from 0 to 1000000");
    check("time_s,rtt_s\n0,1001\n", "line 2: rtt_s \"1001\": expected a number from 0 to 1000");
    check(
        "time_s,rtt_ms,up_mbps\n0,1,inf\n",
        "line 2: up_mbps \"inf\": expected a number from 0 to 1000000",
    );
    check(
        "time_s,rtt_ms\n0,30\n2,30\n1,30\n",
        "line 4: before the line above it: times must not go back",
    );
    let long = format!("{}\n", "x".repeat(1000));
    let error = Recording::parse(long.as_bytes()).expect_err("refused");
    assert!(error.starts_with(&format!("line 1: unknown column \"{}\"…: ", "x".repeat(30))));
    let error = Recording::parse(b"time_s,rtt_ms\n0,30\n\xff,3\n");
    assert_eq!(error.expect_err("refused"), "line 3: no text of UTF-8");
}

const NO_HEADER: &str = "line 1: unknown column \"0\": expected time_s, time_ms, rtt_s, rtt_ms, \
                         down_bps, down_kbps, down_mbps, up_bps, up_kbps, up_mbps";

proptest! {
    /// Whatever a file holds, there is a recording or one line about it.
    #[test]
    fn any_file_is_read_or_refused(
        rest in prop::collection::vec(prop::sample::select(b"0123.,-e\"\n\r# \xff".to_vec()), 0..60)
    ) {
        let text = [b"time_s,rtt_ms,down_mbps\n", rest.as_slice()].concat();
        let error = Recording::parse(&text).err().unwrap_or_default();
        prop_assert!(!error.contains(['\n', '\r']), "{error:?}");
    }
}
