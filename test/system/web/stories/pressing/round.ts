import type { Outcome, Presser } from './presser.js';

/** Presses that lead to a thing, from the view on: a message, its menu, a dialog, another one. */
const MOST_DEEP = 4;
/** Places of a kind that are remembered. */
const MOST_WAYS = 2;
/** Places of a kind that are tried: what was in the first ones may have gone. */
const MOST_TRIED = 3;

interface Path {
  readonly address: string;
  readonly kinds: readonly string[];
}

/** What a round is told of the pages that it presses. Addresses are paths with what stands behind `#`. */
export interface Ground {
  /** Where it begins. */
  readonly begins: readonly string[];
  /** Of views that are alike: what has gone in one is looked for in the next. */
  readonly alike: readonly string[];
  /** Whether one gets to a page only as one did before: by a form that was sent. */
  readonly goesOneWay?: boolean;
  /** Refusals after which the page shows what is to be done. */
  readonly expects?: RegExp;
  /** Takes back what a press may have changed of how things are called, or of who may do what. */
  readonly restore: () => Promise<unknown>;
  /** Whether that is done after each press there, though the page stays as it is. */
  readonly mends?: (address: string) => boolean;
  /** Whether a press may have changed that. */
  readonly changes: (kind: string, address: string) => boolean;
}

/** Presses one thing of each kind, and goes on with what that leads to. */
export class Round {
  pressed = 0;
  readonly faults: string[] = [];
  /** Kinds that were there once, and not any more when it was their turn. */
  readonly gone: string[] = [];
  private readonly ways = new Map<string, Path[]>();
  private readonly queue: string[] = [];
  private readonly strange = new Set<string>();
  /** Where one is, and how it looked before the last press. */
  private place: { readonly key: string; readonly outcome: Outcome } | undefined;

  constructor(
    private readonly presser: Presser,
    private readonly ground: Ground,
  ) {}

  async run(): Promise<void> {
    const { begins } = this.ground;
    // The page that somebody has just logged in by may still become another language.
    await this.presser.anew(begins[0]!);
    for (const address of begins) {
      const path = { address, kinds: [] };
      const outcome = await this.presser.reset(address);
      this.look(path, outcome);
      this.learn(path, outcome);
    }
    for (let kind = this.queue.shift(); kind !== undefined; kind = this.queue.shift()) {
      await this.one(kind);
    }
  }

  /** Remembers what is there. */
  private learn(path: Path, { kinds }: Outcome): void {
    if (path.kinds.length >= MOST_DEEP) return;
    for (const kind of kinds) {
      const ways = this.ways.get(kind) ?? [];
      if (ways.length === 0) this.queue.push(kind);
      if (ways.length < MOST_WAYS) this.ways.set(kind, [...ways, path]);
    }
  }

  private async one(kind: string): Promise<void> {
    const failures: string[] = [];
    for (const way of this.waysTo(kind)) {
      const path = { ...way, kinds: [...way.kinds, kind] };
      try {
        if (!(await this.follow(way, kind))) continue;
        const outcome = await this.presser.press(kind);
        if (outcome === null) continue;
        this.pressed += 1;
        return await this.judge(path, outcome);
      } catch (error) {
        // What moved under the mouse meanwhile is told with what has gone.
        if (!/above it lies/.test(String(error))) failures.push(`${keyOf(path)}: ${String(error)}`);
        this.place = undefined;
        await this.presser.anew(this.ground.begins[0]!);
      }
    }
    if (failures.length > 0) this.faults.push(failures[0]!);
    else this.gone.push(kind);
  }

  /** Where it was seen, and where it may be as well. */
  private waysTo(kind: string): Path[] {
    const seen = this.ways.get(kind)!;
    const { alike } = this.ground;
    const others = seen.flatMap((way) =>
      alike.includes(way.address) ? alike.map((address) => ({ ...way, address })) : [],
    );
    const ways = new Map([...seen, ...others].map((way) => [keyOf(way), way]));
    return [...ways.values()].slice(0, MOST_TRIED);
  }

  /** Goes where a kind was seen, unless one is there. @returns whether there is something of it */
  private async follow(way: Path, wanted: string): Promise<boolean> {
    const { presser } = this;
    if (this.place?.key === keyOf(way)) return true;
    for (const begins of [presser.reset.bind(presser), presser.anew.bind(presser)]) {
      let outcome: Outcome | null = await begins(way.address);
      for (const kind of way.kinds) outcome &&= await presser.press(kind);
      // What has gone is told as such, by whatever leads there; a page of an error begins with what is wrong.
      const isRefused = way.kinds.length > 0 && outcome?.alert !== '';
      if (!outcome?.kinds.includes(wanted) || isRefused) continue;
      this.place = { key: keyOf(way), outcome };
      return true;
    }
    this.place = undefined;
    return false;
  }

  /** What came of it, and whether one gets on from there. */
  private async judge(path: Path, outcome: Outcome): Promise<void> {
    const { did, refused, alert, here, isHere } = outcome;
    if (did.length === 0) this.fault(path, 'leads nowhere');
    for (const one of did) if (one.startsWith('opens ')) this.fault(path, one);
    for (const one of refused) {
      if (!this.ground.expects?.test(one)) this.fault(path, `is refused: ${one}`);
    }
    if (alert !== '') this.fault(path, `shows ${alert}`);
    if (this.ground.mends?.(path.address)) await this.ground.restore();
    const isChanged = this.ground.changes(path.kinds.at(-1)!, path.address);
    if (isHere && !isChanged) this.look(path, outcome);
    if (isChanged) {
      // Nothing is learned from it: who goes there again would change it again.
      this.place = undefined;
      await this.ground.restore();
      await this.presser.anew(this.ground.begins[0]!);
      return;
    }
    if (isHere && outcome.kinds.length === 0) this.fault(path, 'leaves nothing to press');
    const isThere = here === path.address || this.ground.goesOneWay;
    if (isHere) this.learn(isThere ? path : { address: here, kinds: [] }, outcome);
    if (this.place && !isSame(this.place.outcome, outcome)) this.place = undefined;
  }

  /** Tells what is in another language, or wider than the window: each once. */
  private look(path: Path, { strange, excess }: Outcome): void {
    const found = strange.map((text) => `in no language of the page: ${text}`);
    if (excess > 0) found.push(`${path.address} is ${excess} pixels wider than the window`);
    for (const one of found) {
      if (this.strange.has(one)) continue;
      this.strange.add(one);
      this.fault(path, one);
    }
  }

  private fault(path: Path, what: string): void {
    this.faults.push(`${keyOf(path)}: ${what}`);
  }
}

/** Whether one is still where one was, with everything that was there. */
function isSame(before: Outcome, now: Outcome): boolean {
  const isThere =
    [before.here, before.layers, before.title].join() === [now.here, now.layers, now.title].join();
  return isThere && before.kinds.every((kind) => now.kinds.includes(kind));
}

function keyOf({ address, kinds }: Path): string {
  return [address, ...kinds].join(' → ');
}
