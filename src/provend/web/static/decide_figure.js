/** The past days behind an order, drawn with their weights. */

import { colour } from "./figure.js";
import { quantity as amount, number } from "./format.js";

/** The order and what was typed as lines across the figure, which `called` names. */
function across(order, typed, called) {
  const level = (y, ink, dash) => ({
    type: "line",
    xref: "paper",
    x0: 0,
    x1: 1,
    y0: y,
    y1: y,
    line: { color: ink, width: 2, dash },
  });
  const note = (y, text, ink, x) => ({
    xref: "paper",
    x,
    y,
    text,
    showarrow: false,
    yanchor: "bottom",
    xanchor: x === 1 ? "right" : "left",
    font: { color: ink, size: 13 },
    bgcolor: colour("surface"),
    opacity: 0.92,
  });
  const shapes = [level(order, colour("line-2"), "solid")];
  const annotations = [note(order, `${called.order} ${amount(order)}`, colour("line-2"), 1)];
  if (typed !== null) {
    shapes.push(level(typed, colour("line-4"), "dash"));
    annotations.push(note(typed, `${called.typed} ${number(typed)}`, colour("line-4"), 0));
  }
  return { shapes, annotations };
}

/** From nothing, unless all is far above it, to a little above the highest. */
function heights(values) {
  const [least, highest] = [Math.min(...values), Math.max(...values)];
  return [least > highest / 2 ? 0.85 * least : 0, 1.08 * highest];
}

/** A dot for each day, larger the more it counts; the order and what was typed as lines, which `called` names. */
export function picture(past, order, typed, called) {
  const most = Math.max(...past.map((one) => one.weight), 1e-12);
  const dots = (some, name, ink) => ({
    type: "scatter",
    mode: "markers",
    name,
    x: some.map((one) => one.date),
    y: some.map((one) => one.brought),
    customdata: some.map((one) => [100 * one.weight, one.demand]),
    marker: {
      color: ink,
      opacity: 0.7,
      size: some.map((one) => (one.weight > 0 ? 4 + 8 * Math.sqrt(one.weight / most) : 4)),
      line: { width: 0.7, color: colour("surface") },
    },
    hovertemplate: "%{x}: %{y:.4~g}<br>demand %{customdata[1]:.4~g}, counts %{customdata[0]:.2f} %<extra></extra>",
  });
  const [counted, other] = [past.filter((one) => one.weight > 0), past.filter((one) => !(one.weight > 0))];
  const data = [
    other.length > 0 && dots(other, "too unlike to count", colour("faint-dot")),
    dots(counted, "counts", colour("line-1")),
  ].filter(Boolean);
  const range = heights([order, ...(typed === null ? [] : [typed]), ...past.map((one) => one.brought)]);
  return { data, layout: { ...across(order, typed, called), xaxis: { title: "" }, yaxis: { title: "units", range } } };
}

/** A dot for each day with something left, a triangle for each that sold out; the most ever in stock as a dotted line. */
export function sold(past, order, typed, { called, most }) {
  const marks = (some, name, ink, symbol) => ({
    type: "scatter",
    mode: "markers",
    name,
    x: some.map((one) => one.date),
    y: some.map((one) => one.brought),
    customdata: some.map((one) => [one.demand, one.stock === null ? "no limit" : amount(one.stock)]),
    marker: { color: ink, opacity: 0.75, size: 9, symbol, line: { width: 0.7, color: colour("surface") } },
    hovertemplate: "%{x}: %{y:.4~g}<br>sold %{customdata[0]:.4~g} of %{customdata[1]}<extra></extra>",
  });
  const data = [
    marks(past.filter((one) => !one.sold_out), "something left", colour("line-1"), "circle"),
    marks(past.filter((one) => one.sold_out), "sold out: that or more", colour("line-5"), "triangle-up"),
  ].filter((trace) => trace.x.length > 0);
  const { shapes, annotations } = across(order, typed, called);
  const limit = most !== undefined && most.rows === 0 && most.bottom > 0 ? [most.bottom] : [];
  for (const y of limit)
    shapes.push({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { color: colour("soft"), width: 1.5, dash: "dot" } });
  const range = heights([order, ...(typed === null ? [] : [typed]), ...limit, ...past.map((one) => one.brought)]);
  return { data, layout: { shapes, annotations, xaxis: { title: "" }, yaxis: { title: "units", range } } };
}

/** The share of the past, by weight, that each quantity would have served; the order and what was typed as marks. */
export function served(past, order, typed, { called, ratio }) {
  const days = past.filter((one) => one.weight > 0 && one.brought !== null).sort((a, b) => a.brought - b.brought);
  const total = days.reduce((sum, one) => sum + one.weight, 0);
  let below = 0;
  const steps = days.map((one) => ({ x: one.brought, y: (100 * (below += one.weight)) / total }));
  const share = (quantity) => steps.findLast(({ x }) => x <= quantity * (1 + 1e-12))?.y ?? 0;
  const most = Math.max(order, typed ?? 0, steps.at(-1).x);
  const ends = [{ x: 0, y: 0 }, ...steps, { x: 1.05 * most, y: 100 }];
  const mark = (name, quantity, ink, symbol) => ({
    type: "scatter",
    mode: "markers",
    name,
    x: [quantity],
    y: [share(quantity)],
    marker: { color: ink, size: 12, symbol, line: { color: colour("surface"), width: 2 } },
    hovertemplate: `${name}: %{x:.4~g} serves %{y:.1f} %<extra></extra>`,
  });
  const data = [
    {
      type: "scatter",
      mode: "lines",
      name: "days served",
      x: ends.map(({ x }) => x),
      y: ends.map(({ y }) => y),
      line: { color: colour("line-1"), width: 2, shape: "hv" },
      hovertemplate: "%{x:.4~g} serves %{y:.1f} %<extra></extra>",
    },
    mark(`${called.order} ${amount(order)}`, order, colour("line-2"), "circle"),
    typed !== null && mark(`${called.typed} ${number(typed)}`, typed, colour("line-4"), "diamond"),
  ].filter(Boolean);
  const level = { color: colour("soft"), width: 1.5, dash: "dot" };
  return {
    data,
    layout: {
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 100 * ratio, y1: 100 * ratio, line: level }],
      xaxis: { title: "quantity", range: [0, 1.05 * most] },
      yaxis: { title: "past served", range: [0, 104], ticksuffix: " %" },
    },
  };
}
