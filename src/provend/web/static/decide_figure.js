/** The past days behind an order, drawn with their weights. */

import { colour } from "./figure.js";
import { quantity as amount, number } from "./format.js";

/** A dot for each day, larger the more it counts; the order and what was typed as lines. */
export function picture(past, order, typed) {
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
      opacity: 0.85,
      size: some.map((one) => (one.weight > 0 ? 5 + 11 * Math.sqrt(one.weight / most) : 4)),
      line: { width: 0.7, color: colour("surface") },
    },
    hovertemplate: "%{x}: %{y:.4~g}<br>demand %{customdata[1]:.4~g}, counts %{customdata[0]:.2f} %<extra></extra>",
  });
  const [counted, other] = [past.filter((one) => one.weight > 0), past.filter((one) => !(one.weight > 0))];
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
  const annotations = [note(order, `order ${amount(order)}`, colour("line-2"), 1)];
  if (typed !== null) {
    shapes.push(level(typed, colour("line-4"), "dash"));
    annotations.push(note(typed, `yours ${number(typed)}`, colour("line-4"), 0));
  }
  const data = [
    other.length > 0 && dots(other, "too unlike to count", colour("faint-dot")),
    dots(counted, "counts", colour("line-1")),
  ].filter(Boolean);
  const heights = [order, ...(typed === null ? [] : [typed]), ...past.map((one) => one.brought)];
  const [least, highest] = [Math.min(...heights), Math.max(...heights)];
  return {
    data,
    layout: {
      shapes,
      annotations,
      xaxis: { title: "" },
      yaxis: { title: "units", range: [least > highest / 2 ? 0.85 * least : 0, 1.08 * highest] },
    },
  };
}
