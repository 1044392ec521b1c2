/** What an import could not take, counted, for the operator. */
export class Omissions {
  private readonly counts = new Map<string, { count: number; example: string }>();

  /**
   * Notes something.
   * @param what in the plural, with the reason, e.g. `reactions by custom emoji`
   * @param example one of them, by which the operator finds it
   */
  add(what: string, example = ''): void {
    const known = this.counts.get(what);
    if (known) known.count += 1;
    else this.counts.set(what, { count: 1, example });
  }

  /** A line for each kind, the most frequent first. */
  lines(): string[] {
    const kinds = [...this.counts].sort(([, a], [, b]) => b.count - a.count);
    return kinds.map(([what, { count, example }]) => {
      return `${count} ${what}${example === '' ? '' : ` (such as ${example})`}`;
    });
  }
}
