/** One table, figure or claim of the paper. */

import { fill, h } from "./dom.js";
import { colour, lines, show } from "./figure.js";

const VERDICTS = { same: ["same", "good"], differs: ["differs", "warn"], picture: ["picture", ""], beyond: ["beyond", "violet"] };
const SIGNS = [
  [/\bzeta\b/g, "ζ"], [/\bgamma\b/g, "γ"], [/\bdelta\b/g, "Δ"], [/\bmu\b/g, "μ"], [/\bPhi\b/g, "Φ"], [/\bpi\/2/g, "π/2"], [/\^2/g, "²"],
  [/<=/g, "≤"], [/>=/g, "≥"], [/sqrt\((\w)\)/g, "√$1"], [/(?<=\w) - (?=\w)/g, " − "],
];
const BAR = 60; // rows shown before the rest is folded

/** Text with the letters and signs of the paper; F_x gets its index. */
export function typeset(text) {
  const signed = SIGNS.reduce((found, [word, sign]) => found.replace(word, sign), String(text ?? ""));
  return signed.split(/\b([FC]_\w)/).map((part) => (/^[FC]_\w$/.test(part) ? h("span", {}, part[0], h("sub", {}, part[2])) : part));
}

/** The place of an item that is not there yet. */
export function pending(item) {
  return h("article", { id: item.name, "aria-busy": "true" }, h("h3", {}, ...typeset(item.title)), h("p", { class: "small soft" }, item.where), h("p", { class: "small soft" }, "To be computed …"));
}

/** Fill the place of an item with what was found. */
export function article(place, found) {
  const some = (...verdicts) => found.rows.filter((row) => verdicts.includes(row.verdict));
  const [compared, beyond, points] = [some("same", "differs"), some("beyond"), some("picture")];
  const drawing = found.figure ? h("div", { class: "figure" }) : null;
  fill(place, h("h3", {}, ...typeset(found.title)), h("p", { class: "small soft" }, found.where), found.text ? h("p", {}, ...typeset(found.text)) : null,
    drawing, found.layout ? asPrinted(found.layout) : null,
    compared.length > 0 && (found.layout || compared.length > BAR ? folded(`All ${compared.length} numbers, one by one`, compared) : table(compared, found.title)),
    beyond.length > 0 && folded(`${beyond.length} numbers beyond the paper`, beyond, compared.length + points.length === 0),
    points.length > 0 && folded(`${points.length} points of the curves`, points));
  place.removeAttribute("aria-busy");
  if (drawing !== null) show(drawing, found.title, () => recoloured(found.figure));
}

function folded(summary, rows, open = false) {
  return h("details", { class: "fold small", open }, h("summary", {}, summary), table(rows, summary));
}

function table(rows, caption) {
  const printed = rows.some((row) => row.published);
  const head = [["what", ""], ["computed", "n"], ...(printed ? [["printed", "n"], ["", ""]] : [])];
  const line = (row) => {
    const [word, kind] = VERDICTS[row.verdict];
    const cells = [h("td", { class: "what" }, ...typeset(row.what), row.why ? h("span", { class: "sub why" }, ...typeset(row.why)) : null), h("td", { class: "n" }, row.computed)];
    return h("tr", {}, cells, printed && h("td", { class: "n" }, row.published ?? ""), printed && h("td", { class: "n" }, h("span", { class: `badge ${kind}` }, word)));
  };
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "compared" }, h("thead", {}, h("tr", {}, head.map(([text, kind]) => h("th", { scope: "col", class: kind || null }, text || h("span", { class: "hidden-visually" }, "verdict"))))), h("tbody", {}, rows.map(line))));
}

/** A table as the paper prints it; where a number differs, the printed one stands beneath. */
function asPrinted({ caption, head, rows, note }) {
  const text = (cell) => (typeof cell === "object" && cell !== null ? cell.text : String(cell ?? ""));
  const cell = (one, i) => {
    const differs = one?.verdict === "differs";
    return h(i === 0 ? "th" : "td", { class: `n ${differs ? "parted" : ""}`, scope: i === 0 ? "row" : null }, ...typeset(text(one)), differs && h("span", { class: "sub" }, `printed ${one.published}`));
  };
  return h("div", { class: "scroll printed", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, ...typeset(caption)),
      h("thead", {}, head.map((line) => h("tr", {}, line.map((one) => h("th", { scope: "col", class: "n", colspan: one.span > 1 ? String(one.span) : null }, ...typeset(text(one))))))),
      h("tbody", {}, rows.map((line) => h("tr", {}, line.map(cell))))), note ? h("p", { class: "small soft" }, ...typeset(note)) : null);
}

/** A figure of the report in the colours of the page: its first colours become the page's lines. */
function recoloured({ data, layout }) {
  const own = ["#1f5f8b", "#c8553d", "#588157", "#8d6a9f", "#b08900"];
  const ours = new Map([...own.map((old, i) => [old, lines()[i]]), ["#777777", colour("soft")]]);
  const swap = (value) => {
    if (typeof value === "string") return ours.get(value.toLowerCase()) ?? value;
    if (Array.isArray(value)) return value.map(swap);
    if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, swap(inner)]));
    return value;
  };
  const { template, font, paper_bgcolor: paper, plot_bgcolor: plot, margin, legend, width, height, ...rest } = layout;
  const axes = Object.entries(rest).filter(([name]) => /^[xy]axis\d*$/.test(name)).map(([name, axis]) => [name, { ...axis, title: axis.title?.text ?? axis.title ?? "" }]);
  return { data: swap(data), layout: swap({ ...rest, ...Object.fromEntries(axes) }) };
}
