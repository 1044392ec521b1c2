import { createHash } from 'node:crypto';

/** Lines of a stack that are shown. */
const NOTED = 8;

/** What happened in a run, line by line; a long run keeps its end. */
export class Trace {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  #count = 0;

  /**
   * @param most lines that are kept
   * @param print called with each line
   */
  constructor(
    private readonly most: number,
    private readonly print: ((line: string) => void) | null = null,
  ) {}

  add(now: number, who: string, what: string): void {
    const line = `${(now / 1000).toFixed(4).padStart(10)} ${who.padEnd(9)} ${what}`;
    this.#count++;
    this.#hash.update(line);
    this.#hash.update('\n');
    this.print?.(line);
    this.lines.push(line);
    if (this.lines.length > 2 * this.most) this.lines.splice(0, this.most);
  }

  /** What explains a line, and may read otherwise on another release of Node: it is no part of the digest. */
  note(text: string): void {
    for (const line of text.split('\n').slice(0, NOTED)) {
      const shown = `${' '.repeat(21)} | ${line.trim()}`;
      this.print?.(shown);
      this.lines.push(shown);
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Of all lines. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
