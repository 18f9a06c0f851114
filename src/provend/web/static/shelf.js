/** Sales that were cut off by stock: what that asks of the form, said before the server has to. */

import { find } from "./dom.js";

/** The columns that say what was in stock on past days, by role. */
function seen({ read }) {
  try {
    const { stock_seen: stock, sold_out: out } = JSON.parse(read || "{}");
    return { stock, out };
  } catch {
    return {}; // an address that somebody has cut
  }
}

const FLAG_ALONE =
  "One column says which days sold out, but none how much was there on the others. Please take one for “past stock”, or that one for “not used”.";
const RANGE =
  "Please give the range of demand: sales that ended with an empty shelf do not show how high demand can be.";
const DAYS =
  "Sales that were cut off by stock cannot be added up over several days. Please leave out the days until delivery and between orders, or take the stock for “not used”.";
const LEARNED =
  "Where stock cut sales off, please choose “learned from all past demand” or “learned from one half, used on the other”.";
const POOLED = "Where stock cut sales off, each item is decided on its own days. Please do not choose all items together.";

/** What is wrong with the rest of the form, as a sentence; empty if nothing is. */
export function wrong(state) {
  const { stock, out } = seen(state);
  if (!stock) return out ? FLAG_ALONE : "";
  if (state.lo.trim() === "") {
    find("more").open = true;
    find("lo").focus();
    return RANGE;
  }
  if ([state.lead_time, state.review].some((text) => text.trim() !== "")) return DAYS;
  if (["cautious", "certified"].includes(state.dissimilarity)) return LEARNED;
  return state.model === "pooled" ? POOLED : "";
}

/** What leaving the range of demand empty means. */
export const rangeHint = (state) =>
  seen(state).stock
    ? "Needed, as stock cut sales off. Numbers for all items, or columns."
    : "Left empty: for each item, as far as its own demand has gone in the table. Else numbers for all items, or columns that have one for each.";
