/** Work whose result those share who ask for it at about the same time: one run at a time, and one that is to begin behind it. */
export class SharedRun<T> {
  private present: Promise<T> | null = null;
  private next: Promise<T> | null = null;

  constructor(private readonly run: () => Promise<T>) {}

  /** What a run says that begins after this call. */
  begun(): Promise<T> {
    if (!this.present) return this.begin();
    this.next ??= this.present
      .catch(() => undefined)
      .then(() => {
        this.next = null;
        return this.begin();
      });
    return this.next;
  }

  private begin(): Promise<T> {
    const run = this.run().finally(() => {
      if (this.present === run) this.present = null;
    });
    this.present = run;
    return run;
  }
}
