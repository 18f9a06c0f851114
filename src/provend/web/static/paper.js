/** The page Paper: the reproduction report, item by item as it is computed. */

import { cancel, finished, get } from "./api.js";
import { announce, find, fill, h, tile, trouble } from "./dom.js";
import { article, typeset } from "./paper_items.js";

const counts = { same: 0, differs: 0, picture: 0, beyond: 0 };
const queue = []; // names still to fetch; what is in view goes first
const places = new Map();
let meanings = {};
let done = 0;
let stop = new AbortController();

async function begin() {
  try {
    const { sections, verdicts } = await get("/api/paper");
    meanings = verdicts;
    fill(find("sections"), sections.map((section) => h("li", {}, h("a", { href: `#${section.id}` }, section.title),
      h("ol", {}, section.items.map((item) => h("li", {}, h("a", { href: `#${item.name}` }, ...typeset(item.where))))))));
    fill(find("report"), sections.map(sectionOf));
    tally();
    follow();
    if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
    await fetchAll();
  } catch (error) {
    fill(find("progress"), trouble(error.message));
  }
}

function sectionOf(section) {
  return h("section", { "aria-labelledby": section.id }, h("h2", { id: section.id }, section.title), h("p", { class: "section-lead" }, ...typeset(section.lead)),
    section.items.map((item) => {
      const place = h("article", { id: item.name, "aria-busy": "true" }, h("h3", {}, ...typeset(item.title)), h("p", { class: "small soft" }, item.where), h("p", { class: "pending small soft" }, "To be computed …"));
      queue.push(item.name);
      places.set(item.name, place);
      return place;
    }));
}

/** One after the other, those in view first. */
async function fetchAll() {
  const total = queue.length;
  while (queue.length > 0) {
    const seen = queue.findIndex((name) => inView(places.get(name)));
    const [name] = queue.splice(Math.max(seen, 0), 1);
    sayProgress(done, total);
    try {
      await fetchOne(name);
    } catch (error) {
      if (error.name === "AbortError") return;
      places.get(name).querySelector(".pending").replaceWith(trouble(error.message));
    }
    done += 1;
  }
  fill(find("progress"));
  announce("The whole report is computed");
}

async function fetchOne(name) {
  const place = places.get(name);
  let found = await get(`/api/paper/${encodeURIComponent(name)}`, stop.signal);
  if (found.job !== undefined) {
    const job = found.job;
    stop.signal.addEventListener("abort", () => cancel(job).catch(() => {}), { once: true });
    found = await finished(job, ({ message }) => {
      const pending = place.querySelector(".pending");
      if (pending !== null) pending.textContent = message || "Computing …";
    }, stop.signal);
  }
  for (const row of found.rows) counts[row.verdict] += 1;
  tally();
  article(place, found);
}

function inView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -200 && top < innerHeight + 400;
}

function sayProgress(n, total) {
  if (find("progress").querySelector("progress") === null) {
    const end = () => {
      stop.abort();
      fill(find("progress"), h("div", { class: "notice row spread" }, h("p", {}, `Stopped after ${done} of ${total} items.`), h("button", { type: "button", class: "button compact", onclick: resume }, "Go on")));
    };
    fill(find("progress"), h("div", { class: "card computing" }, h("div", { class: "row spread" }, h("p", { class: "small", id: "so-far" }), h("button", { type: "button", class: "button compact", onclick: end }, "Stop")),
      h("progress", { "aria-label": "Items computed", max: String(total) })));
  }
  find("progress").querySelector("progress").value = n;
  find("so-far").textContent = `${n} of ${total} items computed; the rest follows as you read.`;
}

function resume() {
  stop = new AbortController();
  for (const [name, place] of places) if (place.getAttribute("aria-busy") === "true" && !queue.includes(name)) queue.unshift(name);
  fill(find("progress"));
  fetchAll();
}

function tally() {
  fill(find("counts"), Object.entries(meanings).map(([verdict, meaning]) => tile(String(counts[verdict] ?? 0), meaning)));
}

/** The contents list marks where one is; on a phone it folds after a choice. */
function follow() {
  const list = find("contents").querySelector("details");
  const small = matchMedia("(max-width: 62rem)");
  list.open = !small.matches;
  list.addEventListener("click", (event) => {
    if (small.matches && event.target.closest("a") !== null) list.open = false;
  });
  const links = new Map([...list.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const mark = () => {
    const above = [...links.keys()].filter((id) => document.getElementById(id)?.getBoundingClientRect().top < 140);
    const here = links.get(above.at(-1) ?? [...links.keys()][0]);
    for (const link of links.values()) link.toggleAttribute("aria-current", link === here);
    if (!small.matches) here?.scrollIntoView({ block: "nearest" });
  };
  let due = false;
  document.addEventListener("scroll", () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => ((due = false), mark()));
  }, { passive: true });
  mark();
}

window.addEventListener("pagehide", () => stop.abort());
begin();
