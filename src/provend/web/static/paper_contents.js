/** The contents list: always in view, marks where one is, and folds away on a phone. */

const TOP = 140; // pixels from the top within which a heading counts as being read

/** Let the list follow the reader. */
export function follow(contents) {
  const fold = contents.querySelector("details");
  const small = matchMedia("(max-width: 62rem)");
  const arrange = () => (fold.open = !small.matches);
  arrange();
  small.addEventListener("change", arrange);
  fold.addEventListener("click", (event) => {
    if (small.matches && event.target.closest("a") !== null) fold.open = false;
  });
  const links = [...fold.querySelectorAll("a")];
  let due = false;
  const mark = () => {
    due = false;
    const here =
      links.filter((link) => document.getElementById(link.hash.slice(1)).getBoundingClientRect().top < TOP).at(-1) ??
      links[0];
    for (const link of links) {
      if (link === here) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
    if (!small.matches) within(contents, here);
  };
  document.addEventListener(
    "scroll",
    () => {
      if (!due) requestAnimationFrame(mark);
      due = true;
    },
    { passive: true },
  );
  mark();
}

/** Scroll the list, and nothing else, so that the link is seen. */
function within(list, link) {
  const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top < outer.top + 40) list.scrollTop -= outer.top + 40 - inner.top;
  if (inner.bottom > outer.bottom - 40) list.scrollTop += inner.bottom - outer.bottom + 40;
}
