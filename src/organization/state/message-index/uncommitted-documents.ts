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
  /** Writes of many documents by one entry each, in their order; nearly always empty. */
  private readonly large: WrittenTogether<D>[] = [];

  /** Number of documents; those of several entries count more than once. */
  get size(): number {
    return this.large.reduce((sum, { byId }) => sum + byId.size, this.byId.size);
  }

  /** Ids of all that were written one by one, the oldest write first. */
  ids(): IterableIterator<number> {
    return this.byId.keys();
  }

  /** The newest write to a document, unless it is known to be durable. */
  get(id: number): Written<D> | undefined {
    const one = this.byId.get(id);
    for (let i = this.large.length - 1; i >= 0; i--) {
      const other = this.large[i]!.byId.get(id);
      if (other) return one && one.seq > other.seq ? one : other;
    }
    return one;
  }

  /** Records the newest write to a document; undefined removes the record. */
  put(id: number, written: Written<D> | undefined): void {
    // Deleted first, so that the map stays in order.
    this.byId.delete(id);
    for (const { byId } of this.large) byId.delete(id);
    if (written) this.byId.set(id, written);
  }

  /**
   * Records the newest writes to many documents, by the newest entry, at once. Takes the map over.
   * @returns puts back what was known of the documents before
   */
  putTogether(byId: Map<number, Written<D>>, seq: number): () => void {
    const former = new Map<number, Written<D>>();
    for (const id of this.knownOf(byId)) former.set(id, this.get(id)!);
    const ids = [...byId.keys()];
    const together = { byId, seq };
    this.large.push(together);
    return () => {
      const place = this.large.indexOf(together);
      if (place >= 0) this.large.splice(place, 1);
      for (const id of ids) this.put(id, former.get(id));
    };
  }

  /** Which documents of a map have a record, by the shorter way. */
  private *knownOf(byId: ReadonlyMap<number, unknown>): Generator<number> {
    for (const known of [this.byId, ...this.large.map((one) => one.byId)]) {
      const isShorter = known.size < byId.size;
      const other = isShorter ? byId : known;
      for (const id of (isShorter ? known : byId).keys()) if (other.has(id)) yield id;
    }
  }

  /** Records that the store has everything up to a journal position. */
  durable(seq: number): void {
    while (this.large.length > 0 && this.large[0]!.seq <= seq) this.large.shift();
    for (const [id, written] of this.byId) {
      if (written.seq > seq) return;
      this.byId.delete(id);
    }
  }
}

/** Writes of many documents by one entry. */
interface WrittenTogether<D> {
  readonly byId: Map<number, Written<D>>;
  readonly seq: number;
}
