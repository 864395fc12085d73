// Draws the layers of a panel with a 2D context, which may be a canvas's or that of an SVG file.

import { colourOf } from "./colours.js";
import { placeAt } from "./map.js";

const GHOST_DASH = [5, 4];
const DOTS = [1, 3];
const FAINT = 0.45;
const MARK = 4;
const LINE = 12;
const LINES = 3;
const MANY = 300;

// `scales` has x and y; a layer is what python/thinpipe/lab/panel.py says.
export function drawLayer(context, layer, scales, colours) {
  context.save();
  const colour = colourOf(layer, colours);
  context.strokeStyle = colour;
  context.lineJoin = "bevel"; // a pointed one reaches values that the curve has not
  context.fillStyle = colour;
  context.lineWidth = layer.ghost ? 1.2 : 1.6;
  context.globalAlpha = (layer.ghost ? 0.6 : 1) * (layer.faint ? FAINT : 1);
  context.setLineDash(layer.ghost ? GHOST_DASH : layer.dotted ? DOTS : []);
  DRAWING[layer.kind](context, layer, scales, colours);
  context.restore();
}

const DRAWING = {
  line: (context, layer, scales) => trace(context, layer.x, layer.y, scales, false),
  step: drawSteps,
  band: drawBand,
  area: drawArea,
  marks: drawMarks,
  bars: drawBars,
  arrows: drawArrows,
  words: drawWords,
  rules: drawRules,
  circles: drawCircles,
  course: drawCourse,
};

// A curve of many points is thin, so that they stay apart; a thin line is also drawn sooner.
function trace(context, xs, ys, { x, y }, isStep) {
  if (xs.length > MANY) context.lineWidth = 1;
  context.beginPath();
  let isOpen = false;
  let before = 0;
  for (let index = 0; index < xs.length; index += 1) {
    if (ys[index] === null) {
      isOpen = false;
      continue;
    }
    const across = x.at(xs[index]);
    const up = y.at(ys[index]);
    if (!isOpen) {
      context.moveTo(across, up);
    } else {
      if (isStep) context.lineTo(across, before);
      context.lineTo(across, up);
    }
    before = up;
    isOpen = true;
  }
  context.stroke();
}

function drawSteps(context, layer, scales) {
  if (layer.filled) {
    const { x, y } = scales;
    for (let index = 0; index + 1 < layer.x.length; index += 1) {
      if (layer.y[index] === null) continue;
      const [left, right] = [x.at(layer.x[index]), x.at(layer.x[index + 1])];
      context.fillRect(left, y.at(layer.y[index]), right - left, y.at(0) - y.at(layer.y[index]));
    }
    return;
  }
  trace(context, layer.x, layer.y, scales, true);
}

function drawBand(context, layer, scales) {
  const { x, y } = scales;
  const width = Math.max(1, x.at(layer.width) - x.at(0));
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * 0.35;
  for (let index = 0; index < layer.x.length; index += 1) {
    const [top, bottom] = [y.at(layer.high[index]), y.at(layer.low[index])];
    context.fillRect(x.at(layer.x[index]) - width / 2, top, width, Math.max(1, bottom - top));
  }
  context.globalAlpha = alpha;
  trace(context, layer.x, layer.mid, scales, false);
}

// Each value counts between two edges: `x` has one more than `low` and `high`.
function drawArea(context, layer, { x, y }) {
  context.globalAlpha *= 0.85 - 0.55 * ((layer.shade * 0.382) % 1);
  for (let index = 0; index < layer.low.length; index += 1) {
    const [left, right] = [x.at(layer.x[index]), x.at(layer.x[index + 1])];
    const [top, bottom] = [y.at(layer.high[index]), y.at(layer.low[index])];
    context.fillRect(left, top, right - left + 0.5, bottom - top);
  }
}

function drawMarks(context, layer, { x, y }) {
  context.setLineDash([]);
  for (let index = 0; index < layer.x.length; index += 1) {
    if (layer.y[index] === null) continue;
    SHAPES[layer.shape](context, x.at(layer.x[index]), y.at(layer.y[index]));
  }
}

const SHAPES = {
  dot: (context, across, up) => {
    context.beginPath();
    context.arc(across, up, MARK * 0.7, 0, 2 * Math.PI);
    context.fill();
  },
  cross: (context, across, up) => strokes(context, across, up, [[-1, -1, 1, 1], [-1, 1, 1, -1]]),
  plus: (context, across, up) => strokes(context, across, up, [[-1, 0, 1, 0], [0, -1, 0, 1]]),
  triangle: (context, across, up) => outline(context, across, up, [[0, -1], [1, 1], [-1, 1]], true),
  diamond: (context, across, up) => (
    outline(context, across, up, [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], false)
  ),
  square: (context, across, up) => (
    outline(context, across, up, [[-1, -1], [1, -1], [1, 1], [-1, 1]], true)
  ),
};

function strokes(context, across, up, lines) {
  context.beginPath();
  for (const [x0, y0, x1, y1] of lines) {
    context.moveTo(across + MARK * x0, up + MARK * y0);
    context.lineTo(across + MARK * x1, up + MARK * y1);
  }
  context.stroke();
}

