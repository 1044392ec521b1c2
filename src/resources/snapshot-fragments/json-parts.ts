import type { SnapshotFragments, TextSource } from './fragment-cache.js';

/** Length of a text that is made bytes at once, UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/** Builds JSON text of parts; large encoded parts are shared by many replies. */
export class JsonParts {
  /** Those of the parts that other replies have too. */
  readonly shared = new Set<Buffer>();
  private readonly parts: (Buffer | string)[] = [];
  private pending = '';

  /** Adds text. */
  text(text: string): void {
    this.pending += text;
    if (this.pending.length >= PIECE_LENGTH) this.flush();
  }

  /** Adds a field after other fields of an object. */
  field(name: string, value: unknown): void {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) this.text(`,${JSON.stringify(name)}:${text}`);
  }

  /**
   * Adds encoded text, which must not change afterwards.
   * @param isShared whether other replies have the same
   */
  bytes(bytes: Buffer, isShared: boolean): void {
    if (bytes.length === 0) return;
    this.flush();
    this.parts.push(bytes);
    if (isShared) this.shared.add(bytes);
  }

  /** Adds the texts of all ranges. @returns the largest `newest` of them, or -1 */
  ranges(texts: Pick<SnapshotFragments, 'text'>, source: TextSource, ranges: number): number {
    let newest = -1;
    let first = true;
    for (let range = 0; range < ranges; range++) {
      const text = texts.text(source, range);
      newest = Math.max(newest, text.newest);
      if (text.bytes.length === 0) continue;
      this.bytes(first ? text.withoutComma : text.bytes, text.isShared);
      first = false;
    }
    return newest;
  }

  /** All parts, in order. To make bytes of text takes time, which a transaction does not have. */
  end(): readonly (Buffer | string)[] {
    this.flush();
    return this.parts;
  }

  private flush(): void {
    if (this.pending === '') return;
    this.parts.push(this.pending);
    this.pending = '';
  }
}
