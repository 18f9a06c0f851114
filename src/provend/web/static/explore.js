/** The page Explore: assumptions on the left, answers that follow them on the right. */

import * as address from "./address.js";
import { get } from "./api.js";
import { announce, fill, find, painted, trouble } from "./dom.js";
import { Answers } from "./explore_answers.js";
import { Controls } from "./explore_controls.js";

const DEFAULTS = {
  q: "0.9",
  cu: "",
  co: "",
  support: "",
  kind: "drift",
  value: "0.002",
  d: "",
  n: "100",
  policies: "erm,knn:27",
  show: "",
};

const PACE = 200; // milliseconds between answers that are still growing

let state = address.read(DEFAULTS);
if (state.cu !== "" && !new URLSearchParams(location.search).has("q")) state.q = "";

const answers = new Answers(find("answers"), (policy) => change({ show: policy }));
const controls = new Controls(find("controls"), change);
let asking = false; // whether a question is under way
let latest = null; // the last one, as long as it is not answered

/** What the server is asked: the address without what concerns the page alone. */
function question() {
  const unused = state.kind === "given" ? { value: "", n: "" } : { d: "" };
  return address.query({ ...state, ...unused, show: "" });
}

function change(some, { step = false } = {}) {
  const before = question();
  state = { ...state, ...some };
  address.write(state, {}, { step });
  if (question() === before) answers.choose(state.show);
  else ask();
}

/** One question at a time: the first is asked at once, and of those that come meanwhile only the last. */
async function ask() {
  latest = question();
  if (asking) return;
  asking = true;
  while (latest !== null) await follow(latest);
  asking = false;
}

/** What is known at once is shown at once; the rest is asked for until it is complete, or something else is asked. */
async function follow(text) {
  const path = `/api/explore?${text}`;
  const waiting = setTimeout(() => find("answers").classList.add("waiting"), 250);
  find("twin").href = path;
  try {
    for (let complete = false, shown = -Infinity; !complete && latest === text; ) {
      const found = await get(`${path}&quick=1`);
      ({ complete } = found);
      settle(waiting);
      find("answers").setAttribute("aria-busy", String(!complete));
      if (!complete && performance.now() < shown + PACE) continue;
      shown = performance.now();
      answers.show(found, state.show);
      controls.accepted();
      if (complete) announce(answers.spoken(found));
      else await painted(); // a slider moves before more is computed for where it was
    }
  } catch (error) {
    settle(waiting);
    controls.refused(error.message);
    answers.refuse(trouble(error.message));
  }
  if (latest === text) latest = null;
}

function settle(waiting) {
  clearTimeout(waiting);
  find("answers").classList.remove("waiting");
}

function begin() {
  controls.set(state);
  ask();
}

window.addEventListener("popstate", () => {
  state = address.read(DEFAULTS);
  begin();
});
find("reset").addEventListener("click", () => {
  change(DEFAULTS, { step: true });
  controls.set(state);
});
fill(find("answers"), answers.waiting());
begin();
