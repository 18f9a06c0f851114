/** The page Decide: from a table of past demand and two costs to orders. */

import { Ahead } from "./ahead.js";
import { Asking } from "./asking.js";
import { Orders } from "./decide_orders.js";
import { fill, find } from "./dom.js";
import { number, plural } from "./format.js";
import * as shelf from "./shelf.js";
import { SUPPLY, Supply } from "./supply.js";
import { typed } from "./typed.js";

const orders = new Orders(find("results"), (some, how) => asking.keep(some, how));

const ahead = new Ahead((some) => asking.change(some));

const ONE_ONLY =
  "With stock or lead times only the next order can be decided, as nobody knows what later ones will find. Please set “How many” to 1, or give the days in a file.";

const SET_TO_ONE =
  "Set to 1: with stock or lead times only the next order can be decided, as nobody knows what later ones will find. For more, give the days in a file.";

const page = {
  form: { days: "next", ahead: "", fresh: "", horizon: "7", model: "auto", dissimilarity: "auto", ...SUPPLY },
  view: { row: "", sort: "risk", search: "" },
  stock: true,
  named: true,
  path: "/api/decide",
  working: "Working out the orders",
  job: "",
  file(file, options) {
    if (file.file !== asking.state.file) asking.keep({ days: "next", ahead: "", fresh: "" });
    ahead.history(file, options);
  },
  request: (state) => ({
    ...(state.days === "file" ? { targets: state.ahead, new_items: state.fresh === "yes" } : { horizon: Number(state.horizon) }),
    model: state.model,
    dissimilarity: state.dissimilarity,
    ...supply.request(state),
  }),
  set(given) {
    const horizon = supply.horizon(given);
    if (horizon !== undefined) {
      asking.keep({ horizon });
      find("horizon").value = horizon;
    }
    const { state } = asking;
    fill(find("only-one"), supply.cut(state) ? SET_TO_ONE : "");
    fill(find("ends-hint"), shelf.rangeHint(state));
    fill(find("ratio-said"), inWords(state));
    ahead.set(state);
    supply.set(state);
  },
  wrong() {
    if (asking.state.days === "file" && asking.state.ahead === "")
      return "Please choose the file of the days ahead, or let it decide the next days.";
    return supply.tooMany(asking.state) ? ONE_ONLY : shelf.wrong(asking.state);
  },
  show: (result, state) => orders.show(result, state),
  arrange: (state) => orders.arrange(state),
  spoken: ({ totals }) => `${plural(totals.orders, "order")} worked out, those with the highest extra cost at worst first`,
  clear() {
    this.job = "";
    orders.clear();
  },
};

/** What two costs mean for how often to run short. */
function inWords({ cu: short, co: over }) {
  if ([short, over].some((text) => asking.columns.has(text)))
    return "Costs are in columns: for each order, what the item’s latest row says or, where the days to decide are in a file, the row of that day.";
  const [cu, co] = [typed(short), typed(over)];
  if (!(cu > 0 && co > 0)) return "Both in the same unit of money; all amounts below are in it, too.";
  const often = (100 * co) / (cu + co);
  return `With these costs it pays to run short on about ${number(often, 2)} days in 100, and to have something left over on the rest.`;
}

const asking = new Asking(page);
const supply = new Supply(asking.columns);
for (const name of ["cu", "co", "lo", "hi"]) find(name).setAttribute("list", "columns");
asking.arrive();
