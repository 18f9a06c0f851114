/** The orders: ranked by money at risk, each opening in place, with the planner's own quantities beside them. */

import { download } from "./api.js";
import { asCode } from "./code.js";
import { Detail } from "./decide_detail.js";
import { badge, meaningOfBadges, meaningOfRisk, why } from "./decide_words.js";
import { announce, debounced, fill, h, quoted, tile, trouble } from "./dom.js";
import { bound, count, day, number, percent, plural, quantity } from "./format.js";
import { Overrides } from "./overrides.js";

const PAGE = 20; // rows shown at first, and more by a button
const worth = (order) => order.guarantee ?? Infinity; // what cannot be decided comes first
const ORDERINGS = {
  risk: (a, b) => worth(b) - worth(a),
  item: (a, b) => String(a.item).localeCompare(String(b.item), "en", { numeric: true }) || (a.date < b.date ? -1 : 1),
  date: (a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : worth(b) - worth(a)),
};

export class Orders {
  job = "";
  #place;
  #keep;
  #result = null;
  #overrides = null;
  #detail = null;
  #limit = PAGE;
  #view = { sort: "risk", search: "", row: "" };
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
    this.#result = result;
    this.job = state.job;
    this.#limit = PAGE;
    this.#overrides = new Overrides(state.job);
    fill(
      this.#place,
      this.#totals(),
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
    const found = this.#result.orders.filter((order) => `${order.item} ${order.date}`.toLowerCase().includes(words));
    found.sort(ORDERINGS[sort] ?? ORDERINGS.risk);
    this.#limit = Math.max(this.#limit, found.findIndex((order) => String(order.row) === row) + 1);
    fill(
      this.#body,
      found.slice(0, this.#limit).flatMap((order) => this.#rows(order)),
    );
    const left = found.length - this.#limit;
    fill(
      this.#after,
      found.length === 0 && h("p", { class: "soft" }, "No item or date holds these letters."),
      left > 0 &&
        h(
          "button",
          { type: "button", class: "button compact", onclick: () => this.#more() },
          `Show ${count(Math.min(left, PAGE))} more`,
        ),
      left > 0 && h("span", { class: "small soft" }, `${count(this.#limit)} of ${count(found.length)} shown`),
    );
  }

  #more() {
    this.#limit += PAGE;
    this.arrange(this.#view);
  }

  #totals() {
    const { orders, items, units, guarantee, no_data, without_guarantee: open } = this.#result.totals;
    const tiles = [
      tile(
        bound(guarantee),
        `of money at risk in ${plural(orders - open, "order")}${open > 0 ? " with a guarantee" : ""}, at most and on average`,
      ),
      tile(percent((100 * guarantee) / no_data), `of the ${bound(no_data)} that ordering without data puts at risk`),
      tile(number(units), `units to order, of ${plural(items, "item")}`),
    ];
    if (open > 0) tiles.push(tile(count(open), "of them without a guarantee; they come first, with what is missing"));
    return h("div", { class: "stack-close" }, h("div", { class: "tiles" }, tiles), meaningOfRisk());
  }

  #told() {
    const { what, totals } = this.#result;
    const left = totals.orders - totals.shown;
    const off = left > 0 ? [`${count(left)} further orders with less at risk are in the download.`] : [];
    const lines = [...what, ...off];
    return h(
      "details",
      { class: "fold small" },
      h("summary", {}, "How they were worked out"),
      h(
        "ul",
        { class: "told soft" },
        lines.map((text) => h("li", {}, ...quoted(text))),
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
        ["risk", "money at risk"],
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
    const head = [
      ["Order for", "wide"],
      ["Order", "n"],
      ["Money at risk", "n"],
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

  #rows(order) {
    const open = String(order.row) === this.#view.row;
    const name = h(
      "button",
      { type: "button", class: "open", "aria-expanded": String(open), id: `row-${order.row}` },
      h("span", { class: "item" }, String(order.item)),
      h("span", { class: "sub" }, day(order.date)),
    );
    const line = h(
      "tr",
      { class: `line ${open ? "opened" : ""}`, onclick: () => this.#toggle(order) },
      h("td", { class: "wide" }, name, h("div", { class: "phone-only" }, badge(order))),
      h("td", { class: "n" }, this.#quantity(order)),
      h("td", { class: "n" }, ...this.#risk(order)),
      h("td", { class: "rests" }, badge(order)),
      h("td", { class: "why small" }, why(order), order.message ? h("span", { class: "sub" }, order.message) : null),
    );
    return open ? [line, this.#opened(order)] : [line];
  }

  #quantity(order) {
    const own = this.#overrides.of(order.row);
    if (own === undefined) return h("strong", {}, quantity(order.order));
    return h(
      "span",
      {},
      h("strong", {}, quantity(own.quantity)),
      h("span", { class: "sub" }, "yours, was ", h("s", {}, quantity(order.order))),
    );
  }

  /** A quantity of one's own does not have the guarantee of the order it replaces. */
  #risk(order) {
    if (this.#overrides.of(order.row) !== undefined && order.guarantee !== null) {
      return [h("s", {}, bound(order.guarantee)), h("span", { class: "sub" }, "not of yours")];
    }
    const share = order.percent_of_no_data;
    return [
      bound(order.guarantee),
      h("span", { class: "sub" }, share === null ? "not known" : `${percent(share)} of no data`),
    ];
  }

  #opened(order) {
    if (this.#detail?.row !== order.row || this.#detail.job !== this.job) {
      this.#detail = new Detail(this.job, order, this.#overrides, () => this.#overridden());
    }
    return h("tr", { class: "detail" }, h("td", { colspan: "5" }, this.#detail.element));
  }

  #toggle(order) {
    const row = String(order.row) === this.#view.row ? "" : String(order.row);
    this.#keep({ row }, { step: true });
    this.arrange({ ...this.#view, row });
    document.getElementById(`row-${order.row}`).focus({ preventScroll: true });
  }

  #overridden() {
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
          ? "One row for each order, with its guarantee, its basis and its reason."
          : `With ${n === 1 ? "one quantity" : `${count(n)} quantities`} of your own, and the reasons you gave; the orders worked out stay beside them.`,
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
