/** What a backtest found: who was cheapest, whether promises were kept, and the orders day by day. */

import { download, get } from "./api.js";
import { costs, kept, orders } from "./backtest_figures.js";
import { ruleName } from "./backtest_rules.js";
import { each, keptMeaning, meaning, tooFew, unit } from "./backtest_words.js";
import { asCode } from "./code.js";
import { announce, fill, h, quoted, tile, trouble } from "./dom.js";
import { doubts } from "./doubts.js";
import { show } from "./figure.js";
import { bound, count, fixed, number, percent, plural, quantity, share, spoken } from "./format.js";

const cheapest = (summary) =>
  summary.filter((row) => row.mean_cost !== null).reduce((a, b) => (b.mean_cost < a.mean_cost ? b : a));

export class Results {
  job = "";
  #place;
  #choose;
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
    if (best.policy === reference) return `Cheapest was “${ruleName(reference)}”.`;
    return `Cheapest was “${ruleName(best.policy)}”: ${share(1 - best.relative_cost, 0)} less than “${ruleName(reference)}”.`;
  }

  show(result, job, item) {
    this.job = job;
    const [bars, promises] = [h("div", { class: "figure" }), h("div", { class: "figure" })];
    for (const figure of [bars, promises])
      figure.style.setProperty("--height", `${5 + 2.4 * result.summary.length}rem`);
    fill(
      this.#place,
      h("p", { class: "headline" }, this.headline(result)),
      doubts(result),
      this.#tiles(result),
      told(result),
      h(
        "section",
        { class: "card stack-close" },
        h("h3", {}, "Cost beside the others"),
        h("div", {}, bars),
        summaryTable(result),
        meaning(),
      ),
      h(
        "section",
        { class: "card stack-close" },
        h("h3", {}, "Was the promise kept?"),
        tooFew(result) ?? h("div", {}, promises),
        keptMeaning(result),
      ),
      this.#daily(result, item),
      this.#items(result),
      this.#downloads(),
      asCode(result.as_python, result.as_command),
    );
    show(bars, `Cost relative to ${ruleName(result.reference)}. ${this.headline(result)}`, () => costs(result));
    const label = "Regret per day that happened, with its interval, and the regret that was promised";
    if (promises.isConnected) show(promises, label, () => kept(result));
  }

  #tiles({ summary, reference }) {
    if (summary.every((row) => row.mean_cost === null)) return null;
    const best = cheapest(summary);
    const promised = summary.find((row) => row.guarantee !== null && row.guarantee !== undefined);
    return h(
      "div",
      { class: "tiles" },
      tile(
        number(best.cost_per_date),
        `of money per day with “${ruleName(best.policy)}”, over ${plural(best.dates, "day")}${each(best)}`,
      ),
      tile(share(best.relative_cost, 0), `of the cost of “${ruleName(reference)}”`),
      tile(share(best.service_level, 0), "of days with all demand served"),
      promised &&
        tile(
          bound(promised.guarantee),
          `per ${unit(promised)} is the most that “${ruleName(promised.policy)}” promised to cost on average beyond the best order${happened(promised)}`,
        ),
    );
  }

  #daily({ items, by_item: rows }, chosen) {
    const able = items.filter((item) => rows.some((row) => row.unique_id === item && row.status === "ok"));
    if (able.length === 0) return null;
    const [place, said] = [h("div", { class: "figure" }), h("div")];
    const draw = async (item) => {
      try {
        const days = await get(`/api/backtest/${encodeURIComponent(this.job)}/orders?item=${encodeURIComponent(item)}`);
        fill(said);
        show(place, `Demand of ${item} and the orders of each rule, day by day`, () => orders(days));
      } catch (error) {
        fill(said, trouble(error.message));
      }
    };
    const choose = (event) => (this.#choose(event.target.value), draw(event.target.value));
    const select = h(
      "select",
      { id: "item", onchange: choose },
      able.map((item) => h("option", { value: item, selected: String(item) === chosen }, String(item))),
    );
    draw(select.value);
    return h(
      "section",
      { class: "card stack-close" },
      h(
        "div",
        { class: "row spread" },
        h("h3", {}, "Orders, day by day"),
        h("div", { class: "row" }, h("label", { for: "item" }, "Item"), select),
      ),
      h("div", {}, place),
      said,
    );
  }

  #items({ by_item: rows, summary }) {
    const names = [...new Set(rows.map((row) => row.unique_id))];
    if (names.length < 2) return null;
    const policies = summary.map((row) => row.policy);
    const cells = new Map(rows.map((row) => [`${row.unique_id}\n${row.policy}`, row]));
    const cell = (item, policy) => {
      const row = cells.get(`${item}\n${policy}`);
      const ok = row?.status === "ok";
      return h(
        "td",
        { class: "n", title: ok ? null : row?.status },
        ok ? fixed(row.relative_cost) : h("span", { class: "badge warn" }, "left out"),
      );
    };
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, "item"),
      policies.map((name) => h("th", { scope: "col", class: "n" }, ruleName(name))),
    );
    const skipped = rows.filter((row) => row.status !== "ok").slice(0, 10);
    return h(
      "details",
      { class: "fold card" },
      h("summary", {}, `Item by item, ${count(names.length)} items`),
      h(
        "div",
        {
          class: "scroll numbers",
          tabindex: "0",
          role: "region",
          "aria-label": "Cost of each item relative to the reference",
        },
        h(
          "table",
          {},
          h("thead", {}, head),
          h(
            "tbody",
            {},
            names.slice(0, 200).map((item) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, String(item)),
                policies.map((name) => cell(item, name)),
              ),
            ),
          ),
        ),
      ),
      skipped.length > 0 &&
        h(
          "ul",
          { class: "small" },
          skipped.map((row) => h("li", {}, `${row.unique_id}, ${row.policy}: ${row.status}`)),
        ),
    );
  }

  #downloads() {
    const button = (which, text) =>
      h("button", { type: "button", class: "button compact", onclick: () => this.#save(which) }, text);
    return h(
      "section",
      { class: "card stack-close", "aria-label": "Download" },
      h(
        "div",
        { class: "row" },
        h("h3", {}, "Take it with you"),
        button("summary", "Summary as CSV"),
        button("by_item", "Items as CSV"),
        button("orders", "All orders as CSV"),
      ),
      h("p", { class: "small soft" }, "Written like the table you sent, so that the same spreadsheet opens them."),
      this.#saved,
    );
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

const happened = ({ regret_context: regret }) => {
  if (regret === null) return "";
  return regret >= 0 ? `; ${number(regret)} happened` : `; ${number(-regret)} less than the benchmark happened`;
};

function told({ what }) {
  return h(
    "details",
    { class: "fold small" },
    h("summary", {}, "What the table was taken for"),
    h(
      "ul",
      { class: "told soft" },
      what.map((text) => h("li", {}, ...quoted(spoken(text)))),
    ),
  );
}

function summaryTable({ summary, reference }) {
  const head = [
    ["rule", ""],
    [`cost per ${unit(summary[0])}`, "n"],
    [`relative to “${ruleName(reference)}”`, "n desk-only"],
    ["days fully served", "n"],
    ["demand served", "n desk-only"],
    ["promised, beyond the best order", "n"],
  ];
  const best = cheapest(summary)?.policy;
  const row = (one) =>
    h(
      "tr",
      { class: one.policy === best ? "best" : null },
      h(
        "th",
        { scope: "row" },
        ruleName(one.policy),
        h("code", { class: "sub desk-only" }, one.policy),
        one.skipped > 0 && h("span", { class: "sub" }, `${plural(one.skipped, "item")} left out`),
      ),
      h(
        "td",
        { class: "n" },
        quantity(one.mean_cost),
        h("span", { class: "sub phone-only" }, `× ${fixed(one.relative_cost)}`),
      ),
      h("td", { class: "n desk-only" }, fixed(one.relative_cost)),
      h("td", { class: "n" }, share(one.service_level)),
      h("td", { class: "n desk-only" }, share(one.fill_rate)),
      h(
        "td",
        { class: "n" },
        bound(one.guarantee),
        one.guarantee !== null &&
          h("span", { class: "sub" }, percent(one.percent_of_no_data), h("span", { class: "desk-only" }, " of that without data")),
      ),
    );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rules side by side" },
    h(
      "table",
      { class: "side" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map(([text, kind]) => h("th", { scope: "col", class: kind || null }, text)),
        ),
      ),
      h("tbody", {}, summary.map(row)),
    ),
  );
}
