/** Building and finding elements. Text is always set as text: nothing a file holds can become markup. */

/** The element with this id; a page without it is broken, and says so. */
export function find(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`no element #${id}`);
  return element;
}

/** `h("p", {class: "soft"}, "text", child)`: functions become listeners, true an empty attribute, null and false none. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Text in which names between backticks are set as code. */
export function quoted(text) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** "What does this mean?", opened in place. */
export function explain(question, ...paragraphs) {
  return h(
    "details",
    { class: "explain" },
    h("summary", {}, question),
    h("div", { class: "stack-close" }, ...paragraphs.map((text) => h("p", {}, text))),
  );
}

/** Something went wrong, and what to do. */
export function trouble(message, ...actions) {
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    h("p", {}, h("strong", {}, "That did not work. "), /[.?!…]$/.test(message) ? message : `${message}.`),
    ...actions,
  );
}

/** A big number with what it is. */
export function tile(value, what, ...more) {
  return h("div", { class: "tile" }, h("span", { class: "value" }, value), h("span", { class: "what" }, what), ...more);
}

/** Said once by a screen reader, without taking the focus. */
export function announce(text) {
  find("announcer").textContent = text;
}

/** When the browser has drawn what is there. */
export const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Run only the last of a burst of calls. */
export function debounced(milliseconds, run) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), milliseconds);
  };
}
