/** The answers of Explore: built once, then only their numbers change, so that nothing opened closes again. */

import { asCode } from "./code.js";
import { fill, h, tile } from "./dom.js";
import { curves, worstCase } from "./explore_figures.js";
import { meaningOfColumns, meaningOfRisk, meaningOfWorld } from "./explore_words.js";
import { numbers, show } from "./figure.js";
import { bound, count, floor, number, percent, share } from "./format.js";
import { inWords } from "./names.js";

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Significant digits of a regret: of money, or of a plain number. */
const digits = (found) => (found.problem.money ? 4 : 3);

/** All that were asked for, but for the best rule, which is always there. */
const others = (found) => found.policies.filter((one) => one.name !== "minimax");

export class Answers {
  #place;
  #found = null;
  #parts;
  #built = false;
  #world = ""; // the worst case that is drawn

  constructor(place, chosen) {
    this.#place = place;
    const select = h("select", { id: "show", onchange: () => chosen(select.value) });
    const part = (name = null) => h("div", { class: name });
    this.#parts = {
      error: part("error"),
      tiles: part("tiles"),
      curve: part("figure"),
      told: h("p", { class: "figure-caption" }),
      data: part(),
      rows: h("tbody"),
      worst: part("figure small-figure"),
      instance: h("p", { class: "figure-caption" }),
      select,
      code: part(),
    };
  }

  /** While the first answer is on its way. */
  waiting() {
    return h(
      "div",
      { class: "card stack-close" },
      h("p", { class: "soft" }, "Computing the first answer …"),
      h("progress", { "aria-label": "Computing" }),
    );
  }

  show(found, chosen) {
    this.#build();
    this.#found = found;
    for (const section of this.#place.querySelectorAll("section")) {
      section.hidden = false;
      section.classList.remove("stale");
    }
    const part = this.#parts;
    const words = told(found);
    fill(part.error);
    fill(part.tiles, tiles(found));
    fill(part.told, words);
    fill(part.rows, [row(found.optimal, -1, found), ...others(found).map((one, i) => row(one, i, found))]);
    show(part.curve, `Worst-case regret against the number of past days. ${words}`, () => curves(found, others(found)));
    keepOpen(part.data, table(found));
    keepOpen(part.code, asCode(found.as_python, found.as_command));
    fill(
      part.select,
      [...others(found), found.optimal].map((one) => h("option", { value: one.name }, inWords(one.name))),
    );
    this.choose(chosen);
  }

  /** Show the worst case of one policy. */
  choose(name) {
    if (this.#found === null) return;
    const all = [...others(this.#found), this.#found.optimal];
    const one = all.find((policy) => policy.name === name) ?? all[0];
    this.#parts.select.value = one.name;
    const words = instance(one, this.#found);
    const world = JSON.stringify(one.worst_case);
    this.#parts.instance.textContent = words;
    if (world !== this.#world) show(this.#parts.worst, words, () => worstCase(one)); // it does not change as curves grow
    this.#world = world;
  }

  /** The last answers stay beneath the reason why there are no new ones. */
  refuse(notice) {
    this.#build();
    fill(this.#parts.error, notice);
    for (const section of this.#place.querySelectorAll("section")) {
      section.hidden = this.#found === null;
      section.classList.add("stale");
    }
  }

  /** One sentence for a screen reader. */
  spoken(found) {
    return `With ${count(found.problem.n)} days the best rule leaves ${percent(found.optimal.guarantee.percent_of_no_data)} of the extra cost at worst without data.`;
  }

  #build() {
    if (this.#built) return;
    this.#built = true;
    const part = this.#parts;
    const chosen = h("div", { class: "row" }, h("label", { for: "show", class: "small" }, "for"), part.select);
    fill(
      this.#place,
      part.error,
      h("section", { class: "stack-close", "aria-label": "In short" }, part.tiles, meaningOfRisk()),
      h(
        "section",
        { class: "card stack-close" },
        h("h2", {}, "How the promise changes with more days"),
        part.curve,
        part.told,
        part.data,
      ),
      h(
        "section",
        { class: "card stack-close" },
        h("h2", {}, "Side by side"),
        sideBySide(part.rows),
        meaningOfColumns(),
      ),
      h(
        "section",
        { class: "card stack-close" },
        h("div", { class: "row spread" }, h("h2", {}, "The world in which it does worst"), chosen),
        part.worst,
        part.instance,
        meaningOfWorld(),
      ),
      h("section", { "aria-label": "To be copied" }, part.code),
    );
  }
}

function keepOpen(place, element) {
  element.open = place.querySelector("details")?.open ?? false;
  fill(place, element);
}

function tiles({ problem: { money }, optimal, no_data: without, one_more: more }) {
  const { upper, percent_of_no_data: part } = optimal.guarantee;
  const gain = more ? 100 * (1 - more.then / more.now) : null;
  const stakes = money
    ? [
        tile(bound(upper), "extra cost at worst with the best rule: the most it costs per day, on average, beyond the best order"),
        tile(percent(part), `of the ${bound(without.regret)} that ordering without data can cost extra`),
      ]
    : [
        tile(percent(part), "of the extra cost at worst without data remains with the best rule"),
        tile(bound(upper, 3), "is the same in units of (cost short + cost left over) × range of demand"),
      ];
  return [
    ...stakes,
    tile(floor(optimal.lower_bound, money ? 4 : 3), "is the limit: no rule whatsoever can promise less"),
    more &&
      tile(
        gain > 0.005 ? `−${number(gain, 2)} %` : "nothing",
        `is what one more day, at dissimilarity ${number(more.d, 3)}, would change`,
      ),
  ];
}

/** Whether fewer days would promise visibly more. */
const turned = (one, found) => one.best.n < found.problem.n && one.guarantee.upper > 1.0005 * one.best.upper;

/** Which rules have had their best moment, in words. */
function told(found) {
  const n = found.problem.n;
  const turning = others(found).filter((one) => turned(one, found));
  if (turning.length === 0)
    return n === 1 ? "One day alone." : `Up to ${count(n)} days, no rule shown gets worse with more of them.`;
  const harm = (one) => `${number(100 * (one.guarantee.upper / one.best.upper - 1), 2)} %`;
  return turning
    .map(
      (one) =>
        `${capital(inWords(one.name))}: the promise is best with the first ${count(one.best.n)}; with all ${count(n)} days it is ${harm(one)} worse.`,
    )
    .join(" ");
}

function row(one, i, found) {
  const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.setProperty("--swatch", i < 0 ? "var(--ink)" : `var(--line-${(i % 5) + 1})`);
  const [all, part] = [!turned(one, found), digits(found)];
  return h(
    "tr",
    { class: i < 0 ? "best" : null },
    h("th", { scope: "row" }, swatch, inWords(one.name)),
    h(
      "td",
      { class: "n" },
      bound(one.guarantee.upper, part),
      h("span", { class: "sub phone-only" }, percent(one.guarantee.percent_of_no_data)),
    ),
    h("td", { class: "n desk-only" }, percent(one.guarantee.percent_of_no_data)),
    h(
      "td",
      { class: "n" },
      all ? `all ${count(found.problem.n)}` : count(one.best.n),
      !all && h("span", { class: "sub desk-only" }, `then ${bound(one.best.upper, part)}`),
    ),
    h("td", { class: "n" }, one.service ? share(one.service.worst) : "…"),
  );
}

function sideBySide(rows) {
  const head = [
    ["way to order", null],
    ["can cost at worst", "n", "of that without data"],
    ["of that without data", "n desk-only"],
    ["best number of days", "n"],
    ["demand met, at worst", "n"],
  ];
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ways to order, side by side" },
    h(
      "table",
      { class: "side" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map(([text, kind, phone]) =>
            h("th", { scope: "col", class: kind }, text, phone && h("span", { class: "sub phone-only" }, phone)),
          ),
        ),
      ),
      rows,
    ),
  );
}

/** The numbers of the learning curves; what was not computed is left empty. */
function table(found) {
  const shown = [
    ...others(found).map((one) => [inWords(one.name), one.curve, "upper", bound]),
    ["the best rule", found.optimal.curve, "upper", bound],
    ["the limit", found.optimal.curve, "lower", floor],
  ];
  const maps = shown.map(([, curve, end]) => new Map(curve.n.map((n, i) => [n, curve[end][i]])));
  const sizes = [...new Set(shown.flatMap(([, curve]) => curve.n))].sort((a, b) => a - b);
  const cell = (n, i) => (maps[i].has(n) ? shown[i][3](maps[i].get(n), digits(found)) : "");
  return numbers(
    "The numbers of this picture",
    ["days", ...shown.map(([name]) => name)],
    () => sizes.map((n) => [n, ...shown.map((_, i) => cell(n, i))]),
  );
}

/** The worst world of a policy, in words. */
function instance(one, { problem }) {
  const [low, high] = problem.money
    ? problem.support.map((end) => number(end))
    : ["the least", "the greatest possible"];
  const { side, mean: now, history } = one.worst_case;
  return (
    `Demand is either ${low} or ${high}. On the day to come it is ${high} with a chance of ${share(now)}; on the past days, of ${share(mean(history))} on average. ` +
    `The past makes demand look ${side === "high" ? "lower" : "higher"} than it is, as far as the dissimilarities allow.`
  );
}
