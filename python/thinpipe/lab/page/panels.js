// The panels of a page: each has a figure, which stays while its panel does.

import { Figure } from "./figure.js";

export class Panels {
  constructor(element, time) {
    this.element = element;
    this.time = time;
    this.figures = new Map();
    new ResizeObserver(() => time.redraw()).observe(element);
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
    for (const panel of panels) {
      let figure = this.figures.get(panel.name);
      if (figure) {
        figure.update(panel);
      } else {
        figure = new Figure(panel, this.time);
        this.figures.set(panel.name, figure);
        if (before) before.after(figure.element);
        else this.element.prepend(figure.element);
        figure.draw();
      }
      before = figure.element;
    }
  }
}
