// Colours: four for variants, and those with a meaning, apart under any colour vision (Okabe and
// Ito, 2008), for dark and light.

const LIGHT = {
  runs: ["#0072B2", "#D55E00", "#009E73", "#AA4499"],
  ink: "#1b1f24", faint: "#5b6470", grid: "#e3e6ea", paper: "#ffffff", cursor: "#5b6470",
  capacity: "#d5d9de", muted: "#8a8a8a", drop: "#000000", data: "#0072B2",
  retransmission: "#D55E00", acknowledgement: "#009E73", timeout: "#AA4499", window: "#B07A00",
  sack: "#AA4499", error: "#D55E00", break: "#a4262c", control: "#8a8a8a", good: "#009E73",
  idle: "#c3c9d1", "cell-pch": "#a9cce3", "ura-pch": "#d7b5d0", "cell-fach": "#E69F00",
  "cell-dch": "#0072B2",
  hues: ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B0A000"],
};
const DARK = {
  runs: ["#56B4E9", "#F0954B", "#35C79A", "#E08FC4"],
  ink: "#e8eaed", faint: "#a3abb5", grid: "#33383f", paper: "#1b1f24", cursor: "#a3abb5",
  capacity: "#3d434b", muted: "#9a9a9a", drop: "#ffffff", data: "#56B4E9",
  retransmission: "#F0954B", acknowledgement: "#35C79A", timeout: "#E08FC4", window: "#F0C24B",
  sack: "#E08FC4", error: "#F0954B", break: "#ff9aa0", control: "#9a9a9a", good: "#35C79A",
  idle: "#4a515a", "cell-pch": "#3f6680", "ura-pch": "#80577a", "cell-fach": "#E69F00",
  "cell-dch": "#56B4E9",
  groups: {
    "#0072B2": "#4F9DFF", "#D55E00": "#F0803C", "#56B4E9": "#A6DCFF", "#009E73": "#35C79A",
    "#CC79A7": "#F29AC8", "#E69F00": "#F2B632", "#000000": "#FFFFFF", "#8A8A8A": "#A3A3A3",
    "#004949": "#5FB3B3", "#924900": "#C98B55", "#490092": "#A274F0", "#006DDB": "#6F86FF",
    "#B66DFF": "#D3A6FF", "#999933": "#C6C65A",
  },
  hues: ["#56B4E9", "#E69F00", "#35C79A", "#E08FC4", "#9CCBEF", "#F0954B", "#F0E442"],
};

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function palette() {
  return isDark() ? DARK : LIGHT;
}

// Returns the colour of a layer: that of its group, of its meaning, of one among many alike, or of
// its run. Groups have the colours of pictures on paper; on dark there is another for each.
export function colourOf(layer, colours) {
  if (layer.color) return colours.groups?.[layer.color] ?? layer.color;
  if (layer.hue !== undefined) return colours.hues[layer.hue % colours.hues.length];
  if (layer.tone) return colours[layer.tone] || colours.ink;
  return colours.runs[layer.run % colours.runs.length];
}
