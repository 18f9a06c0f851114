/** What was done on a page, as Python and as a command, to be copied. */

import { announce, h } from "./dom.js";

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    announce("Copied");
  } catch {
    button.textContent = "Select it by hand"; // the browser refuses its clipboard
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

function block(title, text) {
  const button = h(
    "button",
    { type: "button", class: "button compact", "aria-label": `Copy: ${title}`, onclick: () => copy(text, button) },
    "Copy",
  );
  const lines = h("pre", { tabindex: "0", role: "region", "aria-label": title }, h("code", {}, text));
  return h("div", {}, h("h3", {}, title), h("div", { class: "code" }, lines, button));
}

/** Both ways to say the same. */
export function asCode(python, command) {
  return h(
    "details",
    { class: "fold card" },
    h("summary", {}, "The same as Python, and as a command line"),
    h("div", { class: "stack" }, block("As Python", python), block("As a command line", command)),
  );
}
