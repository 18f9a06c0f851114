/** A word that explains itself: on hover, on focus, and at a touch; Escape or a touch elsewhere ends it. */

import { fill, h } from "./dom.js";

const LINGER = 150; // milliseconds in which the pointer may move over to the explanation
const box = h("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
let shown = null; // the element that is explained
let leaving;

function place() {
  const { left, bottom, top } = shown.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  box.style.left = `${Math.max(8, Math.min(left, width - box.offsetWidth - 8))}px`;
  const below = bottom + 6 + box.offsetHeight < innerHeight;
  box.style.top = `${below ? bottom + 6 : Math.max(8, top - 6 - box.offsetHeight)}px`;
}

function open(element, text) {
  clearTimeout(leaving);
  if (!box.isConnected) document.querySelector("main").append(box);
  shown = element;
  fill(box, text);
  box.hidden = false;
  place();
}

function close() {
  clearTimeout(leaving);
  shown = null;
  box.hidden = true;
}

const leave = () => {
  clearTimeout(leaving);
  leaving = setTimeout(close, LINGER);
};

box.addEventListener("mouseenter", () => clearTimeout(leaving));
box.addEventListener("mouseleave", leave);
document.addEventListener("keydown", (event) => event.key === "Escape" && close());
document.addEventListener("click", (event) => shown !== null && !shown.contains(event.target) && close());
document.addEventListener("scroll", () => shown !== null && place(), { capture: true, passive: true });

/** A button that shows `text` beside it; a screen reader says it after the button's own words. */
export function explained(attributes, word, text) {
  const button = h(
    "button",
    {
      ...attributes,
      type: "button",
      "aria-description": text,
      onmouseenter: () => open(button, text),
      onmouseleave: leave,
      onfocus: () => open(button, text),
      onblur: close,
      onclick(event) {
        event.stopPropagation(); // what it stands in may be pressed, too
        open(button, text);
      },
    },
    word,
  );
  return button;
}
