/** One order in full: the past days behind it, what another quantity would guarantee, and a quantity of one's own. */

import { post } from "./api.js";
import { fromPeriods, fromShelf, listed, unseen } from "./decide_apart.js";
import { picture, served, sold } from "./decide_figure.js";
import { whatIf } from "./decide_what_if.js";
import {
  behind,
  drawn,
  meaningOfBasis,
  meaningOfDots,
  meaningOfShares,
  meaningOfSold,
  meaningOfWhatIf,
  missing,
  missingBeside,
  why,
  whyExplained,
} from "./decide_words.js";
import { announce, debounced, fill, h, trouble } from "./dom.js";
import { show } from "./figure.js";
import { about, number, plural, shown } from "./format.js";
import { asTyped, typed, unclear } from "./typed.js";

const AT_LEAST_0 = "Please type a quantity of at least 0.";

export class Detail {
  #order;
  #overrides;
  #changed;
  #found = null;
  #asked = null;
  #figure = h("div", { class: "figure" });
  #shares = h("div", { class: "figure shares" });
  #drawn = h("p", { class: "small soft drawn", hidden: true });
  #below = h("div", { class: "stack-close" });
  #answer = h("div", { "aria-live": "polite", class: "stack-close" });
  #several = h("div");
  #kept = h("div", { "aria-live": "polite" });
  #quantity;
  #reason;

