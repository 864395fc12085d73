// Each finished run of a scenario as a dot: goodput over 95 % delay; a slider that is dragged makes
// one where it stays. A dot brings its state back. What is kept goes with the tab. Delays fall to
// the right, as `thinpipe plot --kind scatter` has them.

import { Scale, short, tickText, ticks } from "./axes.js";
import { palette } from "./colours.js";
import { fresh, toAddress } from "./state.js";
import { button } from "./elements.js";

const STORE = "thinpipe-lab-runs";
const MOST = 200;
const HEIGHT = 260;
const EDGE = { left: 62, right: 18, top: 12, bottom: 44 };
const SVG = "http://www.w3.org/2000/svg";

export class Scatter {
  constructor(element, lab) {
    this.lab = lab;
    this.dots = kept();
    this.rows = rowsOf(lab.catalogue);
    this.chosen = 0;
    this.heading = document.createElement("h2");
    this.heading.textContent = "Runs so far";
    this.clearing = button("Forget the runs", () => {
      this.dots = this.dots.filter(({ scenario }) => scenario !== lab.state?.scenario);
      this.keep();
      this.draw();
    });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "group");
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.said = document.createElement("p");
    this.said.className = "legend";
    const head = document.createElement("div");
    head.className = "head";
    head.append(this.heading, this.clearing);
    element.append(head, this.svg, this.said);
    new ResizeObserver(() => this.draw()).observe(element);
  }

  // Takes in the runs of an answer to a state.
  add(answer, state) {
    const address = toAddress(state);
    const runs = answer.runs.filter((run) => !run.ghost);
    const placed = runs.filter((run) => run.goodput_bps !== null && run.p95_delay_s !== null);
    this.isUnplaced = placed.length < runs.length;
    for (const run of placed) {
      const key = identity(state, run.number);
      this.dots = this.dots.filter((dot) => dot.key !== key);
      this.dots.push({
        key, address, run: run.number, goodput_bps: run.goodput_bps, p95_delay_s: run.p95_delay_s,
        scenario: state.scenario, label: run.name,
      });
    }
    this.dots = this.dots.slice(-MOST);
    this.now = new Set(answer.runs.map((run) => identity(state, run.number)));
    this.keep();
    this.draw();
  }

  keep() {
    try {
      sessionStorage.setItem(STORE, JSON.stringify(this.dots));
    } catch {
      // Without a place to keep them they last as long as the page.
    }
  }

  // Those of the scenario that the page shows: others do not compare.
  get all() {
    const here = this.lab.state?.scenario;
    return [...this.rows, ...this.dots].filter(({ scenario }) => scenario === here);
  }

  draw() {
    const colours = palette();
    const width = Math.max(240, Math.floor(this.svg.parentElement.clientWidth) - 22);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", HEIGHT);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const all = this.all;
    this.svg.setAttribute("aria-label", `Goodput over 95 % delay of ${all.length} runs; `
      + "arrow keys go from run to run, Enter brings one back");
    const hadFocus = this.svg.contains(document.activeElement);
    this.clearing.disabled = !all.some(({ key }) => key !== null);
    const unplaced = this.isUnplaced
      ? " A run whose delay nobody measures, such as one behind a split, has no dot."
      : "";
    if (!all.length) {
      this.svg.replaceChildren();
      this.said.textContent = `Each finished run of the scenario becomes a dot here.${unplaced}`;
      return;
    }
    const scales = scalesOf(all, width);
    this.order = all.map((_, index) => index)
      .sort((a, b) => scales.x.at(all[a].p95_delay_s) - scales.x.at(all[b].p95_delay_s));
    this.shown = all;
    this.chosen = Math.min(this.chosen, all.length - 1);
    this.marks = all.map((dot, index) => this.mark(dot, index, scales, colours));
    this.svg.replaceChildren(...axes(scales, colours), ...this.marks);
    this.said.replaceChildren(...legend(all, colours), unplaced);
    if (hadFocus) this.marks[this.chosen].focus();
  }

  mark(dot, index, { x, y }, colours) {
    const isRow = dot.key === null;
    const colour = colours.runs[dot.run % colours.runs.length];
    const made = shape("circle", {
      cx: x.at(dot.p95_delay_s), cy: y.at(dot.goodput_bps / 1000),
      r: this.now?.has(dot.key) ? 7 : 5, fill: isRow ? colours.paper : colour, stroke: colour,
      "stroke-width": isRow ? 1.5 : 1, "fill-opacity": isRow ? 0.2 : 0.75, role: "button",
      tabindex: index === this.chosen ? 0 : -1, class: "dot",
    });
    const text = `${dot.label}: ${short(dot.goodput_bps / 1000)} kbit/s, `
      + `95 % of delays within ${short(dot.p95_delay_s)} s`;
    made.setAttribute("aria-label", text);
    const tip = shape("title", {});
    tip.textContent = text;
    made.append(tip);
    made.addEventListener("click", () => {
      this.focus(index);
      this.lab.restore(`#${dot.address}`);
    });
    return made;
  }

  focus(index) {
    this.marks[this.chosen]?.setAttribute("tabindex", -1);
    this.chosen = index;
    this.marks[index].setAttribute("tabindex", 0);
    this.marks[index].focus();
  }

  press(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const place = this.order.indexOf(this.chosen) + step;
      this.focus(this.order[(place + this.order.length) % this.order.length]);
    } else if (event.key === "Enter" || event.key === " ") {
      this.lab.restore(`#${this.shown[this.chosen].address}`);
    } else {
      return;
    }
    event.preventDefault();
  }
}

