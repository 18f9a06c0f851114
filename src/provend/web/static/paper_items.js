/** One table, figure or claim of the paper. */

import { fill, h } from "./dom.js";
import { colour, lines, show } from "./figure.js";

const VERDICTS = {
  same: ["same", "good"],
  differs: ["differs", "warn"],
  picture: ["picture", ""],
  beyond: ["beyond", "violet"],
};
const SIGNS = [
  [/\bzeta\b/g, "ζ"],
  [/\bgamma\b/g, "γ"],
  [/\bdelta\b/g, "Δ"],
  [/\bmu\b/g, "μ"],
  [/\bPhi\b/g, "Φ"],
  [/\bpi\/2/g, "π/2"],
  [/\^2/g, "²"],
  [/<=/g, "≤"],
  [/>=/g, "≥"],
  [/sqrt\((\w)\)/g, "√$1"],
  [/(?<=\w) - (?=\w)/g, " − "],
];
const STYLE =
  "template font paper_bgcolor plot_bgcolor margin legend showlegend width height gridcolor linecolor tickcolor zerolinecolor tickfont".split(
    " ",
  ); // which is the page's
const BAR = 60; // rows shown before the rest is folded

/** Text with the letters and signs of the paper; F_x gets its index. */
export function typeset(text) {
  const signed = SIGNS.reduce((found, [word, sign]) => found.replace(word, sign), String(text ?? ""));
  return signed
    .split(/\b([FC]_\w)/)
    .map((part) => (/^[FC]_\w$/.test(part) ? h("span", {}, part[0], h("sub", {}, part[2])) : part));
}

/** The place of an item that is not there yet. */
export function pending(item) {
  return h(
    "article",
    { id: item.name, "aria-busy": "true" },
    h("h3", {}, ...typeset(item.title)),
    h("p", { class: "small soft" }, item.where),
    h("p", { class: "small soft" }, "To be computed …"),
  );
}

/** Fill the place of an item with what was found. */
export function article(place, found) {
  const some = (...verdicts) => found.rows.filter((row) => verdicts.includes(row.verdict));
  const [compared, beyond, points] = [some("same", "differs"), some("beyond"), some("picture")];
  const drawing = found.figure ? h("div", { class: "figure" }) : null;
  fill(
    place,
    h("h3", {}, ...typeset(found.title)),
    h("p", { class: "small soft" }, found.where),
    found.text ? h("p", {}, ...typeset(found.text)) : null,
    drawing && wide(found.figure)
      ? h(
          "div",
          { class: `scroll wide ${"xaxis3" in found.figure.layout ? "wider" : ""}`, tabindex: "0", role: "region", "aria-label": `${found.where}, drawn` },
          drawing,
        )
      : drawing,
    found.layout ? asPrinted(found.layout, found) : null,
    compared.length > 0 &&
      (found.layout || compared.length > BAR
        ? folded(`All ${compared.length} numbers, one by one`, compared)
        : table(compared, found.title)),
    beyond.length > 0 &&
      folded(`${beyond.length} numbers beyond the paper`, beyond, compared.length + points.length === 0),
    points.length > 0 && folded(`${points.length} points of the curves`, points),
  );
  place.removeAttribute("aria-busy");
  if (drawing !== null) show(drawing, found.title, () => recoloured(found.figure));
}

/** Whether words stand along the axis, one for each place. */
const named = ({ xaxis }) => (xaxis?.ticktext ?? []).length > 3;

/** Several panels, or words inside or beneath: a phone shows them by scrolling. */
function wide({ data, layout }) {
  const worded = data.some((trace) => trace.mode?.includes("text")) || (layout.annotations ?? []).length > 0;
  return worded || "xaxis2" in layout || named(layout);
}

function folded(summary, rows, open = false) {
  return h("details", { class: "fold small", open }, h("summary", {}, summary), table(rows, summary));
}

/** Reasons that several rows share, each told once beneath them. */
function shared(rows) {
  const times = new Map();
  for (const { why } of rows) if (why) times.set(why, (times.get(why) ?? 0) + 1);
  return [...times].filter(([, n]) => n > 1).map(([why]) => why);
}

