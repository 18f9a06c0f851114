/** What another quantity would guarantee, in words and big numbers. */

import { broken } from "./decide_words.js";
import { h, tile } from "./dom.js";
import { bound, count, number, percent, share } from "./format.js";

export function whatIf({ quantity, up_to: level, guarantee, rule, whatever, no_data: without, pack }) {
  const unlike = broken(quantity, pack);
  const part = (one) => (without ? `, ${percent((100 * one) / without)} of that without data` : "");
  const nothing = h(
    "p",
    { class: "small soft" },
    "There are no past days to compare with, and no range of demand was given: nothing can be said about this quantity.",
  );
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
      rule && tile(bound(rule.guarantee), `at risk, ordering at that place among the past days${part(rule.guarantee)}`),
      whatever !== null &&
        tile(bound(whatever), `at risk, ordering ${number(quantity)} whatever the past says${part(whatever)}`),
      guarantee !== null && tile(bound(guarantee), `at risk with the order worked out${part(guarantee)}`),
    ),
    rule?.caveat ? h("p", { class: "small soft" }, rule.caveat) : null,
    rule === null && whatever === null ? nothing : null,
  ];
}
