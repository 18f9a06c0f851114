/** What the guarantee says and what it does not say, with the numbers of an order of this plan. */

import { lacking } from "./decide_lines.js";
import { h } from "./dom.js";
import { about, bound, day, number, quantity } from "./format.js";

const ALLOWANCE = {
  given: "The allowance for how unlike past days may be is the one you gave.",
  certified:
    "The allowance for how unlike past days may be was bounded from past days set aside for that; what is left of doubt is in the number.",
  estimated: "The allowance for how unlike past days may be was estimated from past demand: it is likely, not proved.",
  assumed: "The allowance for how unlike past days may be is the usual one, assumed and not learned.",
  pooled:
    "The allowance for how unlike past days may be was estimated from all items together: it is likely, not proved.",
};

/** The range of demand that is relied on, in words. */
function range(support) {
  if (support === null) return "Demand stays in the range it has had so far.";
  const [low, high] = support.map((end) => (typeof end === "number" ? number(end, 12) : `“${end}”`));
  return `Demand stays between ${low} and ${high}.`;
}

/** The order whose numbers are told: with the highest extra cost at worst among those decided on past days, and not changed by hand. */
const told = ({ orders }, overrides) =>
  orders.find((one) => one.guarantee !== null && !lacking(one) && overrides.of(one.row) === undefined);

export function meaning(result, overrides) {
  const order = told(result, overrides);
  if (order === undefined) return null;
  const when = result.in_periods ? `the days from ${day(order.date)} on that it covers` : day(order.date);
  const then = result.in_periods ? "these days" : "that day";
  const past = result.in_periods ? "periods" : "days";
  const stock = order.order_up_to > order.order ? `, on top of ${number(order.order_up_to - order.order)} that are there` : "";
  const what = result.named ? ` of ${order.item}` : "";
  return h(
    "section",
    { class: "card stack-close guarantee", "aria-label": "What the guarantee means" },
    h(
      "p",
      { class: "say" },
      h("strong", {}, `Order ${quantity(order.order)}${what} for ${when}${stock}. `),
      `If demand on ${then} behaves like the past ${past} that count, with the allowance made for change, ordering in this way costs on average at most `,
      h("strong", {}, bound(order.guarantee)),
      ` more than the best order of somebody who knows how likely each demand on ${then} is.`,
      order.usual !== null && ` Usually it costs ${about(order.usual)}: an estimate from the past ${past} that count, and part of it is there with any order.`,
    ),
    h(
      "details",
      { class: "explain" },
      h("summary", {}, "What is guaranteed, and what is not"),
      h(
        "div",
        { class: "stack-close" },
        h("p", {}, h("strong", {}, "On average "), `means over all the ways in which past demand and demand on ${then} could have turned out. One day alone can cost more.`),
        h("p", {}, h("strong", {}, "More than the best order: "), "even the best order is short or has something left over on many days. What that costs comes on top, for everybody; the guarantee is about the difference. The usual cost is an estimate of both together: what this order would have cost on the past days that count, on average, each adjusted to the day and counted by its weight."),
        h("p", {}, h("strong", {}, "For any odds: "), "nothing is assumed about the shape of demand, whether it is steady, lumpy or has two peaks. The number is that of the worst case."),
        h("p", {}, h("strong", {}, "It rests on this: ")),
        h(
          "ul",
          {},
          h("li", {}, ALLOWANCE[order.badge] ?? ""),
          h("li", {}, range(result.support)),
          h("li", {}, "What is wanted on one day does not depend on what was wanted on another, once the weekday and whatever else is counted are known."),
          result.cut_off && h("li", {}, "Stock on past days was chosen without knowing how much would be wanted then."),
        ),
        h("p", {}, "It is not a forecast, it says nothing about a single day, and it does not cover a quantity that you choose yourself after looking at the past."),
        h("p", {}, h("strong", {}, "Extra cost at worst "), "is this number, and like every promise here it is rounded up, so that sums may differ in the last digit; usual costs are rounded to the nearest. The share compares it with ordering without data, when all that is known is the range of demand: at 5 %, past demand has taken away 95 % of that risk."),
      ),
    ),
  );
}
