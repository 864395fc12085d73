// What the page keeps and gives away: the runs so far, texts to copy, files, the network.

import { copying } from "./copying.js";
import { exporting } from "./exporting.js";
import { NetworkPicture } from "./network.js";
import { Scatter } from "./scatter.js";

const at = (id) => document.getElementById(id);

export class Keep {
  constructor(lab) {
    this.lab = lab;
    this.scatter = new Scatter(at("scatter"), lab);
    const row = document.createElement("div");
    row.className = "row";
    at("take").append(row);
    copying(row, lab);
    this.files = exporting(at("take"), lab);
    this.network = new NetworkPicture(at("network"), lab);
    const redraw = () => this.scatter.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    const themes = { attributeFilter: ["data-theme"] };
    new MutationObserver(redraw).observe(document.documentElement, themes);
  }

  // Takes in an answer; one that is coarse is none to keep.
  update(answer, isCoarse) {
    if (!isCoarse) this.scatter.add(answer, this.lab.state);
    this.files.update(answer);
    this.network.update();
  }
}
