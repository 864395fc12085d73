// The groups of flows: those of the scenario and those that the page makes, each with its keys.

import { search } from "./controls.js";
import { button, folded } from "./elements.js";

const PREFIX = "flow.group.";
const PATTERN = "flow.group.NAME.";
const NAME = /^[A-Za-z0-9_-]+$/;
const USUAL = ["tcp.variant", "tcp.profile", "count", "application", "delay"];
const NOT_OFFERED = ["name"];

// Returns the group of a key and what follows its name; null if the key is none of a group.
export function partsOf(key) {
  const found = /^flow\.group\.([^.]+)\.(.+)$/.exec(key);
  return found && { name: found[1], rest: found[2] };
}

// Returns the key as it is documented for groups of any name.
export function patternOf(key) {
  const parts = partsOf(key);
  return parts ? PATTERN + parts.rest : key;
}

// Returns the sections of all groups, and what makes another one.
export function groupSections(lab) {
  const own = namesIn(lab.scenario.keys);
  const names = new Set([...own, ...namesIn(allSet(lab.state))]);
  const sections = [...names].map((name) => section(lab, name, own.has(name)));
  const heading = document.createElement("h2");
  heading.textContent = "Groups of flows";
  return [heading, ...sections, adder(lab, names)];
}

function allSet({ set, variants }) {
  return [set, ...variants].flatMap(Object.keys);
}

function namesIn(keys) {
  return new Set(keys.map(partsOf).filter(Boolean).map(({ name }) => name));
}

function section(lab, name, isOwn) {
  const prefix = `${PREFIX}${name}.`;
  const given = [...lab.scenario.keys, ...Object.keys(lab.state.set)]
    .filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const rests = [...new Set([...USUAL, ...given])].filter((rest) => !NOT_OFFERED.includes(rest));
  const isGone = lab.state.set[`${prefix}count`] === "0";
  const rows = isGone ? [] : rests.map((rest) => lab.settingRow(prefix + rest));
  const made = folded(isGone ? `${name} (removed)` : name, ...rows);
  made.open = true;
  made.dataset.group = name;
  const keys = lab.catalogue.keys.filter(({ key }) => key.startsWith(PATTERN))
    .map((each) => ({ ...each, key: prefix + each.key.slice(PATTERN.length) }));
  const others = search(keys, (key) => {
    if (!made.querySelector(`[data-key="${CSS.escape(key)}"]`)) {
      others.before(lab.settingRow(key));
    }
    document.getElementById(`setting-${key}`)?.focus();
  }, { id: `key-search-${name}`, label: `Another key of ${name}` });
  const gone = button(isGone ? "Bring back" : "Remove", () => {
    lab.changeGroups((state) => {
      for (const settings of [state.set, ...state.variants]) forget(settings, prefix);
      if (isOwn && !isGone) state.set[`${prefix}count`] = "0";
    });
  });
  gone.setAttribute("aria-label", `${gone.textContent} ${name}`);
  made.append(...(isGone ? [gone] : [others, gone]));
  return made;
}

function forget(settings, prefix) {
  for (const key of Object.keys(settings)) if (key.startsWith(prefix)) delete settings[key];
}

// A field for a name, and a button. A first group would take the place of a [flow] that says
// nothing of its own: it then says how many flows it has.
function adder(lab, names) {
  const form = document.createElement("form");
  form.className = "row";
  const field = document.createElement("input");
  Object.assign(field, { type: "text", id: "group-name", placeholder: "name", required: true });
  field.spellcheck = false;
  field.setAttribute("aria-label", "Name of another group");
  const check = () => field.setCustomValidity(
    names.has(field.value) ? `There is a group ${field.value}`
      : NAME.test(field.value) ? "" : "A name has letters, digits, - and _",
  );
  field.addEventListener("input", check);
  const add = document.createElement("button");
  add.textContent = "Add a group";
  add.id = "add-group";
  form.append(field, add);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    lab.changeGroups((state) => {
      if (!names.size) state.set["flow.count"] ??= lab.scenario.values["flow.count"];
      state.set[`${PREFIX}${field.value}.count`] = "1";
    });
  });
  return form;
}
