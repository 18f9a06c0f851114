/** The answers of Explore: built once, then only their numbers change, so that nothing opened closes again. */

import { asCode } from "./code.js";
import { explain, fill, h } from "./dom.js";
import { curves, worstCase } from "./explore_figures.js";
import { numbers, show } from "./figure.js";
import { bound, count, floor, number, percent, share } from "./format.js";

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A regret for people: money where there are costs, else the share of deciding without data. */
const inMoney = (found, x, to = bound) => (found.money ? to(x) : to(x, 3));

export class Answers {
  #place;
  #chosen;
  #found = null;
  #parts;
  #built = false;

  constructor(place, chosen) {
    this.#place = place;
    this.#chosen = chosen;
    this.#parts = {
      error: h("div"), tiles: h("div", { class: "tiles" }), curve: h("div", { class: "figure" }), told: h("p", { class: "figure-caption" }),
      data: h("div"), rows: h("tbody"), worst: h("div", { class: "figure small-figure" }), instance: h("p", { class: "figure-caption" }),
      select: h("select", { id: "show", onchange: () => this.#chosen(this.#parts.select.value) }), sentences: h("ul", { class: "plain" }), code: h("div"),
    };
  }

  /** While the first answer is on its way. */
  waiting() {
    return h("div", { class: "card" }, h("p", { class: "soft" }, "Computing the first answer …"), h("progress", { "aria-label": "Computing" }));
  }

  show(found, chosen) {
    this.#build();
    this.#found = found;
    fill(this.#parts.error);
    fill(this.#parts.tiles, this.#tiles(found));
    fill(this.#parts.rows, this.#rows(found));
    fill(this.#parts.told, this.#told(found));
    fill(this.#parts.sentences, (found.sentences ?? []).map((sentence) => h("li", {}, sentence)));
    show(this.#parts.curve, `Worst-case regret against the number of past days. ${this.#told(found)}`, () => curves(found));
    this.#keepOpen(this.#parts.data, this.#table(found));
    this.#keepOpen(this.#parts.code, asCode(found.as_python, found.as_command));
    fill(this.#parts.select, found.policies.filter((one) => one.worst_case).map((one) => h("option", { value: one.name }, one.label)));
    this.choose(chosen);
  }

  /** Show the worst case of one policy. */
  choose(name) {
    const able = this.#found?.policies.filter((one) => one.worst_case) ?? [];
    const one = able.find((policy) => policy.name === name) ?? able[0];
    this.#parts.worst.closest("section").hidden = one === undefined;
    if (one === undefined) return;
    this.#parts.select.value = one.name;
    const told = instance(one, this.#found);
    this.#parts.instance.textContent = told;
    show(this.#parts.worst, told, () => worstCase(one, this.#found));
  }

  /** The last answers stay, faint, beneath the reason why there are no new ones. */
  refuse(notice) {
    this.#build();
    fill(this.#parts.error, notice);
    for (const part of this.#place.querySelectorAll("section")) part.hidden = this.#found === null;
  }

  /** One sentence for a screen reader. */
  spoken(found) {
    return `With ${found.asked.n} days the best rule guarantees ${percent(found.optimal.here.percent_of_no_data)} of deciding without data.`;
  }

  #build() {
    if (this.#built) return;
    this.#built = true;
    const part = this.#parts;
    fill(this.#place, part.error,
      h("section", { class: "stack-close", "aria-label": "In short" }, part.tiles, meaning()),
      h("section", { class: "card stack-close" }, h("h2", {}, "How the promise changes with more days"), part.curve, part.told, part.data),
      h("section", { class: "card stack-close" }, h("h2", {}, "Side by side"), sideBySide(part.rows), columns()),
      h("section", { class: "card stack-close" }, h("div", { class: "row spread" }, h("h2", {}, "The world that makes it so bad"),
        h("div", { class: "row" }, h("label", { for: "show", class: "small" }, "for"), part.select)), part.worst, part.instance, world()),
      h("section", { class: "stack" }, part.sentences, part.code));
  }

  #keepOpen(place, element) {
    element.open = place.querySelector("details")?.open ?? false;
    fill(place, element);
  }

  #tiles({ money, optimal, no_data, one_more }) {
    const here = optimal.here;
    const first = money
      ? [[bound(here.upper), "of money at risk with the best rule: at most so much is lost on average"], [percent(here.percent_of_no_data), `of the ${bound(no_data)} at risk without data`]]
      : [[percent(here.percent_of_no_data), "of what is at risk without data remains with the best rule"], [bound(here.upper, 3), "is that in units of (cost short + cost left over) × range of demand"]];
    const gain = one_more ? 100 * (1 - one_more.after / one_more.before) : null;
    return [...first, [floor(here.lower, money ? 4 : 3), "is the limit: no rule whatsoever can promise less"],
      one_more && [gain > 0.005 ? `−${number(gain, 2)} %` : "nothing", `is what one more day at dissimilarity ${number(one_more.new, 3)} changes`]]
      .filter(Boolean).map(([value, what]) => h("div", { class: "tile" }, h("span", { class: "value" }, value), h("span", { class: "what" }, what)));
  }

  #told({ policies, asked }) {
    const turning = policies.filter((one) => !one.error && one.best_n < asked.n);
    if (turning.length === 0) return `Up to ${count(asked.n)} days, every rule shown is best with all of them.`;
    return turning.map((one) => `${one.label} promises most with ${count(one.best_n)} days; with all ${count(asked.n)} it can cost ${percentMore(one)} more.`).join(" ");
  }

  #rows(found) {
    const best = { name: "optimal", label: "the best rule there is", here: found.optimal.here, best_n: found.asked.n, effective_n: found.optimal.effective_n };
    const rows = [[best, -1], ...found.policies.filter((one) => one.name !== "minimax").map((one, i) => [one, i])];
    return rows.map(([one, i]) => row(one, i, found));
  }

  #table(found) {
    const shown = found.policies.filter((one) => !one.error && one.name !== "minimax");
    const all = [...new Set(shown.concat(found.optimal).flatMap((one) => one.n))].sort((a, b) => a - b);
    const at = (one, n, key, to) => (one.n.includes(n) ? to(one[key][one.n.indexOf(n)], found.money ? 4 : 3) : "");
    return numbers("The numbers of this picture", ["days", ...shown.map((one) => one.label), "the best rule", "the limit"],
      all.map((n) => [n, ...shown.map((one) => at(one, n, "upper", bound)), at(found.optimal, n, "upper", bound), at(found.optimal, n, "lower", floor)]));
  }
}

const percentMore = (one) => `${number(100 * (one.here.upper / one.best_upper - 1), 2)} %`;

function row(one, i, found) {
  const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--swatch", i < 0 ? "var(--ink)" : `var(--line-${(i % 5) + 1})`);
  const name = h("th", { scope: "row" }, swatch, one.label);
  if (one.error) return h("tr", {}, name, h("td", { colspan: "4", class: "small" }, one.error));
  const best = one.best_n < found.asked.n ? `${count(one.best_n)} days` : i < 0 ? "all days" : `all ${count(found.asked.n)} days`;
  return h("tr", { class: i < 0 ? "best" : null }, name,
    h("td", { class: "n" }, inMoney(found, one.here.upper)), h("td", { class: "n" }, percent(one.here.percent_of_no_data)),
    h("td", { class: "n" }, best, one.best_n < found.asked.n && h("span", { class: "sub" }, `then ${inMoney(found, one.best_upper)}`)),
    h("td", { class: "n" }, one.service ? share(one.service.lower) : "–"));
}

function sideBySide(rows) {
  const head = [["way to order", ""], ["can cost at worst", "n"], ["of no data", "n"], ["promises most with", "n"], ["demand met, at worst", "n"]];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ways to order, side by side" },
    h("table", { class: "side" }, h("thead", {}, h("tr", {}, head.map(([text, kind]) => h("th", { scope: "col", class: kind || null }, text)))), rows));
}

/** The worst world of a policy, in words. */
export function instance(one, found) {
  const [low, high] = found.money ? [number(found.asked.lo), number(found.asked.hi)] : ["the least", "the greatest"];
  const [now, then] = [one.worst_case.mean, mean(one.worst_case.history)];
  const looks = one.worst_case.side === "high" ? "lower than it is" : "higher than it is";
  return `Demand is either ${low} or ${high}. On the day to come it is ${high} with a chance of ${share(now)}; on the past days, of ${share(then)} on average. ` +
    `The past makes demand look ${looks}, as far as the dissimilarities allow, and ${one.label} falls for it most of all here.`;
}

const meaning = () => explain("What does this mean?",
  "“At risk” is the worst-case expected regret: how much more the rule costs per day, on average, than an order placed by someone who knew the distribution of demand. It is the worst over all distributions that fit the dissimilarities, so it is a promise and not a forecast.",
  "A single day can cost more. Without any data, the best one can do is to balance the two ends of the range of demand; the share compares with that.",
  "The limit is a proof: for every rule, also those nobody has thought of, there is a world that fits and in which it loses at least so much.");

const columns = () => explain("How to read this table",
  "“Can cost at worst” is the guarantee with all days given. “Promises most with” is the number of days at which the guarantee is lowest: beyond it, further days are so unlike that they do more harm than good.",
  "“Demand met, at worst” is the lowest chance that all demand of the day to come is served, over all worlds that fit.");

const world = () => explain("Why only two demands?",
  "Because it is the worst there is: of all distributions that fit, those with demand at the two ends of its range make a rule lose most. That is the theorem all of this rests on.");
