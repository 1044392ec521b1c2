/** A value that a thing had, or may have had. */
interface Version<T> {
  readonly value: T;
  /** When something later was acknowledged; Infinity while nothing was. */
  until: number;
}

/**
 * What one thing can be, as far as its only writer knows: what was acknowledged last, or what was asked for and never
 * answered. What was not answered may still take effect, once, so it stays possible for good.
 */
export class Register<T> {
  #versions: Version<T>[];

  /** @param now milliseconds of the simulation */
  constructor(
    value: T,
    private readonly now: () => number,
  ) {
    this.#versions = [{ value, until: Infinity }];
  }

  /** A change is asked for. @returns called when it is acknowledged */
  begin(value: T): () => void {
    const [known] = this.#versions;
    const version = { value, until: Infinity };
    this.#versions.push(version);
    return () => {
      known!.until = this.now();
      const others = this.#versions.filter((one) => one !== version);
      this.#versions = [version, ...others];
    };
  }

  /** It was found to be so, for good. */
  settle(value: T): void {
    for (const version of this.#versions) version.until = Math.min(version.until, this.now());
    this.#versions.unshift({ value, until: Infinity });
  }

  /** Whether somebody may see the value who has everything that was acknowledged by a time. */
  mayBe(value: T, since = this.now()): boolean {
    return this.#versions.some((one) => one.value === value && one.until >= since);
  }

  get text(): string {
    const possible = this.#versions.filter(({ until }) => until >= this.now());
    return [...new Set(possible.map(({ value }) => String(value)))].join(' or ');
  }
}
