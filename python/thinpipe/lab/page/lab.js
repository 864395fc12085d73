// The page: it keeps the state, asks the server whenever the state changes, and shows the answer.

import { breaks } from "./breaks.js";
import { Connection, get } from "./connection.js";
import { grouped, row, search } from "./controls.js";
import { copying } from "./copying.js";
import { exporting } from "./exporting.js";
import { keepFocus } from "./focus.js";
import { groupSections, partsOf, patternOf } from "./groups.js";
import { Lessons } from "./lessons.js";
import { NetworkPicture } from "./network.js";
import { Panels } from "./panels.js";
import { Scatter } from "./scatter.js";
import { fresh, fromAddress, toAddress } from "./state.js";
import { tables } from "./tables.js";
import { theme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { transport } from "./transport.js";
import { variantRows } from "./variants.js";

const at = (id) => document.getElementById(id);
const PATIENCE_MS = 400;
const SAME_CHANGE_MS = 1000;

// Says whether what is shown is of an earlier state.
function busy(isBusy) {
  at("results").ariaBusy = String(isBusy);
}

class Lab {
  async start() {
    this.catalogue = await get("api/catalogue");
    this.time = new Timeline(
      (span) => this.change((state) => { state.span = span; }),
      (cursor) => {
        this.transport.show(cursor);
        this.breaks.point(cursor);
      },
    );
    this.transport = transport(at("transport"), this);
    this.breaks = breaks(at("breaks"), at("difference"), this);
    this.listScenarios();
    this.panels = new Panels(at("panels"), this.time);
    this.scatter = new Scatter(at("scatter"), this);
    copying(at("copying"), this);
    this.files = exporting(at("exporting"), this);
    this.network = new NetworkPicture(at("network"), this);
    theme(at("theme"), () => this.recolour());
    this.lessons = new Lessons(this, at("lessons"), at("lesson"));
    await this.lessons.load();
    window.addEventListener("hashchange", () => this.restore(location.hash));
    at("panels").addEventListener("setting", ({ detail }) => this.set(detail));
    this.connection = new Connection(
      (found) => this.show(found),
      (isThere) => this.say(isThere ? "" : "The server is gone; looking for it …"),
    );
    await this.restore(location.hash);
  }

  listScenarios() {
    const select = at("scenario");
    for (const { name, description } of this.catalogue.scenarios) {
      const option = new Option(name, name);
      option.title = description;
      select.append(option);
    }
    select.selectedIndex = -1;  // none of them, if the address names another
    select.addEventListener("change", () => this.open(fresh(select.value)));
  }

  // Brings back the state of an address.
  async restore(hash) {
    if (this.opening && hash.slice(1) === toAddress(this.opening)) return;
    await this.open(this.lessons.ofAddress(hash) ?? fromAddress(hash, this.catalogue.first));
  }

  // Opens the scenario of a state.
  async open(state) {
    this.opening = state;
    busy(true);
    const scenario = await get(`api/scenario/${encodeURIComponent(state.scenario)}`);
    if (this.opening !== state) return;
    if (scenario.error) {
      this.fail(scenario.error);
      return;
    }
    this.scenario = scenario;
    this.state = state;
    at("scenario").value = state.scenario;
    at("description").textContent = scenario.description;
    this.lessons.show(state.lesson);
    this.buildControls();
    this.ask();
  }

  // Changes the state and runs it; `isDone` is false while a slider is dragged, `what` is the
  // control that may change it again and again.
  change(how, isDone = true, what = null) {
    how(this.state);
    if (isDone) this.buildVariants();
    this.ask(isDone, what);
  }

  // Sets a key of all variants, or of the one in focus if it has a value of its own.
  set({ key, text }) {
    this.change((state) => {
      const own = state.variants[state.focus] ?? {};
      (key in own ? own : state.set)[key] = text;
    });
    this.buildControls();
  }

  // Makes, takes away or brings back groups of flows.
  changeGroups(how) {
    this.change(how);
    this.buildControls();
  }

  ask(isDone = true, what = null) {
    this.opening = this.state;
    busy(true);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say("Running …"), PATIENCE_MS);
    if (isDone) this.remember(what);
    this.isPassing = !isDone;
    this.connection.ask({
      ...this.state,
      columns: Math.max(50, Math.min(4000, this.panels.columns)),
      coarse: this.isPassing && this.isSlow,
    });
  }

  // Puts the state into the address; Back leads to the state before. Arrow keys on a slider are one
  // change.
  remember(what) {
    const address = `#${toAddress(this.state)}`;
    const [before, at] = this.remembered ?? [null, 0];
    const goesOn = what !== null && what === before && performance.now() - at < SAME_CHANGE_MS;
    this.remembered = [what, performance.now()];
    if (address === location.hash) return;
    if (this.answer && !goesOn) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  get isSlow() {
    return (this.answer?.run_s ?? 0) > 0.25;
  }

  buildControls() {
    const keys = this.catalogue.keys.filter(({ key }) => partsOf(key) === null);
    const others = search(keys, (key) => {
      if (!at("settings").querySelector(`[data-key="${CSS.escape(key)}"]`)) {
        others.before(this.settingRow(key));
      }
      document.getElementById(`setting-${key}`)?.focus();
    });
    const shown = [...new Set([...this.scenario.keys, ...Object.keys(this.state.set)])];
    const isOffered = (key) => partsOf(key) === null
      && (key in this.state.set || this.control(key).kind !== "text");
    const offered = shown.filter((key) => key !== "seed" && isOffered(key));
    const groups = grouped(offered, (key) => this.settingRow(key), (key) => key in this.state.set);
    at("settings").replaceChildren(...groups, others);
    at("groups").replaceChildren(...groupSections(this));
    this.buildVariants();
  }

  settingRow(key) {
    const text = this.state.set[key] ?? this.scenario.values[key] ?? this.newText(key);
    const control = { ...this.control(key), label: partsOf(key)?.rest };
    return row(control, text, (now, isDone) => {
      this.change((state) => { state.set[key] = now; }, isDone, key);
    });
  }

  // Returns what a key of a group begins with that the scenario does not have, or says nothing of.
  newText(key) {
    return this.scenario.new_group[partsOf(key)?.rest] ?? "";
  }

  // Returns what a key takes: that of the scenario, or what is known of it anywhere.
  control(key) {
    const pattern = patternOf(key);
    const known = this.catalogue.keys.find((each) => each.key === pattern);
    return this.scenario.controls[key]
      ?? (known && { ...known, key })
      ?? { key, kind: "text", words: [], doc: "", expected: "anything" };
  }

  buildVariants() {
    // Not before the event is over that changed them: by Tab, the focus is on its way.
    setTimeout(() => keepFocus(at("variants"), () => {
      at("variants").replaceChildren(...variantRows(this));
    }));
  }

  // Shows an answer.
  show(answer) {
    if (answer.error !== undefined) {
      this.fail(answer.error);
      return;
    }
    clearTimeout(this.waiting);
    at("error").hidden = true;
    at("results").classList.remove("stale");
    this.answer = answer;
    this.shownScenario = this.state.scenario;
    this.time.span = answer.span;
    this.time.duration = answer.duration_s;
    this.time.names = answer.runs;
    this.panels.show(answer.panels);
    keepFocus(at("transport"), () => this.transport.update(answer));
    this.breaks.update(answer);
    if (!this.isPassing) this.scatter.add(answer, this.state);
    this.files.update(answer);
    this.network.update();
    keepFocus(at("tables"), () => at("tables").replaceChildren(...tables(answer)));
    const runs = answer.runs.length;
    this.say(`${runs} run${runs === 1 ? "" : "s"} in ${Math.round(answer.run_s * 1000)} ms`);
    document.body.dataset.shown = String(answer.number);
    busy(false);
  }

  // Draws all that has colours, after these have changed.
  recolour() {
    this.time.redraw();
    this.scatter.draw();
    if (this.state) this.buildVariants();
  }

  fail(text) {
    at("error").textContent = text;
    at("error").hidden = false;
    clearTimeout(this.waiting);
    this.say("");
    at("results").classList.add("stale");
    this.breaks.fail();
    document.body.dataset.shown = "error";
    busy(false);
  }

  say(text) {
    at("status").textContent = text;
  }
}

const lab = new Lab();
lab.start();
