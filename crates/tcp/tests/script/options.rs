//! Options as tcpdump writes them: `mss 1000, wscale 3, sackOK, TS val 1 ecr 2, sack 1:2,5:6`; the
//! `AccECN` options as `ecn0 1 0 1` and `ecn1 1 0 1`.

use base::{EcnBytes, EcnOrder, Options, SackBlocks, Seq, Timestamps};

use super::segment::number;

/// The options of a line, without its brackets.
pub(crate) fn parse(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = text.split([',', ' ']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        match word {
            "mss" => options.mss = Some(number(words.next().unwrap_or_default())?),
            "wscale" => options.window_scale = Some(number(words.next().unwrap_or_default())?),
            "sackOK" => options.sack_permitted = true,
            "TS" => {
                let [val, value, ecr, echo] = [(); 4].map(|()| words.next().unwrap_or_default());
                if (val, ecr) != ("val", "ecr") {
                    return Err("timestamps are written TS val N ecr N".into());
                }
                let (value, echo) = (number(value)?, number(echo)?);
                options.timestamps = Some(Timestamps { value, echo });
            }
            "sack" => {
                while let Some((left, right)) = words.peek().and_then(|word| word.split_once(':')) {
                    options.sack.push(Seq::new(number(left)?), Seq::new(number(right)?));
                    words.next();
                }
            }
            "ecn0" | "ecn1" => {
                let order = if word == "ecn0" { EcnOrder::Ect0First } else { EcnOrder::Ect1First };
                let mut counts = Vec::new();
                while let Some(count) = words.peek().and_then(|word| word.parse().ok()) {
                    counts.push(count);
                    words.next();
                }
                let fields = counts.len() as u8;
                counts.resize(3, 0);
                let [first, marked, last] = counts[..] else {
                    return Err("an AccECN option has at most three counts".into());
                };
                options.ecn_bytes = Some(EcnBytes::new(order, fields, [first, marked, last]));
            }
            other => return Err(format!("no such option: {other}")),
        }
    }
    Ok(options)
}

/// The same options with blocks that count from `isn`.
pub(crate) fn counted_from(isn: Seq, options: Options) -> Options {
    let mut sack = SackBlocks::NONE;
    for [left, right] in options.sack.as_slice() {
        sack.push(isn + left.to_u32(), isn + right.to_u32());
    }
    Options { sack, ..options }
}

/// As a line would have them.
pub(crate) fn show(isn: Seq, options: &Options) -> String {
    let blocks: Vec<String> = options
        .sack
        .as_slice()
        .iter()
        .map(|&[left, right]| format!("{}:{}", left - isn, right - isn))
        .collect();
    let shown = [
        options.mss.map(|mss| format!("mss {mss}")),
        options.window_scale.map(|scale| format!("wscale {scale}")),
        options.sack_permitted.then(|| "sackOK".to_owned()),
        options.timestamps.map(|clocks| format!("TS val {} ecr {}", clocks.value, clocks.echo)),
        (!blocks.is_empty()).then(|| format!("sack {}", blocks.join(","))),
        options.ecn_bytes.as_ref().map(show_ecn_bytes),
    ];
    shown.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn show_ecn_bytes(option: &EcnBytes) -> String {
    let name = match option.order {
        EcnOrder::Ect0First => "ecn0",
        EcnOrder::Ect1First => "ecn1",
    };
    let counts = (0..3).filter_map(|place| option.count(place)).map(|count| format!(" {count}"));
    format!("{name}{}", counts.collect::<String>())
}
