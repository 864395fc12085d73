//! `costs` counts all works; `costs NAME` does one, which is what valgrind looks at.

#![expect(clippy::disallowed_methods, reason = "a program reads its command line")]

use std::process::ExitCode;

use costs::{Figures, PROFILE, WORKS};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => or_fail(count_all().map(|_| ())),
        ["--write"] => or_fail(count_all().map(|figures| costs::write(&figures))),
        [name] if let Some(work) = WORKS.iter().find(|work| work.name == name) => {
            println!("{}", work.run());
            ExitCode::SUCCESS
        }
        _ => {
            let names: Vec<_> = WORKS.iter().map(|work| work.name).collect();
            eprintln!("costs: give nothing, --write, or one of: {}", names.join("; "));
            ExitCode::from(2)
        }
    }
}

fn or_fail(outcome: Result<(), String>) -> ExitCode {
    outcome.map_or_else(
        |why| {
            eprintln!("costs: {why}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

/// Prints what each work costs, and how far that is from the figure in the tree.
fn count_all() -> Result<Figures, String> {
    if let Some(reason) = costs::reason_to_skip() {
        return Err(reason);
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let before = costs::read().remove(PROFILE).unwrap_or_default();
    let mut after = Figures { rustc: costs::rustc(), ..Figures::default() };
    println!("{PROFILE}, rustc {}; figures by rustc {}", after.rustc, before.rustc);
    println!(
        "{:<16}{:>14}{:>9}{:>12}{:>12}  for each",
        "work", "instructions", "change", "D1 misses", "L2 misses"
    );
    for work in WORKS {
        let counts = costs::count(&program, work, &std::env::temp_dir());
        let counts = counts.map_err(|error| error.to_string())?;
        let change = before.works.get(work.name).map(|figure| costs::change(&counts, figure));
        let change = change.map_or_else(|| "new".to_owned(), |by| format!("{:+.1} %", 100.0 * by));
        println!(
            "{:<16}{:>14.0}{change:>9}{:>12.2}{:>12.3}  {}",
            work.name, counts.instructions, counts.d1_misses, counts.l2_misses, work.unit
        );
        after.works.insert(work.name.to_owned(), counts);
    }
    Ok(after)
}
