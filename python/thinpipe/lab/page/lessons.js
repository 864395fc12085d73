// Lessons: a list to choose from, and the text of the one that is open, beside the pictures. The
// sliders stay free to play with; a button brings the lesson's own state back.

import { get } from "./connection.js";
import { fresh } from "./state.js";
import { button } from "./elements.js";

// Returns the page's state as a lesson has it.
export function stateOf(lesson) {
  return { ...fresh(lesson.state.scenario), ...structuredClone(lesson.state), lesson: lesson.name };
}

// Keeps the list in the header and the text up to date.
export class Lessons {
  constructor(lab, list, text) {
    Object.assign(this, { lab, list, text });
    this.known = [];
    list.addEventListener("change", () => this.choose(list.value));
  }

  async load() {
    this.known = (await get("api/lessons")).lessons;
    this.list.replaceChildren(new Option("none", ""), ...this.known.map(
      ({ name, title }, number) => new Option(`${number + 1}. ${title}`, name),
    ));
  }

  find(name) {
    return this.known.find((each) => each.name === name);
  }

  // Returns the state of an address that names a lesson and nothing else; null of any other.
  ofAddress(hash) {
    const query = new URLSearchParams(hash.replace(/^#/, ""));
    const lesson = this.find(query.get("lesson"));
    return lesson && !query.has("scenario") ? stateOf(lesson) : null;
  }

  choose(name) {
    const lesson = this.find(name);
    if (lesson) this.lab.open(stateOf(lesson));
    else this.lab.open({ ...this.lab.state, lesson: null });
  }

  // Shows the text of the state's lesson, unless it is there already.
  show(name) {
    if (this.shown === name) return;
    this.shown = name;
    const lesson = this.find(name);
    this.list.value = lesson ? name : "";
    this.text.hidden = !lesson;
    this.text.replaceChildren(...(lesson ? this.page(lesson) : []));
  }

  page(lesson) {
    const number = this.known.indexOf(lesson);
    const answer = document.createElement("details");
    answer.append(element("summary", "Answer"), element("p", lesson.answer));
    const turn = (text, step) => {
      const made = button(text, () => this.choose(this.known[number + step].name));
      made.disabled = !this.known[number + step];
      return made;
    };
    const again = button("Back to the lesson’s state", () => this.choose(lesson.name));
    again.id = "lesson-again";
    const bar = document.createElement("p");
    bar.append(turn("Previous", -1), " ", turn("Next", 1), " ", again);
    return [
      element("p", `Lesson ${number + 1} of ${this.known.length}`),
      element("h2", lesson.title),
      element("p", lesson.text),
      element("p", lesson.question, "question"),
      answer,
      bar,
    ];
  }
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}
