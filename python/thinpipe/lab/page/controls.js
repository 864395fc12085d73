// The settings of a scenario: a slider, a choice or a field for each key that matters,
// any other key by search. What a control offers comes from the server, which has it from the key.

import { folded } from "./elements.js";

const SEARCHED = 8;

const PLACES = 1000;
const UNITS = {
  s: [["ms", 1e-3], ["s", 1]],
  "bit/s": [["bit/s", 1], ["kbit/s", 1e3], ["Mbit/s", 1e6], ["Gbit/s", 1e9]],
  B: [["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9]],
  "%": [["%", 0.01]],
};
const READ = {
  ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, min: 60,
  "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
  B: 1, kB: 1e3, KiB: 1024, MB: 1e6, MiB: 1048576, GB: 1e9, "%": 0.01,
};

// Returns the number that a slider's place stands for, in the base unit.
export function ofPlace({ from, to, log, whole }, place) {
  const share = place / PLACES;
  const value = log ? from * (to / from) ** share : from + (to - from) * share;
  return whole ? Math.round(value) : value;
}

// Returns the place of a number.
export function placeOf({ from, to, log }, value) {
  const share = log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  return Math.round(PLACES * Math.max(0, Math.min(1, share)));
}

// Returns a number in the base unit as a setting, with three digits that count.
export function asText({ unit, whole }, value) {
  const units = UNITS[unit];
  if (!units) {
    const plain = whole ? value : Number(value.toPrecision(3));
    return unit ? `${plain} ${unit}` : String(plain);
  }
  const [name, scale] = units.findLast(([, each]) => value >= each) ?? units[0];
  const number = Number((value / scale).toPrecision(3));
  return `${number} ${name}`;
}

// Returns the number of a setting in the base unit; not a number if it is a word.
export function asNumber(text) {
  const found = /^\s*([-+\d.e_]+)\s*(\S*)\s*$/i.exec(text);
  if (!found) return NaN;
  return Number(found[1].replaceAll("_", "")) * (found[2] ? READ[found[2]] ?? 1 : 1);
}

// Returns a row for a key. `onChange(text, isDone)` is called while it is dragged and at the end.
export function row(control, text, onChange) {
  const element = document.createElement("div");
  element.className = "setting";
  element.dataset.key = control.key;
  const label = document.createElement("label");
  const id = `setting-${control.key}`;
  label.htmlFor = id;
  label.textContent = control.label ?? control.key;
  label.title = `${control.doc} Takes ${control.expected}.`;
  element.append(label);
  const field = document.createElement("input");
  field.type = "text";
  field.value = text;
  field.spellcheck = false;
  field.addEventListener("change", () => onChange(field.value.trim(), true));
  if (control.kind === "choice") {
    element.append(choice(control, id, text, onChange));
  } else if (control.kind === "range") {
    element.append(slider(control, id, text, field, onChange));
    field.setAttribute("aria-label", `${control.key}, as text`);
    element.append(field);
    if (control.words.length) element.append(words(id, control.words, field));
  } else {
    field.id = id;
    element.append(field);
  }
  return element;
}

// The words that a field takes in the place of a number.
function words(id, offered, field) {
  const list = document.createElement("datalist");
  list.id = `${id}-words`;
  list.append(...offered.map((word) => new Option(word, word)));
  field.setAttribute("list", list.id);
  return list;
}

function choice(control, id, text, onChange) {
  const select = document.createElement("select");
  select.id = id;
  for (const word of new Set([...control.words, text])) {
    select.append(new Option(word, word, false, word === text));
  }
  select.addEventListener("change", () => onChange(select.value, true));
  return select;
}

function slider(control, id, text, field, onChange) {
  const range = document.createElement("input");
  Object.assign(range, { type: "range", id, min: 0, max: PLACES, step: 1 });
  const show = (now) => {
    const number = asNumber(now);
    if (Number.isFinite(number)) range.value = placeOf(control, number);
    range.setAttribute("aria-valuetext", now);
  };
  show(text);
  const changed = (isDone) => {
    const now = asText(control, ofPlace(control, Number(range.value)));
    field.value = now;
    range.setAttribute("aria-valuetext", now);
    onChange(now, isDone);
  };
  range.addEventListener("input", () => changed(false));
  range.addEventListener("change", () => changed(true));
  field.addEventListener("change", () => show(field.value));
  return range;
}

// Returns the rows of keys in groups, a table of the scenario each. What is deep in a table is
// folded away, unless it is `isSet`.
export function grouped(keys, rowOf, isSet) {
  const tables = new Map();
  for (const key of keys) {
    const name = key.includes(".") ? key.split(".")[0] : "";
    tables.set(name, [...(tables.get(name) ?? []), key]);
  }
  return [...tables].map(([name, members]) => {
    const isNear = (key) => key.split(".").length < 3 || NEAR.test(key) || isSet(key);
    const near = members.filter(isNear).map(rowOf);
    const deep = members.filter((key) => !isNear(key)).map(rowOf);
    if (!name) return fragment(near);
    const group = folded(`[${name}]`, ...near);
    group.open = near.length > 0;
    if (deep.length) group.append(folded(`${deep.length} more of [${name}]`, ...deep));
    return group;
  });
}

// Rates and delays matter wherever they stand.
const NEAR = /\.(rate|delay)$/;

function fragment(rows) {
  const element = document.createElement("div");
  element.append(...rows);
  return element;
}

// Returns a field that finds other keys by name or meaning, and calls `onChosen(key)`.
export function search(keys, onChosen, { id = "key-search", label: said = "Another key" } = {}) {
  const element = document.createElement("div");
  element.className = "search";
  const label = document.createElement("label");
  label.textContent = said;
  const field = document.createElement("input");
  Object.assign(field, { type: "search", placeholder: "min_rto, jitter, …", id });
  label.htmlFor = field.id;
  const found = document.createElement("ul");
  element.append(label, field, found);
  field.addEventListener("input", () => {
    const word = field.value.trim().toLowerCase();
    const has = (key) => key.key.toLowerCase().includes(word);
    const means = (key) => key.doc.toLowerCase().includes(word);
    const others = keys.filter((key) => !has(key) && means(key));
    const hits = word ? [...keys.filter(has), ...others] : [];
    found.replaceChildren(...hits.slice(0, SEARCHED).map((key) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = key.key;
      button.title = key.doc;
      button.addEventListener("click", () => {
        field.value = "";
        found.replaceChildren();
        onChosen(key.key);
      });
      const meaning = document.createElement("span");
      meaning.textContent = key.doc.split(". ")[0];
      item.append(button, meaning);
      return item;
    }));
  });
  return element;
}
