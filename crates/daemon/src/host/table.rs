//! The routing table of the proxy: to its device, or to nowhere.

use serde_json::Value;

use os::SetupError;
use os::iproute::{self, Family};

/// The metric of a route of last resort (networking/vrf.rst of the kernel's documentation).
const LAST: u32 = 4_278_198_272;

/// `unreachable` as a number (`RTN_UNREACHABLE` of linux/rtnetlink.h).
const UNREACHABLE: &str = "7";

/// The default destination of either family.
const fn everywhere(family: Family) -> &'static str {
    match family {
        Family::V4 => "0.0.0.0/0",
        Family::V6 => "::/0",
    }
}

/// Routes `table` to `device`.
pub(super) fn route(table: u32, device: &str, families: &[Family]) -> Result<(), SetupError> {
    change("replace", table, families, |all| format!("{all} dev {device}"))
}

/// Takes the routes to `device` away.
pub(super) fn unroute(table: u32, device: &str, families: &[Family]) -> Result<(), SetupError> {
    change("delete", table, families, |all| format!("{all} dev {device}"))
}

/// Rejects packets that no other route of `table` takes.
pub(super) fn refuse(table: u32, families: &[Family]) -> Result<(), SetupError> {
    change("replace", table, families, last)
}

/// Removes the route that [`refuse`] made, which must be there.
pub(super) fn refuse_no_more(table: u32, families: &[Family]) -> Result<(), SetupError> {
    change("delete", table, families, last)
}

fn last(all: &str) -> String {
    format!("unreachable {all} metric {LAST}")
}

/// Changes the default `route`, for each of `families`.
fn change(
    verb: &str,
    table: u32,
    families: &[Family],
    route: impl Fn(&str) -> String,
) -> Result<(), SetupError> {
    let line = |family: &Family| {
        let route = route(everywhere(*family));
        format!("route {verb} {route} table {table}")
    };
    iproute::batch(&families.iter().map(line).collect::<Vec<_>>())
}

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Contents {
    /// Routes such as [`refuse`] makes.
    pub(super) refusals: usize,
    /// Routes to the proxy's device.
    pub(super) own: usize,
    /// All others.
    pub(super) foreign: usize,
}

/// What there is in `table`.
pub(super) fn contents(table: u32, device: &str, family: Family) -> Result<Contents, SetupError> {
    let table = table.to_string();
    match iproute::list(&["-N", family.option(), "route", "show", "table", &table]) {
        Ok(routes) => Ok(count(&routes, device)),
        // A table without routes is none.
        Err(trouble) if trouble.to_string().contains("table does not exist") => {
            Ok(Contents::default())
        }
        Err(trouble) => Err(trouble),
    }
}

fn count(routes: &[Value], device: &str) -> Contents {
    let mut contents = Contents::default();
    for route in routes {
        let is_refusal = route["type"] == UNREACHABLE && route["metric"] == LAST;
        let place = match (is_refusal, route["dev"] == device) {
            (true, _) => &mut contents.refusals,
            (false, true) => &mut contents.own,
            (false, false) => &mut contents.foreign,
        };
        *place += 1;
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_told_from_theirs() {
        let routes = serde_json::from_str::<Vec<Value>>(
            r#"[{"dst":"default","dev":"thinpipe0","scope":"253","flags":[]},
                {"type":"7","dst":"default","metric":4278198272,"flags":[]},
                {"type":"7","dst":"10.0.0.0/8","flags":[]},
                {"dst":"10.1.0.0/16","dev":"eth0","flags":[]}]"#,
        );
        let contents = count(&routes.expect("JSON"), "thinpipe0");
        assert_eq!(contents, Contents { refusals: 1, own: 1, foreign: 2 });
        assert_eq!(count(&[], "thinpipe0"), Contents::default());
    }
}
