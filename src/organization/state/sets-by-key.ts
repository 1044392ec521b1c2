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
