// The panels of finished runs in a notebook: all that is shown stands in the page itself.

import { Panels } from "./panels.js";
import { theme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { transport } from "./transport.js";

const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
const state = { panels: data.panels.map((panel) => panel.name) };

const time = new Timeline(
  (span) => {
    time.span = span ?? data.span;
    update();
  },
  (cursor) => bar.show(cursor),
);
Object.assign(time, { span: data.span, duration: data.span[1], names: data.runs });
const panels = new Panels(at("panels"), time);
const bar = transport(at("transport"), {
  time,
  change: (how) => {
    how(state);
    update();
  },
});
theme(at("theme"), () => time.redraw());

// Shows the panels that are chosen, and the part of the time.
function update() {
  const isOpen = ({ name }) => state.panels.includes(name);
  panels.show(data.panels.filter(isOpen));
  bar.update({
    span: time.span,
    offered: data.panels.map((panel) => ({ ...panel, open: isOpen(panel) })),
  });
}

update();
document.body.dataset.shown = "notebook";
