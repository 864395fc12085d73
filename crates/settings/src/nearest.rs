//! What someone may have meant.

/// The candidate that begins with `given`, or else the one that is most like it, if no more than
/// every second letter differs; the first of equals.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase();
    let mut best: Option<((bool, usize), &str)> = None;
    for candidate in candidates {
        let is_other = given.len() <= 1 || !candidate.starts_with(given);
        // Most candidates are out by their length.
        let is_out = |least: usize| best.is_some_and(|(rank, _)| rank <= (is_other, least));
        if is_out(least_distance(&lower, candidate)) {
            continue;
        }
        let rank = (is_other, distance(&lower, candidate));
        if best.is_none_or(|(before, _)| rank < before) {
            best = Some((rank, candidate));
        }
    }
    best.filter(|((is_other, edits), _)| !is_other || 2 * edits <= given.chars().count())
        .map(|(_, candidate)| candidate)
}

/// Edits between two dotted keys, of which the first is in lower case. The same last word in
/// another table counts as one edit a level.
fn distance(given: &str, candidate: &str) -> usize {
    let candidate = candidate.to_lowercase();
    let edits = strsim::damerau_levenshtein(given, &candidate);
    let levels = |key: &str| key.matches('.').count();
    if last(given) == last(&candidate) {
        return edits.min(1 + levels(given).abs_diff(levels(&candidate)));
    }
    edits
}

/// What that is at least.
fn least_distance(given: &str, candidate: &str) -> usize {
    if last(given).eq_ignore_ascii_case(last(candidate)) || !candidate.is_ascii() {
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

    use super::{distance, nearest};

    #[test]
    fn a_slip_of_the_pen_or_the_wrong_table() {
        let keys = ["seed", "tcp.mss", "tcp.window", "radio.rlc.window", "radio.tbler"];
        let check = |given, expect| assert_eq!(nearest(given, keys), Some(expect), "{given}");
        check("tcp.windw", "tcp.window");
        check("TCP.MSS", "tcp.mss");
        check("tbler", "radio.tbler");
        check("rlc.window", "tcp.window");
        check("sede", "seed");
        check("radio.t", "radio.tbler");
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
                (!begins, distance(&given.to_lowercase(), candidate))
            };
            let candidates = || candidates.iter().map(String::as_str);
            let best = candidates().min_by_key(rank).filter(|best| {
                let (is_other, edits) = rank(best);
                !is_other || 2 * edits <= given.chars().count()
            });
            prop_assert_eq!(nearest(&given, candidates()), best);
        }
    }
}
