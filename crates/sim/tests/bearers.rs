//! Packets that have a bearer of their own.

use crate::unequal_mobiles::{run, shipped};

/// The milliseconds that 95 % of the datagrams or probes of the second flow keep to, and the kbit/s
/// of the first.
fn voice_and_download(name: &str, listed: &str, settings: &[(&str, &str)]) -> [f64; 2] {
    let outcome = run(&format!("{}{listed}", shipped(name)), settings);
    let [download, voice] = [0, 1].map(|place| &outcome.summary.flows[place]);
    let delays = voice.probe_s.as_deref().unwrap_or(&voice.network.delay_s);
    let delay = delays.p95.expect("they arrive");
    [delay * 1e3, download.goodput_bps.expect("it is measured") / 1e3]
}

/// In a bearer of its own a call keeps to 40 ms beside a download that fills the queue, which loses
/// nothing by that; without a code point it waits there.
#[test]
fn a_call_does_not_wait_for_a_download() {
    let bearer = "\n[[radio.bearer]]\nname = 'voice'\n";
    let group = "\n[[flow.group]]\nname = 'voice'\napplication = 'udp'\ndscp = 46\n\
                 udp.rate = '64 kbit/s'\nudp.payload = '160 B'\n";
    let of_nr = format!("{group}{bearer}");
    for (name, listed) in [("lte-voice", ""), ("nr-tdd-100", &*of_nr)] {
        let duration = ("duration", "10 s");
        let [own, beside] = voice_and_download(name, listed, &[duration]);
        let none = ("flow.group.voice.dscp", "0");
        let [shared, alone] = voice_and_download(name, listed, &[duration, none]);
        assert!(own < 40.0 && shared > 2.0 * own, "{name}: {own} and {shared} ms");
        assert!((beside / alone - 1.0).abs() < 0.01, "{name}: {beside} and {alone} kbit/s");
    }
}

/// A box that splits connections copies the code point: what it sends on has the same bearer.
#[test]
fn a_box_leaves_a_connection_its_bearer() {
    let group = "\n[[flow.group]]\nname = 'voice'\napplication = 'probe'\ndscp = 46\n\
                 probe.least = '100 ms'\nprobe.most = '200 ms'\n\
                 \n[middlebox]\nkind = 'split'\n";
    let longest = |code| {
        let settings = [("duration", "10 s"), ("flow.group.voice.dscp", code)];
        let bearer = "\n[[radio.bearer]]\nname = 'voice'\nmode = 'am'\n";
        voice_and_download("lte-cat4", &format!("{group}{bearer}"), &settings)[0]
    };
    let [own, shared] = ["46", "0"].map(longest);
    assert!(own < 60.0 && shared > 2.0 * own, "{own} and {shared} ms");
}
