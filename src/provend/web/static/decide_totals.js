/** The plan in a few big numbers; quantities of the planner's own count as what they are. */

import { meaning } from "./decide_meaning.js";
import { find, h, tile } from "./dom.js";
import { bound, count, number, percent, plural } from "./format.js";

/** What the totals are once quantities of one's own have taken the place of orders. */
export function withOwn(totals, orders, overrides) {
  const sum = { ...totals, guarantee: totals.guarantee ?? 0, units: totals.units ?? 0, own: 0, own_risk: 0 };
  for (const order of orders) {
    const own = overrides.of(order.row);
    if (own === undefined) continue;
    sum.own += 1;
    sum.own_risk += own.guarantee ?? 0;
    sum.units += own.quantity - (order.order ?? 0);
    sum.guarantee += (own.guarantee ?? 0) - (order.guarantee ?? 0);
    sum.no_data += (own.guarantee === null ? 0 : own.no_data) - (order.no_data ?? 0);
    sum.without_guarantee += (own.guarantee === null) - (order.guarantee === null);
  }
  return sum;
}

/** Why quantities of one's own change the total as they do: no past day speaks for them. */
function fromOwn({ own, own_risk: risk, guarantee }, before) {
  if (own === 0) return null;
  const raised = guarantee > before ? ` With the orders worked out it is ${bound(before)}.` : "";
  const text = `of which ${bound(risk)} from ${plural(own, "quantity", "quantities")} of your own, judged by the worst case whatever the past says.${raised}`;
  return h("span", { class: "what from-own" }, text);
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

export function totals(result, overrides) {
  const sum = withOwn(result.totals, result.orders, overrides);
  const { orders, items, units, guarantee, no_data, without_guarantee: open } = sum;
  const tiles = [
    tile(
      bound(orders > open ? guarantee : null),
      `of money at risk in ${plural(orders - open, "order")}${open > 0 ? " with a guarantee" : ""}, at most and on average`,
      fromOwn(sum, result.totals.guarantee ?? 0),
    ),
    tile(percent((100 * guarantee) / no_data), `of the ${bound(no_data)} that ordering without data puts at risk`),
    tile(number(units), `units to order, of ${plural(items, "item")}`),
  ];
  if (open > 0) tiles.push(tile(count(open), "of them without a guarantee; what is missing stands in the last lines"));
  return h(
    "div",
    { class: "stack-close" },
    h("div", { class: "tiles" }, tiles),
    result.in_parts && inParts(),
    meaning(result, overrides),
  );
}
