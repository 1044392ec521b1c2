import { nameKey } from '../../services/text/names.js';
import { release } from './collection.js';

/** Puts a value into the set of a key, which is made where there is none. */
export function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

/** Takes a value out of the set of a key; no set stays empty. */
export function removeFrom<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

/** Sees to it that a value is in the set of a key, or is not. */
export function toggle<K, V>(sets: Map<K, Set<V>>, key: K, value: V, present: boolean): void {
  if (present) addTo(sets, key, value);
  else removeFrom(sets, key, value);
}

/**
 * Ids by name. Names that look alike are one name (`services/names.ts`); where a store from before that
 * rule holds two of them, each is still found by its own spelling.
 */
export class NameIndex {
  private readonly bySpelling = new Map<string, number>();
  /** Of names whose key is another than their spelling in lower case. */
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
