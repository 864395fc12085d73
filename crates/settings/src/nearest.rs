//! What someone may have meant.

/// The candidate that begins with `given`, or else the one that is most like it; the first of
/// equals.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let begins = |candidate: &str| given.len() > 1 && candidate.starts_with(given);
    candidates.into_iter().min_by_key(|candidate| (!begins(candidate), distance(given, candidate)))
}

/// Edits between two dotted keys. The same last word in another table counts as one edit a level.
fn distance(given: &str, candidate: &str) -> usize {
    let (given_lower, candidate_lower) = (given.to_lowercase(), candidate.to_lowercase());
    let edits = strsim::damerau_levenshtein(&given_lower, &candidate_lower);
    let last = |key: &str| key.rsplit('.').next().map(str::to_owned);
    let levels = |key: &str| key.matches('.').count();
    if last(&given_lower) == last(&candidate_lower) {
        return edits.min(1 + levels(given).abs_diff(levels(candidate)));
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
    }
}
