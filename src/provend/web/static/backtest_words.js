/** What the numbers of Backtest mean. */

import { explain, h } from "./dom.js";
import { number } from "./format.js";

export const meaning = () =>
  explain(
    "What do these numbers mean?",
    "Cost per item and day is what the units short and left over would have cost on the days decided, on average. Relative cost compares with the first rule, on the items that both got through: 0.8 means a fifth less.",
    "What was promised is the mean of the guarantees given on each day: the most that the rule costs on average beyond the best order of somebody who knows how likely each demand is. It is no promise about the cost itself, part of which nobody can avoid. The share compares with ordering without data, when all that is known is the range of demand.",
    "Days fully served are those on which nobody was sent away; demand served is the share of units. With these costs the cheapest service level is below 100 %: serving everybody always would leave too much over.",
    "A rule is given the dates and contexts of a day and never its demand. A column that was not known when the order was placed, such as the weather observed on the day, would flatter every rule that uses it.",
  );

export const keptMeaning = ({ note }) =>
  explain(
    "How to compare the two",
    "A dot is what happened: the cost per item and day beyond the best order for each kind of day, found with hindsight. Hindsight flatters that benchmark, so the dot is rather too high. The bar through it covers the luck of the days. Below zero, a rule did even better than that benchmark: it tells days of one kind apart.",
    "The short line is what was promised: the mean of the guarantees given on each day. The dot should lie below it. If even the lower end of its bar is above, do not believe what the guarantee rests on.",
    `In full: ${note.replace("regret_context compares", "What happened is compared").replaceAll("support", "range of demand")}`,
  );

/** Where groups of equal days are too small, there is nothing to compare promises with. */
export function tooFew({ summary }) {
  if (summary.some((row) => row.regret_context !== null)) return null;
  return h(
    "p",
    { class: "notice" },
    "What happened cannot be compared here: no kind of day, such as one weekday, occurs five times among the days decided. Decide a larger share of days, or give a longer table.",
  );
}

/** What a mean is over: days, where there is one item. */
export const unit = ({ days, dates }) => (days > dates ? "item and day" : "day");

/** The same cost for each item, where there are several. */
export const each = (row) => (row.days > row.dates ? `: ${number(row.mean_cost)} per item and day` : "");
