import { Collection, type Recorder } from './collection.js';
import { addTo, removeFrom } from './sets-by-key.js';

/** A document that belongs to one user and has a number of its own. */
interface OwnedDocument {
  readonly id: number;
  readonly user_id: number;
}

const NOBODYS: ReadonlySet<number> = new Set();

/** Numbered documents that belong to users, found by owner. */
export class OwnedCollection<D extends OwnedDocument> extends Collection<number, D> {
  private readonly idsByOwner = new Map<number, Set<number>>();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.id);
  }

  /** How many a user has. */
  countOf(userId: number): number {
    return this.idsByOwner.get(userId)?.size ?? 0;
  }

  /** The documents of a user, oldest first. */
  of(userId: number): D[] {
    const ids = this.idsByOwner.get(userId) ?? NOBODYS;
    return [...ids].sort((a, b) => a - b).map((id) => this.get(id)!);
  }

  protected override reindex(previous?: D, next?: D): void {
    if (previous?.user_id === next?.user_id) return;
    if (previous) removeFrom(this.idsByOwner, previous.user_id, previous.id);
    if (next) addTo(this.idsByOwner, next.user_id, next.id);
  }
}
