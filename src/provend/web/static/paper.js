/** The page Paper: the reproduction report, item by item as it is computed. */

import { cancel, get, post } from "./api.js";
import { announce, find, fill, h, tile, trouble } from "./dom.js";
import { follow } from "./paper_contents.js";
import { article, pending, typeset } from "./paper_items.js";

const OFTEN = 800; // milliseconds between two looks at how far it is

const counts = { same: 0, differs: 0, picture: 0, beyond: 0 };
const fetched = new Set();
let stopped = false;

async function begin() {
  try {
    frame(await get("/api/paper"));
    if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
    const now = await get("/api/paper");
    await bring(now);
    if (now.complete) fill(find("progress"));
    else if (now.at_work) await compute();
    else sayIdle(now);
  } catch (error) {
    fill(find("progress"), trouble(error.message));
  }
}

/** Have the rest computed, and show each item as it comes. */
async function compute() {
  try {
    let now = await get("/api/paper");
    await bring(now);
    if (!now.complete && !now.at_work) {
      await post("/api/paper");
      now = await get("/api/paper");
    }
    while (!now.complete && !stopped) {
      await new Promise((resolve) => setTimeout(resolve, OFTEN));
      now = await get("/api/paper");
      if (!stopped) await bring(now);
      if (!now.complete && !now.at_work && !stopped) return sayStopped(now); // another page has ended it, or it failed
    }
    if (stopped) return;
    fill(find("progress"));
    announce("The whole report is there");
  } catch (error) {
    fill(find("progress"), trouble(error.message));
  }
}

/** Headings and contents, with a place for each item. */
function frame({ sections }) {
  fill(
    find("sections"),
    sections.map(({ anchor, title, items }) =>
      h(
        "li",
        {},
        h("a", { href: `#${anchor}` }, title),
        h(
          "ol",
          {},
          items.map((item) => h("li", {}, h("a", { href: `#${item.name}` }, item.where))),
        ),
      ),
    ),
  );
  fill(
    find("report"),
    sections.map(({ anchor, title, lead, items }) =>
      h(
        "section",
        { "aria-labelledby": anchor },
        h("h2", { id: anchor }, title),
        h("p", { class: "section-lead" }, ...typeset(lead)),
        items.map(pending),
      ),
    ),
  );
  follow(find("contents"));
}

/** What has been computed since the last look; what is in view first. */
async function bring({ sections, verdicts, complete, at_work: busy, job }) {
  const items = sections.flatMap((section) => section.items);
  if (!complete && busy) sayProgress(items.filter((item) => item.done).length, items.length, job);
  const fresh = items.filter((item) => item.done && !fetched.has(item.name));
  fresh.sort((a, b) => distance(a.name) - distance(b.name));
  for (const { name } of fresh) {
    const found = await get(`/api/paper/${encodeURIComponent(name)}`);
    fetched.add(name);
    for (const row of found.rows) counts[row.verdict] += 1;
    article(find(name), found);
    fill(
      find("counts"),
      Object.entries(verdicts).map(([verdict, meaning]) => tile(String(counts[verdict]), meaning)),
    );
  }
  if (fetched.size === 0)
    fill(
      find("counts"),
      Object.values(verdicts).map((meaning) => tile("…", meaning)),
    );
}

/** How far an item is from what is being read. */
function distance(name) {
  const { top, bottom } = find(name).getBoundingClientRect();
  return Math.max(0, top - innerHeight, -bottom);
}

function sayProgress(done, total, job) {
  const place = find("progress");
  if (place.querySelector("progress") === null) {
    const stop = h("button", { type: "button", class: "button compact" }, "Stop");
    fill(
      place,
      h(
        "div",
        { class: "card computing stack-close" },
        h("div", { class: "row spread" }, h("p", { class: "small" }), stop),
        h("progress", { "aria-label": "Items computed" }),
      ),
    );
  }
  Object.assign(place.querySelector("progress"), { max: total, value: done });
  place.querySelector("p").textContent = `${done} of ${total} items are computed; the others follow while you read.`;
  place.querySelector("button").onclick = () => end(job);
}

async function end(job) {
  stopped = true;
  if (job) await cancel(job).catch(() => {});
  sayStopped(await get("/api/paper"));
}

function again() {
  stopped = false;
  return compute();
}

function sayStopped(now) {
  const press = h("button", { type: "button", class: "button compact", onclick: again }, "Try again");
  return now.error ? fill(find("progress"), trouble(now.error, press)) : sayIdle(now, "Stopped: ", "Go on");
}

/** Nothing is computed unless somebody asks for it: it takes minutes. */
function sayIdle({ sections }, before = "", press = "Compute them") {
  const items = sections.flatMap((section) => section.items);
  const [done, total] = [items.filter((item) => item.done).length, items.length];
  return fill(
    find("progress"),
    h(
      "div",
      { class: "notice row spread" },
      h("p", {}, `${before}${done} of ${total} items are computed. The others take some minutes of this machine’s time and appear one by one.`),
      h("button", { type: "button", class: "button primary compact", onclick: again }, press),
    ),
  );
}

begin();
