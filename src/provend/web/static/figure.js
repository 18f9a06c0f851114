/** Figures in the colours of the page: drawn again when these change, readable on a phone, with their numbers as a table. */

import { debounced, fill, h } from "./dom.js";
import { separators } from "./format.js";

let library = null;

/** plotly.js, fetched once, when the first figure is drawn. */
function plotly() {
  library ??= new Promise((resolve, reject) => {
    const script = h("script", { src: "/static/plotly.min.js" });
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("the drawing library could not be loaded")));
    document.head.append(script);
  });
  return library;
}

const palette = new Map(); // asked for once in each theme: asking makes the browser work out all styles

/** A colour of the page by its name in base.css. */
export function colour(name) {
  if (!palette.has(name))
    palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return palette.get(name);
}

/** The colours of lines, in the order in which they are given out. */
export const lines = () => [1, 2, 3, 4, 5].map((i) => colour(`line-${i}`));

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false };
const REST = 250; // milliseconds without a new picture after which one out of view is drawn
const LETTER = 7.5; // pixels, of the names beside a figure
const AXIS = /^[xy]axis\d*$/;
const drawn = new Map(); // element -> what draws it
const due = new Set(); // elements that are about to be drawn
const chosen = new WeakMap(); // element -> which traces were hidden or shown by hand

function axis(given = {}) {
  return {
    gridcolor: colour("rule"),
    linecolor: colour("edge"),
    zeroline: false,
    showline: true,
    ticks: "outside",
    ticklen: 4,
    tickcolor: colour("edge"),
    fixedrange: true,
    automargin: true,
    ...given,
    title: { text: given.title ?? "", standoff: 8, font: { size: 13 } },
  };
}

const font = () => colour("sans"); // the one that the page itself has

/** The room that names beside a figure leave for it, in pixels. */
const beside = (width, { yaxis }) => width - LETTER * Math.max(0, ...(yaxis?.ticktext ?? []).map((one) => one.length));

/** A layout in the page's colours around what is particular to a figure. */
function layout(given, width) {
  const across = ({ domain: [from, to] = [0, 1] }) => ({
    showgrid: false,
    tickangle: 0,
    nticks: Math.max(3, Math.round((beside(width, given) * (to - from)) / 100)),
  });
  const up = { rangemode: "tozero", showline: false, ticks: "" };
  const axes = {
    xaxis: {},
    yaxis: {},
    ...Object.fromEntries(Object.entries(given).filter(([name]) => AXIS.test(name))),
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    dragmode: false,
    separators: separators(),
    hovermode: "closest",
    font: { family: font(), size: 13, color: colour("ink") },
    margin: { l: 10, r: 12, t: 8, b: 10 },
    showlegend: false,
    hoverlabel: { bgcolor: colour("surface"), bordercolor: colour("edge"), font: { color: colour("ink"), size: 13 } },
    ...given,
    ...Object.fromEntries(
      Object.entries(axes).map(([name, one]) => [name, axis({ ...(name.startsWith("x") ? across(one) : up), ...one })]),
    ),
  };
}

async function draw(element, picture) {
  const Plotly = await plotly();
  const { data, layout: given } = picture();
  const shown = legend(element, data);
  await Plotly.react(
    element,
    data.map((trace) => ({ ...trace, visible: shown(trace) })),
    layout(given, widths.set(element, element.clientWidth).get(element)),
    CONFIG,
  );
  element.dataset.drawn = "yes";
}

const ink = (trace) =>
  trace.line?.color ?? (Array.isArray(trace.marker?.color) ? null : trace.marker?.color) ?? colour("soft");

/** What is drawn in which colour, above the figure: buttons that hide and show. Returns whether a trace is shown. */
function legend(element, data) {
  const choices = chosen.get(element) ?? chosen.set(element, new Map()).get(element);
  const shown = (trace) => choices.get(trace.name) ?? (trace.visible !== false && trace.visible !== "legendonly");
  const named = data.filter(
    (trace, i) => trace.name && trace.showlegend !== false && data.findIndex((one) => one.name === trace.name) === i,
  );
  const list = element.previousElementSibling?.classList.contains("legend")
    ? element.previousElementSibling
    : h("ul", { class: "legend", "aria-label": "Legend" });
  if (!list.isConnected) element.before(list);
  const toggle = (trace) => {
    choices.set(trace.name, !shown(trace));
    const at = named.indexOf(trace);
    draw(element, drawn.get(element)).then(() => list.querySelectorAll("button")[at]?.focus());
  };
  // Buttons that say the same stay: a press must not be lost because the figure is drawn again meanwhile.
  const said = JSON.stringify(named.map((trace) => [trace.name, ink(trace)]));
  if (list.dataset.said === said) {
    list.querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", String(shown(named[i]))));
    return shown;
  }
  list.dataset.said = said;
  fill(
    list,
    named.length < 2
      ? []
      : named.map((trace) => {
          const key = h("span", {
            class: `key ${trace.mode === "markers" || trace.type === "bar" ? "round" : (trace.line?.dash ?? "")}`,
            "aria-hidden": "true",
          });
          key.style.setProperty("--swatch", ink(trace));
          return h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                "aria-pressed": String(shown(trace)),
                title: "Hide or show",
                onclick: () => toggle(trace),
              },
              key,
              trace.name,
            ),
          );
        }),
  );
  return shown;
}

const inView = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

/** What is in view comes with the numbers around it; the rest once no other picture of it has come for a while. */
async function turn(element) {
  for (let last = null; !inView(element) && last !== drawn.get(element); ) {
    last = drawn.get(element);
    await new Promise((resolve) => setTimeout(resolve, REST));
  }
}

/**
 * Draw into an element what `picture()` returns: `{data, layout}`, with colours asked for at that moment.
 * `label` is what a screen reader says in its place.
 */
export async function show(element, label, picture) {
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  const waiting = due.has(element);
  drawn.set(element, picture);
  if (waiting) return;
  due.add(element);
  await turn(element);
  due.delete(element);
  await draw(element, drawn.get(element)).catch((error) =>
    fill(element, h("p", { class: "notice bad" }, `No picture: ${error.message}.`)),
  );
}

document.addEventListener("themechange", () => {
  palette.clear();
  for (const [element, picture] of drawn) {
    if (element.isConnected) draw(element, picture);
    else drawn.delete(element);
  }
});

const widths = new WeakMap(); // element -> that it was drawn for: fewer marks fit on a narrower axis

window.addEventListener(
  "resize",
  debounced(50, () => {
    for (const [element, picture] of drawn)
      if (element.isConnected && widths.get(element) !== element.clientWidth) draw(element, picture);
  }),
);

/** The numbers of a figure, folded away: for those who cannot see it, or want to copy them. `rows()` is asked when they are opened. */
export function numbers(summary, head, rows) {
  const cells = (row) =>
    row.map((cell, i) => h(i === 0 ? "th" : "td", { class: "n", scope: i === 0 ? "row" : null }, String(cell)));
  const body = h("tbody");
  const unfolded = (event) => {
    if (event.target.open && !body.hasChildNodes())
      fill(
        body,
        rows().map((row) => h("tr", {}, cells(row))),
      );
  };
  const heads = head.map((text) => h("th", { class: "n", scope: "col" }, text));
  return h(
    "details",
    { class: "fold small", ontoggle: unfolded },
    h("summary", {}, summary),
    h(
      "div",
      { class: "scroll numbers", tabindex: "0", role: "region", "aria-label": summary },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), body),
    ),
  );
}
