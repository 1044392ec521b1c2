/** A document as a write left it. */
export interface Written<D> {
  readonly document: D;
  /** Journal position of the write. */
  readonly seq: number;
}

/**
 * Documents by id that the store may not have yet, so that it must not be asked for them. They are in
 * order of their journal positions, but for those whose later writes were taken back. Bounded by the
 * journal's own bound on what is not durable.
 */
export class UncommittedDocuments<D> {
  private readonly byId = new Map<number, Written<D>>();

  /** How many there are. */
  get size(): number {
    return this.byId.size;
  }

  /** Ids of all, the oldest write first. */
  ids(): IterableIterator<number> {
    return this.byId.keys();
  }

  /** The newest write to a document, if it is not known to be durable. */
  get(id: number): Written<D> | undefined {
    return this.byId.get(id);
  }

  /** Notes what the newest write left of a document; undefined when there is nothing to note any more. */
  put(id: number, written: Written<D> | undefined): void {
    // Deleted first, so that the map stays in order.
    this.byId.delete(id);
    if (written) this.byId.set(id, written);
  }

  /** Says that everything up to a journal position can be read from the store. */
  durable(seq: number): void {
    for (const [id, written] of this.byId) {
      if (written.seq > seq) return;
      this.byId.delete(id);
    }
  }
}
