// The bar above the pictures: play and step, the cursor's time, the view, the flow, and which
// panels are open.

import { short } from "./axes.js";
import { button, named } from "./elements.js";

const EACH_GROUP = "each group";

// Fills the bar, and returns what keeps it up to date.
export function transport(element, lab) {
  const { time } = lab;
  const when = document.createElement("output");
  when.textContent = "–";
  const view = document.createElement("output");
  const panels = document.createElement("details");
  const flow = flowChoice(lab);
  const bar = [
    named(button("◀|", () => time.stepEvent(-1)), "Step to the event before"),
    named(button("▶", () => time.play()), "Play or pause"),
    named(button("|▶", () => time.stepEvent(1)), "Step to the next event"),
    when,
    named(button("+", () => time.zoom(0.5)), "Show half as long"),
    named(button("−", () => time.zoom(2)), "Show twice as long"),
    named(button("All", () => time.onSpan(null)), "Show the whole run"),
    view,
    flow,
    panels,
  ];
  element.replaceChildren(...bar);
  return {
    show: (cursor) => {
      when.textContent = cursor === null ? "–" : `${short(cursor)} s`;
      when.title = time.isHeld ? "Held; Escape in a picture frees the cursor" : "";
    },
    update: (answer) => {
      view.textContent = answer.span.map((each) => `${short(each)} s`).join(" to ");
      if (answer.runs) fillFlows(flow, answer, lab);  // a notebook has no others
      fillPanels(panels, answer.offered, lab);
    },
  };
}

// Returns the choice of the flow whose window, round-trip times and segments are shown.
function flowChoice(lab) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.id = "flow";
  select.setAttribute("aria-label", "Flow");
  select.addEventListener("change", () => lab.change((state) => {
    state.flow = select.value === "" ? null : Number(select.value);
  }));
  label.title = "What panels show that show one flow or each group, such as the window";
  label.hidden = true;
  label.append(select);
  return label;
}

function fillFlows(label, { runs, groups = [] }, lab) {
  const names = runs.map(({ flows }) => flows).reduce((most, flows) => (
    flows.length > most.length ? flows : most
  ));
  const select = label.querySelector("select");
  label.hidden = names.length < 2;
  const together = groups.length ? [new Option(EACH_GROUP, "")] : [];
  const options = [...together, ...names.map((name, number) => new Option(name, number))];
  const texts = (all) => [...all].map(({ text }) => text).join();
  if (texts(select.options) !== texts(options)) select.replaceChildren(...options);
  const { flow } = lab.state;
  select.value = flow === null && together.length ? "" : Math.min(flow ?? 0, names.length - 1);
}

function fillPanels(element, offered, lab) {
  const heading = document.createElement("summary");
  heading.textContent = "Panels";
  const boxes = offered.map(({ name, title, open }) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", checked: open, value: name });
    box.addEventListener("change", () => lab.change((state) => {
      const names = offered.filter((each) => each.open).map((each) => each.name);
      state.panels = box.checked ? [...names, name] : names.filter((each) => each !== name);
    }));
    label.append(box, ` ${title}`);
    return label;
  });
  const menu = document.createElement("div");
  menu.className = "menu";
  menu.append(...boxes);
  element.replaceChildren(heading, menu);
}
