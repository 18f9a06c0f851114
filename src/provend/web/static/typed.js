/** Numbers as people type them: with decimal points or commas, thousands apart, a sign of money. Nothing is guessed. */

const MONEY = /^(?:[€$£¥]|EUR|USD|GBP|CHF)\s*|\s*(?:[€$£¥]|EUR|USD|GBP|CHF)$/gi;
const PLAIN = /^[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?[1-9]\d{0,2}([.,'’\s])\d{3}(?:\1\d{3})*(?:([.,])\d+)?$/;
const EITHER = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/; // thousands or thousandths: nobody knows

const bare = (text) => text.trim().replace(MONEY, "");

/** A number as typed; not a number where it is none, or could be two. */
export function typed(text) {
  const said = bare(text);
  if (EITHER.test(said)) return NaN;
  if (PLAIN.test(said)) return Number(said.replace(",", "."));
  const [, thousands, decimal] = GROUPED.exec(said) ?? [];
  if (thousands === undefined || thousands === decimal) return NaN;
  return Number(said.replaceAll(thousands, "").replace(decimal ?? ".", "."));
}

/** What to write in place of a number that can be read in two ways; empty if there is nothing to say. */
export function unclear(text) {
  const said = bare(text);
  if (!EITHER.test(said)) return "";
  const shorter = said.replace(/[.,]?0+$/, "");
  const small = shorter === said ? `${said}0` : shorter;
  return `${said} can be read in two ways: please write ${said.replace(/[.,]/, "")} for the large number, or ${small} for the small one.`;
}

/** A text that is read as this number. */
export const asTyped = (x) => (EITHER.test(String(x)) ? `${x}0` : String(x));
