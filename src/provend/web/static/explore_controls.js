/** The assumptions: sliders and the numbers beside them, kept equal. */

import { find } from "./dom.js";
import { number } from "./format.js";

const SMALLEST = 1e-4;
const LARGEST = 0.5;
const PARAMETERS = {
  knn: (k) => `knn:${k}`,
  exp: (gamma) => `exp:${gamma}`,
  kernel: (width) => `kernel:gaussian:${width}`,
};
const STEP = { step: true }; // a step that the back button undoes

/** The value at a place of the slider: 0, then in equal ratios. */
function valueAt(place) {
  if (place === 0) return 0;
  return Number((SMALLEST * (LARGEST / SMALLEST) ** ((place - 1) / 99)).toPrecision(2));
}

function placeOf(value) {
  if (!(value > 0)) return 0;
  return Math.round(1 + (99 * Math.log(value / SMALLEST)) / Math.log(LARGEST / SMALLEST));
}

export class Controls {
  #form;
  #change;

  constructor(form, change) {
    this.#form = form;
    this.#change = change;
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#slider("q", Number, Number);
    this.#slider("value", valueAt, placeOf);
    this.#slider("n", Number, Number);
    for (const name of ["cu", "co", "lo", "hi"]) find(name).addEventListener("input", () => this.#tell(this.#costs()));
    for (const radio of form.elements.stake) radio.addEventListener("change", () => this.#stake(radio.value));
    for (const radio of form.elements.kind) radio.addEventListener("change", () => this.#kind(radio.value));
    find("d").addEventListener("input", () => this.#tell({ d: this.#pasted() }));
    find("policies").addEventListener("input", () => this.#tell({ policies: this.#policies() }));
  }

  /** Show a state. */
  set(state) {
    const costs = state.cu !== "" && state.q === "";
    this.#form.elements.stake.value = costs ? "costs" : "ratio";
    this.#form.elements.kind.value = state.kind;
    for (const name of ["q", "value", "n", "cu", "co"]) find(name).value = state[name];
    [find("lo").value, find("hi").value = ""] = state.support.split(",");
    find("d").value = state.d.replaceAll(",", ", ");
    find("q-slider").value = Number(state.q);
    find("value-slider").value = placeOf(Number(state.value));
    find("n-slider").value = Number(state.n);
    this.#tickPolicies(state.policies.split(","));
    this.#arrange();
  }

  /** The server refused: in question are the field it names, and those that a browser would refuse, too. */
  refused(message) {
    const [named] = /^\w+/.exec(message) ?? [""];
    for (const field of this.#fields())
      field.setAttribute("aria-invalid", String(field.id === named || !field.checkValidity() || field.value === ""));
  }

  accepted() {
    for (const field of this.#fields()) field.removeAttribute("aria-invalid");
  }

  #fields() {
    return [...this.#form.querySelectorAll("input[type=number], textarea")].filter(
      (field) => field.offsetParent !== null,
    );
  }

  #tell(some, how) {
    this.#arrange();
    this.#change(some, how);
  }

  #slider(name, value, place) {
    const [slider, field] = [find(`${name}-slider`), find(name)];
    slider.addEventListener("input", () => {
      field.value = value(Number(slider.value));
      this.#tell({ [name]: field.value });
    });
    field.addEventListener("input", () => {
      slider.value = place(Number(field.value));
      this.#tell({ [name]: field.value });
    });
  }

  #stake(kind) {
    if (kind === "ratio") return this.#tell({ q: find("q").value || "0.9", cu: "", co: "", support: "" }, STEP);
    for (const [name, value] of Object.entries({ cu: 9, co: 1, lo: 0, hi: 100 })) find(name).value ||= value;
    return this.#tell(this.#costs(), STEP);
  }

  #costs() {
    const [cu, co, lo, hi] = ["cu", "co", "lo", "hi"].map((name) => find(name).value);
    return { q: "", cu, co, support: `${lo},${hi}` };
  }

  #kind(kind) {
    if (kind === "given" && find("d").value.trim() === "") find("d").value = "0.02, 0.03, 0.05, 0.05, 0.08, 0.1, 0.2";
    if (kind !== "given") {
      find("value").value = kind === "drift" ? "0.002" : "0.05";
      find("value-slider").value = placeOf(Number(find("value").value));
    }
    this.#tell({ kind, value: find("value").value, d: kind === "given" ? this.#pasted() : "" }, STEP);
  }

  #pasted() {
    return find("d")
      .value.trim()
      .split(/[\s,;]+/)
      .join(",");
  }

  #policies() {
    const ticked = [...find("policies").querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value);
    return (
      ticked.map((kind) => (kind in PARAMETERS ? PARAMETERS[kind](find(kind).value) : kind)).join(",") || "minimax"
    );
  }

  #tickPolicies(names) {
    for (const box of find("policies").querySelectorAll("input[type=checkbox]")) {
      const mine = names.find((name) => name.split(":")[0] === box.value);
      box.checked = mine !== undefined;
      if (mine !== undefined && box.value in PARAMETERS) find(box.value).value = mine.split(":").at(-1);
    }
  }

  /** Show the fields that matter, and say what their numbers mean. */
  #arrange() {
    const costs = this.#form.elements.stake.value === "costs";
    const kind = this.#form.elements.kind.value;
    find("ratio-fields").hidden = costs;
    find("cost-fields").hidden = !costs;
    find("value-fields").hidden = find("n-fields").hidden = kind === "given";
    find("pasted-fields").hidden = kind !== "given";
    const [q, value, n] = ["q", "value", "n"].map((name) => Number(find(name).value));
    const ratio = Number(find("cu").value) / (Number(find("cu").value) + Number(find("co").value));
    find("q-hint").textContent =
      q > 0 && q < 1
        ? `A unit short costs ${number(q / (1 - q), 3)} times as much as one left over.`
        : "Between 0 and 1.";
    find("costs-hint").textContent =
      ratio > 0 && ratio < 1
        ? `Critical ratio ${number(ratio, 3)}; amounts are in the unit of the costs.`
        : "Both costs are above 0.";
    find("value-label").textContent = kind === "drift" ? "Drift from one day to the next" : "Dissimilarity of each day";
    find("value-hint").textContent =
      kind === "drift"
        ? `Yesterday is at ${number(value, 3)}, the oldest of ${n} days at ${number(Math.min(1, n * value), 3)}.`
        : `Chances then and now differ by up to ${number(100 * value, 3)} percentage points.`;
    find("q-slider").setAttribute("aria-valuetext", number(q));
    find("value-slider").setAttribute("aria-valuetext", number(value));
  }
}
