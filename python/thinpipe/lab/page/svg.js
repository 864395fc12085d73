// A drawing context that writes SVG: what layers.js and figure.js use of CanvasRenderingContext2D.

const KEPT = [
  "fillStyle", "strokeStyle", "lineWidth", "lineCap", "lineJoin", "globalAlpha", "font",
  "textAlign", "textBaseline", "dash", "matrix", "clipping",
];
const ANCHOR = { left: "start", start: "start", center: "middle", right: "end", end: "end" };
// Where a text's baseline is below its place, in parts of its size; not all programs that read SVG
// know dominant-baseline.
const BASELINE = { top: 0.8, hanging: 0.8, middle: 0.33, alphabetic: 0, bottom: -0.2 };

let measuring = null;

export class SvgContext {
  constructor(width, height) {
    Object.assign(this, {
      width, height, parts: [], definitions: [], saved: [], path: [],
      fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, lineCap: "butt",
      lineJoin: "miter", globalAlpha: 1, font: "10px sans-serif", textAlign: "start",
      textBaseline: "alphabetic", dash: [], matrix: [1, 0, 0, 1, 0, 0], clipping: null,
    });
  }

  save() {
    this.saved.push(KEPT.map((name) => this[name]));
  }

  restore() {
    const values = this.saved.pop();
    if (values) KEPT.forEach((name, index) => { this[name] = values[index]; });
  }

  transform(a, b, c, d, e, f) {
    const [p, q, r, s, t, u] = this.matrix;
    this.matrix = [
      p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t,
      q * e + s * f + u,
    ];
  }

  translate(x, y) {
    this.transform(1, 0, 0, 1, x, y);
  }

  scale(x, y) {
    this.transform(x, 0, 0, y, 0, 0);
  }

  rotate(angle) {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.transform(cos, sin, -sin, cos, 0, 0);
  }

  setLineDash(dash) {
    this.dash = [...dash];
  }

  getLineDash() {
    return [...this.dash];
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${this.at(x, y)}`);
  }

  lineTo(x, y) {
    this.path.push(`${this.path.length ? "L" : "M"}${this.at(x, y)}`);
  }

  quadraticCurveTo(x1, y1, x, y) {
    this.path.push(`Q${this.at(x1, y1)} ${this.at(x, y)}`);
  }

  bezierCurveTo(x1, y1, x2, y2, x, y) {
    this.path.push(`C${this.at(x1, y1)} ${this.at(x2, y2)} ${this.at(x, y)}`);
  }

  rect(x, y, width, height) {
    this.path.push(this.corners(x, y, width, height));
  }

  closePath() {
    this.path.push("Z");
  }

  // An arc of at most a whole turn, in two halves: one alone would begin where it ends.
  arc(x, y, radius, from, to, isBackwards = false) {
    let turn = to - from;
    const whole = 2 * Math.PI;
    if (isBackwards) turn = turn <= -whole ? -whole : ((turn % whole) - whole) % whole;
    else turn = turn >= whole ? whole : ((turn % whole) + whole) % whole;
    const point = (angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    const size = number(radius * Math.hypot(this.matrix[0], this.matrix[1]));
    this.lineTo(...point(from));
    for (const angle of [from + turn / 2, from + turn]) {
      const end = this.at(...point(angle));
      this.path.push(`A${size} ${size} 0 0 ${isBackwards ? 0 : 1} ${end}`);
    }
  }

  stroke() {
    this.line(this.path.join(""));
  }

  fill() {
    this.area(this.path.join(""));
  }

  clip() {
    const name = `clip${this.definitions.length}`;
    const within = this.clipping ? ` clip-path="url(#${this.clipping})"` : "";
    const outline = `<path d="${this.path.join("")}"/>`;
    this.definitions.push(`<clipPath id="${name}"${within}>${outline}</clipPath>`);
    this.clipping = name;
  }

  fillRect(x, y, width, height) {
    this.area(this.corners(x, y, width, height));
  }

  strokeRect(x, y, width, height) {
    this.line(this.corners(x, y, width, height));
  }

  // There is nothing below that could be cleared.
  clearRect() {}

  fillText(text, x, y) {
    this.write(text, x, y, `fill="${this.fillStyle}"`);
  }

  strokeText(text, x, y) {
    this.write(text, x, y, `fill="none" stroke="${this.strokeStyle}" `
      + `stroke-width="${number(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"`);
  }

  write(text, x, y, paint) {
    const { size, family, weight } = fontOf(this.font);
    const [a, b, c, d] = this.matrix;
    const isTurned = a !== 1 || b !== 0 || c !== 0 || d !== 1;
    const down = size * (BASELINE[this.textBaseline] ?? 0);
    const place = isTurned
      ? `transform="matrix(${this.matrix.map(number).join(" ")})" x="${number(x)}" `
        + `y="${number(y + down)}"`
      : `x="${number(x + this.matrix[4])}" y="${number(y + down + this.matrix[5])}"`;
    const style = `font-family="${escaped(family)}" font-size="${size}"${weight}`;
    this.part(`<text ${place} ${style} text-anchor="${ANCHOR[this.textAlign] ?? "start"}" `
      + paint, `>${escaped(String(text))}</text>`);
  }

  measureText(text) {
    measuring ??= document.createElement("canvas").getContext("2d");
    measuring.font = this.font;
    return measuring.measureText(text);
  }

  at(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    return `${number(a * x + c * y + e)} ${number(b * x + d * y + f)}`;
  }

  corners(x, y, width, height) {
    const ends = [[x + width, y], [x + width, y + height], [x, y + height]];
    return `M${this.at(x, y)}${ends.map((each) => `L${this.at(...each)}`).join("")}Z`;
  }

  line(path) {
    if (!path) return;
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.part(`<path d="${path}" fill="none" stroke="${this.strokeStyle}" `
      + `stroke-width="${number(this.lineWidth)}" stroke-linecap="${this.lineCap}" `
      + `stroke-linejoin="${this.lineJoin}"${dash}`, "/>");
  }

  area(path) {
    if (path) this.part(`<path d="${path}" fill="${this.fillStyle}"`, "/>");
  }

  part(head, tail) {
    const alpha = this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
    const clip = this.clipping ? ` clip-path="url(#${this.clipping})"` : "";
    this.parts.push(`${head}${alpha}${clip}${tail}`);
  }

  // Returns the file.
  toString(title = "") {
    const size = `width="${number(this.width)}" height="${number(this.height)}" `
      + `viewBox="0 0 ${number(this.width)} ${number(this.height)}"`;
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
      `<title>${escaped(title)}</title>`,
      `<defs>${this.definitions.join("")}</defs>`, ...this.parts, "</svg>", "",
    ].join("\n");
  }
}

function number(value) {
  return String(Math.round(value * 100) / 100);
}

function fontOf(font) {
  const found = /^(?:(bold|\d{3}) )?([\d.]+)px (.*)$/.exec(font);
  const [, weight, size, family] = found ?? [null, "", "10", "sans-serif"];
  return { size: Number(size), family, weight: weight ? ` font-weight="${weight}"` : "" };
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
