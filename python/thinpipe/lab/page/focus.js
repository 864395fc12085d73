// Who uses the page by keyboard stays at the same control when a part of the page is made anew.

// Calls `make`, which replaces elements, and gives the focus back to the one that took the place of
// what had it, or else to the first control of the same part.
export function keepFocus(part, make) {
  const had = part.contains(document.activeElement) ? document.activeElement : null;
  make();
  if (!had || had.isConnected) return;
  const all = [...part.querySelectorAll("a, button, canvas, input, select, summary, [tabindex]")];
  const able = all.filter((each) => !each.disabled);
  (able.find((each) => isSame(each, had)) ?? able[0])?.focus({ preventScroll: true });
}

function isSame(one, other) {
  const names = ["id", "name", "aria-label", "type"];
  const box = one.type === "checkbox" ? ["value"] : [];
  return one.tagName === other.tagName
    && [...names, ...box].every((name) => one.getAttribute(name) === other.getAttribute(name));
}
