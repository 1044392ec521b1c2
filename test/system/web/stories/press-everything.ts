/** Everything that can be pressed is pressed, and something comes of it: found by what takes the focus, not by a list. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { openTab } from '../../harness/browser.js';
import { ApiClient } from '../../harness/client.js';
import { oneInTurn } from '../../../shares.js';
import { storeFolder } from '../../harness/server.js';
import { Presser, type Outcome, type Way } from './pressing/presser.js';
import { makeScene, type Scene } from './pressing/scene.js';

/** Presses that lead to a thing, from the view on: a message, its menu, a dialog, another one. */
const MOST_DEEP = 4;
/** Places of a kind that are remembered. */
const MOST_WAYS = 2;
/** Places of a kind that are tried: what was in the first ones may have gone. */
const MOST_TRIED = 3;
/** Things pressed by each, at least: they are some 130 to 190. */
const LEAST_PRESSED = 110;

/** The chat asks before somebody leaves what is not kept yet: here, because the page is loaded anew. */
const LEAVES = /asks beforeunload/;

interface Path {
  readonly address: string;
  readonly kinds: readonly string[];
}

/** How somebody sees the chat. */
interface Reading {
  readonly who: keyof Scene['readers'];
  readonly width: number;
  readonly language: string;
  readonly scheme: 'light' | 'dark';
}

const READINGS: Readonly<Record<Way, Reading>> = {
  mouse: { who: 'owner', width: 1440, language: 'en', scheme: 'light' },
  keys: { who: 'member', width: 768, language: 'de', scheme: 'dark' },
  touch: { who: 'guest', width: 320, language: 'ar', scheme: 'light' },
};

export async function pressEverything(t: Test, browser: Browser): Promise<void> {
  const scene = await makeScene(t);
  const file = join(storeFolder(t), 'qx-face.png');
  writeFileSync(file, PICTURE);
  // A browser takes two minutes for each.
  const rounds = oneInTurn(Object.keys(READINGS) as Way[]).map(async (way) => {
    const { who, width, language, scheme } = READINGS[way];
    const reader = scene.readers[who];
    const { email, password } = reader;
    const restore = async (): Promise<unknown> => {
      // A press on the form of the password ends the key.
      const api = await ApiClient.login(scene.server.url, email, password);
      return api.ok('PATCH', '/settings', { default_language: language });
    };
    await restore();
    const tab = await openTab(browser, `${scene.server.url}/login/`);
    const isTouch = way === 'touch';
    await tab.page.setViewport({ width, height: 900, hasTouch: isTouch, isMobile: isTouch });
    await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const presser = new Presser(tab, scene.server.url, reader, way, file);
    await presser.begin();
    const round = new Round(presser, scene.addresses[who], restore);
    await round.run();
    return {
      way,
      round,
      faults: [...round.faults, ...tab.faults.filter((one) => !LEAVES.test(one))],
    };
  });
  for (const { way, round, faults } of await Promise.all(rounds)) {
    t.comment(`${round.pressed} things pressed by ${way}; gone: ${round.gone.join('; ')}`);
    t.ok(round.pressed > LEAST_PRESSED, `${round.pressed} things`);
    t.ok(round.gone.length < LEAST_PRESSED / 4, `${round.gone.length} that had gone`);
    t.same(faults, [], `by ${way}`);
  }
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Presses one thing of each kind, and goes on with what that leads to. */
class Round {
  pressed = 0;
  readonly faults: string[] = [];
  /** Kinds that were there once, and not any more when it was their turn. */
  readonly gone: string[] = [];
  private readonly ways = new Map<string, Path[]>();
  private readonly queue: string[] = [];
  /** Where one is, and how it looked before the last press. */
  private place: { readonly key: string; readonly outcome: Outcome } | undefined;

  constructor(
    private readonly presser: Presser,
    /** Of conversations that are alike. */
    private readonly addresses: readonly string[],
    /** Takes back what a press changed of how things are called. */
    private readonly restore: () => Promise<unknown>,
  ) {}

  async run(): Promise<void> {
    // The page that somebody has just logged in by may still become another language.
    await this.presser.anew('#/home');
    for (const address of ['#/home', this.addresses[0]!]) {
      this.learn({ address, kinds: [] }, await this.presser.reset(address));
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
        await this.presser.anew('#/home');
      }
    }
    if (failures.length > 0) this.faults.push(failures[0]!);
    else this.gone.push(kind);
  }

  /** Where it was seen, and where it may be as well: conversations are alike. */
  private waysTo(kind: string): Path[] {
    const seen = this.ways.get(kind)!;
    const alike = seen.flatMap((way) =>
      this.addresses.includes(way.address)
        ? this.addresses.map((address) => ({ ...way, address }))
        : [],
    );
    const ways = new Map([...seen, ...alike].map((way) => [keyOf(way), way]));
    return [...ways.values()].slice(0, MOST_TRIED);
  }

  /** Goes where a kind was seen, unless one is there. @returns whether there is something of it */
  private async follow(way: Path, wanted: string): Promise<boolean> {
    const { presser } = this;
    if (this.place?.key === keyOf(way)) return true;
    for (const begins of [presser.reset.bind(presser), presser.anew.bind(presser)]) {
      let outcome: Outcome | null = await begins(way.address);
      for (const kind of way.kinds) outcome &&= await presser.press(kind);
      // What has gone is told as such, by whatever leads there.
      if (!outcome?.kinds.includes(wanted) || outcome.alert !== '') continue;
      this.place = { key: keyOf(way), outcome };
      return true;
    }
    this.place = undefined;
    return false;
  }

  /** What came of it, and whether one gets on from there. */
  private async judge(path: Path, outcome: Outcome): Promise<void> {
    const { did, refused, alert, here, isChat } = outcome;
    if (did.length === 0) this.fault(path, 'leads nowhere');
    for (const one of did) if (one.startsWith('opens ')) this.fault(path, one);
    for (const one of refused) this.fault(path, `is refused: ${one}`);
    if (alert !== '') this.fault(path, `shows ${alert}`);
    if (path.kinds.at(-1)!.includes('| select')) {
      this.place = undefined;
      await this.restore();
      await this.presser.anew('#/home');
      return;
    }
    const hash = here.slice(1);
    if (isChat && outcome.kinds.length === 0) this.fault(path, 'leaves nothing to press');
    if (isChat) this.learn(hash === path.address ? path : { address: hash, kinds: [] }, outcome);
    if (this.place && !isSame(this.place.outcome, outcome)) this.place = undefined;
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
