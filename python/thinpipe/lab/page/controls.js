// The settings of a scenario: a slider, a choice, a switch or a field for each key that matters,
// any other key by search. What a control offers comes from the server, which has it from the key.

const SEARCHED = 8;

// Returns the number that a slider's place stands for, and the place of a number.
export function ofPlace(control, place) {
  const { from, to, log, whole } = control;
  const share = place / 1000;
  const value = log ? from * (to / from) ** share : from + (to - from) * share;
  return whole ? Math.round(value) : Number(value.toPrecision(3));
}

export function placeOf(control, value) {
  const { from, to, log } = control;
  const share = log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  return Math.round(1000 * Math.max(0, Math.min(1, share)));
}

// Returns a slider's number as a setting.
export function asText(control, value) {
  return control.unit ? `${value} ${control.unit}` : String(value);
}

// Returns a row for a key. `onChange(text, isDone)` is called while it is dragged and at the end.
export function row(control, text, onChange) {
  const element = document.createElement("div");
  element.className = "setting";
  element.dataset.key = control.key;
  const label = document.createElement("label");
  const id = `setting-${control.key}`;
  label.htmlFor = id;
  label.textContent = control.key;
  label.title = `${control.doc} Takes ${control.expected}.`;
  element.append(label);
  const field = document.createElement("input");
  field.type = "text";
  field.value = text;
  field.spellcheck = false;
  field.addEventListener("change", () => onChange(field.value.trim(), true));
  if (control.kind === "choice" || control.kind === "switch") {
    element.append(choice(control, id, text, onChange));
  } else if (control.kind === "range") {
    element.append(slider(control, id, text, field, onChange));
    field.setAttribute("aria-label", `${control.key}, as text`);
    element.append(field);
  } else {
    field.id = id;
    element.append(field);
  }
  return element;
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
  Object.assign(range, { type: "range", id, min: 0, max: 1000, step: 1 });
  const number = Number.parseFloat(text);
  range.value = placeOf(control, Number.isFinite(number) ? number : control.value);
  range.setAttribute("aria-valuetext", text);
  const changed = (isDone) => {
    const now = asText(control, ofPlace(control, Number(range.value)));
    field.value = now;
    range.setAttribute("aria-valuetext", now);
    onChange(now, isDone);
  };
  range.addEventListener("input", () => changed(false));
  range.addEventListener("change", () => changed(true));
  return range;
}

// Returns a field that finds other keys by name or meaning, and calls `onChosen(key)`.
export function search(keys, onChosen) {
  const element = document.createElement("div");
  element.className = "search";
  const label = document.createElement("label");
  label.textContent = "Another key";
  const field = document.createElement("input");
  Object.assign(field, { type: "search", placeholder: "min_rto, jitter, …", id: "key-search" });
  label.htmlFor = field.id;
  const found = document.createElement("ul");
  element.append(label, field, found);
  field.addEventListener("input", () => {
    const word = field.value.trim().toLowerCase();
    const has = (key) => key.name.toLowerCase().includes(word);
    const means = (key) => key.doc.toLowerCase().includes(word);
    const others = keys.filter((key) => !has(key) && means(key));
    const hits = word ? [...keys.filter(has), ...others] : [];
    found.replaceChildren(...hits.slice(0, SEARCHED).map((key) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = key.name;
      button.title = key.doc;
      button.addEventListener("click", () => {
        field.value = "";
        found.replaceChildren();
        onChosen(key.name);
      });
      const meaning = document.createElement("span");
      meaning.textContent = key.doc.split(". ")[0];
      item.append(button, meaning);
      return item;
    }));
  });
  return element;
}
