/** The plan in a few big numbers: of the orders as worked out; quantities of the planner's own have a line of their own. */

import { meaning } from "./decide_meaning.js";
import { doubts } from "./doubts.js";
import { find, h, tile } from "./dom.js";
import { about, bound, count, number, percent, plural } from "./format.js";

/** What changes with quantities of one's own: sums over these alone, null where one of them is not known. */
export function changed(orders, overrides) {
  const sum = { own: 0, units: 0, guide: 0, whatever: 0, usual: 0, guarantee: 0, usual_before: 0 };
  const add = (name, value) => (sum[name] = sum[name] === null || (value ?? null) === null ? null : sum[name] + value);
  for (const order of orders) {
    const own = overrides.of(order.row);
    if (own === undefined || own.same) continue;
    sum.own += 1;
    sum.units += own.quantity - (order.order ?? 0);
    for (const name of ["guide", "whatever", "usual"]) add(name, own[name]);
    add("guarantee", order.guarantee);
    add("usual_before", order.usual);
  }
  return sum;
}

/** What quantities of one's own cost in place of the orders they replace. */
function ofOwn({ own, guide, whatever, usual, guarantee, usual_before: before }) {
  if (own === 0) return null;
  const instead = (now, then) => `${now}${then === null ? "" : `, in place of ${then}`}`;
  const one = own === 1;
  return h(
    "p",
    { class: "notice from-own" },
    h("strong", {}, `${plural(own, "quantity", "quantities")} of your own: `),
    usual === null ? "" : `usual cost ${instead(about(usual), before === null ? null : number(before, 3))}; `,
    guide === null
      ? "nothing can be said about the extra cost."
      : `extra cost at worst ${instead(bound(guide), guarantee === null ? null : bound(guarantee))}, as a guide.`,
    whatever === null ? "" : ` If nothing at all is assumed about past days, ${one ? "it" : "they"} can cost up to ${bound(whatever)} more than the best.`,
  );
}

/** Orders in parts of units where demand is whole: how to change that. */
function inParts() {
  const again = () => {
    find("pack").value = "1";
    find("pack").dispatchEvent(new Event("input", { bubbles: true }));
    find("costs").requestSubmit();
  };
  return h(
    "p",
    { class: "row small" },
    "Demand comes in whole units, these orders do not.",
    h("button", { type: "button", class: "button compact", onclick: again }, "Order whole units"),
  );
}

/** Which orders an estimate is about, where these are not all. */
function ofSome({ usual_of: some, usual_all: all, orders }) {
  if (some === orders) return " of these orders";
  return ` of the ${plural(some, "order")} ${all ? "decided on past days" : "with the highest extra cost at worst"}`;
}

export function totals(result, overrides) {
  const sum = changed(result.orders, overrides);
  const { orders, items, units, guarantee, no_data, usual, without_guarantee: open } = result.totals;
  const proposed = sum.own > 0 ? " as proposed" : "";
  const tiles = [
    tile(
      bound(orders > open ? guarantee : null),
      `extra cost at worst, on average: the most that ${plural(orders - open, "order")}${open > 0 ? " with a guarantee" : ""}${proposed} can cost beyond the best`,
    ),
    usual !== null && tile(about(usual), `usual cost${ofSome(result.totals)}${proposed}, estimated from the past days that count`),
    tile(percent((100 * guarantee) / no_data), `of the ${bound(no_data)} that ordering without data can cost beyond the best`),
    tile(number((units ?? 0) + sum.units), `units to order, of ${plural(items, "item")}${sum.own > 0 ? ", with yours" : ""}`),
  ];
  if (open > 0) tiles.push(tile(count(open), "of them without a guarantee; what is missing stands in the last lines"));
  return h(
    "div",
    { class: "stack-close" },
    doubts(result),
    h("div", { class: "tiles" }, tiles.filter(Boolean)),
    ofOwn(sum),
    result.in_parts && inParts(),
    meaning(result, overrides),
  );
}
