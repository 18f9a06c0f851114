/** The days to decide: the next ones, or those of a second table, which says what contexts will be then. */

import { download, post, upload } from "./api.js";
import { announce, fill, find, h, quoted, trouble } from "./dom.js";
import { day, plural } from "./format.js";
import { FORMATS } from "./past.js";
import { SUPPLY } from "./supply.js";

const KINDS = ["number", "category", "time"];
const TERMS = ["cu", "co", "lo", "hi"];
const DAYS = 7; // of a table to fill in, where no other number is given

/** "`a`, `b` and `c`", to be quoted. */
const listed = (names) =>
  names.map((name) => `\`${name}\``).join(", ").replace(/, ([^,]*)$/, " and $1");

export class Ahead {
  #changed;
  #past = null; // the table of past demand
  #options = {}; // how that is read
  #file = null; // what the server understood of the second one
  #horizon = DAYS;
  #elsewhere = []; // columns that say something else, such as costs or what is in stock
  #fresh = false; // whether items without a past are new
  #coming = ""; // the key of the one that is being read

  /** `changed({ahead})` is called with the key of a table, or with none. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Past demand was read, perhaps in another way than before. */
  history(file, options) {
    const again = this.#file !== null && this.#past?.file === file.file ? this.#file.file : null;
    this.#past = file;
    this.#options = options;
    this.#file = null;
    if (again === null) this.#ask();
    else this.#load(again);
  }

  /** As the address says. */
  set(state) {
    const { days, ahead, horizon, fresh } = state;
    this.#fresh = fresh === "yes";
    const own = days === "file";
    for (const radio of find("costs").elements.days) radio.checked = (radio.value === "file") === own;
    find("days-next").hidden = own;
    find("days-file").hidden = !own;
    this.#horizon = Number(horizon) >= 1 && Number(horizon) <= 366 ? Math.floor(Number(horizon)) : DAYS;
    this.#elsewhere = [...TERMS, ...Object.keys(SUPPLY)].map((name) => state[name].trim());
    this.#sayUnknown();
    if (own && ahead !== "" && ![this.#file?.file, this.#coming].includes(ahead) && this.#past !== null) this.#load(ahead);
    if (ahead === "" && this.#file !== null) this.#forget();
  }

  #contexts() {
    const contexts = (this.#past?.columns ?? []).filter((one) => KINDS.includes(one.taken_for));
    return contexts.map((one) => one.name).filter((name) => !this.#elsewhere.includes(name));
  }

  #sayUnknown() {
    const names = this.#contexts();
    fill(
      find("unknown"),
      names.length > 0 &&
        h(
          "p",
          { class: "small" },
          ...quoted(
            `Not used: ${listed(names)}. Nothing says what ${names.length === 1 ? "it" : "they"} will be on these days; give the days in a file to make ${names.length === 1 ? "it" : "them"} count.`,
          ),
        ),
      h("p", { class: "small soft" }, "Weekdays, and over two years the time of year, are known from the date and always count."),
    );
  }

  #load(key) {
    this.#coming = key;
    return this.#read("the days ahead", () =>
      post(`/api/files/${encodeURIComponent(this.#past.file)}/ahead/${encodeURIComponent(key)}`, {
        options: this.#options,
      }),
    );
  }

  async #read(name, request) {
    fill(
      find("days-file"),
      h("div", { class: "stack-close", "aria-busy": "true" }, h("p", {}, `Reading ${name} …`), h("progress", { "aria-label": "Reading" })),
    );
    try {
      this.#file = await request();
      this.#show();
      announce(`${this.#file.name}: ${plural(this.#file.rows, "row")} to decide`);
      this.#changed({ ahead: this.#file.file });
    } catch (error) {
      this.#file = null;
      this.#ask(trouble(error.message));
      this.#changed({ ahead: "" });
    } finally {
      this.#coming = "";
    }
  }

  #forget() {
    this.#file = null;
    this.#ask();
  }

  /** A file is asked for, and what has to be in it is said. */
  #ask(notice = null) {
    const names = this.#contexts();
    const input = h("input", {
      type: "file",
      id: "ahead-file",
      accept: FORMATS,
      "aria-describedby": "ahead-hint",
      oninput: (event) => event.stopPropagation(),
      onchange: () => this.#take(input.files),
    });
    const empty = h(
      "button",
      { type: "button", class: "button", onclick: () => this.#save() },
      "Download one to fill in",
    );
    const what =
      names.length === 0
        ? "One row for each item and day, with columns named as in the first file. It has no further columns, so the file only chooses the days."
        : `One row for each item and day, with columns named as in the first file, and what ${listed(names)} will be then. A column that is not in it is not used.`;
    fill(
      find("days-file"),
      notice,
      h("p", { class: "small soft", id: "ahead-hint" }, ...quoted(what)),
      h(
        "div",
        { class: "row" },
        h("span", { class: "choose" }, input, h("label", { class: "button", for: "ahead-file" }, "Choose the file")),
        empty,
      ),
    );
  }

  #take([file]) {
    if (file === undefined) return undefined;
    return this.#read(file.name, () => upload(file, `/api/files/${encodeURIComponent(this.#past.file)}/ahead`));
  }

  async #save() {
    try {
      await download(`/api/files/${encodeURIComponent(this.#past.file)}/ahead?days=${this.#horizon}`, null, "ahead.csv");
      announce("ahead.csv saved");
    } catch (error) {
      this.#ask(trouble(error.message));
    }
  }

  /** Items without a past: mistaken, perhaps, or new. */
  #new({ count, one, like }) {
    const said = `${plural(count, "item has", "items have")} no past demand, such as “${one}”`;
    const why = `, which looks like “${like}”: leading zeros, blanks, or upper and lower case may have been changed`;
    const box = h("input", {
      type: "checkbox",
      id: "new-items",
      oninput: (event) => event.stopPropagation(),
      onchange: () => this.#changed({ fresh: box.checked ? "yes" : "" }),
    });
    box.checked = this.#fresh;
    return h(
      "div",
      { class: "stack-close" },
      h("p", { class: "small doubt" }, `${said}${like === null ? "" : why}.`),
      h("label", { class: "small" }, box, " These items are new, not mistaken"),
    );
  }

  #show() {
    const { name, rows, items, first, last, contexts, lacking, strangers } = this.#file;
    const other = () => {
      this.#forget();
      this.#changed({ ahead: "" });
      find("ahead-file").focus();
    };
    const when = first === last ? day(first) : `${day(first)} to ${day(last)}`;
    fill(
      find("days-file"),
      h(
        "div",
        { class: "row spread" },
        h("h3", { class: "file-name" }, name),
        h("button", { type: "button", class: "button compact", onclick: other }, "Another file"),
      ),
      h("p", {}, `${plural(rows, "order")} for ${plural(items, "item")}, ${when}.`),
      strangers.count > 0 && this.#new(strangers),
      contexts.length > 0 && h("p", { class: "small" }, ...quoted(`Counted as contexts: ${listed(contexts)}.`)),
      lacking.length > 0 &&
        h("p", { class: "small doubt" }, ...quoted(`Not used, as this file does not have ${lacking.length === 1 ? "it" : "them"}: ${listed(lacking)}.`)),
    );
  }
}
