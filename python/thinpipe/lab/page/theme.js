// Dark or light: as the system has it, until the button is pressed.

import { isDark } from "./colours.js";

// Lets a button switch; `redraw` is called whenever the colours change.
export function theme(button, redraw) {
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
