/** The figures of a backtest. */

import { colour, lines } from "./figure.js";
import { ruleName } from "./backtest_rules.js";
import { fixed } from "./format.js";

const LONGEST = 24; // letters of a rule's name

/** All items as a bar, each item as a dot. */
export function costs({ summary, by_item: rows }) {
  const names = summary.map((row) => ruleName(row.policy));
  const items = rows.filter((row) => row.status === "ok" && row.relative_cost !== null);
  const data = [
    {
      type: "bar",
      orientation: "h",
      name: "all items",
      x: summary.map((row) => row.relative_cost),
      y: names,
      marker: { color: colour("line-1"), opacity: 0.35 },
      hovertemplate: "%{y}: %{x:.3f}<extra></extra>",
    },
    {
      type: "scatter",
      mode: "markers",
      name: "one item",
      x: items.map((row) => row.relative_cost),
      y: items.map((row) => ruleName(row.policy)),
      text: items.map((row) => String(row.unique_id)),
      marker: { color: colour("line-2"), size: 7 },
      hovertemplate: "%{text}: %{x:.3f}<extra>%{y}</extra>",
    },
  ];
  const shapes = [
    {
      type: "line",
      yref: "paper",
      y0: 0,
      y1: 1,
      x0: 1,
      x1: 1,
      line: { color: colour("soft"), width: 1.5, dash: "dot" },
    },
  ];
  const most = Math.max(1, ...data.flatMap((trace) => trace.x.filter((x) => x !== null)));
  const annotations = summary.map((row, i) => ({
    xref: "paper",
    x: 1,
    xshift: 8, // beside the picture, so that no dot covers it
    y: names[i],
    text: fixed(row.relative_cost),
    showarrow: false,
    xanchor: "left",
    font: { color: colour("ink"), size: 14 },
  }));
  return {
    data,
    layout: {
      shapes,
      annotations,
      bargap: 0.35,
      margin: { l: 10, r: 48, t: 8, b: 10 },
      xaxis: { title: "relative cost", range: [0, 1.05 * most] },
      yaxis: rules(names),
    },
  };
}

/** What happened, with its interval, and what was promised. */
export function kept({ summary }) {
  const names = summary.map((row) => ruleName(row.policy));
  const able = summary.filter((row) => row.regret_context !== null);
  const promised = summary.filter((row) => row.guarantee !== null);
  const [blue, red] = [colour("line-1"), colour("line-2")];
  const [high, low] = [
    able.map((row) => row.regret_context_high - row.regret_context),
    able.map((row) => row.regret_context - row.regret_context_low),
  ];
  const data = [
    {
      type: "scatter",
      mode: "markers",
      name: "happened, 95 % interval",
      y: able.map((row) => ruleName(row.policy)),
      x: able.map((row) => row.regret_context),
      marker: { color: blue, size: 11 },
      error_x: { type: "data", symmetric: false, array: high, arrayminus: low, color: blue },
      hovertemplate: "%{y}: %{x:.4~g}<extra>happened</extra>",
    },
    {
      type: "scatter",
      mode: "markers",
      name: "promised at most",
      y: promised.map((row) => ruleName(row.policy)),
      x: promised.map((row) => row.guarantee),
      marker: { color: red, size: 22, symbol: "line-ns-open", line: { width: 3, color: red } },
      hovertemplate: "%{y}: %{x:.4~g}<extra>promised</extra>",
    },
  ].filter((trace) => trace.x.length > 0);
  return {
    data,
    layout: { xaxis: { title: "regret per day, in money", rangemode: "tozero", showgrid: true }, yaxis: rules(names) },
  };
}

/** A name as it fits beside a figure. */
const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

/** An axis with a place for each rule, the first on top. */
const rules = (names) => ({
  type: "category",
  showgrid: false,
  categoryorder: "array",
  categoryarray: names,
  tickvals: names,
  ticktext: names.map(short),
  range: [names.length - 0.5, -0.5],
});

/** Demand as dots, a stepped line for each rule. */
export function orders({ dates, demand, policies }) {
  const colours = [...lines(), colour("ink")];
  const data = Object.entries(policies).map(([name, line], i, all) => ({
    type: "scatter",
    mode: "lines",
    name: ruleName(name),
    x: line.dates,
    y: line.order,
    line: { color: colours[i % 6], width: 1.8, shape: "hv", dash: i < 6 ? "solid" : "dash" },
    visible: i === 0 || i === all.length - 1,
    hovertemplate: `%{x}: %{y:.4~g}<extra>${ruleName(name)}</extra>`,
  }));
  data.unshift({
    type: "scatter",
    mode: "markers",
    name: "demand",
    x: dates,
    y: demand,
    marker: { color: colour("soft"), size: 5 },
    hovertemplate: "%{x}: %{y:.4~g}<extra>demand</extra>",
  });
  const highest = Math.max(...data.flatMap((trace) => trace.y.filter((y) => y !== null)));
  return { data, layout: { yaxis: { title: "units", range: [0, 1.05 * highest] } } };
}
