/** What messages may have beside plain text, as the chat shows it. */
import sharp from 'sharp';
import type { Test } from 'tap';
import { closeDialog, go, isAccessible, textsOf, until, type Tab } from '../../harness/browser.js';
import type { ApiClient } from '../../harness/client.js';
import { upload } from '../../harness/uploading.js';

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
    await go(tab, `#/channel/${channel}/${topic}`);
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

  await t.test('every file of a message opens, by mouse and by keys, and plays', async (t) => {
    const picture = await sharp({ create: { width: 9, height: 7, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const addressOf = async (name: string, data: Buffer) =>
      `[${name}](${String((await upload(hamlet, '/user_uploads', name, data)).url)})`;
    const files = [
      await addressOf('skull & 50%.txt', Buffer.from('Alas')),
      await addressOf('wall.png', picture),
      await addressOf('ghost.mp4', Buffer.from('no film')),
    ];
    await hamlet.say(files.join(' and '), 'general', 'files');
    await go(tab, `#/channel/${channel}/files`);
    await until(tab, `document.querySelector('.content img')?.naturalWidth > 0`);
    t.equal(await page.evaluate(`document.querySelector('.content video').controls`), true);
    const links = `[...document.querySelectorAll('.content a')]`;
    const count = Number(await page.evaluate(`${links}.length`));
    // Three names and the thumbnail.
    t.equal(count, 4);
    for (let i = 0; i < count; i++) {
      const target = String(await page.evaluate(`${links}[${i}].href`));
      // A picture is shown here first.
      const isPicture = await page.evaluate(`${links}[${i}].querySelector('img') !== null`);
      await page.evaluate(`${links}[${i}].focus()`);
      if (isPicture) {
        await page.keyboard.press('Enter');
        await page.waitForSelector(`.viewed img[src="${new URL(target).pathname}"]`);
        await closeDialog(tab);
        continue;
      }
      const opens = page.browser().waitForTarget((one) => one.url() === target);
      if (i % 2 === 0) await page.keyboard.press('Enter');
      else await (await page.$$('.content a'))[i]!.click();
      const opened = (await (await opens).page())!;
      const shown = opened.waitForFunction(
        `document.body && (document.body.innerText === 'Alas' || document.images[0]?.naturalWidth === 9 ||
          document.querySelector('video'))`,
      );
      await t.resolves(shown, target);
      await opened.close();
    }
    t.strictSame(tab.faults, []);
  });

  await t.test('a poll is voted in, and shows the votes of others at once', async (t) => {
    const id = await hamlet.say('/poll Which wall first?\nNorth\nSouth', 'general', 'poll');
    await go(tab, `#/channel/${channel}/poll`);
    const votes = `[...document.querySelectorAll('.poll button')].map((one) => one.textContent).join('; ')`;
    const show = (text: string) => until(tab, `${votes} === '${text}'`);
    await show('North 0 votes; South 0 votes');
    t.strictSame(await textsOf(tab, '.poll legend'), ['Which wall first?']);
    await page.click('.poll button');
    await show('North 1 vote; South 0 votes');
    const act = (content: object) =>
      hamlet.ok('POST', '/submessage', { message_id: id, msg_type: 'widget', content });
    await act({ type: 'vote', key: 'canned,0', vote: 1 });
    await act({ type: 'new_option', idx: 1, option: 'West' });
    await show('North 2 votes; South 0 votes; West 0 votes');
    t.strictSame(await textsOf(tab, '.poll [aria-pressed=true] .name'), ['North']);
    await isAccessible(t, tab, 'poll');
    await page.click('.poll button');
    await show('North 1 vote; South 0 votes; West 0 votes');
    t.strictSame(tab.faults, []);
  });
}
