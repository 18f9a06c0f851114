/** Fields that take a number, or the name of a column of the table. */

import { fill, find, h } from "./dom.js";
import { typed, unclear } from "./typed.js";

const KINDS = ["number", "category", "time"];

export class Columns {
  #names = [];

  /** The columns of a table that may hold what a field asks for. */
  offer({ columns }) {
    this.#names = columns.filter((one) => KINDS.includes(one.taken_for)).map((one) => one.name);
    fill(
      find("columns"),
      this.#names.map((value) => h("option", { value })),
    );
  }

  /** Whether this is the name of a column. */
  has(text) {
    return this.#names.includes(text.trim());
  }

  /** What a field says: a column, or a number. */
  value(text) {
    return this.has(text) ? text.trim() : typed(text);
  }

  /** What is wrong with it, as a sentence; empty if nothing is. `fits` says whether a number can be. */
  wrong(label, text, { fits = () => true, else: low = "is too small", named = true } = {}) {
    if (named && this.has(text)) return "";
    if (unclear(text) !== "") return unclear(text);
    if (Number.isFinite(typed(text))) return fits(typed(text)) ? "" : `“${label}” ${low}.`;
    if (!named) return `“${label}” takes a number.`;
    const known = this.#names.length > 0 ? `: ${this.#names.join(", ")}` : ", and this table has none that could be meant";
    return `“${label}” takes a number, or the name of a column${known}.`;
  }
}
