/** The tabs of pages that share a table: each leads to where it was left, or to the table that was used last. */

import { query } from "./address.js";
import { typed } from "./typed.js";

const PAGES = ["decide", "backtest"];
const COSTS = ["cu", "co"];
const KEY = "provend-tabs";

let kept = { table: null, at: {} }; // of this session, also where storage is switched off

try {
  kept = { ...kept, ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") };
} catch {
  // as above
}

const here = location.pathname.slice(1);

/** The query string of a page's tab. */
function leads(page) {
  const left = new URLSearchParams(kept.at[page] ?? "");
  if (kept.table === null || left.get("file") === kept.table.file) return kept.table === null ? "" : left.toString();
  return query(kept.table);
}

function link() {
  for (const page of PAGES.filter((name) => name !== here)) {
    const text = leads(page);
    document.querySelector(`nav a[href^="/${page}"]`).setAttribute("href", text === "" ? `/${page}` : `/${page}?${text}`);
  }
}

/** Remember where this page is: once its address has changed, with its state. */
export function keepTabs(state) {
  const costs = COSTS.filter((name) => Number.isFinite(typed(state[name]))); // not every page takes columns
  const shared = ["file", "read", ...costs];
  if (state.file !== "") kept.table = Object.fromEntries(shared.map((name) => [name, state[name]]));
  else if (kept.table?.file === new URLSearchParams(kept.at[here] ?? "").get("file")) kept.table = null;
  kept.at[here] = location.search.slice(1);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // as above
  }
  link();
}

link();
