// The numbers of each run, as `thinpipe run` prints them.

import { folded } from "./elements.js";

const MOST_ROWS = 12;

export function tables({ runs }) {
  return runs.filter((run) => !run.ghost).map((run) => {
    const section = document.createElement("section");
    section.dataset.run = run.number;
    const heading = document.createElement("h2");
    heading.textContent = run.name;
    const footer = document.createElement("p");
    footer.textContent = run.footer;
    const hints = run.hints.map((hint) => {
      const line = document.createElement("p");
      line.textContent = `Hint: ${hint}`;
      return line;
    });
    section.append(heading, ...run.tables.map((each) => table(each)), footer, ...hints);
    return section;
  });
}

// Returns a table that scrolls where it is too wide, folded away if it is long.
export function table({ columns, rows }, label = "Numbers of the run") {
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", label);
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const column of columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = column;
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const cell of row) line.insertCell().textContent = cell;
  }
  scroll.append(made);
  return rows.length > MOST_ROWS ? folded(`${rows.length} rows`, scroll) : scroll;
}
