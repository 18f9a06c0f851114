/** What the words and badges of Decide mean. */

import { explain, h } from "./dom.js";
import { number, quantity, spoken } from "./format.js";
import { explained } from "./tip.js";

const BADGES = {
  given: ["given", "good", "How unlike past days may be was given by you; the guarantee holds if that does."],
  certified: [
    "certified",
    "good",
    "How unlike past days may be was bounded, with a stated probability, from past days set aside for that. It holds if demands are independent and days of one kind are alike.",
  ],
  estimated: [
    "estimated",
    "calm",
    "How unlike past days are was estimated from past demand. It is what the data suggest, not a proof.",
  ],
  assumed: [
    "assumed",
    "calm",
    "Stock cut sales off: past days are then taken to be as unlike as is usual, which is assumed and not learned. The guarantee holds if they are not more unlike, and if past stock was chosen without knowing these demands.",
  ],
  pooled: [
    "from all items",
    "violet",
    "One model was learned from all items together, and an item with few days of its own borrows those of others. It is what the data suggest, not a proof.",
  ],
  "no data": [
    "no data",
    "warn",
    "Too few past days to compare: the order is the best one without data, where the range of demand is known.",
  ],
};

const FAILED = ["not decided", "bad", "There is no order for this row; beside it stands what is missing."];
const DOUBTS = {
  "rows set aside": "Many past rows of this item could not be used, or some stand there twice; beside it stands which, and why.",
  "asked for twice": "The days to decide have this item and day more than once, each with an order of its own: leave one.",
  "stock counted again": "The same stock stands at an earlier day of this item, too: it can be used only once.",
  "not after its past": "The table has demands of this item on that day or later, and they count as if they were known.",
  "context never seen": "What a column says about this day was never seen on a past day; beside it stands what.",
};

/** What an order rests on. A row that could not be decided has its status instead. */
export function badge(order) {
  const named = order.badge === "failed" ? FAILED : (BADGES[order.badge] ?? [order.badge, "", ""]);
  const doubt = DOUBTS[order.status];
  const shown = doubt === undefined ? [named] : [named, [order.status, "warn", doubt]];
  return h(
    "span",
    { class: "badges" },
    shown.map(([text, colour, meaning]) => explained({ class: `badge ${colour}` }, text, meaning)),
  );
}

const ADJUSTED = "adjusted to the day";
const HOW_ADJUSTED =
  "Past demand is first moved to the level expected for the day to decide: a quiet Monday counts for more before it speaks for a Saturday, and old days follow the trend.";

/** What the server says, as a sentence in the words of the page. */
function sentence(text) {
  const said = spoken(text)
    .replace(/once brought to its level|brought to this day/, `each ${ADJUSTED}`)
    .replaceAll("support", "range of demand");
  return said === "" ? "" : `${said[0].toUpperCase()}${said.slice(1)}.`;
}

/** The reason of an order, numbers with sensible digits; an order that is nothing but a number stands beside it. */
export const why = ({ reason }) => sentence((reason ?? "").replace(/^[\d.e+-]+: /, ""));

/** The same, with what needs an explanation explained. */
export function whyExplained(order) {
  const [before, after] = why(order).split(ADJUSTED);
  return after === undefined ? [before] : [before, explained({ class: "term" }, ADJUSTED, HOW_ADJUSTED), after];
}

/** So much of the extra cost without data. */
export const WITHOUT_DATA =
  "Compared with ordering without data, when all that is known is the range of demand: at 5 %, past demand has taken away 95 % of that risk.";

export const EXTRA =
  "The guarantee: the most that ordering in this way costs, on average, beyond the best order of somebody who knows how likely each demand is. What the best order itself costs comes on top. Rounded up, like every promise here.";

export const USUAL =
  "An estimate from the past, not a promise: what this order would have cost on the past days that count, on average, each day adjusted to this one and counted by its weight. Part of it is there with any order.";

/** How much past there is behind an order, in days that count alike. */
export const behind = ({ effective_n: days, in_periods: periods }) =>
  days === null || days === undefined
    ? ""
    : `Together they say about as much as ${number(days, 2)} ${periods ? "periods in each class" : "days"} that all count alike.`;

const packsOf = (pack) => (pack === null ? "whole packs" : pack === 1 ? "whole units" : `packs of ${quantity(pack)}`);

/** An order in packs is one of two neighbours, by chance: what that means for its guarantee. */
export const drawn = ({ pack }) =>
  `Rounded at random to ${packsOf(pack)} so that it is right on average, and the guarantee is that of this average; the same plan always draws the same.`;

