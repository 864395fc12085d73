//! What someone may have meant.

/// The candidate that begins with `given`, or else the one that is most like it, if no more than
/// every second letter differs; the first of equals. A dotted key that ends in the same word as
/// `given` is more like it than any that does not.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    let mut best: Option<((bool, bool, usize), &str)> = None;
    for candidate in candidates {
        let is_other = given.len() <= 1 || !candidate.starts_with(given);
        let ends_otherwise = !last(&lower).eq_ignore_ascii_case(last(candidate));
        // Most candidates are out by their length.
        let least = if ends_otherwise { least_distance(&lower, candidate) } else { 0 };
        let is_out = |rank| best.is_some_and(|(before, _)| before <= rank);
        if is_out((is_other, ends_otherwise, least)) {
            continue;
        }
        let rank = (is_other, ends_otherwise, distance(&lower, candidate));
        if best.is_none_or(|(before, _)| rank < before) {
            best = Some((rank, candidate));
        }
    }
    best.filter(|((is_other, _, edits), _)| !is_other || 2 * edits <= given.chars().count())
        .map(|(_, candidate)| candidate)
}

/// Edits between two dotted keys, of which the first is in lower case. Where both end in the same
/// word, a word more, less or in the place of another counts as one.
fn distance(given: &str, candidate: &str) -> usize {
    let candidate = candidate.to_lowercase();
    let edits = strsim::damerau_levenshtein(given, &candidate);
    if last(given) != last(&candidate) {
        return edits;
    }
    let [given, candidate] = [given, &candidate].map(|key| key.split('.').collect::<Vec<_>>());
    edits.min(strsim::generic_levenshtein(&given, &candidate))
}

/// What that is at least, of keys that end otherwise.
fn least_distance(given: &str, candidate: &str) -> usize {
    if !candidate.is_ascii() {
        return 0;
    }
    given.chars().count().abs_diff(candidate.len())
}

fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{distance, last, nearest};

    #[test]
    fn a_slip_of_the_pen_or_the_wrong_table() {
        let keys = [
            "seed",
            "tcp.mss",
            "tcp.window",
            "radio.rlc.window",
            "radio.tbler",
            "radio.nr",
            "radio.downlink.snr",
            "radio.uplink.snr",
        ];
        let check = |given, expect| assert_eq!(nearest(given, keys), Some(expect), "{given}");
        check("tcp.windw", "tcp.window");
        check("TCP.MSS", "tcp.mss");
        check("tbler", "radio.tbler");
        check("rlc.window", "tcp.window");
        check("sede", "seed");
        check("radio.t", "radio.tbler");
        check("radio.snr", "radio.downlink.snr");
        check("tcp.reno.window", "tcp.window");
        assert_eq!(nearest("x", []), None);
        assert_eq!(nearest("xyzzy", keys), None);
    }

    proptest! {
        #[test]
        fn none_is_nearer(
            given in "[a-cA-Cä.]{0,6}",
            candidates in prop::collection::vec("[a-cA-Cä.]{0,6}", 0..8),
        ) {
            let rank = |candidate: &&str| {
                let begins = given.len() > 1 && candidate.starts_with(&given);
                let lower = given.to_lowercase();
                let ends_otherwise = !last(&lower).eq_ignore_ascii_case(last(candidate));
                (!begins, ends_otherwise, distance(&lower, candidate))
            };
            let candidates = || candidates.iter().map(String::as_str);
            let best = candidates().min_by_key(rank).filter(|best| {
                let (is_other, _, edits) = rank(best);
                !is_other || 2 * edits <= given.chars().count()
            });
            prop_assert_eq!(nearest(&given, candidates()), best);
        }
    }
}
