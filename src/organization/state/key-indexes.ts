import { nameKey } from '../../services/text/names.js';
import { release } from './collection.js';

/** Adds a value to the set of a key, created on first use. */
export function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

/** Removes a value from the set of a key; empty sets are deleted. */
export function removeFrom<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

/** Adds a value to the set of a key, or removes it. */
export function toggle<K, V>(sets: Map<K, Set<V>>, key: K, value: V, present: boolean): void {
  if (present) addTo(sets, key, value);
  else removeFrom(sets, key, value);
}

/**
 * NameIndex maps names to ids. Names that look alike are equal (`services/text/names.ts`); where a store
 * from before that rule has two of them, each is still found by its own spelling.
 */
export class NameIndex {
  private readonly bySpelling = new Map<string, number>();
  /** Names whose key differs from their spelling in lower case. */
  private readonly byKey = new Map<string, number>();

  find(name: string): number | undefined {
    const exact = this.bySpelling.get(name.toLowerCase());
    if (exact !== undefined) return exact;
    const key = nameKey(name);
    return this.bySpelling.get(key) ?? this.byKey.get(key);
  }

  set(name: string, id: number): void {
    const spelling = name.toLowerCase();
    this.bySpelling.set(spelling, id);
    const key = nameKey(name);
    if (key !== spelling) this.byKey.set(key, id);
  }

  release(name: string, id: number): void {
    release(this.bySpelling, name.toLowerCase(), id);
    release(this.byKey, nameKey(name), id);
  }
}
