// Break it: buttons that let something go wrong at the cursor, a line for each break with its
// sizes, and what became different. A break is part of the state, and so of the address.

import { short } from "./axes.js";
import { asText, ofPlace, placeOf } from "./controls.js";
import { button, named } from "./elements.js";
import { table } from "./tables.js";

const ARM = "b";
const UNDO = "u";
const NO_CURSOR = "Click on a picture or step to an event first: a break needs a time";
const STEPS = 5000;
const SHARE_OF_RUN = 50;

// Fills the bar and the table below the pictures, and returns what keeps them up to date.
export function breaks(bar, difference, lab) {
  const when = document.createElement("span");
  const kinds = document.createElement("span");
  kinds.className = "kinds";
  const undo = named(button("Undo the break", () => undoLast(lab)), "Undo the latest break (b u)");
  const segments = button("Segments", () => showSegments(lab));
  named(segments, "Show the segments of the time in view, or about the cursor");
  const without = checkbox("Compare with no middlebox", (isOn) => lab.change((state) => {
    state.without = isOn;
  }));
  const lines = document.createElement("div");
  lines.className = "lines";
  bar.replaceChildren(when, kinds, undo, segments, without, lines);
  for (const each of [undo, segments, without]) each.hidden = true;
  let shown = { possible: [], done: [] };
  let rows = [];
  const add = (kind) => lab.change((state) => {
    state.breaks.push({ name: kind.name, at_s: rounded(lab.time), sizes: {} });
  });
  const point = (cursor) => {
    const none = cursor === null;
    when.textContent = none ? "Break it:" : `Break it at ${short(cursor)} s:`;
    for (const made of kinds.children) {
      made.disabled = none;
      made.title = none ? NO_CURSOR : made.dataset.title;
    }
  };
  const fill = () => {
    undo.hidden = !lab.state.breaks.length;
    const made = lab.state.breaks;
    const asked = JSON.stringify([made.map(({ name, at_s }) => [name, at_s]), shown.possible]);
    if (lines.dataset.asked !== asked) {
      lines.dataset.asked = asked;
      rows = made.map((each, number) => line(lab, shown, each, number));
      lines.replaceChildren(...rows.map(({ element }) => element));
    }
    rows.forEach((row, number) => row.show(made[number].sizes));
  };
  listen(lab, () => shown.possible, add);
  return {
    point,
    fail: () => { if (lab.state) fill(); },
    update: (answer) => {
      shown = answer.breaks;
      kinds.replaceChildren(...shown.possible.map((kind) => kindButton(kind, () => add(kind))));
      if (!shown.possible.length) kinds.textContent = "nothing of it can happen in this scenario";
      point(lab.time.cursor);
      fill();
      shown.done.forEach((each, number) => say(lines.children[number], each));
      segments.hidden = !answer.offered.some(({ name }) => name === "sequence");
      without.hidden = !(answer.middlebox || lab.state.without);
      without.querySelector("input").checked = lab.state.without;
      difference.replaceChildren(...compared(answer));
    },
  };
}

function kindButton(kind, onClick) {
  const made = button(kind.title, onClick);
  made.dataset.break = kind.name;
  made.dataset.title = `${kind.title} at the cursor (${ARM} ${kind.letter})`;
  return made;
}

// The time of the cursor, as exact as the pictures are.
function rounded({ cursor, span }) {
  const places = Math.ceil(-Math.log10((span[1] - span[0]) / STEPS));
  return Number(cursor.toFixed(Math.max(0, Math.min(9, places))));
}

function undoLast(lab) {
  lab.change((state) => { state.breaks.pop(); });
}

// Opens the panel of segments for what is in view, or for a short time about the cursor.
function showSegments(lab) {
  const { time, answer } = lab;
  lab.change((state) => {
    const open = answer.offered.filter((each) => each.open).map((each) => each.name);
    state.panels = [...new Set([...open, "sequence"])];
    if (!state.span && time.cursor !== null) {
      const half = time.duration / SHARE_OF_RUN / 2;
      const from = Math.max(0, Math.min(time.cursor - half, time.duration - 2 * half));
      state.span = [from, from + 2 * half];
    }
  });
}

