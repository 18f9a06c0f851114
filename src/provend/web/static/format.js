/** Numbers and dates for people: as many digits as mean something, and the decimal sign of their own table. */

const NONE = "–";

let comma = false;

/** The sign before decimals from now on: with a comma, a narrow space separates thousands. */
export const writeDecimals = (sign) => (comma = sign === ",");

/** The same for figures: decimals, then thousands. */
export const separators = () => (comma ? ",\u202f" : ".,");

const written = (text) => (comma ? text.replaceAll(",", "\u202f").replace(".", ",") : text);

const known = (x) => typeof x === "number" && Number.isFinite(x);

const grouped = (x, decimals) =>
  written(x.toLocaleString("en-GB", { minimumFractionDigits: 0, maximumFractionDigits: decimals }));

/** Decimals that leave about `digits` significant ones. */
const decimalsFor = (x, digits) =>
  x === 0 ? 0 : Math.max(0, Math.min(12, digits - 1 - Math.floor(Math.log10(Math.abs(x)))));

/** A number with about three or four significant digits: 1,234 or 12.3 or 0.0123. */
export function number(x, digits = 4) {
  return known(x) ? grouped(x, decimalsFor(x, digits)) : NONE;
}

/** A count. */
export const count = (x) => (known(x) ? grouped(x, 0) : NONE);

/** x times 10 to the power `places`, exactly as its digits say. */
function shifted(x, places) {
  const [digits, exponent = "0"] = String(x).split("e");
  return Number(`${digits}e${Number(exponent) + places}`);
}

/** All decimals, also zeros, so that numbers beneath each other line up; none of a whole number. */
function aligned(x, decimals) {
  const least = Number.isInteger(x) ? 0 : decimals;
  return written(x.toLocaleString("en-GB", { minimumFractionDigits: least, maximumFractionDigits: decimals }));
}

function rounded(x, digits, to) {
  if (!known(x)) return NONE;
  const decimals = decimalsFor(x, digits);
  return aligned(shifted(to(shifted(x, decimals)), -decimals), decimals);
}

/** A quantity in a column of others. */
export const quantity = (x, digits = 4) => (known(x) ? aligned(x, decimalsFor(x, digits)) : NONE);

/** A number as its digits are shown. */
export const shown = (x, digits = 4) => Number(x.toFixed(decimalsFor(x, digits)));

/** An estimate, never to be taken for a promise. */
export const about = (x) => (known(x) ? `about ${number(x, 3)}` : NONE);

/** An upper bound, rounded up: what is shown is never below what is promised. */
export const bound = (x, digits = 4) => rounded(x, digits, Math.ceil);

/** A lower bound, rounded down. */
export const floor = (x, digits = 4) => rounded(x, digits, Math.floor);

/** A share given in percent, rounded up: 12 %, 4.7 %, 0.31 %. */
export function percent(x) {
  if (!known(x)) return NONE;
  const decimals = x >= 10 ? 0 : x >= 1 ? 1 : Math.min(6, decimalsFor(x, 2));
  return `${written(shifted(Math.ceil(shifted(x, decimals)), -decimals).toFixed(decimals))}\u00a0%`;
}

/** A number with so many decimals. */
export const fixed = (x, decimals = 2) => (known(x) ? written(x.toFixed(decimals)) : NONE);

/** A share between 0 and 1, rounded to the nearest. */
export function share(x, decimals = 1) {
  return known(x) ? `${fixed(100 * x, decimals)}\u00a0%` : NONE;
}

/** "Fri 3 Jan 2014" from "2014-01-03"; what is not a date stays as it is. */
export function day(value) {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:T00:00:00(?:\.0+)?)?$/.exec(String(value));
  if (match === null) return String(value ?? NONE).replace("T", " ");
  const date = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return date
    .toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
    .replace(",", "");
}

/** What the server says, with dates and numbers as the rest of the page has them. */
export const spoken = (text) =>
  text
    .replace(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => day(date))
    .replace(/(?<![\d.,-])\d+\.\d+(?!\.?\d)/g, (digits) => number(Number(digits)))
    .replace("ISO dates", "dates that begin with the year");

/** "1 order", "2 orders". */
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
