/** The two figures of Explore. */

import { colour, lines } from "./figure.js";
import { inWords } from "./names.js";

/** Regrets on the axis: money where there are costs, else percent of the regret without data. */
const scaled = (found) => (values) =>
  found.problem.money ? values : values.map((x) => (100 * x) / found.no_data.regret);

const unit = (found) => (found.problem.money ? "extra cost at worst" : "extra cost at worst, % of that without data");

/** One line per policy, the best rule, and the limit; the best n of each as a dot. */
export function curves(found, policies) {
  const [scale, colours, suffix] = [scaled(found), lines(), found.problem.money ? "" : " %"];
  const hover = `%{x} days: %{y:.4~g}${suffix}`;
  const line = (name, one, key, style) => ({
    type: "scatter",
    mode: "lines",
    name,
    x: one.curve.n,
    y: scale(one.curve[key]),
    line: style,
    hovertemplate: `${hover}<extra>${name}</extra>`,
  });
  const able = policies.map((one, i) => ({ ...one, ink: colours[i % 5] }));
  const dots = able.map((one) => ({
    type: "scatter",
    mode: "markers",
    showlegend: false,
    x: [one.best.n],
    y: scale([one.best.upper]),
    marker: { color: one.ink, size: 11, line: { color: colour("surface"), width: 2 } },
    hovertemplate: `best with %{x} days: %{y:.4~g}${suffix}<extra>${inWords(one.name)}</extra>`,
  }));
  const data = [
    ...able.map((one) => line(inWords(one.name), one, "upper", { color: one.ink, width: 2 })),
    line("the best rule", found.optimal, "upper", { color: colour("ink"), width: 3 }),
    line("the limit for every rule", found.optimal, "lower", { color: colour("soft"), width: 2, dash: "dot" }),
    ...dots,
  ];
  const shown = data.slice(0, able.length + 2);
  const enough = Math.max(1.02 * scale([found.no_data.regret])[0], ...shown.map((trace) => 1.02 * trace.y.at(-1))); // what few days promise may lie above
  const top = Math.max(...shown.flatMap((trace) => trace.y.map((y) => Math.min(y, enough))));
  return {
    data,
    layout: {
      xaxis: {
        title: `past days used, ${found.problem.kind === "given" ? "in the order given" : "the nearest first"}`,
        range: [0, 1.02 * found.problem.n], // room for the last number
        ...whole(found.problem.n),
      },
      yaxis: { title: unit(found), range: [0, 1.04 * top], ticksuffix: suffix },
    },
  };
}

/** No ticks between whole numbers. */
const whole = (n) => (n <= 12 ? { dtick: 1 } : {});

/** How likely the top of the range is: on each past day, and on the day to come. */
export function worstCase(one) {
  const { history, mean } = one.worst_case;
  const n = history.length;
  const days = [0, ...history.keys(), n - 1]; // a step for each day, as wide as the day: one path, however many days
  const data = [
    {
      type: "scatter",
      mode: "lines",
      name: "past days",
      x: [0.5, ...history.map((_, i) => i + 1), n + 0.5],
      y: days.map((i) => 100 * history[i]),
      customdata: days.map((i) => i + 1),
      line: { color: colour("line-1"), width: 1.5, shape: "hvh" },
      fill: "tozeroy",
      hovertemplate: "past day %{customdata}: %{y:.1f} %<extra></extra>",
    },
    {
      type: "scatter",
      mode: "lines",
      name: "the day to come",
      x: [0.5, n + 0.5],
      y: [100 * mean, 100 * mean],
      line: { color: colour("line-2"), width: 3 },
      hovertemplate: "the day to come: %{y:.1f} %<extra></extra>",
    },
  ];
  return {
    data,
    layout: {
      xaxis: { title: "past days, in this order", range: [0.4, n + 0.6], ...whole(n) },
      yaxis: { title: "chance of top demand", ticksuffix: " %" },
    },
  };
}
