/** The page Decide: from a table of past demand and two costs to orders. */

import { Asking } from "./asking.js";
import { Orders } from "./decide_orders.js";
import { fill, find } from "./dom.js";
import { number, plural } from "./format.js";

const orders = new Orders(find("results"), (some, how) => asking.keep(some, how));

const page = {
  form: { horizon: "7", model: "auto", dissimilarity: "auto" },
  view: { row: "", sort: "risk", search: "" },
  path: "/api/decide",
  working: "Working out the orders",
  job: "",
  file: () => {},
  request: ({ horizon, model, dissimilarity }) => ({ horizon: Number(horizon), model, dissimilarity }),
  set: ({ cu, co }) => fill(find("ratio-said"), inWords(Number(cu), Number(co))),
  wrong: () => "",
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
  return `With these costs it is right to run short on about ${number(short, 2)} days of 100, and to have something left over on the others.`;
}

const asking = new Asking(page);
asking.arrive();
