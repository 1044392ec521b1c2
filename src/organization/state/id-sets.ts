import { lookKeys } from '../../services/text/look-alikes.js';
import { nameKey } from '../../services/text/stored-text.js';

const NONE: readonly number[] = [];

/** Sets of ids by key. Where most sets have one id, as names of people do, that id itself takes a fifth of a set. */
export class IdSets<K> {
  private readonly held = new Map<K, number | Set<number>>();

  /** Number of ids of a key. */
  countOf(key: K): number {
    const held = this.held.get(key);
    if (held === undefined) return 0;
    return typeof held === 'number' ? 1 : held.size;
  }

  /** The ids of a key, in the order of their addition. */
  of(key: K): Iterable<number> {
    const held = this.held.get(key);
    return typeof held === 'number' ? [held] : (held ?? NONE);
  }

  add(key: K, id: number): void {
    const held = this.held.get(key);
    if (held === undefined) this.held.set(key, id);
    else if (typeof held !== 'number') held.add(id);
    else if (held !== id) this.held.set(key, new Set([held, id]));
  }

  remove(key: K, id: number): void {
    const held = this.held.get(key);
    if (held === id) this.held.delete(key);
    if (!(held instanceof Set)) return;
    held.delete(id);
    if (held.size === 1) for (const last of held) this.held.set(key, last);
  }
}

/** Ids of what has names, by what makes two names equal and by what makes them look alike. */
export class NameSets {
  private readonly byName = new IdSets<string>();
  private readonly byLook = new IdSets<string>();

  add(name: string, id: number): void {
    this.byName.add(nameKey(name), id);
    for (const key of lookKeys(name)) this.byLook.add(key, id);
  }

  remove(name: string, id: number): void {
    this.byName.remove(nameKey(name), id);
    for (const key of lookKeys(name)) this.byLook.remove(key, id);
  }

  /** Those whose names are equal. */
  named(name: string): Iterable<number> {
    return this.byName.of(nameKey(name));
  }

  /** Those whose names are equal or look alike; some may come twice. */
  *alike(name: string): Generator<number> {
    yield* this.named(name);
    for (const key of lookKeys(name)) yield* this.byLook.of(key);
  }
}
