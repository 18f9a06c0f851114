/** What a backtest found: who was cheapest, whether promises were kept, and the orders day by day. */

import { download } from "./api.js";
import { costs, kept, orders } from "./backtest_figures.js";
import { asCode } from "./code.js";
import { announce, explain, fill, h, tile, trouble } from "./dom.js";
import { show } from "./figure.js";
import { bound, count, number, percent, plural, share } from "./format.js";

const cheapest = (summary) => summary.filter((row) => row.mean_cost !== null).reduce((a, b) => (b.mean_cost < a.mean_cost ? b : a));

export class Results {
  job = "";
  #place;
  #choose;
  #result = null;
  #saved = h("p", { class: "small soft", role: "status" });

  constructor(place, choose) {
    this.#place = place;
    this.#choose = choose;
  }

  clear() {
    this.job = "";
    fill(this.#place);
  }

  /** The outcome in one sentence. */
  headline({ summary, reference }) {
    const able = summary.filter((row) => row.mean_cost !== null);
    if (able.length === 0) return "No rule got through this table.";
    const best = cheapest(summary);
    if (best.policy === reference) return `${reference} was cheapest.`;
    return `${best.policy} was cheapest: ${share(1 - best.relative_cost, 0)} less than ${reference}.`;
  }

  show(result, job, item) {
    this.job = job;
    this.#result = result;
    const figure = (height) => h("div", { class: "figure", "data-height": height });
    const [bars, promises] = [figure(), figure()];
    bars.style.setProperty("--height", `${6 + 2.6 * result.summary.length}rem`);
    fill(this.#place, h("p", { class: "headline" }, this.headline(result)), this.#tiles(result), told(result),
      h("section", { class: "card stack-close" }, h("h3", {}, "Cost beside the others"), bars, summaryTable(result), meaning()),
      h("section", { class: "card stack-close" }, h("h3", {}, "Was the promise kept?"), promises, h("p", { class: "small soft" }, result.note), keptMeaning()),
      this.#daily(result, item), this.#items(result), this.#downloads(), asCode(result.as_python, result.as_command));
    show(bars, `Cost relative to ${result.reference}. ${this.headline(result)}`, () => costs(result));
    show(promises, "Regret per day that happened, with its interval, and the regret that was promised", () => kept(result));
  }

  #tiles({ summary, reference }) {
    if (summary.every((row) => row.mean_cost === null)) return null;
    const best = cheapest(summary);
    const promised = summary.find((row) => row.guarantee !== null && row.guarantee !== undefined);
    return h("div", { class: "tiles" },
      tile(number(best.mean_cost), `of money per day with ${best.policy}, over ${plural(best.days, "day")}`),
      tile(share(best.relative_cost, 0), `of the cost of ${reference}`),
      tile(share(best.service_level, 0), "of days with all demand served"),
      promised && tile(bound(promised.guarantee), `per day was promised at most by ${promised.policy}; ${number(promised.regret_context)} happened`));
  }

  #daily({ orders: days, items }, item) {
    const names = Object.keys(days ?? {});
    if (names.length === 0) return null;
    const place = h("div", { class: "figure" });
    const draw = (name) => show(place, `Demand of ${name} and the orders of each rule, day by day`, () => orders(days[name]));
    const select = h("select", { id: "item", onchange: () => (this.#choose(select.value), draw(select.value)) }, names.map((name) => h("option", { value: name, selected: name === item }, name)));
    draw(names.includes(item) ? item : names[0]);
    const more = items.length > names.length ? h("p", { class: "small soft" }, `${count(names.length)} of ${plural(items.length, "item")} can be drawn; the download has all.`) : null;
    return h("section", { class: "card stack-close" }, h("div", { class: "row spread" }, h("h3", {}, "Orders, day by day"),
      h("div", { class: "row" }, h("label", { for: "item" }, "Item"), select)), place, more);
  }

  #items({ by_item: rows, summary }) {
    const names = [...new Set(rows.map((row) => row.item))];
    if (names.length < 2) return null;
    const policies = summary.map((row) => row.policy);
    const cells = new Map(rows.map((row) => [`${row.item}\n${row.policy}`, row]));
    const cell = (item, policy) => {
      const row = cells.get(`${item}\n${policy}`);
      const ok = row?.status === "ok";
      return h("td", { class: "n", title: ok ? null : row?.status }, ok ? number(row.relative_cost, 3) : h("span", { class: "badge warn" }, "left out"));
    };
    const head = h("tr", {}, h("th", { scope: "col" }, "item"), policies.map((name) => h("th", { scope: "col", class: "n" }, name)));
    const skipped = rows.filter((row) => row.status !== "ok").slice(0, 10);
    return h("details", { class: "fold card" }, h("summary", {}, `Item by item, ${count(names.length)} items`),
      h("div", { class: "scroll numbers", tabindex: "0", role: "region", "aria-label": "Cost of each item relative to the reference" },
        h("table", {}, h("thead", {}, head), h("tbody", {}, names.slice(0, 200).map((item) => h("tr", {}, h("th", { scope: "row" }, String(item)), policies.map((name) => cell(item, name))))))),
      skipped.length > 0 && h("ul", { class: "small" }, skipped.map((row) => h("li", {}, `${row.item}, ${row.policy}: ${row.status}`))));
  }

  #downloads() {
    const button = (which, text) => h("button", { type: "button", class: "button compact", onclick: () => this.#save(which) }, text);
    return h("section", { class: "card stack-close", "aria-label": "Download" }, h("div", { class: "row" }, h("h3", {}, "Take it along"),
      button("summary", "Summary as CSV"), button("by_item", "Items as CSV"), button("orders", "All orders as CSV")), this.#saved);
  }

  async #save(which) {
    try {
      const name = await download(`/api/backtest/${encodeURIComponent(this.job)}/download`, { which }, `${which}.csv`);
      fill(this.#saved, `${name} saved.`);
      announce(`${name} saved`);
    } catch (error) {
      fill(this.#saved, trouble(error.message));
    }
  }
}

function told({ what = [] }) {
  return what.length > 0 ? h("ul", { class: "told small soft" }, what.map((text) => h("li", {}, text))) : null;
}

function summaryTable({ summary, reference }) {
  const head = [["rule", ""], ["cost per day", "n"], [`relative to ${reference}`, "n"], ["days fully served", "n"], ["demand served", "n"], ["promised per day", "n"]];
  const best = cheapest(summary)?.policy;
  const row = (one) => h("tr", { class: one.policy === best ? "best" : null }, h("th", { scope: "row" }, one.policy, one.skipped > 0 && h("span", { class: "sub" }, `${plural(one.skipped, "item")} left out`)),
    h("td", { class: "n" }, number(one.mean_cost)), h("td", { class: "n" }, number(one.relative_cost, 3)), h("td", { class: "n" }, share(one.service_level)), h("td", { class: "n" }, share(one.fill_rate)),
    h("td", { class: "n" }, bound(one.guarantee), one.guarantee !== null && h("span", { class: "sub" }, `${percent(one.percent_of_no_data)} of no data`)));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rules side by side" },
    h("table", { class: "side" }, h("thead", {}, h("tr", {}, head.map(([text, kind]) => h("th", { scope: "col", class: kind || null }, text)))), h("tbody", {}, summary.map(row))));
}

const meaning = () => explain("What do these numbers mean?",
  "Cost per day is what the units short and left over would have cost on the days decided, on average. Relative cost compares with the first rule, on the items that both got through: 0.8 means a fifth less.",
  "Days fully served are those on which nobody was sent away; demand served is the share of units. With these costs the cheapest service level is below 100 %: serving everybody always would leave too much over.",
  "A rule is given the dates and contexts of a day and never its demand. A column that was not known when the order was placed, such as the weather observed on the day, would flatter every rule that uses it.");

const keptMeaning = () => explain("How to compare the two",
  "A dot is what happened: the cost per day beyond the best order for each kind of day, found with hindsight. Hindsight flatters that benchmark, so the dot is rather too high. The bar through it covers the luck of the days.",
  "The short line is what was promised: the mean of the guarantees given on each day. The dot should lie below it. If even the lower end of its bar is above, do not believe what the guarantee rests on.");
