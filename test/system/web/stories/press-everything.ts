/**
 * Everything that can be pressed is pressed, and something comes of it: found by what takes the focus, not by a list. In
 * the chat, the console and the pages of visitors, in each direction of writing, in light and dark, at three widths.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { oneInTurn } from '../../../shares.js';
import { openTab } from '../../harness/browser.js';
import { fullScale } from '../../harness/scale.js';
import { storeFolder } from '../../harness/server.js';
import { PLACES } from './pressing/places.js';
import { Presser, type Way } from './pressing/presser.js';
import { Round } from './pressing/round.js';
import type { Scene } from './pressing/scene.js';
import { strangeIn } from './pressing/strange.js';

/** The chat asks before somebody leaves what is not kept yet: here, because the page is loaded anew. */
const LEAVES = /asks beforeunload/;
/** The part of things that may have gone when it is their turn. */
const MOST_GONE = 1 / 4;

/** How somebody sees a page, and presses. */
interface Reading {
  readonly way: Way;
  readonly who: keyof Scene['readers'];
  readonly width: number;
  readonly language: string;
  readonly scheme: 'light' | 'dark';
}

/** What each landing draws one of, and the night takes whole. */
const READINGS: readonly Reading[] = [
  { way: 'mouse', who: 'owner', width: 1440, language: 'en', scheme: 'light' },
  { way: 'keys', who: 'member', width: 768, language: 'de', scheme: 'dark' },
  { way: 'touch', who: 'guest', width: 320, language: 'ar', scheme: 'light' },
];
/** `PARLEY_TEST_SCALE=full`: each width with each scheme and direction. */
const ALL_READINGS: readonly Reading[] = READINGS.flatMap(({ way, who, width }) =>
  ['de', 'ar'].flatMap((language) =>
    (['light', 'dark'] as const).map((scheme) => ({ way, who, width, language, scheme })),
  ),
);

/** Of those, what landings draw from: the others press in the night alone, until all of them have been seen to pass there. */
const DRAWN = ['chat touch', 'console touch'];

export async function pressEverything(t: Test, browser: Browser): Promise<void> {
  const readings = fullScale ? ALL_READINGS : READINGS;
  const rounds = Object.entries(PLACES).flatMap(([name, places]) =>
    readings.map((reading) => ({ name, places, reading })),
  );
  const share = process.env['PARLEY_TEST_SHARE'];
  const isWhole = share === undefined || share === '' || share === 'all';
  const taken = isWhole
    ? rounds
    : oneInTurn(rounds.filter(({ name, reading }) => DRAWN.includes(`${name} ${reading.way}`)));
  // A browser takes up to two minutes for each.
  for (const { name, places, reading } of taken) {
    const { way, who, width, language, scheme } = reading;
    const title = `${name} by ${way}, ${width} pixels, ${language}, ${scheme}`;
    await t.test(title, async (t) => {
      const { server, reader, place, ground, least } = await places(t, who, language);
      const tab = await openTab(browser, `${server.url}/login/`);
      const isTouch = way === 'touch';
      await tab.page.setViewport({ width, height: 900, hasTouch: isTouch, isMobile: isTouch });
      await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await tab.page.setExtraHTTPHeaders({ 'Accept-Language': language });
      const file = join(storeFolder(t), 'qx-face.png');
      writeFileSync(file, PICTURE);
      const looked = { ...place, strange: strangeIn(language) };
      const presser = new Presser(tab, server.url, reader, way, looked, file);
      await presser.begin();
      const round = new Round(presser, ground);
      await round.run();
      await tab.page.browserContext().close();
      t.comment(`${round.pressed} things pressed; gone: ${round.gone.join('; ')}`);
      t.ok(round.pressed > least, `${round.pressed} things`);
      t.ok(round.gone.length < round.pressed * MOST_GONE, `${round.gone.length} that had gone`);
      t.same([...round.faults, ...tab.faults.filter((one) => !LEAVES.test(one))], []);
    });
  }
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
