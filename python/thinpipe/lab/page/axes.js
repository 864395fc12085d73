// Scales and ticks.

const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const WHOLE = new Intl.NumberFormat("en");

// A linear scale from values to pixels.
export class Scale {
  constructor(from, to, start, end) {
    Object.assign(this, { from, to, start, end });
    this.factor = (end - start) / (to - from || 1);
  }

  at(value) {
    return this.start + (value - this.from) * this.factor;
  }

  value(pixel) {
    return this.from + (pixel - this.start) / this.factor;
  }
}

// Returns round numbers between two values, about `count` of them.
export function ticks(from, to, count) {
  const raw = (to - from) / Math.max(count, 1);
  if (!(raw > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999);
  const found = [];
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index += 1) {
    found.push(index * step);
  }
  return found;
}

// Returns a number as it stands at a tick.
export function tickText(value, step) {
  const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(Math.abs(step) || 1) + 1e-9)));
  const text = value.toFixed(places);
  return Math.abs(value) >= 10_000 ? WHOLE.format(Number(text)) : text;
}

// Returns a number with four significant digits at most.
export function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return SHORT.format(value);
}
