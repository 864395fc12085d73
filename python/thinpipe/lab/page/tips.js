// What a mark, a bar, an arrow or a circle says of itself, shown beside it: of the one under the
// pointer, or at the cursor of the keyboard, where up and down step through those at one time.
// All that has to do with the same packets is outlined in every panel.

import { short } from "./axes.js";

const REACH = 8;
const LINKED_WIDTH = 1.5;
const NARROW = 6;

const BOXES = {
  marks: (layer, index, { x, y }) => around(x.at(layer.x[index]), y.at(layer.y[index]), 5),
  circles: (layer, index, { x, y }) => around(x.at(layer.x[index]), y.at(layer.y[index]), 9),
  bars: (layer, index, { x, y }) => [
    x.at(layer.x0[index]), y.at(layer.y1[index]), x.at(layer.x1[index]), y.at(layer.y0[index]),
  ],
  arrows: (layer, index, { x, y }) => around(
    (x.at(layer.x0[index]) + x.at(layer.x1[index])) / 2,
    (y.at(layer.y0[index]) + y.at(layer.y1[index])) / 2,
    5,
  ),
};

function around(across, up, by) {
  return [across - by, up - by, across + by, up + by];
}

// Calls `each(layer, index, box)` for all of which `of(layer, index)` is something; a box is left,
// top, right, bottom in pixels.
function items(figure, of, each) {
  for (const layer of figure.panel.layers) {
    const boxOf = BOXES[layer.kind];
    if (!boxOf) continue;
    const count = (layer.x || layer.x0).length;
    for (let index = 0; index < count; index += 1) {
      if (layer.y && layer.y[index] === null) continue;
      if (of(layer, index)) each(layer, index, boxOf(layer, index, figure.scales));
    }
  }
}

// Returns what is said of one thing; of a mark of which nothing is said, what it is and when.
function tipOf(layer, index) {
  if (layer.tips?.[index]) return layer.tips[index];
  if (layer.kind !== "marks" || !layer.label) return "";
  return `${layer.label.replace(/ \([\d,]+\)$/, "")}, ${short(layer.x[index])} s`;
}

function packetsOf(layer, index) {
  return layer.of?.[index];
}

export class Tips {
  constructor(figure) {
    this.figure = figure;
    this.shown = null;
    this.rank = 0;
    this.element = document.createElement("p");
    this.element.className = "tip";
    this.element.id = `tip-${figure.panel.name}`;
    this.element.setAttribute("role", "tooltip");
    this.element.setAttribute("aria-live", "polite");
    this.element.hidden = true;
    figure.element.append(this.element);
    const { canvas } = figure;
    canvas.setAttribute("aria-describedby", this.element.id);
    canvas.addEventListener("pointermove", (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      this.show(this.under(event.clientX - left, event.clientY - top));
    });
    canvas.addEventListener("pointerleave", () => this.show(null));
    canvas.addEventListener("blur", () => this.show(null));
    canvas.addEventListener("keydown", (event) => this.step(event));
  }

  // Returns what is nearest to a point, if anything is near.
  under(across, up) {
    let [found, nearest] = [null, REACH];
    items(this.figure, tipOf, (layer, index, box) => {
      const beside = Math.max(box[0] - across, across - box[2], 0);
      const above = Math.max(box[1] - up, up - box[3], 0);
      const distance = Math.hypot(beside, above);
      if (distance <= nearest - (found ? 1e-9 : 0)) {
        [found, nearest] = [{ layer, index, box }, distance];
      }
    });
    return found;
  }

  // Steps through what is at the cursor after a key has moved it.
  step({ key }) {
    const { time, panel, scales } = this.figure;
    if (key === "Escape") this.show(null);
    const move = { ArrowUp: 1, ArrowDown: -1, ArrowLeft: 0, ArrowRight: 0, n: 0, p: 0 }[key];
    if (move === undefined || panel.axis !== "time" || time.cursor === null) return;
    const across = scales.x.at(time.cursor);
    const here = [];
    items(this.figure, tipOf, (layer, index, box) => {
      if (box[0] - 3 <= across && across <= box[2] + 3) here.push({ layer, index, box });
    });
    here.sort((one, other) => other.box[1] - one.box[1]);
    this.rank = move ? this.rank + move : 0;
    this.show(here.length ? here[((this.rank % here.length) + here.length) % here.length] : null);
  }

  show(found) {
    const is = found && this.shown;
    if (is && found.layer === this.shown.layer && found.index === this.shown.index) return;
    if (!found && !this.shown) return;
    this.shown = found;
    const { time } = this.figure;
    time.linked = new Set(found?.layer.of?.[found.index] ?? []);
    this.element.hidden = !found;
    if (found) this.place(found);
    time.redraw();
  }

  place({ layer, index, box }) {
    const { canvas, element } = this.figure;
    this.element.textContent = tipOf(layer, index);
    const width = this.element.offsetWidth;
    const left = Math.max(0, Math.min((box[0] + box[2]) / 2, element.clientWidth - width - 4));
    this.element.style.left = `${canvas.offsetLeft + left}px`;
    const below = Math.max(0, Math.min(box[3], canvas.offsetHeight)) + 6;
    this.element.style.top = `${canvas.offsetTop + below}px`;
  }

  // Outlines what the tip is of, and all that has to do with the same packets.
  paint(context, colours) {
    context.strokeStyle = colours.ink;
    context.fillStyle = colours.ink;
    context.lineWidth = LINKED_WIDTH;
    if (this.shown) outline(context, this.shown.box);
    const { linked } = this.figure.time;
    if (!linked?.size) return;
    items(this.figure, packetsOf, (layer, index, box) => {
      if (layer.of[index].some((each) => linked.has(each))) highlight(context, box);
    });
  }
}

// Outlines what is wide enough, and darkens what is not.
function highlight(context, box) {
  const [left, top, right, bottom] = box;
  if (right - left > NARROW) {
    outline(context, box);
    return;
  }
  context.save();
  context.globalAlpha = 0.5;
  context.fillRect(left, top, Math.max(1.5, right - left), Math.max(2, bottom - top));
  context.restore();
}

function outline(context, [left, top, right, bottom]) {
  const [width, height] = [Math.max(2, right - left), Math.max(2, bottom - top)];
  context.strokeRect(left - 1, top - 1, width + 2, height + 2);
}
