/** The lines of the table of orders: what was decided on past days first; what was not, one line for each item. */

import { badge, missing, whyExplained } from "./decide_words.js";
import { h } from "./dom.js";
import { bound, day, number, percent, plural, quantity } from "./format.js";

const worth = (order) => order.guarantee ?? Infinity;
const byName = (a, b) => String(a.item).localeCompare(String(b.item), "en", { numeric: true });
const byDate = (a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);
const ORDERINGS = {
  risk: (a, b) => worth(b) - worth(a) || byName(a, b) || byDate(a, b),
  item: (a, b) => byName(a, b) || byDate(a, b),
  date: (a, b) => byDate(a, b) || worth(b) - worth(a),
};

/** Whether an order was not decided on past days. */
export const lacking = (order) => ["no data", "failed"].includes(order.badge);

/**
 * Lists of orders, one for each line, and whether there are more of them than the `limit`. Those without past days come
 * last, however many others there are, unless items are to be found by name.
 */
export function lines(orders, sort, limit) {
  const groups = new Map();
  for (const order of orders.toSorted(ORDERINGS[sort] ?? ORDERINGS.risk)) {
    const key = lacking(order) ? JSON.stringify([order.item, order.badge, order.message]) : order.row;
    groups.set(key, [...(groups.get(key) ?? []), order]);
  }
  const all = [...groups.values()];
  const parts = sort === "item" ? [all] : [false, true].map((wanted) => all.filter(([one]) => lacking(one) === wanted));
  return { shown: parts.flatMap((part) => part.slice(0, limit)), count: all.length };
}

function name(id, open, item, beneath) {
  return h(
    "button",
    { type: "button", class: "open", "aria-expanded": String(open), id },
    h("span", { class: "item" }, String(item)),
    h("span", { class: "sub" }, beneath),
  );
}

function line(kind, press, title, cells, order, told) {
  return h(
    "tr",
    { class: `line ${kind}`, onclick: press },
    h("td", { class: "wide" }, title, h("div", { class: "phone-only" }, badge(order))),
    cells.map((cell) => h("td", { class: "n" }, ...cell)),
    h("td", { class: "rests" }, badge(order)),
    h("td", { class: "why small" }, ...told),
  );
}

/** One order; `within` others of its item, what is missing has been said. */
export function single(order, own, { open, within, press }) {
  const title = name(`row-${order.row}`, open, order.item, day(order.date));
  const told = [...whyExplained(order), order.message && !within && h("span", { class: `sub ${order.status === "ok" ? "noted" : ""}` }, missing(order))];
  const kind = `${open ? "opened" : ""} ${within ? "within" : ""}`;
  return line(kind, press, title, [amount(order, own), extra(order, own), usual(own ?? order)], order, told);
}

function amount(order, own) {
  if (own !== undefined)
    return [
      h("strong", {}, quantity(own.quantity)),
      h("span", { class: "sub" }, "yours, was ", h("s", {}, quantity(order.order))),
    ];
  const up = order.order_up_to - order.order;
  return [
    h("strong", {}, quantity(order.order)),
    ...(up > 0 ? [h("span", { class: "sub" }, `on top of ${number(up)}`)] : []),
  ];
}

/** A quantity of one's own does not have the guarantee of the order it replaces, but a guide beside it. */
function extra(order, own) {
  if (own !== undefined && !own.same)
    return [bound(own.guide), h("span", { class: "sub" }, own.guide === null ? "not known" : "as a guide")];
  const share = order.percent_of_no_data;
  return [
    bound(order.guarantee),
    h("span", { class: "sub" }, share === null ? "not known" : percent(share)),
  ];
}

const usual = ({ usual: cost }) => [number(cost, 3)];

/** Several orders of one item that were decided without past days. */
export function group(orders, open, press) {
  const [first] = orders;
  const dates = orders.toSorted(byDate);
  const when = `${plural(orders.length, "day")}, ${day(dates[0].date)} to ${day(dates.at(-1).date)}`;
  const amounts = [...new Set(orders.map((order) => quantity(order.order)))];
  const each = amounts.length === 1 ? amounts[0] : `${amounts[0]} …`;
  const together = first.guarantee === null ? null : orders.reduce((sum, order) => sum + order.guarantee, 0);
  const cells = [
    [h("strong", {}, each), h("span", { class: "sub" }, "each day")],
    [bound(together), h("span", { class: "sub" }, together === null ? "not known" : "together")],
    usual({ usual: null }),
  ];
  const title = name(`group-${first.row}`, open, first.item, when);
  return line("several", press, title, cells, first, missing(first) === "" ? whyExplained(first) : [missing(first)]);
}
