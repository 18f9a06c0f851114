/** The page Decide: from a table of past demand and two costs to orders. */

import { Ahead } from "./ahead.js";
import { Asking } from "./asking.js";
import { Orders } from "./decide_orders.js";
import { fill, find } from "./dom.js";
import { number, plural } from "./format.js";

const orders = new Orders(find("results"), (some, how) => asking.keep(some, how));

const ahead = new Ahead((some) => asking.change(some));

const page = {
  form: { days: "next", ahead: "", horizon: "7", model: "auto", dissimilarity: "auto" },
  view: { row: "", sort: "risk", search: "" },
  path: "/api/decide",
  working: "Working out the orders",
  job: "",
  file(file, options) {
    if (file.file !== asking.state.file) asking.keep({ days: "next", ahead: "" });
    ahead.history(file, options);
  },
  request: ({ days, ahead: targets, horizon, model, dissimilarity }) => ({
    ...(days === "file" ? { targets } : { horizon: Number(horizon) }),
    model,
    dissimilarity,
  }),
  set(state) {
    fill(find("ratio-said"), inWords(Number(state.cu), Number(state.co)));
    ahead.set(state);
  },
  wrong: () =>
    asking.state.days === "file" && asking.state.ahead === ""
      ? "Please choose the file of the days ahead, or let it decide the next days."
      : "",
  show: (result, state) => orders.show(result, state),
  arrange: (state) => orders.arrange(state),
  spoken: ({ totals }) => `${plural(totals.orders, "order")} worked out, ranked by money at risk`,
  clear() {
    this.job = "";
    orders.clear();
  },
};

/** What two costs mean for how often to run short. */
function inWords(cu, co) {
  if (!(cu > 0 && co > 0)) return "Both in the same unit of money; all amounts below are in it, too.";
  const short = (100 * co) / (cu + co);
  return `With these costs it pays to run short on about ${number(short, 2)} days in 100, and to have something left over on the rest.`;
}

const asking = new Asking(page);
asking.arrive();
