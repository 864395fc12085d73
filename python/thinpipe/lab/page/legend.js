// Legends: a sample of each layer, drawn as the layer is, and its text.

import { Scale } from "./axes.js";
import { drawLayer } from "./layers.js";

export const SAMPLE_WIDTH = 20;
const SAMPLE_HEIGHT = 10;

// Where a sample has its points, in the unit square.
const FLAT = { x: [0, 1], y: [0.5, 0.5] };
const BOX = { x0: [0.2], x1: [0.8], y0: [0], y1: [1] };
const SAMPLES = {
  line: FLAT,
  step: FLAT,
  band: { kind: "line", ...FLAT },
  course: { kind: "line", ...FLAT },
  area: { x: [0.1, 0.9], low: [0], high: [1] },
  marks: { x: [0.5], y: [0.5] },
  bars: BOX,
  words: { kind: "bars", ...BOX },
  arrows: { x0: [0], x1: [1], y0: [0.5], y1: [0.5] },
  rules: { x: [0.5] },
  circles: { x: [0.5], y: [0.5], radius: [0.22] },
};

// Draws a layer's sample at a place.
export function drawSample(context, layer, colours, left, top) {
  const scales = {
    x: new Scale(0, 1, left, left + SAMPLE_WIDTH),
    y: new Scale(0, 1, top + SAMPLE_HEIGHT, top),
  };
  const sample = layer.filled ? { kind: "bars", ...BOX } : SAMPLES[layer.kind];
  drawLayer(context, { ...layer, tips: [], of: [], ...sample }, scales, colours);
}

export class Legend {
  constructor() {
    this.element = document.createElement("p");
    this.element.className = "legend";
    this.items = [];
  }

  // Shows `{ layer, text }` of each layer. Most often it is but texts that have changed: a sample
  // costs as much as a picture, so that one is made only of a layer that looks different.
  show(entries, colours) {
    while (this.items.length > entries.length) this.items.pop().item.remove();
    entries.forEach(({ layer, text }, number) => {
      const look = lookOf(layer);
      const known = this.items[number];
      if (known?.look === look && known.colours === colours) {
        known.layer = layer;
        if (known.words.data !== text) known.words.data = text;
        return;
      }
      const item = document.createElement("span");
      const words = document.createTextNode(text);
      item.append(sampleOf(layer, colours), words);
      if (known) known.item.replaceWith(item);
      else this.element.append(item);
      this.items[number] = { item, words, look, colours, layer };
    });
  }
}

// Returns all that a layer's sample depends on.
function lookOf(layer) {
  const { label, width, ...look } = layer;
  return JSON.stringify(Object.entries(look).filter(([, value]) => !Array.isArray(value)));
}

// Returns a layer's sample as an element.
function sampleOf(layer, colours) {
  const canvas = document.createElement("canvas");
  const density = window.devicePixelRatio || 1;
  canvas.width = SAMPLE_WIDTH * density;
  canvas.height = SAMPLE_HEIGHT * density;
  canvas.setAttribute("aria-hidden", "true");
  const context = canvas.getContext("2d");
  context.scale(density, density);
  drawSample(context, layer, colours, 0, 0);
  return canvas;
}
