// One cursor and one view of the time for all panels: pointing, brushing, playing, stepping.

const PLAY_S = 12;
const FRAME_MS = 40;
// Nothing in a run is shorter; the server refuses a view of less than a tenth of it.
const SHORTEST_S = 1e-5;

export class Timeline {
  // `onSpan` takes the part of the time that a brush chose; null is all of it.
  constructor(onSpan, onCursor) {
    Object.assign(this, { onSpan, onCursor });
    this.span = [0, 1];
    this.duration = 1;
    this.cursor = null;
    this.isHeld = false;
    this.brush = null;
    this.names = [];
    this.linked = new Set();
    this.figures = new Set();
    this.playing = null;
    this.frame = 0;
  }

  // Returns the name of a layer's run; nothing if there is but one.
  nameOf(layer) {
    if (layer.tone === "capacity" || this.names.length < 2) return "";
    const found = this.names.find((run) => run.number === layer.run && run.ghost === layer.ghost);
    return found ? found.name : "";
  }

  attach(figure) {
    this.figures.add(figure);
    const { canvas } = figure;
    const timeAt = (event) => {
      const { x } = figure.scales;
      const pixel = event.clientX - canvas.getBoundingClientRect().left;
      return Math.max(x.from, Math.min(x.to, x.value(pixel)));
    };
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (figure.panel.axis !== "time") return;
      from = timeAt(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (figure.panel.axis !== "time") return;
      const now = timeAt(event);
      this.brush = from === null ? null : [Math.min(from, now), Math.max(from, now)];
      if (this.isHeld && from === null) return;
      this.point(now);
    });
    canvas.addEventListener("pointerup", (event) => {
      const chosen = this.brush;
      const isClick = from !== null;
      from = null;
      this.brush = null;
      const least = (this.span[1] - this.span[0]) / 100;
      if (chosen && chosen[1] - chosen[0] > least) this.onSpan(chosen);
      else if (isClick) this.hold(timeAt(event));
    });
    canvas.addEventListener("pointercancel", () => {
      from = null;
      this.brush = null;
    });
    canvas.addEventListener("dblclick", () => this.onSpan(null));
    canvas.addEventListener("keydown", (event) => {
      const action = this.keys[event.key];
      if (action) {
        event.preventDefault();
        action();
      }
    });
  }

  detach(figure) {
    this.figures.delete(figure);
  }

  get keys() {
    const step = (this.span[1] - this.span[0]) / 100;
    return {
      ArrowLeft: () => this.move(-step),
      ArrowRight: () => this.move(step),
      "+": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.onSpan(null),
      " ": () => this.play(),
      Escape: () => this.release(),
      n: () => this.stepEvent(1),
      p: () => this.stepEvent(-1),
    };
  }

  point(at) {
    this.cursor = at;
    this.onCursor(at);
    this.redraw();
  }

  // Holds the cursor at a time: the pointer may leave for a button without moving it.
  hold(at) {
    this.isHeld = true;
    this.point(at);
  }

  release() {
    this.isHeld = false;
    this.point(this.cursor);
  }

  move(by) {
    const at = this.cursor === null ? this.span[0] : this.cursor + by;
    this.hold(Math.max(this.span[0], Math.min(this.span[1], at)));
  }

  // Shows `factor` times as long around the cursor.
  zoom(factor) {
    const [from, to] = this.span;
    const middle = this.cursor === null ? (from + to) / 2 : this.cursor;
    const half = Math.max(((to - from) * factor) / 2, SHORTEST_S / 2);
    const start = Math.max(0, Math.min(middle - half, this.duration - 2 * half));
    const end = Math.min(this.duration, start + 2 * half);
    this.onSpan(start <= 0 && end >= this.duration ? null : [start, end]);
  }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = null;
      return;
    }
    if (this.cursor === null || this.cursor >= this.span[1]) this.cursor = this.span[0];
    const step = ((this.span[1] - this.span[0]) * FRAME_MS) / (PLAY_S * 1000);
    this.playing = setInterval(() => {
      this.move(step);
      if (this.cursor >= this.span[1]) this.play();
    }, FRAME_MS);
  }

  // Moves the cursor to the next mark in view of any panel, or to the one before.
  stepEvent(direction) {
    const times = [];
    for (const { panel } of this.figures) {
      if (panel.axis !== "time") continue;
      for (const layer of panel.layers) {
        if (layer.kind === "marks" || layer.kind === "rules") times.push(...layer.x);
        if (layer.kind === "bars" || layer.kind === "arrows") times.push(...layer.x0);
      }
    }
    const at = this.cursor === null ? this.span[0] : this.cursor;
    const [start, end] = this.span;  // a break has its rules wherever it is
    const beyond = times.filter((time) => time >= start && time <= end
      && (direction > 0 ? time > at + 1e-9 : time < at - 1e-9));
    if (beyond.length) {
      this.hold(direction > 0 ? beyond.reduce((a, b) => Math.min(a, b))
        : beyond.reduce((a, b) => Math.max(a, b)));
    }
  }

  // Redraws once a frame at most.
  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      for (const figure of this.figures) figure.draw();
      for (const figure of this.figures) figure.describe();
    });
  }
}
