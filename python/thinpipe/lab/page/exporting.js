// What the page shows as files: panels as PNG or SVG, tables of a run as CSV or Parquet.

import { palette } from "./colours.js";
import { newest, post } from "./connection.js";
import { button, folded } from "./elements.js";
import { drawSample, SAMPLE_WIDTH } from "./legend.js";
import { SvgContext } from "./svg.js";

const EDGE = 10;
const DENSITY = 2;
const ALL = "all";

// Fills an element with what there is to save; returns what keeps it up to date.
export function exporting(element, lab) {
  const pictures = row("Picture of");
  const panel = choice("Panel to save");
  pictures.append(
    panel,
    button("PNG", () => savePng(sheet(lab, panel.value))),
    button("SVG", () => saveSvg(sheet(lab, panel.value))),
  );
  const tables = row("Table");
  const [table, variant] = [choice("Table to save"), choice("Variant whose table to save")];
  const said = document.createElement("output");
  const save = (format) => saveTable(lab, table.value, Number(variant.value), format, said);
  tables.append(table, " of ", variant, button("CSV", () => save("csv")),
    button("Parquet", () => save("parquet")), said);
  const menu = folded("Save as files", pictures, tables);
  element.append(menu);
  const ask = newest(
    "api/tables",
    (answer) => listTables(answer.tables, table, said),
    (error) => { said.textContent = error; },
  );
  const list = () => ask({ ...lab.state, variant: Number(variant.value) });
  menu.addEventListener("toggle", () => menu.open && list());
  variant.addEventListener("change", list);
  return {
    update: (answer) => {
      fill(panel, [[ALL, "all panels"], ...answer.panels.map(({ name, title }) => [name, title])]);
      const runs = answer.runs.filter((run) => !run.ghost);
      fill(variant, runs.map((run) => [run.number, `variant ${run.number + 1}, ${run.name}`]));
      if (menu.open) list();
    },
  };
}

// Returns a picture of panels where they are on the page: its size, and what paints it.
function sheet(lab, name) {
  const { figures } = lab.panels;
  const chosen = name === ALL ? [...figures.values()] : [figures.get(name)].filter(Boolean);
  if (!chosen.length) return null;
  const boxes = chosen.map((figure) => figure.element.getBoundingClientRect());
  const left = boxes.reduce((least, box) => Math.min(least, box.left), Infinity);
  const top = boxes.reduce((least, box) => Math.min(least, box.top), Infinity);
  const right = boxes.reduce((most, box) => Math.max(most, box.right), 0);
  const bottom = boxes.reduce((most, box) => Math.max(most, box.bottom), 0);
  const from = [left - EDGE, top - EDGE];
  return {
    name: name === ALL ? "panels" : name,
    scenario: lab.shownScenario,
    title: `${lab.shownScenario}: ${chosen.map(({ panel }) => panel.title).join(", ")}`,
    width: Math.ceil(right - left + 2 * EDGE),
    height: Math.ceil(bottom - top + 2 * EDGE),
    paint: (context) => chosen.forEach((figure) => paintFigure(context, figure, from)),
  };
}

function paintFigure(context, figure, [left, top]) {
  const colours = palette();
  const at = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left - left, box.top - top, box];
  };
  const [captionX, captionY, caption] = at(figure.caption);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = "600 13px system-ui, sans-serif";
  context.fillStyle = colours.ink;
  context.fillText(figure.caption.textContent, captionX, captionY + caption.height / 2);
  const [x, y] = at(figure.canvas);
  context.save();
  context.translate(x, y);
  figure.paint(context, colours);
  context.restore();
  for (const { layer, item } of figure.legend.items) {
    const [itemX, itemY, box] = at(item);
    const middle = itemY + box.height / 2;
    drawSample(context, layer, colours, itemX, middle - 5);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = colours.faint;
    context.fillText(item.textContent, itemX + SAMPLE_WIDTH + 5, middle);
  }
}

function paper(context, { width, height }) {
  context.fillStyle = palette().paper;
  context.fillRect(0, 0, width, height);
}

function savePng(picture) {
  if (!picture) return;
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * DENSITY;
  canvas.height = picture.height * DENSITY;
  const context = canvas.getContext("2d");
  context.scale(DENSITY, DENSITY);
  paper(context, picture);
  picture.paint(context);
  canvas.toBlob((blob) => download(blob, fileName(picture, "png")), "image/png");
}

function saveSvg(picture) {
  if (!picture) return;
  const context = new SvgContext(picture.width, picture.height);
  paper(context, picture);
  picture.paint(context);
  const blob = new Blob([context.toString(picture.title)], { type: "image/svg+xml" });
  download(blob, fileName(picture, "svg"));
}

function fileName({ scenario, name }, suffix) {
  return `${scenario.replace(/[^\w.+-]+/g, "-")}-${name}.${suffix}`;
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function listTables(tables, select, said) {
  fill(select, tables.map(({ name, rows }) => (
    [name, `${name} (${rows.toLocaleString("en")} row${rows === 1 ? "" : "s"})`]
  )));
  said.textContent = "";
}

async function saveTable(lab, table, variant, format, said) {
  said.textContent = "…";
  try {
    const answer = await post("api/table", { ...lab.state, table, variant, format });
    const [, name] = /filename="(.*)"/.exec(answer.headers.get("Content-Disposition"));
    download(await answer.blob(), name);
    said.textContent = `${name} saved`;
  } catch (error) {
    said.textContent = error.message;
  }
}

function row(text) {
  const made = document.createElement("div");
  made.className = "row";
  const label = document.createElement("span");
  label.textContent = text;
  made.append(label);
  return made;
}

function choice(label) {
  const made = document.createElement("select");
  made.setAttribute("aria-label", label);
  return made;
}

function fill(select, pairs) {
  const before = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
  if (pairs.some(([value]) => String(value) === before)) select.value = before;
}
