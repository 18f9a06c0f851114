/** The orders: ranked by their extra cost at worst, each opening in place, with the planner's own quantities beside them. */

import { download } from "./api.js";
import { asCode } from "./code.js";
import { Detail } from "./decide_detail.js";
import { group, lines, single } from "./decide_lines.js";
import { totals } from "./decide_totals.js";
import { EXTRA, meaningOfBadges, meaningOfColumns, USUAL, WITHOUT_DATA } from "./decide_words.js";
import { announce, debounced, fill, h, quoted, trouble } from "./dom.js";
import { count, day, plural, spoken } from "./format.js";
import { Overrides } from "./overrides.js";
import { explained } from "./tip.js";

const PAGE = 20; // rows shown at first, and more by a button

export class Orders {
  job = "";
  #place;
  #keep;
  #result = null;
  #overrides = null;
  #detail = null;
  #limit = PAGE;
  #unfolded = new Set(); // items without past days whose orders are shown one by one
  #view = { sort: "risk", search: "", row: "" };
  #totals = h("div");
  #body = h("tbody");
  #after = h("div", { class: "row" });
  #saved = h("div", { class: "stack-close" });

  constructor(place, keep) {
    this.#place = place;
    this.#keep = keep;
  }

  clear() {
    this.#result = null;
    fill(this.#place);
  }

  show(result, state) {
    const left = this.job === state.job ? 0 : (this.#overrides?.size ?? 0);
    this.#result = result;
    this.job = state.job;
    this.#limit = PAGE;
    this.#overrides = new Overrides(state.job);
    fill(
      this.#place,
      left > 0 && h("p", { class: "notice warn" }, `${plural(left, "quantity", "quantities")} of your own stayed with the orders before: go back one step in the browser to find them.`),
      fill(this.#totals, totals(result, this.#overrides)),
      this.#told(),
      this.#tools(state),
      this.#table(),
      this.#after,
      meaningOfBadges(),
      this.#downloads(),
      asCode(result.as_python, result.as_command),
    );
    this.#view = { sort: state.sort, search: state.search, row: "" };
    this.arrange(state);
  }

  /** Sorted, filtered and opened as the address says. */
  arrange({ sort, search, row }) {
    if (this.#result === null) return;
    this.#view = { sort, search, row };
    const words = search.toLowerCase();
    const found = this.#result.orders.filter((order) => `${order.item} ${order.date} ${day(order.date)}`.toLowerCase().includes(words));
    const has = (orders) => orders.some((order) => String(order.row) === row);
    if (row !== "" && found.some((order) => has([order])))
      while (!lines(found, sort, this.#limit).shown.some(has)) this.#limit += PAGE;
    const all = lines(found, sort, this.#limit);
    const here = all.shown.find(has) ?? [];
    if (here.length > 1) this.#unfolded.add(here[0].item);
    fill(
      this.#body,
      all.shown.flatMap((orders) => this.#rows(orders)),
    );
    const left = all.count - all.shown.length;
    fill(
      this.#after,
      found.length === 0 && h("p", { class: "soft" }, "No item or date holds these letters."),
      left > 0 &&
        h(
          "button",
          { type: "button", class: "button compact", onclick: () => this.#more() },
          `Show ${count(Math.min(left, PAGE))} more`,
        ),
      left > 0 && h("span", { class: "small soft" }, `${count(all.shown.length)} of ${count(all.count)} lines shown`),
    );
  }

  #more() {
    this.#limit += PAGE;
    this.arrange(this.#view);
  }

  #told() {
    const { what, totals } = this.#result;
    const left = totals.orders - totals.shown;
    const off = left > 0 ? [`${count(left)} further orders with less extra cost at worst are in the download.`] : [];
    const lines = [...what, ...off];
    return h(
      "details",
      { class: "fold small" },
      h("summary", {}, "How they were worked out"),
      h(
        "ul",
        { class: "told soft" },
        lines.map((text) => h("li", {}, ...quoted(spoken(text)))),
      ),
    );
  }

  #tools({ sort, search }) {
    const type = debounced(120, (text) => this.#set({ search: text }));
    const find = h("input", {
      type: "search",
      id: "search",
      placeholder: "item or date",
      value: search,
      oninput: (event) => type(event.target.value),
    });
    const by = h(
      "select",
      { id: "sort", onchange: (event) => this.#set({ sort: event.target.value }) },
      [
        ["risk", "extra cost at worst"],
        ["item", "item"],
        ["date", "date"],
      ].map(([value, text]) => h("option", { value, selected: value === sort }, text)),
    );
    if (this.#result.orders.length < 8) return null;
    return h(
      "div",
      { class: "row tools" },
      h("div", { class: "row" }, h("label", { for: "search" }, "Find"), find),
      h("div", { class: "row" }, h("label", { for: "sort" }, "Sort by"), by),
    );
  }

  #set(some) {
    this.#limit = PAGE;
    this.#keep(some);
    this.arrange({ ...this.#view, ...some });
  }

  #table() {
    const part = h("span", { class: "sub desk-only" }, explained({ class: "term" }, "share of that without data", WITHOUT_DATA));
    const head = [
      ["Order for", "wide"],
      ["Order", "n"],
      [[explained({ class: "term" }, "Extra cost at worst", `${EXTRA} Beneath it stands its share of that without data.`), part], "n"],
      [[explained({ class: "term" }, "Usual cost", USUAL), h("span", { class: "sub desk-only" }, "estimate")], "n"],
      ["Rests on", "rests"],
      ["Why", "why"],
    ];
    return h(
      "div",
      { class: "card orders-card" },
      h(
        "table",
        { class: "orders" },
        h("caption", { class: "hidden-visually" }, "Orders. Press a row to see the past days behind it."),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)),
          ),
        ),
        this.#body,
      ),
    );
  }

  /** The rows of one line: an order, or several that open into their own lines. */
  #rows(orders) {
    const [first] = orders;
    if (orders.length === 1) return this.#row(first);
    const open = this.#unfolded.has(first.item);
    const line = group(orders, open, () => this.#unfold(first));
    return open ? [line, ...orders.flatMap((order) => this.#row(order, true))] : [line];
  }

  #row(order, within = false) {
    const open = String(order.row) === this.#view.row;
    const line = single(order, this.#overrides.of(order.row), { open, within, press: () => this.#toggle(order) });
    return open ? [line, this.#opened(order)] : [line];
  }

  #unfold({ item, row }) {
    if (!this.#unfolded.delete(item)) this.#unfolded.add(item);
    this.arrange(this.#view);
    document.getElementById(`group-${row}`).focus({ preventScroll: true });
  }

  #opened(order) {
    if (this.#detail?.row !== order.row || this.#detail.job !== this.job) {
      this.#detail = new Detail(this.job, order, this.#overrides, () => this.#overridden());
    }
    return h("tr", { class: "detail" }, h("td", { colspan: "6" }, this.#detail.element));
  }

  #toggle(order) {
    const row = String(order.row) === this.#view.row ? "" : String(order.row);
    this.#keep({ row }, { step: true });
    this.arrange({ ...this.#view, row });
    document.getElementById(`row-${order.row}`).focus({ preventScroll: true });
  }

  #overridden() {
    fill(this.#totals, totals(this.#result, this.#overrides));
    this.arrange(this.#view);
    this.#sayDownloads();
  }

  #downloads() {
    const button = (format, text) =>
      h("button", { type: "button", class: "button", onclick: () => this.#save(format) }, text);
    this.#sayDownloads();
    return h(
      "section",
      { class: "card stack-close", "aria-label": "Download" },
      h(
        "div",
        { class: "row" },
        h("h3", {}, "Take it with you"),
        button("csv", "Download CSV"),
        button("xlsx", "Download Excel"),
      ),
      this.#saved,
      meaningOfColumns(),
    );
  }

  #sayDownloads() {
    const n = this.#overrides.size;
    fill(
      this.#saved,
      h(
        "p",
        { class: "small soft" },
        n === 0
          ? "One row for each order, with its guarantee, its basis and its reason. The CSV is written like the table you sent."
          : `With ${n === 1 ? "one quantity" : `${count(n)} quantities`} of your own, and the reasons you gave: what is ordered in the end stands in final_order, the orders worked out and their guarantees in order and guarantee.`,
      ),
    );
  }

  async #save(format) {
    try {
      const path = `/api/decide/${encodeURIComponent(this.job)}/download`;
      const name = await download(path, { format, overrides: this.#overrides.list() }, `orders.${format}`);
      this.#sayDownloads();
      announce(`${name} saved`);
    } catch (error) {
      fill(this.#saved, trouble(error.message));
    }
  }
}
