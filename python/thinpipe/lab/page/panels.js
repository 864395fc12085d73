// The panels of a page: each has a figure, which stays while its panel does.

import { Figure } from "./figure.js";

// Of a picture beside another, as lab.css has it.
const LEAST_WIDTH = 480;

export class Panels {
  constructor(element, time) {
    this.element = element;
    this.time = time;
    this.figures = new Map();
    new ResizeObserver(() => {
      for (const figure of this.figures.values()) figure.measure();
      time.redraw();
    }).observe(element);
  }

  // About how many pixels across a picture has; the few that are wider have no curves.
  get columns() {
    const width = this.element.clientWidth || LEAST_WIDTH;
    return Math.round(width / Math.max(1, Math.floor(width / LEAST_WIDTH)));
  }

  // Shows panels in their order; those that are gone leave.
  show(panels) {
    const names = new Set(panels.map((panel) => panel.name));
    for (const [name, figure] of this.figures) {
      if (names.has(name)) continue;
      this.time.detach(figure);
      figure.element.remove();
      this.figures.delete(name);
    }
    let before = null;
    let isNew = false;
    for (const panel of panels) {
      let figure = this.figures.get(panel.name);
      if (figure) {
        figure.update(panel);
      } else {
        figure = new Figure(panel, this.time);
        this.figures.set(panel.name, figure);
        if (before) before.after(figure.element);
        else this.element.prepend(figure.element);
        isNew = true;
      }
      before = figure.element;
    }
    // All that reads the page's layout, then all that draws, then all that changes the layout:
    // a text drawn after a change has the browser lay out the page.
    const figures = [...this.figures.values()];
    if (isNew) for (const figure of figures) figure.measure();
    for (const figure of figures) figure.draw();
    for (const figure of figures) figure.describe();
  }
}
