/** The chat at `/`, in Chromium: two people in browsers of their own. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import type { Test } from 'tap';
import { LANGUAGES } from '../../../../src/languages/languages.js';
import { codeOfCharacters, emojiCode } from '../../../../src/services/text/emoji.js';
import { ApiClient } from '../../harness/client.js';
import {
  closeDialog,
  go,
  isAccessible,
  isAt,
  logIn,
  openTab,
  textsOf,
  until,
  type Tab,
} from '../../harness/browser.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../harness/server.js';
import { firstMonth } from './first-month.js';
import { ownThings } from './own-things.js';
import { richMessages } from './rich-messages.js';
import { searching } from './searching.js';
import { writing } from './writing.js';

/**
 * What the chat may weigh as browsers get it, with its messages in one language and without what it fetches once it is
 * drawn (`later/open.ts`). Bytes: some 50,300 in Arabic, the longest. It was 46,000 before searches had filters (2,300 with
 * their words), before messages moved, waited for their time and were hidden (900: menus and words of what opens), and
 * before there were the viewer, logins, bots, emoji and rights (1,000: their words).
 */
const MOST_BYTES = 51 * 1000;
const TEXTS = '.message .content, .outgoing p';

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

/** Writes into the conversation that is open. */
async function write({ page }: Tab, text: string): Promise<void> {
  await page.focus('#compose');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Waits until a conversation shows these texts, and nothing else. */
async function shows(tab: Tab, texts: readonly string[]): Promise<string[]> {
  await until(tab, `document.querySelectorAll(${JSON.stringify(TEXTS)}).length >= ${texts.length}`);
  await until(tab, `!document.querySelector('.outgoing')`);
  return textsOf(tab, TEXTS);
}

/** The button of a message, by its name. */
function button(id: number, name: string): string {
  return `#message-${id} button[aria-label="${name}"]`;
}

/** Holds back the first answer from an address. @returns once it is there: lets it through */
async function heldAnswer(
  page: Page,
  urlPattern: string,
): Promise<{ come: Promise<() => Promise<void>> }> {
  const session = await page.createCDPSession();
  await session.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] });
  const come = new Promise<() => Promise<void>>((resolve) => {
    session.once('Fetch.requestPaused', ({ requestId }) => {
      resolve(async () => {
        await session.send('Fetch.continueRequest', { requestId });
        await session.send('Fetch.disable');
      });
    });
  });
  return { come };
}

