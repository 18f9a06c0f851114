/** A table of past demand: dropped, chosen or the restaurant's; what was understood of it, and how to correct that. */

import { get, post, upload } from "./api.js";
import { announce, fill, h, trouble } from "./dom.js";
import { count, day, number, plural } from "./format.js";

const MEANINGS = {
  item: "the item", date: "the date", demand: "the demand", number: "a context: number", category: "a context: category",
  time: "a context: time", "left out": "not used",
};

const FORMATS = ".csv,.tsv,.txt,.gz,.parquet,.xlsx";

export class Past {
  #place;
  #changed;
  #file = null;
  #answers = {}; // to what can be read in two ways

  /** `changed(file)` is called with what the server understood, or null. */
  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
    this.#empty();
  }

  /** What the server understood, once nothing is left to ask. */
  get ready() {
    return this.#file !== null && this.#file.needs.length === 0 ? this.#file : null;
  }

  /** What each column is taken for. */
  get columns() {
    return Object.fromEntries(this.#file.columns.map((column) => [column.name, column.taken_for]));
  }

  /** The table that an address names. */
  load(id) {
    return this.#read("the table in the address", () => get(`/api/files/${encodeURIComponent(id)}`));
  }

  async #read(name, request) {
    const before = this.#file;
    fill(this.#place, h("div", { class: "card stack-close", "aria-busy": "true" }, h("p", {}, `Reading ${name} …`), h("progress", { "aria-label": "Reading" })));
    try {
      this.#understood(await request());
    } catch (error) {
      if (before === null) this.#empty();
      else this.#loaded();
      this.#place.prepend(trouble(error.message));
    }
  }

  #understood(file) {
    if (this.#file?.file !== file.file) this.#answers = {};
    this.#file = file;
    this.#loaded();
    announce(`${file.name}: ${plural(file.rows, "row")} read`);
    this.#changed(this.ready);
  }

  #empty() {
    const input = h("input", { type: "file", id: "file", accept: FORMATS, "aria-describedby": "file-hint", onchange: () => this.#take(input.files) });
    const zone = h("div", { class: "drop" },
      h("p", { class: "drop-title" }, "Drop a table of past demand here"),
      h("p", { class: "soft small", id: "file-hint" }, "A CSV or Excel file: one row for each item and day, with the date and how much was wanted."),
      h("div", { class: "row drop-ways" },
        h("span", { class: "choose" }, input, h("label", { class: "button primary", for: "file" }, "Choose a file")),
        h("button", { type: "button", class: "button", id: "restaurant", onclick: () => this.#restaurant() }, "Try the restaurant’s data")),
      h("p", { class: "soft small" }, "The file stays on this machine, in the memory of the server you started, and is forgotten when it ends."));
    for (const kind of ["dragenter", "dragover"]) zone.addEventListener(kind, (event) => (event.preventDefault(), zone.classList.add("over")));
    for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => (event.preventDefault(), this.#take(event.dataTransfer.files)));
    fill(this.#place, zone, example());
  }

  #take([file]) {
    if (file !== undefined) this.#read(file.name, () => upload(file));
  }

  #restaurant() {
    this.#read("the restaurant’s data", () => post("/api/files/restaurant"));
  }

  #again(columns) {
    const { file, name } = this.#file;
    this.#read(`${name} again`, () => post(`/api/files/${encodeURIComponent(file)}/read`, { options: this.#answers, columns }));
  }

  #loaded() {
    const file = this.#file;
    const other = h("button", { type: "button", class: "button compact", onclick: () => this.#forget() }, "Another file");
    const asks = file.needs.length > 0;
    fill(this.#place, h("div", { class: "card stack" },
      h("div", { class: "row spread" }, h("h3", { class: "file-name" }, file.name), other),
      asks ? this.#questions() : h("p", {}, extent(file)),
      sentences(file), this.#columnsTable(!asks)));
  }

  #forget() {
    this.#file = null;
    this.#empty();
    this.#changed(null);
    document.getElementById("file").focus();
  }

  /** What can be read in two ways is asked for. */
  #questions() {
    const asked = this.#file.needs.map((need) =>
      h("fieldset", { class: "question stack-close" }, h("legend", {}, need.question),
        need.choices.map(({ value, label }) => h("div", { class: "tick" },
          h("input", { type: need.several ? "checkbox" : "radio", name: need.option, id: `${need.option}-${value}`, value: String(value), required: !need.several, checked: need.value === value }),
          h("label", { for: `${need.option}-${value}` }, label)))));
    const answer = (event) => {
      event.preventDefault();
      const chosen = new FormData(event.target);
      for (const need of this.#file.needs) {
        const values = need.choices.map(({ value }) => value).filter((value) => chosen.getAll(need.option).includes(String(value)));
        this.#answers[need.option] = need.several ? values : values[0];
      }
      this.#again(undefined);
    };
    return h("form", { class: "notice warn stack", onsubmit: answer }, h("p", {}, h("strong", {}, "Before it can be used: ")), asked,
      h("button", { class: "button primary" }, "Read it this way"));
  }

  #columnsTable(folded) {
    const rows = this.#file.columns.map((column, i) => {
      const id = `column-${i}`;
      const choices = column.choices.map((value) => h("option", { value, selected: value === column.taken_for }, MEANINGS[value] ?? value));
      const select = h("select", { id, onchange: () => this.#again({ ...this.columns, [column.name]: select.value }) }, choices);
      const samples = column.sample.map((value) => String(value ?? "")).filter((text) => text !== "").join(" · ");
      return h("tr", {}, h("th", { scope: "row" }, h("label", { for: id }, column.name), h("span", { class: "sub sample" }, samples)), h("td", {}, select));
    });
    if (rows.length === 0) return null;
    return h("details", { class: "fold", open: !folded }, h("summary", {}, "What each column was taken for"),
      h("table", { class: "columns" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Column, and what it holds"), h("th", { scope: "col" }, "Taken for"))), h("tbody", {}, rows)));
  }
}

/** What such a table looks like. */
function example() {
  const rows = [["2026-11-13", "bread", "118", "no"], ["2026-11-13", "cake", "24", "no"], ["2026-11-14", "bread", "161", "yes"], ["…", "…", "…", "…"]];
  return h("div", { class: "looks" }, h("h3", {}, "It looks like this"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Example of a table" }, h("table", {},
      h("thead", {}, h("tr", {}, ["date", "item", "demand", "holiday"].map((name, i) => h("th", { scope: "col", class: i === 2 ? "n" : null }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: i === 2 ? "n" : null }, cell))))))),
    h("p", { class: "small soft" }, "Other names, orders of columns, decimal commas and dates in the manner of your country are understood; what can be read in two ways is asked for. Further columns, such as holidays or weather, are contexts. Without a column of items, all rows are one item."));
}

function extent(file) {
  const when = file.first === null || file.first === undefined ? "" : `, ${day(file.first)} to ${day(file.last)}`;
  return `${plural(file.rows, "row")} of ${plural(file.items, "item")}${when}.` + (file.largest > 0 ? ` The greatest demand was ${number(file.largest)}.` : "");
}

function sentences(file) {
  const aside = file.set_aside > 0
    ? h("details", { class: "fold" }, h("summary", {}, `${count(file.set_aside)} rows set aside`), h("ul", {}, (file.set_aside_examples ?? []).map((text) => h("li", {}, text))))
    : null;
  return h("div", { class: "small soft stack-close" }, (file.understood ?? []).map((text) => h("p", {}, text)), aside);
}
