// What is known of the last 15 minutes: points in time, each with what was known then.
const WINDOW = 15 * 60;
const SHORTEST = 60; // s that a chart shows of an instance that has just begun
const GAP = 3; // seconds without a reading from which on a line is broken
const OLD = 3000; // ms from which on a reading is not this second's any more
const BILLED = new Set(["running", "suspended", "reclaiming"]);
const STEPS = 10; // points over which the cost a second is taken, as micro-units are whole

export class Series {
  #points = [];
  #rate = null; // micro-units a second, where it is billed now

  clear() {
    this.#points = [];
  }

  // add takes the state of now; what was read too long ago is not known now.
  add(state) {
    const billed = BILLED.has(state.instance?.status);
    const point = { x: state.at / 1000, gpus: state.gpus.map((g) => (g.age > OLD ? [] : g.values)), cost: billed ? state.instance.cost : null };
    if (billed) this.#rate = state.instance.rate / 3600;
    const last = this.#points.at(-1);
    if (last && point.x <= last.x) return;
    this.#points.push(point);
    this.#trim(point.x);
  }

  // merge puts what was missed in its place.
  merge(points) {
    if (!points.length) return;
    const past = points.map((p) => ({ x: p.at / 1000, gpus: p.gpus, cost: p.cost }));
    const [from, to] = [past[0].x, past.at(-1).x];
    this.#points = [...this.#points.filter((p) => p.x < from || p.x > to), ...past].sort((a, b) => a.x - b.x);
    this.#trim(this.#points.at(-1).x);
  }

  #trim(now) {
    const first = this.#points.findIndex((p) => p.x >= now - WINDOW);
    if (first > 0) this.#points.splice(0, first);
  }

  // columns are the times and for each of n GPUs the numbers of one metric, as the chart wants them.
  columns(n, number, draw) {
    return this.#columns(n, (p, g) => {
      const value = p.gpus[g]?.[number];
      return value === undefined || value === null ? null : draw(value);
    });
  }

  // cost is the cost a second in micro-units: what was added, and at the start, where nothing is yet, the locked rate.
  cost() {
    const points = this.#points;
    return this.#columns(1, (p, _, i) => {
      const before = points[Math.max(0, i - STEPS)];
      if (p.cost === null) return null;
      if (before.cost === null || p.x - before.x < 1 || p.x - before.x > STEPS * GAP) return this.#rate;
      return Math.max(0, (p.cost - before.cost) / (p.x - before.x));
    });
  }

  #columns(n, value) {
    const columns = Array.from({ length: n + 1 }, () => []);
    this.#points.forEach((p, i) => {
      const last = columns[0].at(-1);
      if (last !== undefined && p.x - last > GAP) columns.forEach((c, j) => c.push(j ? null : last + 1));
      columns[0].push(p.x);
      for (let g = 0; g < n; g++) columns[g + 1].push(value(p, g, i));
    });
    return columns;
  }

  get span() {
    const to = this.#points.at(-1)?.x ?? 0, first = this.#points[0]?.x ?? to;
    return [Math.max(to - WINDOW, Math.min(first, to - SHORTEST)), to];
  }
}