/** What cannot be delivered is said, not refused. */
export function broken(typed, pack) {
  if (pack === null) return "";
  const packs = typed / pack;
  if (Math.abs(packs - Math.round(packs)) <= 1e-9 * Math.max(1, packs)) return "";
  const [less, more] = [Math.floor(packs) * pack, Math.ceil(packs) * pack].map((x) => quantity(x));
  return `${quantity(typed)} is not a whole number of ${pack === 1 ? "units" : `packs of ${quantity(pack)}`}: the nearest are ${less} and ${more}.`;
}

/** What is missing, or else worth knowing. */
export const missing = ({ message }) => sentence(message ?? "");

/** The same where the share of a guarantee that past stock is to blame for is told apart. */
export const missingBeside = ({ message }) => sentence((message ?? "").replace(/^[^;]*never having had more[^;]*(; |$)/, ""));

export const meaningOfBadges = () =>
  h(
    "details",
    { class: "explain" },
    h("summary", {}, "What do the badges mean?"),
    h(
      "dl",
      { class: "meanings" },
      Object.values(BADGES).flatMap(([text, colour, meaning]) => [
        h("dt", {}, h("span", { class: `badge ${colour}` }, text)),
        h("dd", {}, meaning),
      ]),
    ),
  );

export const meaningOfDots = (moved, days = null) =>
  explain(
    "What am I looking at?",
    `Each dot is ${days === null ? "a past day" : `a past period of ${days} days, drawn at its first`}. The larger it is, the more it counts for this order; grey ones are too unlike to count. The line is the order${days === null ? "" : " with what is in stock"}: the dots that count and lie below it are the ${days === null ? "days on" : "periods in"} which it would have been enough.`,
    ...(moved
      ? [
          "Demand was first adjusted to the level expected on this day: a quiet Monday is moved up before it speaks for a Saturday. Point at a dot to see what was really sold.",
        ]
      : []),
  );

export const meaningOfSold = (moved) =>
  explain(
    "What am I looking at?",
    "Each mark is a past day. On a day with a round dot something was left, so the dot is the demand. A triangle is a day that sold out: demand was that or more. The line is the order, the dotted line the most that was ever in stock.",
    ...(moved
      ? ["Sales and stock were first adjusted to the level expected on this day, both in the same way. Point at a mark to see what was really sold, and of how many."]
      : []),
  );

export const meaningOfShares = () =>
  explain(
    "What is this curve?",
    "For each quantity, how much of the past would have been served by it, each day counted by its weight. The dotted line is where your costs say to order if the past were exactly like the day to come: at that share of days it pays to have enough. The order lies a little off it where that promises more.",
  );

export const meaningOfBasis = (basis, kind) =>
  explain("What does this rest on?", ...[BADGES[kind]?.[2], `In full, for whoever wants to check it: ${basis}`].filter(Boolean));

const COLUMNS = [
  ["order", "what to order"],
  ["order_up_to", "the same with what is in stock or on order, where that is given"],
  ["guarantee", "the extra cost of this order at worst, on average"],
  ["percent_of_no_data", "the same as a share, in percent, of that without data"],
  ["effective_n", "how much past there is behind it: so many days that all count alike would say as much"],
  ["policy, basis", "the rule that ordered, and what the guarantee rests on"],
  ["reason", "why so many; “once brought to its level” means that past demand was adjusted to the day first"],
  ["status, message", "ok, or what was missing"],
  ["override, final_order, …", "your own quantities with their reasons, and what is ordered in the end, if you kept any; final_guarantee is that of the order worked out where you kept it, and else the extra cost if nothing at all is assumed about past days"],
];

export const meaningOfColumns = () =>
  h(
    "details",
    { class: "explain" },
    h("summary", {}, "What do the columns of the file mean?"),
    h(
      "dl",
      { class: "meanings" },
      COLUMNS.flatMap(([name, meaning]) => [h("dt", {}, h("code", {}, name)), h("dd", {}, meaning)]),
    ),
  );

/** What another quantity is judged by: it has a place among past days where it is `placed`; without a `past` or a `usual` cost neither is told. */
export const meaningOfWhatIf = ({ placed, past, usual }) =>
  explain(
    "Why several numbers?",
    ...(usual ? ["The usual cost is what your quantity would have cost on the past days that count, on average: an estimate."] : []),
    `The guide is what ordering in this way can cost, on average, beyond the best order: ${placed ? "always at that place among the past days, or " : ""}always so much more or less than is worked out here${placed ? ", whichever promises more" : ""}. ${past ? HOLDS : ""}`,
    "The last one assumes nothing: demand may then be at the worst end of its range every day. It is true of any quantity, and of little use where past days do say something.",
  );

const HOLDS =
  "It holds for whoever chose so beforehand, or for reasons that have nothing to do with these past days, such as a promotion. A quantity chosen after looking at them has no such guarantee.";
