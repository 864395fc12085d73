// Elements that several parts of the page are made of.

export function button(text, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", onClick);
  return made;
}

// Gives an element a name for those who do not see it, and a title for those who do.
export function named(made, label) {
  made.setAttribute("aria-label", label);
  made.title = label;
  return made;
}

// Returns elements under a heading that folds them away.
export function folded(title, ...content) {
  const element = document.createElement("details");
  const heading = document.createElement("summary");
  heading.textContent = title;
  element.append(heading, ...content);
  return element;
}
