/** Packs, stock and lead time: numbers, or columns of the table. */

import { fill, find, h } from "./dom.js";
import { typed, unclear } from "./format.js";

export const SUPPLY = { pack: "", minimum: "", stock: "", on_order: "", lead_time: "", review: "" };

const ALONE = ["stock", "on_order", "lead_time", "review"]; // what later orders will find is not known yet
const LEAST = { pack: 1e-9, review: 1 };
const KINDS = ["number", "category", "time"];

export class Supply {
  #columns = [];
  #before = null; // how many were asked for until only one could be

  /** The columns of a table that may hold them. */
  offer({ columns }) {
    this.#columns = columns.filter((one) => KINDS.includes(one.taken_for)).map((one) => one.name);
    fill(
      find("columns"),
      this.#columns.map((value) => h("option", { value })),
    );
  }

  /** Each field knows what is wrong with it. */
  set(state) {
    for (const name of Object.keys(SUPPLY)) find(name).setCustomValidity(this.#wrong(name, state[name].trim()));
  }

  #wrong(name, text) {
    if (text === "" || this.#columns.includes(text)) return "";
    const [words] = find(name).labels;
    const known = this.#columns.length > 0 ? `, or one of the columns ${this.#columns.join(", ")}` : "";
    if (unclear(text) !== "") return unclear(text);
    if (!Number.isFinite(typed(text))) return `“${words.textContent}” takes a number${known}.`;
    return typed(text) >= (LEAST[name] ?? 0) ? "" : `“${words.textContent}” is too small.`;
  }

  request(state) {
    const given = Object.keys(SUPPLY).filter((name) => state[name].trim() !== "");
    return Object.fromEntries(given.map((name) => [name, this.#value(state[name].trim())]));
  }

  #value(text) {
    return this.#columns.includes(text) ? text : typed(text);
  }

  /** How many to decide once that has become one alone, or is free again; undefined where it stays. */
  horizon(state) {
    const { horizon } = state;
    if (oneAlone(state) === (this.#before !== null)) return undefined;
    const [now, before] = this.#before === null ? ["1", horizon] : [horizon === "1" ? this.#before : horizon, null];
    this.#before = before;
    return now === horizon ? undefined : now;
  }

  /** Whether it was more until stock or lead times were given. */
  cut(state) {
    return Number(this.#before) > 1 && state.horizon === "1";
  }

  /** Whether only one order for each item can be decided, and more are asked for. */
  tooMany(state) {
    return oneAlone(state) && Number(state.horizon) > 1;
  }
}

const oneAlone = (state) => state.days === "next" && ALONE.some((name) => state[name].trim() !== "");
