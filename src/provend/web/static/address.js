/** The address holds the state: what differs from the defaults stands in the query string. */

/** The state in the address, as text; what is missing has its default. */
export function read(defaults) {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value]));
}

/** The query string of a state. */
export function query(state, defaults = {}) {
  const pairs = Object.entries(state).filter(
    ([name, value]) => value !== "" && value !== null && String(value) !== String(defaults[name] ?? ""),
  );
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))
    .toString()
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":");
}

/** Put the state into the address: as a new step of the history, or in place of the last one. */
export function write(state, defaults, { step = false } = {}) {
  const text = query(state, defaults);
  const to = text === "" ? location.pathname : `${location.pathname}?${text}`;
  if (to === location.pathname + location.search) return;
  if (step) history.pushState(null, "", to);
  else history.replaceState(null, "", to);
}
