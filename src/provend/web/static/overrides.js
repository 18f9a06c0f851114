/** Quantities of the planner's own, with their reasons: kept for this session, per job. */

const key = (job) => `provend-overrides-${job}`;

export class Overrides {
  #job;
  #kept;

  constructor(job) {
    this.#job = job;
    try {
      this.#kept = new Map(JSON.parse(sessionStorage.getItem(key(job)) ?? "[]"));
    } catch {
      this.#kept = new Map(); // storage switched off: they hold until the page is left
    }
  }

  get size() {
    return this.#kept.size;
  }

  /** `{quantity, reason, same, guide, whatever, usual}`, or undefined; what is not known is null. */
  of(row) {
    return this.#kept.get(row);
  }

  set(row, own) {
    this.#kept.set(row, own);
    this.#save();
  }

  remove(row) {
    this.#kept.delete(row);
    this.#save();
  }

  /** As the download wants them. */
  list() {
    return [...this.#kept].map(([row, { quantity, reason }]) => ({ row, quantity, reason }));
  }

  #save() {
    try {
      sessionStorage.setItem(key(this.#job), JSON.stringify([...this.#kept]));
    } catch {
      // as above
    }
  }
}
