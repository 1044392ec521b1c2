/** What messages may have beside plain text, as the chat shows it. */
import type { Test } from 'tap';
import { isAccessible, textsOf, until, type Tab } from '../../harness/browser.js';
import type { ApiClient } from '../../harness/client.js';

interface Scene {
  readonly tab: Tab;
  readonly hamlet: ApiClient;
  /** Of a channel that both read. */
  readonly channel: number;
}

const TABLE = [
  '| Wall | Height | When it was built | What it cost |',
  '|---|:-:|--:|---|',
  '| Northernmost | 10 m | 1601 | 10,000 ducats |',
].join('\n');

export async function richMessages(t: Test, { tab, hamlet, channel }: Scene): Promise<void> {
  const { page } = tab;
  const topic = 'rich';
  const say = (text: string) => hamlet.say(text, 'general', topic);

  await t.test('tables, spoilers, deeds and Hebrew on a phone', async (t) => {
    await say(TABLE);
    await say('```spoiler The end\nEverybody dies.\n```');
    await say('/me sighs');
    await say('שלום castle');
    await say('$$\\int_0^1 x\\,dx$$');
    await say('W'.repeat(400));
    await page.setViewport({ width: 390, height: 844 });
    await page.evaluate(`location.hash = '#/channel/${channel}/${topic}'`);
    await until(tab, `document.querySelectorAll('.message').length === 6`);
    const look = (expression: string) => page.evaluate(expression);

    t.equal(await look(`document.querySelector('.wide th').getClientRects().length`), 1);
    const lines = `document.querySelector('.wide td').clientHeight`;
    t.ok(Number(await look(lines)) < 60, 'words of a table stay whole');
    const wide = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`;
    t.equal(await look(`${wide}(document.querySelector('.wide'))`), true, 'it is scrolled');
    t.equal(await look(`${wide}(document.documentElement)`), false, 'the page is not');
    t.equal(
      await look(`getComputedStyle(document.querySelectorAll('.wide th')[1]).textAlign`),
      'center',
    );

    const end = `[...document.querySelectorAll('.content p')].find((one) => /dies/.test(one.textContent))`;
    t.equal(await look(`${end}.checkVisibility()`), false);
    await page.focus('.content summary');
    await page.keyboard.press('Enter');
    await until(tab, `${end}.checkVisibility()`);

    t.equal((await textsOf(tab, '.message .content'))[2], 'Hamlet sighs');
    const direction = (index: number): string =>
      `getComputedStyle(document.querySelectorAll('.message .content')[${index}].firstChild).direction`;
    t.equal(await look(direction(3)), 'rtl');
    t.equal(await look(direction(5)), 'ltr');
    await isAccessible(t, tab, 'rich messages');
    t.strictSame(tab.faults, []);
  });
}
