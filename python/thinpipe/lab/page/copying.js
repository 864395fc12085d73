// The experiment as text to take away: a command, a scenario, a program, a sweep, an address.

import { post } from "./connection.js";
import { button } from "./elements.js";

const KINDS = [
  ["command", "Command", "in a terminal"],
  ["toml", "TOML", "a scenario in a file, of the variant in focus: thinpipe run FILE"],
  ["python", "Python", "a program"],
  ["sweep", "Sweep", "in a terminal: all variants with ten seeds each"],
];

// Fills an element with buttons; the server writes the texts.
export function copying(element, lab) {
  const label = document.createElement("span");
  label.textContent = "Copy as";
  const dialog = new TextDialog();
  const buttons = KINDS.map(([name, title, meaning]) => {
    const made = button(title, async () => {
      try {
        const copies = await post("api/copies", lab.state);
        dialog.show(`As ${title}`, meaning, copies[name]);
      } catch (error) {
        dialog.show(`As ${title}`, error.message, "");
      }
    });
    made.dataset.copy = name;
    return made;
  });
  const link = button("Link", () => {
    const { href } = location;
    dialog.show("Link", "this state of the page, while the lab runs", href);
  });
  link.dataset.copy = "link";
  element.append(label, ...buttons, link, dialog.element);
}

class TextDialog {
  constructor() {
    this.element = document.createElement("dialog");
    this.heading = document.createElement("h2");
    this.heading.id = "copy-heading";
    this.element.setAttribute("aria-labelledby", this.heading.id);
    this.meaning = document.createElement("p");
    this.area = document.createElement("textarea");
    Object.assign(this.area, { readOnly: true, spellcheck: false });
    this.area.setAttribute("aria-labelledby", this.heading.id);
    this.said = document.createElement("output");
    const row = document.createElement("div");
    row.className = "row";
    this.copy = button("Copy", () => this.put());
    row.append(this.copy, button("Close", () => this.element.close()), this.said);
    this.element.append(this.heading, this.meaning, this.area, row);
  }

  show(title, meaning, text) {
    this.heading.textContent = title;
    this.meaning.textContent = meaning;
    this.area.value = text.trimEnd();
    this.area.hidden = this.copy.hidden = !text;
    this.area.rows = Math.min(24, this.area.value.split("\n").length + 1);
    this.said.textContent = "";
    this.element.showModal();
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.copy.focus();
  }

  // Puts the text on the clipboard; where that is not allowed, it is selected for Ctrl-C.
  async put() {
    try {
      await navigator.clipboard.writeText(this.area.value);
      this.said.textContent = "Copied";
    } catch {
      this.area.focus();
      this.area.select();
      this.said.textContent = "Selected: copy it with Ctrl-C";
    }
  }
}
