/** A document as a write left it. */
export interface Written<D> {
  readonly document: D;
  /** Journal position of the write. */
  readonly seq: number;
}

/**
 * UncommittedDocuments has documents that the store may not have yet, so that they must not be read from
 * it. They are in order of their journal positions, except where later writes were reverted. Bounded by the
 * journal's limit of pending entries.
 */
export class UncommittedDocuments<D> {
  private readonly byId = new Map<number, Written<D>>();

  /** Number of documents. */
  get size(): number {
    return this.byId.size;
  }

  /** Ids of all, the oldest write first. */
  ids(): IterableIterator<number> {
    return this.byId.keys();
  }

  /** The newest write to a document, unless it is known to be durable. */
  get(id: number): Written<D> | undefined {
    return this.byId.get(id);
  }

  /** Records the newest write to a document; undefined removes the record. */
  put(id: number, written: Written<D> | undefined): void {
    // Deleted first, so that the map stays in order.
    this.byId.delete(id);
    if (written) this.byId.set(id, written);
  }

  /** Records that the store has everything up to a journal position. */
  durable(seq: number): void {
    for (const [id, written] of this.byId) {
      if (written.seq > seq) return;
      this.byId.delete(id);
    }
  }
}
