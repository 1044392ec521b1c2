/** The search of the chat: what is typed, what is offered, what it is narrowed by, and what it says where nothing is found. */
import type { Test } from 'tap';
import { go, isAccessible, isAt, textsOf, until, type Tab } from '../../harness/browser.js';

interface Scene {
  /** The owner's. */
  readonly here: Tab;
  /** A topic of a channel that both read, where the owner said `Who is there?` and Hamlet `Nay, answer me`. */
  readonly address: string;
}

const OFFERED = '#offers [role=option] .name';
const CHOSEN = '#offers [aria-selected=true]';
const VALUE = `document.querySelector('#search').value`;
const FOUND = '.message .content';

export async function searching(t: Test, { here, address }: Scene): Promise<void> {
  const { page } = here;
  /** Begins to search by the key for it. */
  const begin = async (): Promise<void> => {
    await go(here, address);
    // The field takes the focus when it is there.
    await until(here, `document.activeElement?.id === 'compose'`);
    await page.focus('.messages');
    await page.keyboard.press('/');
  };
  const finds = async (t: Test, ...texts: string[]): Promise<void> => {
    await until(here, `document.querySelectorAll('.message').length === ${texts.length}`);
    t.strictSame(await textsOf(here, FOUND), texts);
  };

  await t.test('a search finds what was said', async (t) => {
    await begin();
    await page.keyboard.type('"answer me"');
    await page.keyboard.press('Enter');
    await isAt(here, 'Search: "answer me"');
    await finds(t, 'Nay, answer me');
    await isAccessible(t, here, 'search');
  });

  await t.test('filters are completed by keys, shown, and left out by a click', async (t) => {
    await begin();
    t.ok((await textsOf(here, OFFERED)).includes('from:'), 'what there is, before one types');
    await page.keyboard.type('me fr');
    await until(here, `document.querySelector('${OFFERED}')?.textContent === 'from:'`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('ham');
    await until(here, `/Hamlet/.test(document.querySelector('${CHOSEN}')?.textContent)`);
    await isAccessible(t, here, 'search with offers');
    await page.keyboard.press('Enter');
    t.equal(await page.evaluate(VALUE), 'me from:Hamlet ');
    await page.keyboard.type('in:gen');
    await until(here, `/general/.test(document.querySelector('${CHOSEN}')?.textContent)`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('topic:castle');
    await page.keyboard.press('Enter');
    await isAt(here, 'Search: me from:Hamlet in:general topic:castle');
    await finds(t, 'Nay, answer me');
    t.strictSame(await textsOf(here, '.filters button'), [
      'from Hamlet ×',
      'in #general ×',
      'topic castle ×',
    ]);
    await isAccessible(t, here, 'search with filters');
    await page.click('.filters [aria-label="Leave out: from Hamlet"]');
    await isAt(here, 'Search: in:general topic:castle me');
  });

  await t.test('what a message has and is, and its day', async (t) => {
    const at = (text: string): Promise<void> =>
      go(here, `#/search/${encodeURIComponent(text)}`).then(() => isAt(here, `Search: ${text}`));
    await at('-from:me is:dm rotten');
    await finds(t, 'Something is rotten');
    await at('from:me is:dm rotten');
    await until(
      here,
      `/Nothing found/.test(document.querySelector('.messages .empty')?.textContent)`,
    );
    await at('answer after:2000-01-01');
    await finds(t, 'Nay, answer me');
    for (const text of ['answer before:2000-01-01', 'answer after:2999-01-01']) {
      await at(text);
      await until(here, `document.querySelector('.messages .empty')`);
      t.match(await textsOf(here, '.messages .empty'), [/^Nothing found for answer, \w+ Jan 1, 2/]);
    }
    await at('from:nobody');
    await until(
      here,
      `/Nobody is named nobody/.test(document.querySelector('.messages [role=alert]')?.textContent)`,
    );
  });

  await t.test('people and channels are found by their names, also by touch', async (t) => {
    await page.setViewport({ width: 320, height: 640, hasTouch: true, isMobile: true });
    await go(here, '#/home');
    await isAt(here, 'Inbox');
    await page.tap('#search');
    await page.keyboard.type('haml');
    await until(here, `/Hamlet/.test(document.querySelector('#offers')?.textContent)`);
    const overflow = `document.documentElement.scrollWidth - innerWidth`;
    t.equal(await page.evaluate(overflow), 0, 'the list is as wide as the screen at most');
    await page.tap('#offers [role=option]');
    await isAt(here, 'Hamlet');
    await go(here, '#/search/gener');
    await isAt(here, 'Search: gener');
    await until(here, `document.querySelector('.filters a')`);
    await page.tap('.filters a');
    await isAt(here, '#general');
    await page.setViewport({ width: 1280, height: 800 });
  });
}
