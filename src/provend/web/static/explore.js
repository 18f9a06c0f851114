/** The page Explore: assumptions on the left, answers that follow them on the right. */

import * as address from "./address.js";
import { get } from "./api.js";
import { announce, debounced, find, fill, trouble } from "./dom.js";
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

let state = address.read(DEFAULTS);
if (state.cu !== "" && !new URLSearchParams(location.search).has("q")) state.q = "";

const answers = new Answers(find("answers"), (policy) => change({ show: policy }));
const controls = new Controls(find("controls"), change);
let asked = null; // the request under way

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

const ask = debounced(60, async () => {
  asked?.abort();
  const mine = (asked = new AbortController());
  const waiting = setTimeout(() => find("answers").classList.add("waiting"), 150);
  const path = `/api/explore?${question()}`;
  find("twin").href = path;
  try {
    await follow(path, mine.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    controls.refused(error.message);
    answers.refuse(trouble(error.message));
  } finally {
    clearTimeout(waiting);
    if (asked === mine) find("answers").classList.remove("waiting");
  }
});

/** What is known at once is shown at once; the rest is asked for until it is complete. */
async function follow(path, signal) {
  for (;;) {
    const found = await get(`${path}&quick=1`, signal);
    find("answers").classList.remove("waiting");
    find("answers").setAttribute("aria-busy", String(!found.complete));
    answers.show(found, state.show);
    controls.accepted();
    if (found.complete) return announce(answers.spoken(found));
  }
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
