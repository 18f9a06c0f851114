/** The page Backtest: what orders would have cost on a table of past demand. */

import * as address from "./address.js";
import { get } from "./api.js";
import { Results } from "./backtest_results.js";
import { announce, find, fill, h, trouble } from "./dom.js";
import { Worker } from "./job.js";
import { Past } from "./past.js";

const DEFAULTS = { file: "", cu: "", co: "", lo: "", hi: "", test: "0.3", refit_every: "28", policies: "", job: "", item: "" };
const FIELDS = ["cu", "co", "lo", "hi", "test", "refit_every"];
const ASKED = ["file", "policies", ...FIELDS];

let state = address.read(DEFAULTS);
let shown = null;

const worker = new Worker(find("work"), "Walking through the past");
const past = new Past(find("past"), read);
const results = new Results(find("results"), (item) => keep({ item }));

function keep(some, how) {
  state = { ...state, ...some };
  address.write(state, DEFAULTS, how);
}

async function arrive() {
  setForm();
  if (state.file !== "" && past.ready?.file !== state.file) await past.load(state.file);
  if (state.job !== "" && results.job !== state.job) await answer(worker.resume(state.job));
  if (state.job === "") clear();
}

function setForm() {
  for (const name of FIELDS) find(name).value = state[name];
  find("more").open ||= ["lo", "hi", "test", "refit_every"].some((name) => state[name] !== DEFAULTS[name]);
  const named = state.policies.split(",");
  if (state.policies !== "") for (const box of boxes()) box.checked = named.includes(box.value);
}

const boxes = () => [...find("policies").querySelectorAll("input")];
const ticked = () => boxes().filter((box) => box.checked).map((box) => box.value);

/** The rules the server knows, with what each does. */
async function offer() {
  const { policies } = await get("/api/backtest/policies");
  fill(find("policies"), policies.map((one, i) => h("div", { class: "policy" },
    h("input", { type: "checkbox", id: `policy-${i}`, value: one.name, checked: one.default && one.available, disabled: !one.available, "aria-describedby": `about-${i}` }),
    h("div", {}, h("label", { for: `policy-${i}` }, one.label), h("p", { class: "small soft", id: `about-${i}` }, one.about)))));
}

function read(file) {
  find("costs-step").hidden = file === null;
  if (file === null) {
    keep({ file: "", job: "", item: "" }, { step: true });
    return clear();
  }
  const example = file.example ?? {};
  if (state.cu === "" && example.cu !== undefined) keep({ cu: String(example.cu), co: String(example.co) });
  if (file.file !== state.file) keep({ file: file.file, job: "", item: "" }, { step: state.file === "" });
  setForm();
  sayStale(state.job !== "");
  return undefined;
}

function clear() {
  worker.drop();
  shown = null;
  fill(find("work"));
  results.clear();
  find("results-step").hidden = true;
  find("twin").hidden = true;
  sayStale(false);
}

const asked = () => JSON.stringify(ASKED.map((name) => state[name]));

function sayStale(doubt = false) {
  const stale = shown !== null && (doubt || asked() !== shown);
  fill(find("stale"), stale ? "The results below are those for the numbers before; run it again." : "");
  find("results").classList.toggle("stale", stale);
}

function valid() {
  const wrong = FIELDS.map(find).filter((field) => {
    const bad = !field.checkValidity() || (["cu", "co"].includes(field.id) && !(Number(field.value) > 0));
    field.setAttribute("aria-invalid", String(bad));
    return bad;
  });
  const none = ticked().length === 0;
  if (wrong.length === 0 && !none) return true;
  fill(find("stale"), none ? "Please tick at least one rule." : "Please give both costs, above 0.");
  (wrong[0] ?? boxes()[0]).focus();
  return false;
}

async function go(event) {
  event.preventDefault();
  if (!valid()) return;
  const support = state.lo === "" && state.hi === "" ? null : [Number(state.lo), Number(state.hi)];
  const request = { file: state.file, cu: Number(state.cu), co: Number(state.co), support, policies: ticked(), test: Number(state.test), refit_every: Number(state.refit_every), columns: past.columns };
  find("results-step").hidden = false;
  results.clear();
  await answer(worker.run("/api/backtest", request, (job) => keep({ job, item: "" }, { step: true })));
}

async function answer(promise) {
  find("results-step").hidden = false;
  const result = await promise;
  if (result === null) return;
  shown = asked();
  results.show(result, state.job, state.item);
  sayStale();
  Object.assign(find("twin"), { href: `/api/jobs/${encodeURIComponent(state.job)}`, hidden: false });
  announce(results.headline(result));
}

find("costs").addEventListener("submit", go);
find("costs").addEventListener("input", (event) => {
  if (event.target.type === "checkbox") keep({ policies: ticked().join(",") });
  else keep({ [event.target.name]: event.target.value });
  event.target.removeAttribute("aria-invalid");
  sayStale();
});
window.addEventListener("popstate", () => {
  state = address.read(DEFAULTS);
  arrive();
});
offer().catch((error) => fill(find("policies"), trouble(error.message))).then(arrive);
