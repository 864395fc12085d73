// Places on a map that can be dragged, or moved by arrow keys; what is moved sets a key and runs
// when it is let go. A handle is what python/thinpipe/lab/panel.py says.

const STEP = 10;
const ASIDE = 18;
const WAYS = {
  ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP],
};

export class Handles {
  constructor(figure) {
    this.figure = figure;
    this.buttons = [];
    this.held = null;
  }

  // Puts the handles where the panel has them; the one that is held stays in the hand.
  place() {
    const { panel, scales, canvas, element } = this.figure;
    const handles = panel.handles || [];
    while (this.buttons.length > handles.length) this.buttons.pop().remove();
    while (this.buttons.length < handles.length) {
      const made = this.button(this.buttons.length);
      this.buttons.push(made);
      element.append(made);
    }
    handles.forEach((handle, number) => {
      const { x, y } = number === this.held?.number ? this.held : handle;
      const button = this.buttons[number];
      const isThere = (other) => other.x === handle.x && other.y === handle.y;
      const aside = ASIDE * handles.slice(0, number).filter(isThere).length;
      button.style.left = `${canvas.offsetLeft + scales.x.at(x) + aside}px`;
      button.style.top = `${canvas.offsetTop + scales.y.at(y)}px`;
      const said = `${handle.label}: ${Math.round(x)} m, ${Math.round(y)} m`;
      button.setAttribute("aria-label", `${said}. Arrow keys move it by ${STEP} m.`);
      button.title = said;
    });
  }

  button(number) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "handle";
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      this.take(number);
      const { scales } = this.figure;
      this.held.across = event.clientX - scales.x.at(this.held.x);
      this.held.up = event.clientY - scales.y.at(this.held.y);
    });
    made.addEventListener("pointermove", (event) => {
      if (this.held?.number !== number) return;
      const { scales } = this.figure;
      const { across, up } = this.held;
      this.move(scales.x.value(event.clientX - across), scales.y.value(event.clientY - up));
    });
    made.addEventListener("pointerup", () => this.release());
    made.addEventListener("pointercancel", () => this.drop());
    made.addEventListener("keydown", (event) => {
      const way = WAYS[event.key];
      if (event.key === "Escape") this.drop();
      if (!way) return;
      event.preventDefault();
      if (this.held?.number !== number) this.take(number);
      this.move(this.held.x + way[0], this.held.y + way[1]);
    });
    made.addEventListener("keyup", (event) => { if (WAYS[event.key]) this.release(); });
    made.addEventListener("blur", () => this.release());
    return made;
  }

  take(number) {
    const { x, y } = this.figure.panel.handles[number];
    this.held = { number, x, y, isMoved: false };
  }

  move(x, y) {
    Object.assign(this.held, { x: Math.round(x), y: Math.round(y), isMoved: true });
    this.place();
  }

  drop() {
    this.held = null;
    this.place();
  }

  release() {
    const { held } = this;
    this.held = null;
    if (!held?.isMoved) return;
    const handle = this.figure.panel.handles[held.number];
    Object.assign(handle, { x: held.x, y: held.y });
    const text = handle.text.replaceAll("{x}", held.x).replaceAll("{y}", held.y);
    this.figure.element.dispatchEvent(
      new CustomEvent("setting", { bubbles: true, detail: { key: handle.key, text } }),
    );
  }
}
