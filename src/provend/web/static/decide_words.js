/** What the words and badges of Decide mean. */

import { explain, h } from "./dom.js";
import { quantity } from "./format.js";
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
const ASIDE = ["rows set aside", "warn", "Some past rows of this item could not be used; beside it stands which, and why."];

/** What an order rests on. A row that could not be decided has its status instead. */
export function badge(order) {
  const named = order.badge === "failed" ? FAILED : (BADGES[order.badge] ?? [order.badge, "", ""]);
  const shown = order.status === "rows set aside" ? [named, ASIDE] : [named];
  return h(
    "span",
    { class: "badges" },
    shown.map(([text, colour, meaning]) => explained({ class: `badge ${colour}` }, text, meaning)),
  );
}

/** The reason of an order, numbers with sensible digits; an order that is nothing but a number stands beside it. */
export function why({ reason }) {
  const said = (reason ?? "").replace(/^[\d.e+-]+: /, "").replace(/\d+\.\d+/g, (digits) => quantity(Number(digits)));
  return said === "" ? "" : `${said[0].toUpperCase()}${said.slice(1)}.`;
}

const packsOf = (pack) => (pack === null ? "whole packs" : pack === 1 ? "whole units" : `packs of ${quantity(pack)}`);

/** An order in packs is one of two neighbours, by chance: what that means for its guarantee. */
export const drawn = ({ pack }) =>
  `Rounded at random to ${packsOf(pack)} so that it is right on average, and the guarantee is that of this average; the same plan always draws the same. A quantity you type is judged without that average: the same number, or the next pack, typed by hand can have far more at risk.`;

/** What cannot be delivered is said, not refused. */
export function broken(typed, pack) {
  if (pack === null) return "";
  const packs = typed / pack;
  if (Math.abs(packs - Math.round(packs)) <= 1e-9 * Math.max(1, packs)) return "";
  const [less, more] = [Math.floor(packs) * pack, Math.ceil(packs) * pack].map((x) => quantity(x));
  return `${quantity(typed)} is not a whole number of ${pack === 1 ? "units" : `packs of ${quantity(pack)}`}: the nearest are ${less} and ${more}.`;
}

/** What is missing, as a sentence, in the words of the page. */
export const missing = ({ message }) =>
  message ? `${message[0].toUpperCase()}${message.slice(1)}.`.replaceAll("support", "range of demand") : "";

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

export const meaningOfRisk = () =>
  explain(
    "What is money at risk?",
    "Somebody who knew exactly how likely each demand is would order best. Money at risk is the most by which your orders can cost more than theirs, on average over many such days and whatever the true chances are, as long as they fit the past days and how unlike these are.",
    "It is a promise about the average. A single day can cost more, and most days cost less.",
    "The share compares with ordering without data, when all that is known is the range of demand. At 5 %, your past demand has taken away 95 % of that risk.",
  );

export const meaningOfDots = (moved) =>
  explain(
    "What am I looking at?",
    "Each dot is a past day. The larger it is, the more it counts for this order; grey ones are too unlike to count. The line is the order: the dots that count and lie below it are the days on which it would have been enough.",
    ...(moved
      ? [
          "Demand was first brought to the level expected on this day: a quiet Monday is moved up before it speaks for a Saturday. Point at a dot to see what was really sold.",
        ]
      : []),
  );

export const meaningOfShares = () =>
  explain(
    "What is this curve?",
    "For each quantity, how much of the past would have been served by it, each day counted by its weight. The dotted line is where your costs say to order if the past were exactly like the day to come: at that share of days it pays to have enough. The order lies a little off it where that promises more.",
  );

export const meaningOfBasis = (basis) => explain("What does this rest on?", basis);

export const meaningOfWhatIf = () =>
  explain(
    "Why several numbers?",
    "The first takes your quantity as a place among the past days, and says what ordering at that place can cost whenever you do it. It is a guarantee for a rule fixed beforehand; as you chose it after looking at the days, read it as a guide.",
    "The second takes your quantity as it is, whatever the past says: the worst that can happen to that number if demand may be anything in its range. It needs no assumption about past days at all.",
  );
