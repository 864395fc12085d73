// Up to four variants of the scenario, each with a colour, and the seed that they share.

import { palette } from "./colours.js";
import { button } from "./elements.js";
import { MOST_VARIANTS } from "./state.js";

const MOST_SEED = 2 ** 31;
const ALGORITHM = "tcp.variant";

// Returns the rows: one for each variant, and one for the seed.
export function variantRows(lab) {
  const heading = document.createElement("h2");
  heading.textContent = "Variants";
  const rows = lab.state.variants.map((variant, number) => variantRow(lab, variant, number));
  const more = button("Add a variant", () => lab.change((state) => {
    state.variants.push({ ...state.variants[state.variants.length - 1] });
  }));
  more.id = "add-variant";
  more.disabled = lab.state.variants.length >= MOST_VARIANTS;
  return [heading, ...rows, more, seedRow(lab)];
}

function variantRow(lab, variant, number) {
  const element = document.createElement("div");
  element.className = "variant";
  const swatch = document.createElement("i");
  swatch.style.background = palette().runs[number];
  const focus = document.createElement("input");
  Object.assign(focus, { type: "radio", name: "focus", checked: lab.state.focus === number });
  focus.setAttribute("aria-label", `Focus on variant ${number + 1}`);
  focus.addEventListener("change", () => lab.change((state) => { state.focus = number; }));
  const field = document.createElement("input");
  field.type = "text";
  field.spellcheck = false;
  field.placeholder = "radio.tbler=5%, …";
  field.setAttribute("aria-label", `Other settings of variant ${number + 1}`);
  const others = Object.entries(variant).filter(([key]) => key !== ALGORITHM);
  field.value = others.map(([key, text]) => `${key}=${text}`).join(", ");
  field.addEventListener("change", () => lab.change((state) => {
    const kept = ALGORITHM in variant ? { [ALGORITHM]: variant[ALGORITHM] } : {};
    state.variants[number] = { ...kept, ...settingsOf(field.value) };
  }));
  const gone = button("×", () => lab.change((state) => {
    state.variants.splice(number, 1);
    state.focus = 0;
  }));
  gone.setAttribute("aria-label", `Remove variant ${number + 1}`);
  gone.disabled = lab.state.variants.length === 1;
  element.append(swatch, focus, algorithm(lab, variant, number), field, gone);
  return element;
}

// Most variants differ in their congestion control: a choice of its own.
function algorithm(lab, variant, number) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", `TCP variant of variant ${number + 1}`);
  const given = lab.state.set[ALGORITHM] ?? lab.scenario.values[ALGORITHM];
  const words = new Set([...lab.control(ALGORITHM).words, given, variant[ALGORITHM]]);
  for (const word of words) if (word) select.append(new Option(word, word));
  select.value = variant[ALGORITHM] ?? given;
  select.addEventListener("change", () => {
    lab.change((state) => { state.variants[number][ALGORITHM] = select.value; });
  });
  return select;
}

// Reads `KEY=VALUE, KEY=VALUE`; a comma within a value stays where no key follows. What has no `=`
// is a key without a value: the server says what is wrong with it.
export function settingsOf(text) {
  const settings = {};
  for (const part of text.split(/,\s*(?=[\w.-]+\s*=)/)) {
    const equals = part.indexOf("=");
    const [key, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    if (key.trim()) settings[key.trim()] = value.trim();
  }
  return settings;
}

function seedRow(lab) {
  const element = document.createElement("div");
  element.className = "setting";
  const label = document.createElement("label");
  label.textContent = "seed";
  label.htmlFor = "seed";
  const field = document.createElement("input");
  Object.assign(field, { type: "number", id: "seed", min: 0, step: 1 });
  field.value = lab.state.set.seed ?? lab.scenario.seed;
  const set = (seed) => lab.change((state) => { state.set.seed = String(seed); });
  field.addEventListener("change", () => set(field.value));
  const dice = button("⚄", () => set(Math.floor(Math.random() * MOST_SEED)));
  dice.setAttribute("aria-label", "Another seed by chance");
  dice.id = "dice";
  element.append(label, field, dice);
  return element;
}
