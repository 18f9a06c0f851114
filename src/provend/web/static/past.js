/** A table of past demand: dropped, chosen or the restaurant's; what was understood of it, and how to correct that. */

import { post, upload } from "./api.js";
import { announce, fill, h, quoted, trouble } from "./dom.js";
import { plural } from "./format.js";
import { example, meaningOfStock, understood } from "./past_words.js";

const MEANINGS = {
  item: "the item",
  date: "the date",
  demand: "the demand",
  stock_seen: "past stock",
  sold_out: "sold out?",
  number: "a context: number",
  category: "a context: category",
  time: "a context: time",
  "left out": "not used",
};

export const FORMATS = ".csv,.tsv,.txt,.gz,.parquet,.xlsx";

const STOCK = ["stock_seen", "sold_out"];
const KINDS = ["number", "category", "time"];
const ONE_EACH = ["date", "demand", "stock_seen", "sold_out"]; // roles that one column has

export class Past {
  #place;
  #changed;
  #file = null;
  #options = {}; // how it is to be read, as far as that was said
  #open = false; // whether the columns are shown
  #stock; // whether it matters what was in stock

  /** `changed(file)` is called with what the server understood once nothing is left to ask, and with null else. */
  constructor(place, changed, { stock = false } = {}) {
    this.#place = place;
    this.#changed = changed;
    this.#stock = stock;
    this.#empty();
  }

  /** The key of the table that is shown. */
  get key() {
    return this.#file?.file ?? "";
  }

  /** How it was read, as far as that was said, as an address has it. */
  get read() {
    return Object.keys(this.#options).length === 0 ? "" : JSON.stringify(this.#options);
  }

  /** The table that an address names, read as it says. */
  load(key, options) {
    this.#options = options;
    return this.#read("the table", () => post(`/api/files/${encodeURIComponent(key)}/read`, { options }));
  }

  /** No table. */
  clear() {
    this.#file = null;
    this.#options = {};
    this.#empty();
  }

  async #read(name, request, { example = null, before = this.#options } = {}) {
    const busy = h(
      "div",
      { class: "card stack-close", "aria-busy": "true" },
      h("p", {}, `Reading ${name} …`),
      h("progress", { "aria-label": "Reading" }),
    );
    fill(this.#place, busy);
    try {
      this.#file = await request();
      this.#loaded();
      announce(
        this.#asks()
          ? "There is a question about the file"
          : `${this.#file.name}: ${plural(this.#file.rows, "row")} read`,
      );
      this.#changed(this.#asks() ? null : { ...this.#file, example });
    } catch (error) {
      this.#options = before;
      if (this.#file === null) this.#empty();
      else this.#loaded();
      this.#place.prepend(trouble(error.message));
    }
  }

  #asks() {
    return this.#file.needs.length > 0;
  }

  #empty() {
    const input = h("input", {
      type: "file",
      id: "file",
      accept: FORMATS,
      "aria-describedby": "file-hint",
      onchange: () => this.#take(input.files),
    });
    const zone = h(
      "div",
      { class: "drop" },
      h("p", { class: "drop-title" }, "Drop a table of past demand here"),
      h(
        "p",
        { class: "soft small", id: "file-hint" },
        "A CSV or Excel file: one row for each item and day, with the date and how much was wanted.",
      ),
      h(
        "div",
        { class: "row drop-ways" },
        h("span", { class: "choose" }, input, h("label", { class: "button primary", for: "file" }, "Choose a file")),
        h(
          "button",
          { type: "button", class: "button", id: "restaurant", onclick: () => this.#restaurant() },
          "Try the restaurant’s data",
        ),
      ),
      h(
        "p",
        { class: "soft small" },
        "The file stays on this machine, with the server you started, and is forgotten when the server stops.",
      ),
    );
    for (const kind of ["dragenter", "dragover"])
      zone.addEventListener(kind, (event) => (event.preventDefault(), zone.classList.add("over")));
    for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => (event.preventDefault(), this.#take(event.dataTransfer.files)));
    fill(this.#place, zone, example(this.#stock));
  }

  #take([file]) {
    this.#options = {};
    if (file !== undefined) this.#read(file.name, () => upload(file));
  }

  #restaurant() {
    this.#options = {};
    this.#read("the restaurant’s data", () => post("/api/files/restaurant"), { example: { cu: 9, co: 1 } });
  }

  #again(options) {
    const [before, { file, name }] = [this.#options, this.#file];
    this.#options = options;
    const request = () => post(`/api/files/${encodeURIComponent(file)}/read`, { options });
    return this.#read(`${name} again`, request, { before });
  }

  #loaded() {
    const file = this.#file;
    const other = h(
      "button",
      { type: "button", class: "button compact", onclick: () => this.#forget() },
      "Another file",
    );
    fill(
      this.#place,
      h(
        "div",
        { class: "card stack" },
        h("div", { class: "row spread" }, h("h3", { class: "file-name" }, file.name), other),
        this.#asks() ? this.#questions() : [understood(file), this.#columnsTable()],
      ),
    );
  }

  #forget() {
    this.clear();
    this.#changed(null);
    document.getElementById("file").focus();
  }

