import { nameKey } from '../../services/text/names.js';
import { release } from './collection.js';

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
