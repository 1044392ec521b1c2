/** How many actors of one kind are in which state, all of them: none is kept in memory as anything but its snapshot. */
export class StateCounts {
  readonly #counts = new Map<string, number>();

  /** An actor left a state, entered one, or both. */
  move(from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#add(from, -1);
    if (to !== undefined) this.#add(to, 1);
  }

  /** Number of actors in each state that has any. */
  toRecord(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  #add(state: string, change: number): void {
    const count = (this.#counts.get(state) ?? 0) + change;
    if (count > 0) this.#counts.set(state, count);
    else this.#counts.delete(state);
  }
}
