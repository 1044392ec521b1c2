/** A value that a thing had, or may have had. */
interface Version<T> {
  readonly value: T;
  /** When something later was acknowledged; Infinity while nothing was. */
  until: number;
  /** Position of what was acknowledged later. */
  replacedAt: number;
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
    this.#versions = [{ value, until: Infinity, replacedAt: 0 }];
  }

  /** A change is asked for. @returns called with its position when it is acknowledged */
  begin(value: T): (position: number) => void {
    const [known] = this.#versions;
    const version = { value, until: Infinity, replacedAt: 0 };
    this.#versions.push(version);
    return (position) => {
      known!.until = this.now();
      known!.replacedAt = position;
      const others = this.#versions.filter((one) => one !== version);
      this.#versions = [version, ...others];
    };
  }

  /** It was found to be so, for good. */
  settle(value: T): void {
    for (const version of this.#versions) version.until = Math.min(version.until, this.now());
    this.#versions.unshift({ value, until: Infinity, replacedAt: 0 });
  }

  /** It may be so, too. */
  maybe(value: T): void {
    this.#versions.push({ value, until: Infinity, replacedAt: 0 });
  }

  /** What was acknowledged with some positions may be gone: what it replaced may be there again. */
  lose(isLost: (position: number) => boolean): void {
    for (const version of this.#versions) {
      if (isLost(version.replacedAt)) version.until = Infinity;
    }
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