// Returns what makes a run what it is: what is looked at does not.
function identity({ scenario, set, variants, breaks }, number) {
  const settings = Object.entries({ ...set, ...variants[number] }).sort();
  return JSON.stringify([scenario, settings, breaks]);
}

function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) ? found.filter(isDot).slice(-MOST) : [];
  } catch {
    return [];
  }
}

function isDot(dot) {
  return typeof dot?.address === "string" && typeof dot.key === "string"
    && typeof dot.scenario === "string" && Number.isInteger(dot.run)
    && Number.isFinite(dot.goodput_bps) && Number.isFinite(dot.p95_delay_s);
}

// Returns the runs of an opened sweep, coloured by the first key that has a few values.
function rowsOf({ rows, first }) {
  const keys = rows.length ? Object.keys(rows[0].settings).filter((key) => key !== "seed") : [];
  const values = (key) => [...new Set(rows.map((row) => row.settings[key]))];
  const by = keys.find((key) => values(key).length > 1 && values(key).length <= 4);
  const groups = by ? values(by) : [];
  return rows.map(({ settings, goodput_bps, p95_delay_s }) => {
    const pairs = Object.entries(settings).map(([key, text]) => `${key}=${text}`);
    const run = by ? groups.indexOf(settings[by]) : 0;
    return {
      key: null, address: toAddress({ ...fresh(first), set: settings }), run, goodput_bps,
      p95_delay_s, scenario: first, label: pairs.join(" "),
      group: by ? `${by}=${settings[by]}` : first,
    };
  });
}

function scalesOf(dots, width) {
  const across = ends(dots.map((dot) => dot.p95_delay_s));
  const up = ends(dots.map((dot) => dot.goodput_bps / 1000));
  return {
    x: new Scale(across[1], across[0], EDGE.left, width - EDGE.right),
    y: new Scale(up[0], up[1], HEIGHT - EDGE.bottom, EDGE.top),
  };
}

// Returns the ends of an axis: a little beyond all values, and not below zero.
function ends(values) {
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const beyond = 0.08 * (most - least) || 0.1 * most || 1;
  return [Math.max(0, least - beyond), most + beyond];
}

function axes({ x, y }, colours) {
  const made = [];
  const across = ticks(x.to, x.from, (x.end - x.start) / 80);
  const up = ticks(y.from, y.to, (y.start - y.end) / 40);
  for (const each of across) {
    made.push(line(x.at(each), y.start, x.at(each), y.end, colours.grid));
    const text = tickText(each, across[1] - across[0]);
    made.push(word(text, x.at(each), y.start + 15, "middle", colours.faint));
  }
  for (const each of up) {
    made.push(line(x.start, y.at(each), x.end, y.at(each), colours.grid));
    const text = tickText(each, up[1] - up[0]);
    made.push(word(text, x.start - 6, y.at(each) + 4, "end", colours.faint));
  }
  const middle = (y.start + y.end) / 2;
  const upwards = word("Goodput (kbit/s)", 0, 0, "middle", colours.ink);
  upwards.setAttribute("transform", `translate(14 ${middle}) rotate(-90)`);
  const name = "95 % delay (s), less to the right";
  made.push(word(name, (x.start + x.end) / 2, y.start + 34, "middle", colours.ink), upwards);
  return made;
}

function legend(all, colours) {
  const found = new Map();
  const rows = all.filter(({ key }) => key === null);
  const dots = all.filter(({ key }) => key !== null);
  for (const { group, run } of rows) found.set(`○ ${group}`, colours.runs[run]);
  for (const run of [...new Set(dots.map((dot) => dot.run))].sort()) {
    found.set(`● variant ${run + 1}`, colours.runs[run]);
  }
  return [...found].map(([text, colour]) => {
    const item = document.createElement("span");
    const mark = document.createElement("b");
    mark.style.color = colour;
    mark.textContent = `${text[0]} `;
    item.append(mark, text.slice(2));
    return item;
  });
}

function line(x1, y1, x2, y2, stroke) {
  return shape("line", { x1, y1, x2, y2, stroke });
}

function word(text, x, y, anchor, fill) {
  const made = shape("text", { x, y, "text-anchor": anchor, fill, "font-size": 11 });
  made.textContent = text;
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
