import { grown } from '../formula/grown.js';

/**
 * The order in which a search decides variables: those that took part in recent conflicts first (VSIDS; Moskewicz and
 * others 2001, with the heap and the growing increment of MiniSat, Eén and Sörensson 2003).
 */
export class VariableOrder {
  private activity = new Float64Array(0);
  private place = new Int32Array(0);
  private readonly heap: number[] = [];
  private increment = 1;

  /** Makes room for variables below `count`. */
  grow(count: number): void {
    if (count <= this.place.length) return;
    const size = Math.max(count, 2 * this.place.length);
    const known = this.place.length;
    this.activity = grown(this.activity, size);
    this.place = grown(this.place, size).fill(-1, known);
  }

  insert(variable: number): void {
    if ((this.place[variable] ?? -1) >= 0) return;
    this.heap.push(variable);
    this.up(this.heap.length - 1, variable);
  }

  /** Takes out the variable of most activity; undefined if none is left. */
  next(): number | undefined {
    const { heap, place } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    place[first] = -1;
    if (first !== last) this.down(0, last);
    return first;
  }

  bump(variable: number): void {
    const { activity } = this;
    const value = (activity[variable] ?? 0) + this.increment;
    activity[variable] = value;
    if (value > 1e100) {
      for (let i = 0; i < activity.length; i++) activity[i] = (activity[i] ?? 0) * 1e-100;
      this.increment *= 1e-100;
    }
    const at = this.place[variable] ?? -1;
    if (at >= 0) this.up(at, variable);
  }

  /** What took part in earlier conflicts counts less than what will in later ones. */
  decay(): void {
    this.increment /= 0.95;
  }

  private up(from: number, variable: number): void {
    const { heap, place, activity } = this;
    const own = activity[variable] ?? 0;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = heap[above] ?? 0;
      if ((activity[other] ?? 0) >= own) break;
      heap[at] = other;
      place[other] = at;
      at = above;
    }
    heap[at] = variable;
    place[variable] = at;
  }

  private down(from: number, variable: number): void {
    const { heap, place, activity } = this;
    const own = activity[variable] ?? 0;
    const { length } = heap;
    let at = from;
    for (let below = 2 * at + 1; below < length; below = 2 * at + 1) {
      let other = heap[below] ?? 0;
      const right = heap[below + 1];
      if (right !== undefined && (activity[right] ?? 0) > (activity[other] ?? 0)) {
        other = right;
        below++;
      }
      if ((activity[other] ?? 0) <= own) break;
      heap[at] = other;
      place[other] = at;
      at = below;
    }
    heap[at] = variable;
    place[variable] = at;
  }
}
