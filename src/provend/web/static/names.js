/** Ways to order, in a planner's words. */

const WORDS = {
  erm: () => "all days alike",
  knn: (k) => (k === "1" ? "the nearest day" : `${k} nearest days`),
  exp: (gamma) => `fading by ${gamma}`,
  exponential: (gamma) => `fading by ${gamma}`,
  kernel: (shape, width) => `by nearness, ${width}`,
  minimax: () => "the best rule",
  "no-data": () => "without data",
};

/** "27 nearest days" for "knn:27"; a name without words of its own stays as it is. */
export function inWords(name) {
  const [kind, ...rest] = name.split(":");
  return WORDS[kind]?.(...rest) ?? name;
}
