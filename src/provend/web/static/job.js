/** Work that takes a while: how far it is, and a way to stop it. */

import { ServerError, cancel, finished, post } from "./api.js";
import { announce, fill, h, trouble } from "./dom.js";

const aborted = (error) => error.name === "AbortError";

function panel(title, onstop) {
  const bar = h("progress", { "aria-label": title, max: "1" });
  const message = h("p", { class: "small soft" }, "Waiting for its turn …");
  const stop = h("button", { type: "button", class: "button compact", onclick: onstop }, "Cancel");
  const element = h(
    "div",
    { class: "card stack-close", "aria-busy": "true" },
    h("div", { class: "row spread" }, h("h2", {}, title), stop),
    bar,
    message,
  );
  const tell = ({ state, progress, message: said }) => {
    if (typeof progress === "number") bar.value = progress;
    else bar.removeAttribute("value");
    message.textContent = state === "waiting" ? "Waiting for its turn …" : said || "At work …";
  };
  return { element, tell };
}

/** One job at a time in one place of a page; a new one ends the last. */
export class Worker {
  #place;
  #title;
  #current = null; // {job, stop}

  constructor(place, title) {
    this.#place = place;
    this.#title = title;
  }

  /** Start work by a request that answers with a job, and wait for the result; null if it came to nothing, which is shown. */
  async run(path, body, started) {
    return this.#watch(async () => (await post(path, body)).job, started);
  }

  /** Wait for a job that was started before. */
  async resume(job) {
    return this.#watch(
      async () => job,
      () => {},
    );
  }

  /** Give up on what is under way, without a word. */
  async drop() {
    const last = this.#current;
    this.#current = null;
    if (last === null) return;
    last.stop.abort();
    if (last.job !== null) await cancel(last.job).catch(() => {});
  }

  async #watch(begin, started) {
    await this.drop();
    const mine = { job: null, stop: new AbortController() };
    this.#current = mine;
    const { element, tell } = panel(this.#title, () => this.#cancelled());
    fill(this.#place, element);
    try {
      mine.job = await begin();
      if (this.#current !== mine) throw new DOMException("overtaken", "AbortError");
      started(mine.job);
      const result = await finished(mine.job, tell, mine.stop.signal);
      fill(this.#place);
      return result;
    } catch (error) {
      if (this.#current === mine) this.#failed(error);
      else if (mine.job !== null) cancel(mine.job).catch(() => {});
      return null;
    } finally {
      if (this.#current === mine) this.#current = null;
    }
  }

  async #cancelled() {
    await this.drop();
    fill(
      this.#place,
      h("div", { class: "notice" }, h("p", {}, "Cancelled. Nothing was changed; start again whenever you like.")),
    );
    announce("Cancelled");
  }

  #failed(error) {
    if (aborted(error)) return fill(this.#place, h("div", { class: "notice" }, h("p", {}, "Cancelled.")));
    if (!(error instanceof ServerError)) throw error;
    return fill(this.#place, trouble(error.message));
  }
}
