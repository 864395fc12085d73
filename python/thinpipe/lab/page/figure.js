// A panel: a canvas with axes, layers and a legend. The cursor and the part of the time in view are
// those of the whole page.

import { Scale, short, tickText, ticks } from "./axes.js";
import { palette } from "./colours.js";
import { Handles } from "./handles.js";
import { drawLayer, extent } from "./layers.js";
import { Legend } from "./legend.js";
import { mapOf, placeAt } from "./map.js";
import { Tips } from "./tips.js";

const LEFT = 58;
const RIGHT = 26;
const TOP = 8;
const BOTTOM = 24;
const HEIGHT = 190;
const WIDE_HEIGHT = 240;
const ROW = 18;
const LEAST_ROW = 4;
const MOST_ROW = 34;
const FEW_ROWS = 200;
const ROWS = 540;
const ROW_TEXT = 12;

export class Figure {
  // `time` is the page's timeline: its cursor, and what is brushed.
  constructor(panel, time) {
    this.time = time;
    this.element = document.createElement("figure");
    this.caption = document.createElement("figcaption");
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.legend = new Legend();
    this.element.append(this.caption, this.canvas, this.legend.element);
    this.element.dataset.panel = panel.name;
    this.element.classList.toggle("wide", panel.wide === true);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.panel = panel;
    time.attach(this);
    this.tips = new Tips(this);
    this.handles = new Handles(this);
  }

  // Takes newer layers of the same panel; `draw` shows them.
  update(panel) {
    this.panel = panel;
    this.tips.show(null);
  }

  // Takes the width that the page gives it.
  measure() {
    this.width = Math.max(200, this.canvas.clientWidth || this.element.clientWidth || 600);
  }

  get height() {
    const { axis, rows, layers } = this.panel;
    if (axis === "place") return TOP + BOTTOM + mapOf(layers, this.width - LEFT - RIGHT).height;
    if (rows) return TOP + BOTTOM + this.row * Math.max(2, rows.length);
    return this.panel.wide ? WIDE_HEIGHT : HEIGHT;
  }

