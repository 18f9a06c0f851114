/** What another quantity would cost and guarantee, in words and big numbers. */

import { broken } from "./decide_words.js";
import { h, tile } from "./dom.js";
import { about, bound, count, number, percent, share } from "./format.js";

const NOTHING =
  "There are no past days to compare with, and no range of demand was given: nothing can be said about this quantity.";

/** The same number with the order worked out. */
const beside = (text, value) => (value === null ? text : `${text}; ${value} with the order worked out`);

/** The order worked out, typed again. */
function kept({ usual, guarantee, percent_of_no_data: part }) {
  return [
    h("p", {}, "This is the order worked out: its guarantee holds."),
    h(
      "div",
      { class: "tiles two-tiles" },
      usual !== null && tile(about(usual), "usual cost, an estimate from the past"),
      guarantee !== null && tile(bound(guarantee), `extra cost at worst, on average${part === null ? "" : `, ${percent(part)} of that without data`}`),
    ),
  ];
}

export function whatIf(found) {
  if (found.same) return kept(found);
  const { quantity, up_to: level, guarantee, rule, guide, whatever, usual, usual_order: before, pack } = found;
  const unlike = broken(quantity, pack);
  return [
    unlike !== "" && h("p", { class: "doubt" }, unlike),
    rule &&
      h(
        "p",
        {},
        `${number(level)}${level > quantity ? ", with what is in stock or on order," : ""} would have been enough on ${count(rule.days_below)} of the ${count(rule.days)} days that count: ${share(rule.share)} of their weight.`,
      ),
    h(
      "div",
      { class: "tiles two-tiles" },
      usual !== null && tile(about(usual), beside("usual cost, an estimate from the past", before === null ? null : number(before, 3))),
      guide !== null &&
        tile(bound(guide), beside("extra cost at worst, as a guide: if this way of ordering had been fixed beforehand", guarantee === null ? null : bound(guarantee))),
      whatever !== null &&
        tile(bound(whatever), `extra cost if nothing at all is assumed about past days, and demand may always be at the worst end of its range`),
    ),
    guide === null && h("p", { class: "small soft" }, NOTHING),
  ];
}