function table(rows, caption) {
  const printed = rows.some((row) => row.published);
  const notes = shared(rows);
  const head = [
    ["what", null],
    ["computed", "n"],
    ...(printed
      ? [
          ["printed", "n"],
          ["verdict", "n"],
        ]
      : []),
  ];
  return h(
    "div",
    {},
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      h(
        "table",
        { class: "compared" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) => line(row, printed, notes)),
        ),
      ),
    ),
    footnotes(notes),
  );
}

function line(row, printed, notes) {
  const [word, kind] = VERDICTS[row.verdict];
  const alone = row.why && !notes.includes(row.why) ? h("span", { class: "sub why" }, ...typeset(row.why)) : null;
  return h(
    "tr",
    {},
    h("td", { class: "what" }, ...typeset(row.what), mark(row, notes), alone),
    h("td", { class: "n" }, row.shown),
    printed && h("td", { class: "n" }, row.published ?? ""),
    printed && h("td", { class: "n" }, h("span", { class: `badge ${kind}` }, word)),
  );
}

const mark = (row, notes) => (notes.includes(row.why) ? h("sup", {}, String(notes.indexOf(row.why) + 1)) : null);

function footnotes(notes) {
  return notes.length > 0
    ? h(
        "ol",
        { class: "notes small" },
        notes.map((why) => h("li", {}, ...typeset(why))),
      )
    : null;
}

/** A table as the paper prints it; where a number differs, the printed one stands beneath. */
function asPrinted({ over, labels, columns, lines: rows }, { caption, where }) {
  const notes = [...new Set(rows.flatMap((row) => row.cells.map(({ why }) => why)).filter(Boolean))];
  const cell = (one) =>
    h(
      "td",
      { class: `n ${one.verdict === "differs" ? "parted" : ""}` },
      one.shown,
      mark(one, notes),
      one.verdict === "differs" && h("span", { class: "sub" }, `printed ${one.published}`),
    );
  return h(
    "div",
    {},
    h("p", { class: "small soft" }, ...typeset(caption)),
    h(
      "div",
      { class: "scroll printed", tabindex: "0", role: "region", "aria-label": `${where}, as the paper prints it` },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            labels.map(() => h("td")),
            h("th", { class: "n over", scope: "colgroup", colspan: String(columns.length) }, ...typeset(over)),
          ),
          h(
            "tr",
            {},
            labels.map((text) => (text ? h("th", { scope: "col" }, ...typeset(text)) : h("td"))),
            columns.map((text) => h("th", { scope: "col", class: "n" }, ...typeset(text))),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) =>
            h(
              "tr",
              {},
              row.labels.map((text) => (text ? h("th", { scope: "row" }, ...typeset(text)) : h("td"))),
              row.cells.map(cell),
            ),
          ),
        ),
      ),
    ),
    footnotes(notes),
  );
}

/** A figure of the report in the colours of the page: each of its own colours becomes one of the page's lines. */
function recoloured({ data, layout }) {
  const own = [
    ...new Set(JSON.stringify([data, layout.annotations, layout.shapes]).match(/(?<=")#[0-9a-f]{6}(?=")/gi) ?? []),
  ];
  const [greys, bright] = [own.filter(isGrey), own.filter((ink) => !isGrey(ink))];
  const ours = new Map([
    ...bright.map((ink, i) => [ink, lines()[i % 5]]),
    ...greys.map((ink) => [ink, colour("soft")]),
  ]);
  const swap = (value) => {
    if (typeof value === "string") return ours.get(value) ?? (isGrey(value) ? colour("soft") : value);
    if (Array.isArray(value)) return value.map(swap);
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, swap(inner)]));
    return value;
  };
  const axes = Object.entries(layout)
    .filter(([name]) => /^[xy]axis\d*$/.test(name))
    .map(([name, one]) => [name, { rangemode: "normal", ...without(one, STYLE), title: one.title?.text ?? "" }]);
  const rest = { ...without(layout, STYLE), ...Object.fromEntries(axes) };
  const titled = (layout.annotations ?? []).some((note) => note.yref === "paper" && note.y >= 1);
  return {
    data: swap(data),
    layout: { ...swap(rest), margin: { l: 10, r: 12, t: titled ? 34 : 8, b: 10 } },
  };
}

/** An object less what these names stand for. */
const without = (object, names) => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Whether a colour such as #777777 has no hue. */
function isGrey(text) {
  const [, r, g, b] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? [];
  return r !== undefined && r.toLowerCase() === g.toLowerCase() && g.toLowerCase() === b.toLowerCase();
}
