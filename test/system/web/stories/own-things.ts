/** What people have of their own in the chat: pictures at full size, logins, bots, emoji, and the rights of a channel. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { HTTPRequest } from 'puppeteer-core';
import type { Test } from 'tap';
import { shownCode } from '../../../fixtures/authenticator.js';
import { BrowserSession } from '../../harness/browser-session.js';
import { closeDialog, go, isAccessible, until, type Tab } from '../../harness/browser.js';
import { ApiClient } from '../../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, storeFolder } from '../../harness/server.js';
import { upload } from '../../harness/uploading.js';

function pass(request: HTTPRequest): void {
  void request.continue();
}

/** Of a handle of the browser. */
interface FileInput {
  uploadFile(path: string): Promise<void>;
}

interface Scene {
  /** The owner's. */
  readonly here: Tab;
  readonly owner: ApiClient;
  readonly hamlet: ApiClient;
  /** Number of the channel `general`. */
  readonly channel: number;
}

export async function ownThings(t: Test, { here, owner, hamlet, channel }: Scene): Promise<void> {
  const { page } = here;
  const named = (name: string, within: string): string =>
    `[...document.querySelectorAll('${within} :is(button, a)')].find((one) => (one.ariaLabel ?? one.textContent.trim()).replaceAll(/[\\u2068\\u2069]/g, '') === ${JSON.stringify(name)})`;
  const press = async (name: string, within = 'dialog.part'): Promise<void> => {
    await until(here, `Boolean(${named(name, within)})`);
    await page.evaluate(`${named(name, within)}.click()`);
  };
  const says = (text: string): Promise<void> =>
    until(here, `document.querySelector('.snack')?.textContent.includes(${JSON.stringify(text)})`);
  const openPart = async (name: string): Promise<void> => {
    await press('Settings', '.self');
    await press(name);
    await until(here, `document.querySelector('dialog.part h2')?.textContent === '${name}'`);
  };
  const picture = (background: string): Promise<Buffer> =>
    sharp({ create: { width: 90, height: 60, channels: 3, background } })
      .png()
      .toBuffer();
  const file = join(storeFolder(t), 'skull.png');
  writeFileSync(file, await picture('white'));
  const choose = async (selector: string): Promise<void> => {
    const input = (await page.waitForSelector(selector)) as unknown as FileInput;
    await input.uploadFile(file);
  };
  await go(here, `#/channel/${channel}/pictures`);

  await t.test('pictures are shown at full size, one after the other, by keys', async (t) => {
    const links: string[] = [];
    for (const color of ['red', 'blue']) {
      const data = await picture(color);
      const { url } = await upload(owner, '/user_uploads', `${color} [wall].png`, data);
      links.push(String(url));
    }
    await owner.say(links.map((url) => `[wall](${url})`).join('\n'), 'general', 'pictures');
    const first = `.messages .content a[href="${links[0]}"]:has(img)`;
    await page.waitForSelector(`${first} img`);
    // At once: a thumbnail that has just been made takes the place of the one before it.
    await page.evaluate(`document.querySelector(${JSON.stringify(`${first} img`)}).click()`);
    const shows = (link: string, place: string): Promise<void> =>
      until(
        here,
        `(() => { const one = document.querySelector('.viewed img'); return one?.getAttribute('src') === '${link}' && one.naturalWidth === 90
          && document.querySelector('.viewer [role=status]').textContent === '${place}'; })()`,
      );
    await shows(links[0]!, '1 of 2');
    await isAccessible(t, here, 'viewer');
    await page.keyboard.press('ArrowRight');
    await shows(links[1]!, '2 of 2');
    await page.keyboard.press('+');
    await page.waitForSelector('.viewed .zoom-2');
    await page.keyboard.press('-');
    await page.waitForSelector('.viewed .zoom-1');
    await page.keyboard.press('ArrowLeft');
    await shows(links[0]!, '1 of 2');
    const download = `document.querySelector('.viewer a[download]').getAttribute('href')`;
    t.equal(await page.evaluate(download), links[0]);
    await closeDialog(here);
  });

  await t.test('Enter during an upload sends once the file has come', async (t) => {
    const held: HTTPRequest[] = [];
    const hold = (request: HTTPRequest): void => {
      if (request.url().includes('user_uploads')) held.push(request);
      else void request.continue();
    };
    await page.setRequestInterception(true);
    page.on('request', hold);
    await page.type('#compose', 'Alas');
    await choose('.composer [type=file]');
    await page.focus('#compose');
    await page.keyboard.press('Enter');
    await until(here, `/Sent when/.test(document.querySelector('.composer .buttons').textContent)`);
    t.equal(await page.evaluate(`document.querySelector('#compose').value`), 'Alas');
    page.off('request', hold);
    page.on('request', pass);
    for (const request of held) await request.continue();
    await until(here, `document.querySelector('#compose').value === ''`);
    const narrow = [{ operator: 'topic', operand: 'pictures' }];
    const newest = async (): Promise<string> => {
      const asked = { anchor: 'newest', num_before: 1, num_after: 0, narrow };
      const { messages } = await owner.ok('GET', '/messages', { ...asked, apply_markdown: false });
      return (messages as [{ content: string }])[0].content;
    };
    await until(
      here,
      `(() => { const one = [...document.querySelectorAll('.message[id]')].at(-1); return /Alas/.test(one.textContent) && one.querySelector('a'); })()`,
    );
    page.off('request', pass);
    await page.setRequestInterception(false);
    t.match(await newest(), /^Alas\n\[skull\.png\]\(\/user_uploads\//);
  });

  await t.test('who may write in a channel is decided in the chat', async (t) => {
    const write = { type: 'channel', to: channel, topic: 'pictures', content: 'May I?' };
    const allow = async (group: string): Promise<void> => {
      await page.waitForSelector('#can_send_message_group');
      const value = `[...document.querySelectorAll('#can_send_message_group option')].find((one) => one.textContent === '${group}').value`;
      await page.select('#can_send_message_group', String(await page.evaluate(value)));
      await says('Saved.');
    };
    await go(here, `#/channel/${channel}`);
    await press('More for this conversation', 'header');
    await press('Description and members …', 'dialog.menu');
    await page.waitForSelector('#can_send_message_group');
    await isAccessible(t, here, 'rights');
    await allow('moderators');
    t.match((await hamlet.call('POST', '/messages', write)).body, { result: 'error' });
    await allow('everyone');
    t.equal((await hamlet.call('POST', '/messages', write)).status, 200);
    await closeDialog(here);
  });

  await t.test('another browser is logged out, and the second factor turned off', async (t) => {
    const other = new BrowserSession(owner.url);
    await other.logIn(OWNER_EMAIL, OWNER_PASSWORD);
    t.equal((await other.call('GET', '/users/me')).status, 200);
    const { secret } = await owner.ok('POST', '/users/me/two_factor', { password: OWNER_PASSWORD });
    const code = shownCode(String(secret), Date.now());
    const { recovery_codes } = await owner.ok('PATCH', '/users/me/two_factor', { code });
    const codes = recovery_codes as string[];
    await openPart('Logins');
    await until(
      here,
      `/\\d+ recovery codes are left/.test(document.querySelector('dialog.part').textContent)`,
    );
    await isAccessible(t, here, 'logins');
    const { sessions } = await owner.ok('GET', '/users/me/sessions');
    const [{ device }] = sessions as [{ device: string }];
    await press(`Log out ${device}`);
    await says('Logged out there.');
    t.equal((await other.call('GET', '/users/me')).status, 401);
    await page.waitForSelector('#factor-password');
    await page.type('#factor-password', OWNER_PASSWORD);
    await page.type('#factor-code', codes[0]!);
    await page.keyboard.press('Enter');
    await says('Logins need no code any more.');
    t.match(await owner.ok('GET', '/users/me/two_factor'), { enabled: false });
    await closeDialog(here);
  });

  await t.test('an emoji of one’s own is added, and removed', async (t) => {
    const names = async (): Promise<string[]> => {
      const { emoji } = await owner.ok('GET', '/realm/emoji');
      return Object.values(emoji as Record<string, { name: string; deactivated: boolean }>)
        .filter(({ deactivated }) => !deactivated)
        .map(({ name }) => name);
    };
    await openPart('Own emoji');
    await page.waitForSelector('#emoji-name');
    await page.type('#emoji-name', 'Skull_1');
    await choose('#emoji-picture');
    await press('Add');
    await says(':skull_1: can be used now.');
    await page.waitForSelector('dialog.part li img.emoji');
    await isAccessible(t, here, 'own emoji');
    t.ok((await names()).includes('skull_1'));
    await press('Remove the emoji skull_1');
    await says(':skull_1: is offered no more.');
    t.notOk((await names()).includes('skull_1'));
    await closeDialog(here);
  });

  await t.test('a bot is made, shows its key, and is deactivated', async (t) => {
    await openPart('Your bots');
    await page.waitForSelector('#bot-name');
    await page.type('#bot-name', 'Gravedigger');
    await page.type('#bot-address', 'gravedigger');
    await press('Make');
    await says('is there, with its key');
    await page.waitForSelector('dialog.part li input');
    await isAccessible(t, here, 'bots');
    const key = String(await page.evaluate(`document.querySelector('dialog.part li input').value`));
    const address = String(
      await page.evaluate(`document.querySelector('dialog.part li small').textContent`),
    );
    const bot = new ApiClient(owner.url, address, key, 0);
    await bot.ok('GET', '/users/me');
    await press('Deactivate Gravedigger');
    await press('Deactivate');
    await says('is deactivated');
    t.equal((await bot.call('GET', '/users/me')).status, 401);
    await until(here, `/You have no bot/.test(document.querySelector('dialog.part')?.textContent)`);
    await closeDialog(here);
  });
}