export async function twoPeopleChat(t: Test, browser: Browser): Promise<void> {
  const whole = t;
  const server = await RunningServer.start(t, { args: ['--port', await freePort()] });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  const isHamlets = ({ user_id }: { user_id: number }): boolean => user_id === hamlet.userId;
  const [here, there] = await Promise.all([
    openTab(browser, `${server.url}/`),
    openTab(browser, `${server.url}/`),
  ]);
  const accessible = (t: Test, view: string): Promise<void> => isAccessible(t, here, view);

  await t.test(
    'a visitor finds the page of the server and a form; a wrong password is told',
    async (t) => {
      t.match(await textsOf(here, '#visitor'), [/Log in with an app of your choice/]);
      await accessible(t, 'visitor');
      await here.page.type('#username', OWNER_EMAIL);
      await here.page.type('#password', 'wrong');
      await here.page.click('#login button');
      await until(here, `document.querySelector('[role=alert]')`);
      await here.page.goto(`${server.url}/login/?email=zoe%40example.org`);
      await here.page.waitForSelector('#username');
      const [first] = await textsOf(here, '#visitor main > p');
      t.equal(first, 'zoe@example.org has an account already.');
      t.equal(
        await here.page.evaluate(`document.querySelector('#username').value`),
        'zoe@example.org',
      );
      await here.page.goto(`${server.url}/`);
      await here.page.waitForSelector('#username');
      await Promise.all([
        logIn(here, OWNER_EMAIL, OWNER_PASSWORD),
        logIn(there, hamlet.email, 'willow-anchor-hamlet-47'),
      ]);
      await accessible(t, 'inbox');
    },
  );

  const { stream_id: channel } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const address = `#/channel/${String(channel)}/castle`;
  const said: string[] = [];

  await t.test('what one writes the other reads at once, and sees who types', async (t) => {
    for (const tab of [here, there]) {
      await go(tab, address);
      await tab.page.waitForSelector('#compose');
    }
    await here.page.type('#compose', 'Who is there?');
    await until(there, `/Owner is typing/.test(document.querySelector('.typing').textContent)`);
    await here.page.keyboard.press('Enter');
    said.push('Who is there?');
    t.strictSame(await shows(there, said), said);
    await write(there, 'Nay, answer me');
    said.push('Nay, answer me');
    t.strictSame(await shows(here, said), said);
    await accessible(t, 'conversation');
  });

  await t.test(
    'nothing is lost or doubled when the server is killed and the transport changed',
    async (t) => {
      await server.kill();
      await until(
        here,
        `/No connection/.test(document.querySelector('.sidebar footer').textContent)`,
      );
      await write(here, 'While the server is away');
      said.push('While the server is away');
      await until(here, `document.querySelector('.outgoing')`);
      t.match(await textsOf(here, '.outgoing'), [/sending/]);
      await server.restart(whole);
      t.strictSame(await shows(here, said), said);
      t.strictSame(await shows(there, said), said);
      await there.page.click('[aria-label="Help and keys"]');
      await there.page.waitForSelector('dialog[open] summary');
      await there.page.click('dialog summary');
      for (const transport of ['poll', 'stream']) {
        await there.page.select('#transport', transport);
        await write(here, `By ${transport}`);
        said.push(`By ${transport}`);
        t.strictSame(await shows(there, said), said, transport);
        // What carries the events, the console shows. A client that polls is away for moments.
        for (let seen: { user_id: number }[] = []; !seen.some(isHamlets);) {
          const asked = { with_queues: true, queue_filter: transport };
          seen = (await owner.ok('GET', '/realm/console', asked)).queues as { user_id: number }[];
        }
      }
      t.match(await textsOf(there, '.transport'), ['Live by server-sent events']);
      await closeDialog(there);
    },
  );

  await t.test('reactions, edits and stars are seen where they should be', async (t) => {
    const [id] = (
      (
        await owner.ok('GET', '/messages', {
          anchor: 'newest',
          num_before: 1,
          num_after: 0,
        })
      ).messages as { id: number }[]
    )
      .map((one) => one.id)
      .slice(-1);
    await there.page.hover(`#message-${id}`);
    await there.page.click(button(id!, 'React'));
    await until(there, `document.querySelector('.picker')`);
    const offered = await textsOf(there, '.picker button');
    for (const shown of offered) {
      const label = `[...document.querySelectorAll('.picker button')].find((one) => one.textContent === '${shown}').ariaLabel`;
      const name = String(await there.page.evaluate(label));
      t.equal(emojiCode(name), codeOfCharacters(shown), `${name} is what is pressed`);
    }
    t.equal(offered.length, 6);
    await there.page.click('.picker button[aria-label=tada]');
    await here.page.waitForSelector(`#message-${id} .reactions button[aria-label="tada, 1"]`);
    await here.page.focus('#compose');
    await here.page.keyboard.press('ArrowUp');
    await until(here, `document.querySelector('.edit textarea')?.value === 'By stream'`);
    await here.page.keyboard.press('End');
    await here.page.keyboard.type(', edited');
    await here.page.keyboard.press('Enter');
    said[said.length - 1] = 'By stream, edited';
    await until(there, `/edited/.test(document.querySelector('#message-${id}').textContent)`);
    t.strictSame(await shows(there, said), said);
    await here.page.focus(`#message-${id}`);
    await here.page.keyboard.press('s');
    await here.page.waitForSelector(`#message-${id} button[aria-label=Star][aria-pressed=true]`);
    await go(here, '#/starred');
    await isAt(here, 'Starred messages');
    await until(here, `document.querySelectorAll('.message').length === 1`);
    await accessible(t, 'starred');
  });

  await t.test('direct messages are unread until they are looked at', async (t) => {
    const row = `[...document.querySelectorAll('.rows a')].find((one) => /Hamlet/.test(one.textContent))`;
    await hamlet.tell([owner.userId], 'A word, my lord');
    await until(here, `/1 unread/.test(${row}.textContent)`);
    await here.page.keyboard.press('n');
    await isAt(here, 'Hamlet');
    t.equal(await here.page.evaluate('location.hash'), `#/direct/${hamlet.userId}`);
    await until(here, `!/unread/.test(${row}.textContent)`);
    await until(here, `document.querySelector('.message')`);
    t.strictSame(await textsOf(here, '.message .content'), ['A word, my lord']);
  });

  await t.test('history is loaded as one scrolls up, without a jump', async (t) => {
    for (let index = 0; index < 120; index++) await hamlet.say(`line ${index}`, 'general', 'long');
    await go(here, `#/channel/${String(channel)}/long`);
    // What is new begins at the top; the newest are asked for.
    await until(here, `document.querySelector('.new-line')`);
    const newest = `[...document.querySelectorAll('.jumps button')].find((one) => /Newest/.test(one.textContent))`;
    await until(here, `${newest} && (${newest}.click(), true)`);
    const texts = `[...document.querySelectorAll('.message .content')].map((one) => one.textContent.trim())`;
    await until(here, `${texts}.at(-1) === 'line 119' && ${texts}.length >= 50`);
    const top = `document.querySelector('.messages')`;
    for (const count of [100, 120]) {
      const isThere = `document.querySelectorAll('.message').length >= ${count}`;
      // Again and again, as people do: what is being drawn may take the view to its end once more.
      await until(here, `${isThere} || (${top}.scrollTop = 0, false)`);
    }
    t.strictSame(
      await textsOf(here, '.message .content'),
      Array.from({ length: 120 }, (_, index) => `line ${index}`),
    );
    t.ok(Number(await here.page.evaluate(`${top}.scrollTop`)) > 0, 'what was read stays in sight');
  });

  await t.test('a file that is pasted is uploaded and shown', async () => {
    await go(here, address);
    await here.page.waitForSelector('#compose');
    await here.page.evaluate(`{
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 8;
      canvas.toBlob((blob) => {
        const data = new DataTransfer();
        data.items.add(new File([blob], 'square.png', { type: 'image/png' }));
        const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.querySelector('#compose').dispatchEvent(paste);
      });
    }`);
    await until(here, `/square.png\\]\\(/.test(document.querySelector('#compose').value)`);
    await here.page.focus('#compose');
    await here.page.keyboard.press('Enter');
    await until(
      there,
      `[...document.querySelectorAll('.content img')].some((one) => one.naturalWidth > 0)`,
    );
  });

  await writing(t, { here, there, owner, hamlet, address });
  await richMessages(t, { tab: here, hamlet, channel: Number(channel) });

  await searching(t, { here, address });
  await firstMonth(t, { here, owner, hamlet, channel: Number(channel) });
  await ownThings(t, { here, owner, hamlet, channel: Number(channel) });

  // Whether a page may load the module of refusals, a browser alone can tell.
  await t.test('a refusal is in the language of the page, from the login on', async (t) => {
    const tab = await openTab(browser, `${server.url}/`);
    await tab.page.setExtraHTTPHeaders({ 'Accept-Language': 'de' });
    await tab.page.goto(`${server.url}/`);
    await tab.page.type('#username', OWNER_EMAIL);
    await tab.page.type('#password', 'wrong');
    await tab.page.click('#login button');
    await until(tab, `document.querySelector('#login [role="alert"]')`);
    t.strictSame(await textsOf(tab, '#login [role="alert"]'), [
      'Benutzername oder Passwort ist falsch.',
    ]);
    t.strictSame(tab.faults, []);
    await tab.page.close();
  });

  await t.test(
    'the page weighs little, is cached for ever, and fetches nothing else',
    async (t) => {
      for (const language of Object.keys(LANGUAGES)) {
        const headers = { 'Accept-Language': language, 'Accept-Encoding': 'br, gzip' };
        const page = await (await fetch(`${server.url}/`, { headers })).text();
        const files = [...page.matchAll(/(?:href|src)="(\/web\/[^"]+)"/g)].map(([, file]) => file!);
        t.equal(files.length, 4, 'style, script in two parts, and the messages of one language');
        let bytes = 0;
        for (const file of files) {
          const response = await fetch(`${server.url}${file}`, { headers });
          t.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
          t.equal(response.headers.get('content-encoding'), 'br');
          const length = Number(response.headers.get('content-length'));
          t.ok(length > 1000 && length < (await response.text()).length);
          bytes += length;
        }
        t.ok(bytes <= MOST_BYTES, `${bytes} bytes in ${language}`);
      }
      t.strictSame([...here.faults, ...there.faults], []);
    },
  );

  await t.test(
    'all people come once something is drawn; what is heard meanwhile is newer',
    async (t) => {
      await owner.createUser('ophelia');
      const page = await here.page.browserContext().newPage();
      const tab: Tab = { page, faults: here.faults };
      const { come } = await heldAnswer(page, '*/json/users\\?*');
      await page.goto(`${server.url}/`);
      const goOn = await come;
      const names = (): Promise<string[]> => textsOf(tab, '.sidebar .rows .face + .name');
      t.strictSame(
        await names(),
        ['Hamlet', 'Owner (you)'],
        'only whom the reader talked to is there',
      );
      await owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Prince' });
      const shown = (name: string): string =>
        `[...document.querySelectorAll('.sidebar .name')].some((one) => one.textContent === '${name}')`;
      await until(tab, shown('Prince'));
      await goOn();
      await until(tab, shown('Ophelia'));
      t.ok((await names()).includes('Prince'));
      await page.close();
    },
  );

  await t.test('who logs out is a visitor', async () => {
    await here.page.click('.self [aria-label=More]');
    await here.page.evaluate(`[...document.querySelectorAll('dialog button')].at(-1).click()`);
    await here.page.waitForSelector('#username');
  });
}
