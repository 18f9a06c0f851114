/** What Decide and Backtest share: a table, a form, work that takes a while, and results; all of it in the address. */

import * as address from "./address.js";
import { Columns } from "./columns.js";
import { announce, fill, find, h } from "./dom.js";
import { writeDecimals } from "./format.js";
import { Worker } from "./job.js";
import { Past } from "./past.js";
import { keepTabs } from "./tabs.js";

const COMMON = { file: "", read: "", cu: "", co: "", lo: "", hi: "", job: "" };

const [MONEY, ENDS] = [["cu", "co"], ["lo", "hi"]]; // costs, and the range of demand

const LATER = 250; // milliseconds
const MARKED = "Please correct what is marked.";

export class Asking {
  #page;
  #defaults;
  #fields;
  #asked; // what of the state the results depend on
  #past;
  #worker;
  #shown = null; // that of the results on the page
  columns = new Columns();

  /**
   * A page has `form` (names and defaults of its fields, beside the costs and the range of demand), `view` (what else of
   * its state stands in the address), `stock` (whether past stock matters), `named` (whether costs may be columns), `path` and `request(state)` to start the work, `working` (a title), and methods
   * `file(file, options)` (a table was read), `set(state)`, `typed()` (the state of fields without a name), `wrong()`, `show(result, state)`, `arrange(state)`, `clear()` and `spoken(result)`.
   */
  constructor(page) {
    this.#page = page;
    this.#defaults = { ...COMMON, ...page.form, ...page.view };
    this.#fields = [
      "cu",
      "co",
      "lo",
      "hi",
      ...Object.keys(page.form).filter((name) => document.getElementById(name)?.form),
    ];
    this.#asked = ["file", "read", "cu", "co", "lo", "hi", ...Object.keys(page.form)];
    this.#worker = new Worker(find("work"), page.working);
    this.#past = new Past(find("past"), (file) => this.#read(file), { stock: page.stock });
    this.state = address.read(this.#defaults);
    find("costs").addEventListener("submit", (event) => (event.preventDefault(), this.#go()));
    find("costs").addEventListener("input", (event) => this.#typed(event.target));
    find("costs").addEventListener("change", ({ target }) => this.#left(target));
    window.addEventListener("popstate", () => {
      this.state = address.read(this.#defaults);
      this.arrive();
    });
  }

  /** Put something into the state and the address. */
  keep(some, how) {
    this.state = { ...this.state, ...some };
    address.write(this.state, this.#defaults, how);
    keepTabs(this.state);
  }

  /** The same for what the results depend on: those on the page may be out of date then. */
  change(some) {
    this.keep(some);
    this.#sayStale();
  }

  /** The page as its address says. */
  async arrive() {
    const { file, read, job } = this.state;
    if (file !== "") keepTabs(this.state);
    this.#setForm();
    if (file === "" && this.#past.key !== "") this.#past.clear();
    if (file !== "" && (this.#past.key !== file || this.#past.read !== read))
      await this.#past.load(file, this.#options());
    find("costs-step").hidden = this.#past.key === "";
    if (job === "" || this.#past.key === "") this.#clear();
    else if (this.#page.job !== job) await this.#answer(this.#worker.resume(job));
    this.#page.arrange(this.state);
  }

  /** How the table is to be read. */
  #options() {
    try {
      return JSON.parse(this.state.read || "{}");
    } catch {
      return {}; // an address that somebody has cut
    }
  }

  #setForm() {
    for (const name of this.#fields) find(name).value = this.state[name];
    for (const fold of find("costs").querySelectorAll("details.options"))
      fold.open ||= [...fold.querySelectorAll("[name]")].some(({ name }) => this.state[name] !== this.#defaults[name]);
    this.#page.set(this.state);
  }

  /** A table was read, or taken away. */
  #read(file) {
    find("costs-step").hidden = file === null;
    if (file === null) {
      this.keep({ file: "", read: "", job: "", ...this.#page.view }, { step: true });
      return this.#clear();
    }
    writeDecimals(file.decimal);
    if (this.#page.named) this.columns.offer(file);
    this.#page.file(file, JSON.parse(this.#past.read || "{}"));
    if (this.state.cu === "" && file.example !== null)
      this.keep({ cu: String(file.example.cu), co: String(file.example.co) });
    const { read } = this.#past;
    if (file.file === this.state.file) this.keep({ read });
    else this.keep({ file: file.file, read, job: "", ...this.#page.view }, { step: true });
    this.#setForm();
    return this.#sayStale();
  }

  #clear() {
    this.#worker.drop();
    this.#shown = null;
    fill(find("work"));
    this.#page.clear();
    find("results-step").hidden = find("twin").hidden = true;
    this.#sayStale();
  }

  #now() {
    return JSON.stringify(this.#asked.map((name) => this.state[name]));
  }

  /** Results that were worked out for other numbers say so. */
  #sayStale() {
    const stale = this.#shown !== null && this.#now() !== this.#shown;
    this.#say(stale ? "What stands below was worked out for other choices; start again to bring it up to date." : "");
    find("results").classList.toggle("stale", stale);
  }

  #say(text, wrong = false) {
    find("stale").classList.toggle("wrong", wrong);
    fill(find("stale"), text);
  }

  #typed(field) {
    this.keep(field.name === "" ? this.#page.typed() : { [field.name]: field.value });
    field.removeAttribute("aria-invalid");
    document.getElementById(`${field.id}-doubt`)?.remove();
    this.#page.set(this.state);
    this.#sayStale();
  }

  /** A field was left: what is wrong is said a little later, so that no button moves away while it is pressed. */
  #left(field) {
    if (!this.#fields.includes(field.id)) return;
    setTimeout(() => document.activeElement !== field && this.#judge(field), LATER);
  }

  /** Whether a field holds what it should; what is wrong with what was typed is said beside it. */
  #judge(field) {
    if ([...MONEY, ...ENDS].includes(field.id)) field.setCustomValidity(this.#problem(field.id));
    const sound = field.checkValidity();
    document.getElementById(`${field.id}-doubt`)?.remove();
    if (field.value.trim() !== "" && field.validity.customError)
      field.closest(".field").append(h("p", { class: "small doubt", id: `${field.id}-doubt`, role: "status" }, field.validationMessage));
    return sound;
  }

  /** What is wrong with the form, as a sentence; empty if nothing is. */
  #wrong() {
    const bad = this.#fields.map(find).filter((field) => {
      const sound = this.#judge(field);
      field.setAttribute("aria-invalid", String(!sound));
      return !sound;
    });
    if (bad.length > 0) {
      const [first] = bad;
      for (const fold of find("costs").querySelectorAll("details.options")) fold.open ||= fold.contains(first);
      first.focus();
      return first.value.trim() === "" && first.validity.customError ? first.validationMessage : MARKED;
    }
    if ((this.state.lo.trim() === "") !== (this.state.hi.trim() === ""))
      return "Please give both ends of the range of demand, or none.";
    return this.#page.wrong();
  }

  /** What is wrong with a cost or an end of the range of demand; empty if nothing is. */
  #problem(name) {
    const [text, money] = [this.state[name], MONEY.includes(name)];
    if (text.trim() === "") return money ? "Please give both costs, above 0." : "";
    const label = money ? find(name).labels[0].textContent : find(name).getAttribute("aria-label");
    return this.columns.wrong(label, text, { fits: (x) => !money || x > 0, else: "has to be above 0", named: this.#page.named === true });
  }

  async #go() {
    const wrong = this.#wrong();
    if (wrong !== "") return this.#say(wrong, true);
    const { file, cu, co, lo, hi } = this.state;
    const [short, over, least, most] = [cu, co, lo, hi].map((text) => this.columns.value(text));
    const support = lo.trim() === "" ? null : [least, most];
    this.#page.clear();
    const request = { file, options: this.#options(), cu: short, co: over, support };
    Object.assign(request, this.#page.request(this.state));
    await this.#answer(
      this.#worker.run(this.#page.path, request, (job) => this.keep({ job, ...this.#page.view }, { step: true })),
      { go: true },
    );
  }

  /** Show what comes of some work; where that was asked for on this page just now, `go` there. */
  async #answer(promise, { go = false } = {}) {
    const [heading, from] = [find("results-step").querySelector("h2"), document.activeElement];
    find("results-step").hidden = false;
    if (go) heading.scrollIntoView();
    const result = await promise;
    if (result === null) return;
    this.#shown = this.#now();
    this.#page.job = this.state.job;
    this.#page.show(result, this.state);
    this.#sayStale();
    Object.assign(find("twin"), { href: `/api/jobs/${encodeURIComponent(this.state.job)}`, hidden: false });
    announce(this.#page.spoken(result));
    if (!go || ![from, document.body].includes(document.activeElement)) return; // somebody is at something else
    heading.focus({ preventScroll: true });
    heading.scrollIntoView(); // smoothly or at once, as the style sheet says
  }
}
