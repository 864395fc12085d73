// The state of the page: what is run and what is looked at. It is in the address, so that an
// address brings it back.

export const MOST_VARIANTS = 4;

// Returns a state with nothing set.
export function fresh(scenario) {
  return {
    scenario, set: {}, variants: [{}], breaks: [], before: null, without: false,
    span: null, panels: null, focus: 0, flow: null, lesson: null,
  };
}

// Returns a query as text in which a plus is a plus: names such as gprs-3+1 are also typed by hand.
function written(query) {
  return new URLSearchParams(query).toString().replaceAll("+", "%20");
}

function read(text) {
  return new URLSearchParams(text.replaceAll("+", "%2B"));
}

// Returns a state as the part of an address after #. Its form is that of a query: `set=KEY=VALUE`
// for each setting, `variant=KEY=VALUE&KEY=VALUE` (encoded) for each variant.
export function toAddress(state) {
  const query = new URLSearchParams();
  query.append("scenario", state.scenario);
  for (const [key, text] of Object.entries(state.set)) query.append("set", `${key}=${text}`);
  for (const variant of state.variants) {
    query.append("variant", written(variant));
  }
  for (const { name, at_s, sizes } of state.breaks) {
    query.append("break", written({ name, at: at_s, ...sizes }));
  }
  if (state.before) query.append("before", written(state.before));
  if (state.without) query.append("without", "1");
  if (state.span) query.append("span", state.span.join(","));
  if (state.panels) query.append("panels", state.panels.join(","));
  if (state.focus) query.append("focus", state.focus);
  if (state.flow !== null) query.append("flow", state.flow);
  if (state.lesson) query.append("lesson", state.lesson);
  return written(query);
}

// Returns the state of an address; what is wrong in it is left out. The server checks the rest.
export function fromAddress(text, scenario) {
  const query = read(text.replace(/^#/, ""));
  const state = fresh(query.get("scenario") || scenario);
  for (const setting of query.getAll("set")) {
    const at = setting.indexOf("=");
    if (at > 0) state.set[setting.slice(0, at)] = setting.slice(at + 1);
  }
  const variants = query.getAll("variant").slice(0, MOST_VARIANTS);
  if (variants.length) {
    state.variants = variants.map((each) => Object.fromEntries(read(each)));
  }
  state.breaks = query.getAll("break").map(breakOf).filter(Boolean);
  if (query.has("before")) {
    state.before = Object.fromEntries(read(query.get("before")));
  }
  state.without = query.get("without") === "1";
  const span = (query.get("span") || "").split(",").map(Number);
  if (span.length === 2 && span.every(Number.isFinite) && span[0] >= 0 && span[0] < span[1]) {
    state.span = span;
  }
  if (query.has("panels")) state.panels = query.get("panels").split(",").filter(Boolean);
  state.focus = whole(query.get("focus"), MOST_VARIANTS - 1);
  state.flow = query.has("flow") ? whole(query.get("flow"), 1_000_000) : null;
  state.lesson = query.get("lesson");
  return state;
}

// Returns a break of an address: its name, its time, and numbers that are its sizes.
function breakOf(text) {
  const { name, at, ...sizes } = Object.fromEntries(read(text));
  const numbers = Object.entries(sizes).map(([size, value]) => [size, Number(value)]);
  const isWhole = name && [Number(at || NaN), ...numbers.map(([, value]) => value)]
    .every(Number.isFinite);
  return isWhole ? { name, at_s: Number(at), sizes: Object.fromEntries(numbers) } : null;
}

function whole(text, most) {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 && number <= most ? number : 0;
}
