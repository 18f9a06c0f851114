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

const WEEKDAY = /week[_ -]?day|wochentag|day[_ -]?of[_ -]?(the[_ -]?)?week/i;
const CALENDAR =
  /week_?day|wochentag|day_?of_?(the_?)?week|^dow$|^(day|tag)(_?name)?$|month|monat|season|saison|quarter|quartal|holiday|feiertag|ferien/i;
const AGREE = "the quantile of the days that agree in it";

/**
 * The rules for a table with these columns: each category can also stand for itself. Ticked beforehand are those whose
 * name says that the calendar knows them; any other, such as whether it sold out, may be known only afterwards.
 */
export function rulesFor(columns) {
  const told = columns.some(({ name }) => WEEKDAY.test(name));
  const dated = columns.some(({ taken_for, sample }) => taken_for === "date" && /\D/.test(sample[0] ?? ""));
  const days = ["same:weekday", "same weekday", "the quantile of the same weekdays, by the date", true];
  const same = columns
    .filter((column) => column.taken_for === "category")
    .map(({ name }) => {
      const known = CALENDAR.test(name.trim().replaceAll(/[\s-]/g, "_"));
      return [`same:${name}`, `same ${name}`, known ? AGREE : `${AGREE}; tick it if that is known before the day`, known];
    });
  return [...RULES.slice(0, 3), ...(dated && !told ? [days] : []), ...same, ...RULES.slice(3)].map(([name, label, about, usual]) => ({
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
