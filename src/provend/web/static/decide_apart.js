/** What an order is put together from: periods in classes, or sales between stock levels. */

import { explain, h } from "./dom.js";
import { numbers } from "./figure.js";
import { bound, count, day, plural, quantity as amount, share } from "./format.js";

const FOLDED = 8; // slices from which they are folded away
const LISTED = 60; // days in the table beneath the picture

function table(label, head, rows) {
  const kind = (i) => (i === 0 ? null : "n");
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { class: "apart small" },
      h("thead", {}, h("tr", {}, head.map((text, i) => h("th", { scope: "col", class: kind(i) }, text)))),
      h(
        "tbody",
        {},
        rows.map(({ cells, sum = false }) =>
          h(
            "tr",
            { class: sum ? "sum" : null },
            cells.map((cell, i) => h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: kind(i) }, cell)),
          ),
        ),
      ),
    ),
  );
}

/** From a level to the order: less what is there, and rounded to packs; nothing where the level is the order. */
function toOrder(level, { order, order_up_to: upTo, guarantee, pack }) {
  const stock = upTo - order;
  const rows = stock > 0 ? [{ cells: ["less what is in stock or on order", "", `− ${amount(stock)}`, ""] }] : [];
  const rounded = pack !== null && Math.abs(level - upTo) > 1e-9 * Math.max(1, upTo);
  if (stock > 0 || rounded)
    rows.push({ cells: [rounded ? "order, rounded to packs" : "order", "", amount(order), bound(guarantee)], sum: true });
  return rows;
}

/** From the classes of past periods to the level that is ordered up to, and what is subtracted from it. */
export function fromPeriods({ days, stock, classes }, found) {
  const mean = classes.reduce((sum, one) => sum + one.level, 0) / classes.length;
  const rows = classes.map((one, i) => ({
    cells: [`class ${i + 1}`, count(one.periods), amount(one.level), bound(one.guarantee)],
  }));
  rows.push({ cells: ["their mean: order up to", "", amount(mean), bound(found.guarantee)], sum: true });
  rows.push(...toOrder(mean, found));
  return [
    h("h3", {}, "How the order came about"),
    table("How the order came about", [`past periods of ${plural(days, "day")}`, "how many", "order up to", "extra cost at worst"], rows),
    explain(
      "Why classes?",
      `The order has to last ${plural(days, "day")}, so it is compared with the demand of past periods that long. Periods that overlap share days and would count the same demand twice. They are therefore put into classes in which no two share a day; each class says what to order up to, and the order is the mean.`,
      "The guarantee is the mean of the classes’ guarantees: what a mean of orders costs is at most the mean of what they cost.",
      ...(stock > 0 ? ["What is in stock or on order is subtracted; a class that needs less than that orders nothing."] : []),
    ),
  ];
}

/** How much of a guarantee nobody can lower without having had more in stock. */
export function unseen({ segments, unseen: part, guarantee }) {
  const top = segments.at(-1);
  if (top === undefined || top.rows > 0 || !(part > 0)) return null;
  const most = top.bottom > segments[0].bottom ? `more than ${amount(top.bottom)}` : "anything";
  return h(
    "p",
    { class: "notice" },
    h("strong", {}, `${bound(part)} of the extra cost of ${bound(guarantee)} at worst, ${share(part / guarantee, 0)}, `),
    `is there only because no past day had ${most} in stock: nobody has seen whether more would have sold.`,
  );
}

/** From one stock level of the past to the next: how many days tell, what is ordered, and what that adds to the risk. */
export function fromShelf({ segments, level, guarantee }, found) {
  const rows = segments.map((one) => ({
    cells: [
      `${amount(one.bottom)} to ${amount(one.top)}`,
      one.rows === 0 ? "never in stock" : count(one.rows),
      amount(one.order),
      bound(one.part),
    ],
  }));
  rows.push({ cells: ["together", "", amount(level), bound(guarantee)], sum: true }, ...toOrder(level, found));
  const slices = table("How the order came about", ["demand from", "days that tell", "ordered of it", "extra cost at worst"], rows);
  return [
    h("h3", {}, "How the order came about"),
    segments.length <= FOLDED
      ? slices
      : h("details", { class: "fold small" }, h("summary", {}, `Slice by slice, ${segments.length} of them`), slices),
    explain(
      "How to read this table",
      "A day that had 30 in stock shows whether demand was below 30, and nothing about demand beyond. So demand is cut into slices between the stock levels of the past, and each slice is decided by the days that had at least so much in stock, whether they sold out or not.",
      "What is ordered and what it can cost extra at worst add up over the slices. Of the last slice, which was never in stock, no day tells anything: what it can cost only falls when there is more in stock on some days.",
    ),
  ];
}

/** The days in numbers: those that count most or, where no day has a share, the latest. */
export function listed(past, { periods, shelf }) {
  if (shelf !== null) {
    const rows = past.slice(-LISTED).reverse();
    const cells = (one) => [
      day(one.date),
      amount(one.demand),
      one.stock === null ? "no limit" : amount(one.stock),
      one.sold_out ? "yes" : "no",
      amount(one.brought),
    ];
    return numbers(
      `The latest ${plural(rows.length, "day")}`,
      ["day", "sold", "was there", "sold out", "sold, adjusted to this day"],
      () => rows.map(cells),
    );
  }
  const rows = past
    .filter((one) => one.weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, LISTED);
  if (rows.length === 0) return null;
  const [what, first] = periods ? ["periods", "from"] : ["days", "day"];
  return numbers(
    `The ${rows.length} ${what} that count most`,
    [first, "demand", "adjusted to this day", "counts for"],
    () => rows.map((one) => [day(one.date), amount(one.demand), amount(one.brought), share(one.weight, 2)]),
  );
}