function outline(context, across, up, corners, isFilled) {
  context.beginPath();
  corners.forEach(([x, y], index) => {
    const at = [across + MARK * x, up + MARK * y];
    if (index) context.lineTo(...at);
    else context.moveTo(...at);
  });
  context.closePath();
  if (isFilled) context.fill();
  else context.stroke();
}

function drawBars(context, layer, { x, y }) {
  const alpha = context.globalAlpha;
  for (let index = 0; index < layer.x0.length; index += 1) {
    const [left, right] = [x.at(layer.x0[index]), x.at(layer.x1[index])];
    const [bottom, top] = [y.at(layer.y0[index]), y.at(layer.y1[index])];
    const [width, height] = [Math.max(1.5, right - left), Math.max(1.5, bottom - top)];
    if (layer.hollow && width > 3) {
      context.strokeRect(left + 0.8, top + 0.8, width - 1.6, height - 1.6);
    } else {
      // What is too narrow for an outline is faint.
      context.globalAlpha = alpha * (layer.hollow ? FAINT : 1);
      context.fillRect(left, top, width, height);
    }
  }
}

function drawArrows(context, layer, { x, y }) {
  if (layer.fine) context.lineWidth = 0.9;
  for (let index = 0; index < layer.x0.length; index += 1) {
    const [left, right] = [x.at(layer.x0[index]), x.at(layer.x1[index])];
    const [from, to] = [y.at(layer.y0[index]), y.at(layer.y1[index])];
    const angle = Math.atan2(to - from, right - left);
    context.beginPath();
    context.moveTo(left, from);
    context.lineTo(right, to);
    for (const side of [-2.6, 2.6]) {
      context.moveTo(right, to);
      context.lineTo(right + 6 * Math.cos(angle + side), to + 6 * Math.sin(angle + side));
    }
    context.stroke();
  }
}

function drawWords(context, layer, { x, y }, colours) {
  context.strokeStyle = colours.paper;
  context.lineWidth = 3;
  context.lineJoin = "round";
  const write = (text, across, up) => {
    context.strokeText(text, across, up);
    context.fillText(text, across, up);
  };
  context.font = "11px system-ui, sans-serif";
  context.textAlign = layer.align || "left";
  context.textBaseline = "middle";
  const taken = [];
  for (let index = 0; index < layer.x.length; index += 1) {
    const text = layer.text[index];
    const across = x.at(layer.x[index]);
    const up = y.at(layer.y[index]) + (layer.shift || 0);
    if (!layer.apart) {
      write(text, across, up);
      continue;
    }
    const place = free(taken, across, up, context.measureText(text).width);
    if (place === null || across > x.end || across < x.start) continue;
    taken.push(place);
    write(text, across, place.up);
  }
}

// Returns the nearest line at or below a place where words of a width lie on no others; null if
// all are taken.
function free(taken, across, up, width) {
  for (let line = 0; line < LINES; line += 1) {
    const place = { across, up: up + LINE * line, end: across + width + LINE / 2 };
    const lies = (other) => Math.abs(other.up - place.up) < LINE && across < other.end
      && other.across < place.end;
    if (!taken.some(lies)) return place;
  }
  return null;
}

// Circles of a map, whose scale is the same in both directions.
function drawCircles(context, layer, { x, y }) {
  const alpha = context.globalAlpha;
  for (let index = 0; index < layer.x.length; index += 1) {
    const [across, up] = [x.at(layer.x[index]), y.at(layer.y[index])];
    outline(context, across, up, [[0, -1.2], [1.2, 1], [-1.2, 1]], true);
    const radius = layer.radius[index] * x.factor;
    if (!radius) continue;
    context.beginPath();
    context.arc(across, up, radius, 0, 2 * Math.PI);
    context.stroke();
    context.globalAlpha = alpha * 0.08;
    context.fill();
    context.globalAlpha = alpha;
  }
}

// A way, and where its mobile is at the cursor's time.
function drawCourse(context, layer, scales) {
  trace(context, layer.x, layer.y, scales, false);
  for (let index = 0; index < layer.x.length; index += 1) {
    SHAPES.dot(context, scales.x.at(layer.x[index]), scales.y.at(layer.y[index]));
  }
  const [across, up] = placeAt(layer, scales.cursor ?? layer.time_s[0]);
  context.beginPath();
  context.arc(scales.x.at(across), scales.y.at(up), 7, 0, 2 * Math.PI);
  context.lineWidth = 3;
  context.stroke();
}

function drawRules(context, layer, { x, y }) {
  context.beginPath();
  for (const at of layer.x) {
    context.moveTo(x.at(at), y.start);
    context.lineTo(x.at(at), y.end);
  }
  context.stroke();
}

// Returns the smallest and the greatest ordinate of layers; zero is in unless it need not be.
export function extent(layers, fromZero = true) {
  let [least, most] = fromZero ? [0, 0] : [Infinity, -Infinity];
  for (const layer of layers) {
    for (const name of ["y", "low", "high", "y0", "y1"]) {
      if (layer.kind === "step" && layer.filled) continue;
      for (const value of layer[name] || []) {
        if (value === null) continue;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
  }
  return least <= most ? [least, most] : [0, 0];
}