  // Returns how high a row is: the less, the more there are.
  get row() {
    const { length } = this.panel.rows;
    return Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.max(ROW, FEW_ROWS / length), ROWS / length));
  }

  // Draws the picture again.
  draw() {
    const { canvas, context, width, height } = this;
    const density = window.devicePixelRatio || 1;
    const [across, up] = [width, height].map((each) => Math.round(each * density));
    if (canvas.width !== across || canvas.height !== up) {
      canvas.style.height = `${height}px`;
      Object.assign(canvas, { width: across, height: up });
    }
    context.save();
    context.scale(density, density);
    this.scales = this.layout();
    const colours = palette();
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, height);
    this.paint(context, colours);
    context.restore();
    this.handles.place();
  }

  layout() {
    const { width } = this;
    if (this.panel.axis === "place") {
      const { x, y } = mapOf(this.panel.layers, width - LEFT - RIGHT);
      return {
        x: new Scale(...x, LEFT, width - RIGHT),
        y: new Scale(...y, this.height - BOTTOM, TOP),
      };
    }
    const [from, to] = this.time.span;
    const rows = this.panel.rows;
    const { layers, from_zero: fromZero } = this.panel;
    const [least, most] = rows ? [-0.5, rows.length - 0.5] : extent(layers, fromZero);
    const top = rows ? most : most + 0.06 * (most - least) || 1;
    return {
      x: new Scale(from, to, LEFT, width - RIGHT),
      y: new Scale(least, top, this.height - BOTTOM, TOP),
    };
  }

  // Paints with any context: the canvas's, or that of a file.
  paint(context, colours) {
    this.paintAxes(context, colours);
    const { x, y } = this.scales;
    context.save();
    context.beginPath();
    context.rect(x.start, y.end, x.end - x.start, y.start - y.end);
    context.clip();
    const scales = { x, y, cursor: this.time.cursor };
    for (const layer of this.panel.layers) drawLayer(context, layer, scales, colours);
    this.paintCursor(context, colours);
    this.tips.paint(context, colours);
    context.restore();
  }

  paintAxes(context, colours) {
    const { x, y } = this.scales;
    context.font = "11px system-ui, sans-serif";
    context.strokeStyle = colours.grid;
    context.fillStyle = colours.faint;
    context.lineWidth = 1;
    const across = ticks(x.from, x.to, (x.end - x.start) / 90);
    const up = this.panel.rows
      ? this.panel.rows.map((_, index) => index)
      : ticks(y.from, y.to, (y.start - y.end) / 40);
    context.beginPath();
    for (const each of across) {
      context.moveTo(x.at(each), y.start);
      context.lineTo(x.at(each), y.end);
    }
    for (const each of this.panel.rows?.length > ROWS / ROW ? [] : up) {
      context.moveTo(x.start, y.at(each));
      context.lineTo(x.end, y.at(each));
    }
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "top";
    const unit = this.panel.axis === "time" ? " s" : " m";
    for (const each of across) {
      context.fillText(tickText(each, across[1] - across[0]) + unit, x.at(each), y.start + 6);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    const every = this.panel.rows ? Math.ceil(ROW_TEXT / this.row) : 1;
    up.forEach((each, index) => {
      if (index % every) return;
      const text = this.panel.rows ? this.panel.rows[each] : tickText(each, up[1] - up[0]);
      context.fillText(text, x.start - 6, y.at(each), LEFT - 8);
    });
  }

  paintCursor(context, colours) {
    if (this.panel.axis !== "time") return;
    const { x, y } = this.scales;
    const { cursor, brush } = this.time;
    if (brush) {
      context.globalAlpha = 0.15;
      context.fillStyle = colours.ink;
      const [left, right] = brush.map((each) => x.at(each));
      context.fillRect(left, y.end, right - left, y.start - y.end);
      context.globalAlpha = 1;
    }
    if (cursor === null) return;
    context.strokeStyle = colours.cursor;
    context.lineWidth = this.time.isHeld ? 2 : 1;
    context.beginPath();
    context.moveTo(x.at(cursor), y.end);
    context.lineTo(x.at(cursor), y.start);
    context.stroke();
  }

  // Says what the picture shows, and the values at the cursor, as text.
  describe() {
    const { cursor } = this.time;
    const { title, unit } = this.panel;
    const caption = unit ? `${title} (${unit})` : title;
    if (this.caption.textContent !== caption) this.caption.textContent = caption;
    const told = new Map();
    for (const layer of this.panel.layers) {
      if (!layer.label) continue;
      const name = this.time.nameOf(layer);
      const label = `${name ? `${name}: ` : ""}${layer.label}`;
      if (told.has(label)) continue;
      const value = cursor === null ? "" : valueText(layer, cursor);
      told.set(label, { layer, text: `${label}${value}` });
    }
    const entries = [...told.values()];
    this.legend.show(entries, palette());
    const when = cursor === null ? "" : ` at ${short(cursor)} s`;
    const words = entries.map(({ text }) => text).join("; ");
    this.canvas.setAttribute("aria-label", `${title}${when}: ${words}`);
  }
}

// Returns what a legend says of a layer at a time.
function valueText(layer, at) {
  if (layer.kind === "course") {
    return ` at ${placeAt(layer, at).map((each) => `${short(each)} m`).join(", ")}`;
  }
  const value = valueAt(layer, at);
  return value === null ? "" : ` ${short(value)}`;
}

// Returns the value of a curve at a time; null if it has none.
export function valueAt(layer, at) {
  const values = layer.y || layer.mid || null;
  if (!values || !["step", "line", "band"].includes(layer.kind)) return null;
  let [low, high] = [0, layer.x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layer.x[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low ? values[low - 1] : null;
}
