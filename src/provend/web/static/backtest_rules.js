/** The rules a backtest can compare, in a planner's words. */

const RULES = [
  ["static", "one quantity for good", "the usual quantile of the days before, learned once", true],
  ["rolling", "usual quantile", "of all days so far, learned anew each time", true],
  ["rolling:91", "quantile of 91 days", "of the last three months alone", false],
  ["linear", "linear regression", "of the quantile on all contexts (scikit-learn)", true],
  ["hgb", "boosted trees", "of the quantile, on histograms (scikit-learn)", true],
  ["gbm", "boosted trees, plain", "of the quantile (scikit-learn); slow on long tables", false],
  ["quantile-forest", "quantile forest", "needs the extra provend[forest]", false],
  ["minimax", "provend", "the best rule there is, with its guarantee", true],
  ["erm", "provend, all days alike", "with its guarantee", false],
  ["knn", "provend, nearest days", "with its guarantee", false],
];

/** The rules for a table with these columns: each category can also stand for itself. */
export function rulesFor(columns) {
  const same = columns
    .filter((column) => column.taken_for === "category")
    .map(({ name }) => [`same:${name}`, `same ${name}`, "the quantile of the days that agree in it", true]);
  return [...RULES.slice(0, 3), ...same, ...RULES.slice(3)].map(([name, label, about, usual]) => ({
    name,
    label,
    about,
    usual,
  }));
}

/** A rule by its name, in words. */
export function ruleName(name) {
  return RULES.find(([known]) => known === name)?.[1] ?? name.replace(/^same:/, "same ");
}
