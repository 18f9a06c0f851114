/** What the server says about a result as a whole: read it before the numbers. */

import { h, quoted } from "./dom.js";
import { spoken } from "./format.js";

export const doubts = ({ messages }) =>
  messages.length > 0 &&
  h(
    "ul",
    { class: "notice warn told" },
    messages.map((text) => h("li", {}, ...quoted(`${text[0].toUpperCase()}${spoken(text.slice(1))}.`))),
  );
