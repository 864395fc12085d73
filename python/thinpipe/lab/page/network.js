// The network of the variant in focus, as `thinpipe show` draws it.

import { newest } from "./connection.js";
import { button } from "./elements.js";

const WAIT_MS = 300;
const NARROW = "(max-width: 760px)";

export class NetworkPicture {
  constructor(element, lab) {
    this.lab = lab;
    this.shown = "";
    this.svg = "";
    this.details = document.createElement("details");
    this.details.open = !matchMedia(NARROW).matches;
    const heading = document.createElement("summary");
    heading.textContent = "Network";
    this.image = document.createElement("img");
    this.image.alt = "";
    this.image.hidden = true;
    this.outline = document.createElement("p");
    this.outline.className = "outline";
    this.dialog = document.createElement("dialog");
    this.dialog.setAttribute("aria-label", "Network");
    this.large = document.createElement("img");
    this.large.alt = "";
    this.dialog.append(this.large, button("Close", () => this.dialog.close()));
    this.larger = button("Larger", () => this.dialog.showModal());
    this.larger.hidden = true;
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "Picture of the network");
    scroll.append(this.image);
    this.details.append(heading, scroll, this.outline, this.larger);
    this.ask = newest("api/network", (drawn) => this.show(drawn), (error) => this.fail(error));
    this.details.addEventListener("toggle", () => this.update());
    element.append(this.details, this.dialog);
  }

  // Asks for the picture a little after the last change.
  update() {
    clearTimeout(this.timer);
    if (!this.details.open || !this.lab.answer) return;
    const { scenario, set, variants, focus, breaks } = this.lab.state;
    const asked = JSON.stringify({ scenario, set, variants, focus, breaks });
    if (asked === this.shown) return;
    this.timer = setTimeout(() => {
      this.shown = asked;
      this.ask(JSON.parse(asked));  // as it is now: the page's own state goes on
    }, WAIT_MS);
  }

  fail(error) {
    this.outline.textContent = error;
    this.shown = "";
  }

  show({ svg, alt, outline }) {
    this.outline.textContent = outline;
    this.image.alt = alt;
    this.large.alt = alt;
    if (svg === this.svg) return;
    this.svg = svg;
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    this.image.src = this.address;
    this.large.src = this.address;
    this.image.hidden = false;
    this.larger.hidden = false;
  }
}
