/** The page Decide: from a table of past demand and two costs to orders. */

import * as address from "./address.js";
import { Orders } from "./decide_orders.js";
import { announce, find, fill } from "./dom.js";
import { number, plural } from "./format.js";
import { Worker } from "./job.js";
import { Past } from "./past.js";

const DEFAULTS = { file: "", cu: "", co: "", lo: "", hi: "", horizon: "7", model: "auto", dissimilarity: "auto", job: "", row: "", sort: "risk", search: "" };
const FIELDS = ["cu", "co", "lo", "hi", "horizon", "model", "dissimilarity"];
const ASKED = ["file", ...FIELDS];

let state = address.read(DEFAULTS);
let shown = null; // what the orders on the page were asked with

const worker = new Worker(find("work"), "Working out the orders");
const past = new Past(find("past"), read);
const orders = new Orders(find("orders"), (some, how) => keep(some, how));

function keep(some, how) {
  state = { ...state, ...some };
  address.write(state, DEFAULTS, how);
}

/** The page as its address says. */
async function arrive() {
  setForm();
  if (state.file !== "" && past.ready?.file !== state.file) await past.load(state.file);
  if (state.job !== "" && orders.job !== state.job) await answer(worker.resume(state.job));
  if (state.job === "") clear();
  orders.arrange(state);
}

function setForm() {
  for (const name of FIELDS) find(name).value = state[name];
  find("more").open ||= ["lo", "hi", "model", "dissimilarity"].some((name) => state[name] !== DEFAULTS[name]);
  sayRatio();
}

/** A table was read, or taken away. */
function read(file) {
  find("costs-step").hidden = file === null;
  if (file === null) {
    keep({ file: "", job: "", row: "" }, { step: true });
    return clear();
  }
  const example = file.example ?? {};
  if (state.cu === "" && example.cu !== undefined) keep({ cu: String(example.cu), co: String(example.co) });
  if (file.file !== state.file) keep({ file: file.file, job: "", row: "" }, { step: state.file === "" && state.job === "" });
  setForm();
  sayStale(state.job !== "");
  return undefined;
}

function clear() {
  worker.drop();
  shown = null;
  fill(find("work"));
  orders.clear();
  find("orders-step").hidden = true;
  find("twin").hidden = true;
  sayStale(false);
}

function sayRatio() {
  const [cu, co] = [Number(find("cu").value), Number(find("co").value)];
  if (!(cu > 0 && co > 0)) return fill(find("ratio-said"), "Both costs in the same unit of money; all amounts below are in it, too.");
  const q = cu / (cu + co);
  return fill(find("ratio-said"), `With these costs it is right to run short on about ${number(100 * (1 - q), 2)} days of 100, and to have something left over on the others.`);
}

/** Orders that were worked out for other numbers say so. */
function sayStale(doubt = false) {
  const stale = shown !== null && (doubt || JSON.stringify(asked()) !== shown);
  fill(find("stale"), stale ? "The orders below are those for the numbers before; work them out again." : "");
  find("orders").classList.toggle("stale", stale);
}

const asked = () => ASKED.map((name) => state[name]);

function valid() {
  const wrong = ["cu", "co", "horizon", "lo", "hi"].map(find).filter((field) => {
    const bad = !field.checkValidity() || (["cu", "co"].includes(field.id) && !(Number(field.value) > 0));
    field.setAttribute("aria-invalid", String(bad));
    return bad;
  });
  if (wrong.length === 0) return true;
  fill(find("stale"), "Please give both costs, above 0, and the number of days.");
  wrong[0].focus();
  return false;
}

async function go(event) {
  event.preventDefault();
  if (!valid()) return;
  const support = state.lo === "" && state.hi === "" ? null : [Number(state.lo), Number(state.hi)];
  const { model, dissimilarity } = state;
  const request = { file: state.file, cu: Number(state.cu), co: Number(state.co), support, horizon: Number(state.horizon), columns: past.columns, model, dissimilarity };
  find("orders-step").hidden = false;
  orders.clear();
  await answer(worker.run("/api/decide", request, (job) => keep({ job, row: "", search: "" }, { step: true })));
}

async function answer(promise) {
  find("orders-step").hidden = false;
  const result = await promise;
  if (result === null) return;
  shown = JSON.stringify(asked());
  orders.show(result, state);
  sayStale();
  Object.assign(find("twin"), { href: `/api/jobs/${encodeURIComponent(state.job)}`, hidden: false });
  announce(`${plural(result.totals.orders, "order")} worked out, ranked by money at risk`);
}

find("costs").addEventListener("submit", go);
find("costs").addEventListener("input", (event) => {
  keep({ [event.target.name]: event.target.value });
  event.target.removeAttribute("aria-invalid");
  sayRatio();
  sayStale();
});
window.addEventListener("popstate", () => {
  state = address.read(DEFAULTS);
  arrive();
});
arrive();
