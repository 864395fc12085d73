//! Tables of comma-separated values.

/// A line of a table: its number, from 1, and what stands in its cells, without spaces and quotes.
pub(crate) type Line<'a> = (usize, Vec<&'a str>);

/// The lines of `text`, but for those that are empty or begin with `#`, which are comments.
///
/// # Errors
/// Each line that is no text.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = Result<Line<'_>, String>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    (1..).zip(text.split(|&byte| byte == b'\n')).filter_map(|(number, line)| {
        let Ok(line) = str::from_utf8(line) else {
            return Some(Err(in_line(number)("no text of UTF-8".to_owned())));
        };
        let line = line.trim();
        let is_of_table = !line.is_empty() && !line.starts_with('#');
        is_of_table.then(|| Ok((number, line.split(',').map(bare).collect())))
    })
}

/// Says of a message in which line that is.
pub(crate) fn in_line(number: usize) -> impl Fn(String) -> String + Copy {
    move |what| format!("line {number}: {what}")
}

/// Refuses a line that has more or fewer `cells` than its `header`.
pub(crate) fn check_width<T>(cells: &[&str], header: &[T]) -> Result<(), String> {
    let (given, wanted) = (cells.len(), header.len());
    if given == wanted {
        return Ok(());
    }
    Err(format!("{given} values: expected {wanted}, as in the header"))
}

/// What is said of a line whose time is before that of the line above it.
pub(crate) const BACKWARDS: &str = "before the line above it: times must not go back";

/// What a cell has, cut where it is long.
pub(crate) fn short(text: &str) -> String {
    let most = 30;
    let cut: String = text.chars().take(most).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{cut:?}{more}")
}

/// What stands in a cell, without spaces and quotes.
fn bare(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell)
}
