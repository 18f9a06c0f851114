/** Packs, stock and lead time: numbers, or columns of the table. */

import { find } from "./dom.js";

export const SUPPLY = { pack: "", minimum: "", stock: "", on_order: "", lead_time: "", review: "" };

const ALONE = ["stock", "on_order", "lead_time", "review"]; // what later orders will find is not known yet
const LEAST = { pack: 1e-9, review: 1 };

export class Supply {
  #columns;
  #before = null; // how many were asked for until only one could be

  constructor(columns) {
    this.#columns = columns;
  }

  /** Each field knows what is wrong with it. */
  set(state) {
    for (const name of Object.keys(SUPPLY)) find(name).setCustomValidity(this.#wrong(name, state[name]));
  }

  #wrong(name, text) {
    if (text.trim() === "") return "";
    const [label] = find(name).labels;
    return this.#columns.wrong(label.textContent, text, { fits: (x) => x >= (LEAST[name] ?? 0) });
  }

  request(state) {
    const given = Object.keys(SUPPLY).filter((name) => state[name].trim() !== "");
    return Object.fromEntries(given.map((name) => [name, this.#columns.value(state[name])]));
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
