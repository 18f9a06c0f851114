/** What a table of past demand looks like, and what was understood of one. */

import { explain, h, quoted } from "./dom.js";
import { day, plural, spoken } from "./format.js";

/** What such a table looks like. */
export function example(stock) {
  const rows = [
    ["2026-11-13", "bread", "118", "no"],
    ["2026-11-13", "cake", "24", "no"],
    ["2026-11-14", "bread", "161", "yes"],
    ["…", "…", "…", "…"],
  ];
  return h(
    "div",
    { class: "looks" },
    h("h3", {}, "It looks like this"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Example of a table" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["date", "item", "demand", "holiday"].map((name, i) =>
              h("th", { scope: "col", class: i === 2 ? "n" : null }, name),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) =>
            h(
              "tr",
              {},
              row.map((cell, i) => h("td", { class: i === 2 ? "n" : null }, cell)),
            ),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "small soft" },
      `Other names and orders of columns, decimal commas and the dates of your country are understood; what could be read in two ways is asked about. Further columns, such as holidays or weather, are contexts. ${stock ? "If there is one of what was in stock, days that sold out can count as what they are. " : ""}Without a column of items, all rows belong to one item.`,
    ),
  );
}

/** Sales are not demand where the shelf was empty. */
export const meaningOfStock = () =>
  explain(
    "Did you sell out on some days?",
    "Then the table shows less than was wanted on these days, and orders learned from it would be too low. Take the column with the stock at the beginning of each day for “past stock”: days then count only as far as their stock shows demand.",
    "A column that says yes or no for each day can be taken for “sold out?”; it fills in the stock where that is missing on such days. On its own it is not enough: to leave out the days that sold out would favour low demand.",
  );

/** What the server made of the table, in its words. */
export function understood(file) {
  const when = file.first ? `, ${day(file.first)} to ${day(file.last)}` : "";
  return h(
    "div",
    { class: "stack-close" },
    h("p", {}, `${plural(file.rows, "row")} of ${plural(file.items, "item")}${when}.`),
    h(
      "ul",
      { class: "told small soft" },
      file.understood.slice(1).map((text) => h("li", {}, ...quoted(spoken(text)))),
    ),
  );
}