  constructor(job, order, overrides, changed) {
    this.job = job;
    this.row = order.row;
    this.#order = order;
    this.#overrides = overrides;
    this.#changed = changed;
    const own = overrides.of(order.row);
    const ask = debounced(200, () => this.#whatIf());
    this.#quantity = h("input", {
      type: "text",
      id: "quantity",
      inputmode: "decimal",
      autocomplete: "off",
      value: own === undefined ? null : asTyped(own.quantity),
      oninput: ask,
    });
    this.#reason = h("input", {
      type: "text",
      id: "reason",
      maxlength: "300",
      value: own?.reason ?? null,
      placeholder: "a promotion, a holiday, …",
    });
    this.element = h(
      "div",
      { class: "detail-inside", onclick: (event) => event.stopPropagation() },
      this.#why(),
      this.#own(),
      this.#days(),
    );
    this.#sayKept();
    this.#load();
    if (own !== undefined) this.#whatIf();
  }

  #path(what) {
    return `/api/decide/${encodeURIComponent(this.job)}/${what}`;
  }

  #why() {
    return h(
      "section",
      { "aria-label": "Why so many", class: "stack-close why-so" },
      h("h3", {}, "The past days behind it"),
      h("p", { class: "reason" }, ...whyExplained(this.#order)),
      this.#drawn,
    );
  }

  #days() {
    fill(this.#below, h("p", { class: "soft small" }, "Fetching the past days …"));
    return h(
      "section",
      { "aria-label": "Past days behind this order", class: "stack-close days" },
      this.#figure,
      h("h3", {}, "How much of the past each quantity would have served"),
      this.#shares,
      this.#below,
    );
  }

  #own() {
    const keep = (event) => {
      event.preventDefault();
      this.#keepOwn();
    };
    return h(
      "section",
      { "aria-label": "Another quantity", class: "stack-close own" },
      h("h3", {}, "What if you order something else?"),
      h(
        "form",
        { class: "stack-close", onsubmit: keep, novalidate: true },
        h("div", { class: "field" }, h("label", { for: "quantity" }, "Quantity"), this.#quantity),
        this.#answer,
        h("div", { class: "field" }, h("label", { for: "reason" }, "Reason, if you want to keep it"), this.#reason),
        h("button", { class: "button" }, "Keep my quantity"),
      ),
      this.#kept,
      this.#several,
    );
  }

  async #load() {
    try {
      this.#found = await post(this.#path("row"), { row: this.row });
      this.#showDays();
    } catch (error) {
      this.#hide();
      fill(this.#below, trouble(error.message));
    }
  }

  #showDays() {
    const { basis, shelf, periods, past: all } = this.#found;
    this.#drawn.hidden = !this.#found.drawn;
    fill(this.#drawn, drawn(this.#found));
    const past = own(all);
    const others = all.filter((one) => one.date === null && one.weight > 0).length;
    if (all.length === 0) this.#hide();
    if (shelf !== null) this.#hideShares();
    this.#figure.hidden = past.length === 0;
    const moved = past.some((one) => Math.abs(one.brought - one.demand) > 1e-9 * Math.abs(one.demand));
    const facts = [
      all.length === 0 && "It was not decided on past days.",
      others > 0 && `${plural(others, "demand")} of other items count, too; these are not drawn.`,
      behind(this.#found),
      this.#found.usual !== null && `Usually this order costs ${about(this.#found.usual)}: an estimate from the past days that count.`,
      shelf === null ? missing(this.#found) : missingBeside(this.#found),
    ].filter(Boolean);
    fill(
      this.#below,
      past.length > 0 && (shelf === null ? meaningOfDots(moved, periods?.days) : meaningOfSold(moved)),
      all.length > 0 && shelf === null && meaningOfShares(),
      shelf && unseen(shelf),
      facts.map((text) => h("p", { class: "small soft" }, text)),
      periods && fromPeriods(periods, this.#found),
      shelf && fromShelf(shelf, this.#found),
      basis && meaningOfBasis(basis, this.#order.badge),
      listed(past, this.#found),
    );
    const [there, usual] = [all.length > 0, this.#found.usual !== null];
    fill(this.#several, meaningOfWhatIf({ placed: there && periods === null && shelf === null, past: there, usual }));
    this.#draw();
  }

  #draw() {
    const all = this.#found?.past ?? [];
    const there = this.#order.order_up_to - this.#order.order; // in stock or on order
    const mine = this.#typed();
    const called = there > 0 ? { order: "order and stock", typed: "yours and stock" } : { order: "order", typed: "yours" };
    const [past, order, typed] = [own(all), this.#order.order_up_to, mine === null ? null : mine + there];
    const shelf = this.#found?.shelf ?? null;
    if (past.length > 0 && shelf !== null) {
      const label = `Past sales, ${shelf.sold_out} of ${shelf.days} days sold out, and the order of ${number(order)}. ${why(this.#order)}`;
      show(this.#figure, label, () => sold(past, order, typed, { called, most: shelf.segments.at(-1) }));
    } else if (past.length > 0) {
      const label = `Past demands with their weights, and the order of ${number(order)}. ${why(this.#order)}`;
      show(this.#figure, label, () => picture(past, order, typed, called));
    }
    if (all.some((one) => one.weight > 0 && one.brought !== null)) {
      const label = `The share of the past, by weight, that each quantity would have served; the order of ${number(order)} among them.`;
      show(this.#shares, label, () => served(all, order, typed, { called, ratio: this.#found.ratio }));
    }
  }

  /** No pictures where there are no past days. */
  #hide() {
    this.#figure.hidden = true;
    this.#hideShares();
  }

  #hideShares() {
    for (const one of [this.#shares, this.#shares.previousElementSibling]) if (one) one.hidden = true;
  }

  /** The quantity typed, null if there is none; the order worked out is meant by the digits it is shown with. */
  #typed() {
    const [quantity, { order }] = [typed(this.#quantity.value), this.#order];
    if (order !== null && quantity === shown(order)) return order;
    return quantity >= 0 && Number.isFinite(quantity) ? quantity : null;
  }

  /** What is wrong with the quantity typed; null if there is none. */
  #unusable() {
    const text = this.#quantity.value;
    return text.trim() === "" ? null : h("p", { class: "small doubt" }, unclear(text) || AT_LEAST_0);
  }

  async #whatIf() {
    this.#asked?.abort();
    const quantity = this.#typed();
    this.#draw();
    if (quantity === null) return fill(this.#answer, this.#unusable());
    const mine = (this.#asked = new AbortController());
    try {
      return fill(this.#answer, whatIf(await post(this.#path("what-if"), { row: this.row, quantity }, mine.signal)));
    } catch (error) {
      return error.name === "AbortError" ? undefined : fill(this.#answer, trouble(error.message));
    }
  }

  async #keepOwn() {
    const quantity = this.#typed();
    const missing = quantity === null ? this.#quantity : this.#reason.value.trim() === "" ? this.#reason : null;
    for (const field of [this.#quantity, this.#reason]) field.setAttribute("aria-invalid", String(field === missing));
    if (missing !== null) {
      fill(
        this.#kept,
        h(
          "p",
          { class: "small" },
          missing === this.#quantity
            ? unclear(this.#quantity.value) || AT_LEAST_0
            : "Please give a reason: it is kept with the quantity, for whoever asks later.",
        ),
      );
      return missing.focus();
    }
    const reason = this.#reason.value.trim();
    try {
      const { same, guide, whatever, usual } = await post(this.#path("what-if"), { row: this.row, quantity });
      this.#overrides.set(this.row, { quantity, reason, same, guide, whatever, usual });
      announce("Kept");
      return this.#said();
    } catch (error) {
      return fill(this.#kept, trouble(error.message));
    }
  }

  #remove() {
    this.#overrides.remove(this.row);
    this.#quantity.value = this.#reason.value = "";
    fill(this.#answer);
    this.#draw();
    return this.#said();
  }

  #said() {
    const focus = document.activeElement;
    this.#sayKept();
    this.#changed();
    if (focus?.isConnected) focus.focus({ preventScroll: true });
    else this.#quantity.focus({ preventScroll: true });
  }

  #sayKept() {
    const own = this.#overrides.of(this.row);
    const undo = h(
      "button",
      { type: "button", class: "button quiet compact", onclick: () => this.#remove() },
      "Go back to the order worked out",
    );
    fill(
      this.#kept,
      own &&
        h(
          "div",
          { class: "notice kept" },
          h("p", {}, h("strong", {}, `Kept: ${number(own.quantity)}. `), own.reason),
          undo,
        ),
    );
  }
}

/** The days of the item itself; what others lend has no date here. */
const own = (past) => past.filter((one) => one.date !== null && one.brought !== null);