// A line for a break: what it is, a slider for each of its sizes, and a button that takes it back.
// `show` lets the sliders show other sizes.
function line(lab, { possible }, each, number) {
  const element = document.createElement("div");
  element.className = "break";
  const kind = possible.find(({ name }) => name === each.name);
  const what = document.createElement("span");
  what.textContent = `${kind ? kind.title : each.name} at ${short(each.at_s)} s`;
  element.append(what);
  const sliders = (kind ? kind.sizes : []).map((size) => slider(lab, kind, size, number));
  element.append(...sliders.map(({ label }) => label));
  const gone = button("×", () => lab.change((state) => { state.breaks.splice(number, 1); }));
  element.append(named(gone, `Take back: ${what.textContent}`));
  const show = (sizes) => sliders.forEach((each) => each.show(sizes));
  return { element, show };
}

// A slider for a size of a break; one that is held shows its size already.
function slider(lab, kind, size, number) {
  const control = { from: size.least, to: size.most, unit: size.unit, log: true };
  const label = document.createElement("label");
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: 0, max: 1000, step: 1 });
  const text = document.createElement("output");
  const tell = (now) => {
    text.textContent = asText(control, now);
    range.setAttribute("aria-valuetext", asText(control, now));
  };
  range.setAttribute("aria-label", `${kind.title} ${number + 1}: ${size.name}`);
  const changed = (isDone) => {
    const now = Number(ofPlace(control, Number(range.value)).toPrecision(3));
    tell(now);
    const what = `break ${number} ${size.name}`;
    lab.change((state) => { state.breaks[number].sizes[size.name] = now; }, isDone, what);
  };
  range.addEventListener("input", () => changed(false));
  range.addEventListener("change", () => changed(true));
  label.append(`${size.title} `, range, text);
  const show = (sizes) => {
    const value = sizes[size.name] ?? size.value;
    if (text.textContent === asText(control, value)) return;
    range.value = placeOf(control, value);
    tell(value);
  };
  return { label, show };
}

function say(element, { said }) {
  if (element) element.firstChild.textContent = said;
}

// b and then a letter: the break that has it, or u to undo the latest.
function listen(lab, possible, add) {
  let isArmed = false;
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input:not([type=range]), select, textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!isArmed) {
      isArmed = event.key === ARM;
      const keys = possible().map(({ letter, title }) => `${letter} ${title.toLowerCase()}`);
      if (isArmed) lab.say(`${ARM} and then: ${[...keys, `${UNDO} undo`].join(", ")}`);
      return;
    }
    if (event.key === "Shift") return;
    isArmed = false;
    event.stopPropagation();
    event.preventDefault();
    const kind = possible().find(({ letter }) => letter === event.key);
    if (event.key === UNDO && lab.state.breaks.length) undoLast(lab);
    else if (kind && lab.time.cursor !== null) add(kind);
    else lab.say(kind ? NO_CURSOR : "");
  }, true);
}

function checkbox(text, onChange) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.addEventListener("change", () => onChange(box.checked));
  label.append(box, ` ${text}`);
  return label;
}

const MEASURES = [
  { name: "goodput_bps", title: "Goodput (kbit/s)", factor: 1e-3, relative: true },
  { name: "p95_delay_s", title: "Delay, 95th percentile (s)", relative: true },
  { name: "timeouts", title: "Timeouts" },
  { name: "retransmits", title: "Retransmissions" },
  { name: "completed_s", title: "Completed (s)" },
];

// Returns the table of what differs between each variant and its ghosts; nothing without any.
function compared({ runs }) {
  const ghosts = runs.filter((run) => run.ghost);
  if (!ghosts.length) return [];
  const section = document.createElement("section");
  const heading = document.createElement("h2");
  heading.textContent = "The difference";
  const rows = ghosts.map((ghost) => {
    const run = runs.find((each) => !each.ghost && each.number === ghost.number);
    const names = `${ghost.name} → ${run.name}`;
    return [names, ...MEASURES.map((measure) => change(measure, ghost, run))];
  });
  const columns = ["", ...MEASURES.map(({ title }) => title)];
  section.append(heading, table({ columns, rows }, "What differs"));
  return [section];
}

function change({ name, factor = 1, relative = false }, { [name]: was }, { [name]: is }) {
  if (was === is && was === null) return "–";
  const text = [was, is].map((each) => short(each === null ? null : each * factor)).join(" → ");
  if (!relative || !was || is === null || was === is) return text;
  const percent = Math.round(100 * (is / was - 1));
  return `${text} (${percent < 0 ? "−" : "+"}${Math.abs(percent)} %)`;
}
