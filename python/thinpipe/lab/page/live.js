// The live page: what a link or a daemon does now, and keys of a link that can be changed.

import { Line } from "./connection.js";
import { row } from "./controls.js";
import { Panels } from "./panels.js";
import { table } from "./tables.js";
import { theme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { button } from "./elements.js";

const at = (id) => document.getElementById(id);
const BLACK_OUTS_S = [1, 3, 10];

class Live {
  constructor() {
    this.time = new Timeline((span) => { this.span = span; }, () => {});
    this.panels = new Panels(at("panels"), this.time);
    this.span = null;
    theme(at("theme"), () => this.time.redraw());
    this.line = new Line(
      (told) => this.show(told),
      (isThere) => {
        at("controls").inert = !isThere;
        this.say(isThere ? "" : "It has ended, or its server is gone.");
      },
    );
    this.buildControls();
  }

  show(told) {
    at("title").textContent = told.title;
    at("description").textContent = told.line;
    at("error").textContent = told.error ?? "";
    at("error").hidden = told.error === null;
    this.time.duration = told.span[1];
    this.time.span = this.span ?? told.span;
    this.time.names = told.runs ?? [];
    this.panels.show(told.panels);
    at("tables").replaceChildren(...told.tables.map((each) => table(each, "What it tells")));
    document.body.dataset.shown = String(told.span[1]);
  }

  // Asks which keys can be changed; of a daemon there are none.
  async buildControls() {
    const answer = await fetch("api/link");
    if (!answer.ok) return;
    const { changeable, controls } = await answer.json();
    const rows = Object.entries(changeable).map(([key, text]) => (
      row(controls[key], text, (now, isDone) => { if (isDone) this.change({ [key]: now }); })
    ));
    const dark = document.createElement("div");
    const heading = document.createElement("h2");
    heading.textContent = "Black-out";
    dark.append(heading, ...BLACK_OUTS_S.map((seconds) => (
      button(`${seconds} s`, () => this.post("api/link/black-out", "POST", { seconds }))
    )));
    at("controls").replaceChildren(...rows, dark);
    at("controls").hidden = false;
  }

  change(settings) {
    return this.post("api/link", "PATCH", settings);
  }

  async post(path, method, content) {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(path, { method, headers, body: JSON.stringify(content) });
    const told = await answer.json();
    this.say(answer.ok ? "Changed." : told.error);
    if (!answer.ok) this.buildControls();
  }

  say(text) {
    at("status").textContent = text;
  }
}

new Live();
