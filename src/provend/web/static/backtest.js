/** The page Backtest: what orders would have cost on a table of past demand. */

import { Asking } from "./asking.js";
import { Results } from "./backtest_results.js";
import { rulesFor } from "./backtest_rules.js";
import { fill, find, h } from "./dom.js";

const results = new Results(find("results"), (item) => asking.keep({ item }));

const boxes = () => [...find("policies").querySelectorAll("input")];
const ticked = () =>
  boxes()
    .filter((box) => box.checked)
    .map((box) => box.value);

const page = {
  form: { test: "0.3", refit_every: "28", policies: "" },
  view: { item: "" },
  path: "/api/backtest",
  working: "Walking through the past",
  job: "",
  file: ({ columns }) => offer(rulesFor(columns)),
  request: ({ test, refit_every: every }) => ({ test: Number(test), refit_every: Number(every), policies: ticked() }),
  typed: () => ({ policies: ticked().join(",") }),
  wrong: () => (ticked().length > 0 ? "" : "Please tick at least one rule."),
  show: (result, state) => results.show(result, state.job, state.item),
  arrange: () => {},
  spoken: (result) => results.headline(result),
  set({ policies }) {
    const named = policies.split(",");
    if (policies !== "") for (const box of boxes()) box.checked = named.includes(box.value);
  },
  clear() {
    this.job = "";
    results.clear();
  },
};

function offer(rules) {
  fill(
    find("policies"),
    rules.map((one, i) =>
      h(
        "div",
        { class: "policy" },
        h("input", {
          type: "checkbox",
          id: `policy-${i}`,
          value: one.name,
          checked: one.usual,
          "aria-describedby": `about-${i}`,
        }),
        h(
          "div",
          {},
          h("label", { for: `policy-${i}` }, one.label),
          h("p", { class: "small soft", id: `about-${i}` }, one.about),
        ),
      ),
    ),
  );
}

const asking = new Asking(page);
asking.arrive();