  /** What can be read in two ways is asked for. */
  #questions() {
    const samples = new Map(this.#file.columns.map((column) => [column.name, column.sample]));
    const choice =
      (need) =>
      ({ value, label }) =>
        h(
          "div",
          { class: "tick" },
          h("input", {
            type: need.several ? "checkbox" : "radio",
            name: need.option,
            id: `${need.option}-${value}`,
            value: String(value),
            required: !need.several,
          }),
          h(
            "label",
            { for: `${need.option}-${value}` },
            label,
            samples.has(value) && h("span", { class: "sub" }, ...sampled(samples.get(value))),
          ),
        );
    const asked = this.#file.needs.map((need) =>
      h(
        "fieldset",
        { class: "question stack-close" },
        h("legend", {}, need.question),
        need.choices.map(choice(need)),
        need.why && h("p", { class: "small soft" }, ...quoted(`Why this is asked: ${need.why}.`)),
      ),
    );
    const answer = (event) => {
      event.preventDefault();
      const chosen = new FormData(event.target);
      const said = this.#file.needs.map((need) => {
        const given = chosen.getAll(need.option);
        const [first, ...rest] = need.choices.filter(({ value }) => given.includes(String(value)));
        if (need.several) return [need.option, [first, ...rest].flatMap((one) => one?.value ?? [])];
        return [first.option ?? need.option, first.value]; // an answer may settle something else
      });
      this.#again({ ...this.#options, ...Object.fromEntries(said) });
    };
    return h(
      "form",
      { class: "notice ask stack", onsubmit: answer },
      asked,
      h("button", { class: "button primary" }, "Read it this way"),
    );
  }

  #columnsTable() {
    const open = this.#open || this.#file.columns.some((column) => column.doubt);
    const rows = this.#file.columns.map((column, i) => {
      const id = `column-${i}`;
      const offered = column.choices.filter((value) => this.#stock || !STOCK.includes(value));
      const choices = offered.map((value) =>
        h("option", { value, selected: value === column.taken_for }, MEANINGS[value] ?? value),
      );
      const select = h("select", { id, onchange: () => this.#retake(column.name, select) }, choices);
      return h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("label", { for: id }, column.name),
          h("span", { class: "sub sample" }, ...sampled(column.sample)),
        ),
        h("td", {}, select, column.doubt && h("p", { class: "small doubt" }, ...quoted(column.doubt))),
      );
    });
    return h(
      "details",
      { class: "fold", open, ontoggle: (event) => (this.#open = event.target.open) },
      h("summary", {}, "What each column was taken for"),
      h(
        "table",
        { class: "columns" },
        h(
          "thead",
          {},
          h("tr", {}, h("th", { scope: "col" }, "Column, and what it holds"), h("th", { scope: "col" }, "Taken for")),
        ),
        h("tbody", {}, rows),
      ),
      this.#stock && meaningOfStock(),
    );
  }

  async #retake(name, { id, value }) {
    this.#open = true;
    await this.#again(this.#retaken(name, value));
    document.getElementById(id)?.focus();
  }

  /** How to read the table with one column taken for something else. */
  #retaken(name, role) {
    const before = new Map(this.#file.columns.map((column) => [column.name, column.taken_for]));
    if (ONE_EACH.includes(role)) for (const [other, taken] of before) if (taken === role) before.delete(other);
    before.set(name, role);
    const having = (wanted) => [...before].filter(([, taken]) => taken === wanted).map(([other]) => other);
    const kinds = { ...this.#options.columns };
    delete kinds[name];
    if (KINDS.includes(role)) kinds[name] = role;
    return {
      ...this.#options,
      item: having("item"),
      date: having("date")[0],
      demand: having("demand")[0],
      stock_seen: having("stock_seen")[0],
      sold_out: having("sold_out")[0],
      left_out: having("left out"),
      columns: kinds,
    };
  }
}

/** Values beside each other; none is broken where that can be avoided. */
const sampled = (values) =>
  values
    .map((value) => String(value ?? ""))
    .filter((text) => text !== "")
    .flatMap((text, i) => [i > 0 && " · ", h("span", { class: text.length <= 20 ? "whole" : null }, text)]);
