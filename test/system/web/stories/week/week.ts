/** Two people live in the chat for a week: one at a desk, one with a phone, through three kills of the server. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { accessibilityFaults, logIn, openTab } from '../../../harness/browser.js';
import { ApiClient } from '../../../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../../harness/server.js';
import { aboutOneself, inOwnLanguage, withOthers } from './later-days.js';
import { channelsAndPeople } from './channels.js';
import { comes, Person } from './hands.js';

const PASSWORD = 'willow-anchor-hamlet-47';
/** More than a tall screen shows. */
const LINES = 40;

export interface Week {
  readonly desk: Person;
  readonly phone: Person;
  readonly ophelia: ApiClient;
  readonly url: string;
  /** Kills the server, does something while it is away, and starts it again. */
  readonly killed: (meanwhile: () => Promise<void>) => Promise<void>;
  /** Finds nothing wrong for who does not read by eye. */
  readonly accessible: (t: Test, person: Person, what: string) => Promise<void>;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

export async function workingWeek(t: Test, browser: Browser): Promise<void> {
  let server = await RunningServer.start(t, { args: ['--port', await freePort()] });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const [hamlet, ophelia] = [await owner.createUser('hamlet'), await owner.createUser('ophelia')];
  const call = { video_chat_provider: 1, jitsi_server_url: 'https://meet.example.org' };
  await owner.ok('PATCH', '/realm', call);
  const [desk, phone] = await Promise.all(
    [owner, hamlet].map(async (api) => {
      const tab = await openTab(browser, `${server.url}/`);
      const isDesk = api === owner;
      await tab.page.setViewport(
        isDesk ? { width: 1280, height: 800 } : { width: 390, height: 844 },
      );
      await logIn(tab, api.email, isDesk ? OWNER_PASSWORD : PASSWORD);
      const person = new Person(tab, api);
      await person.watch();
      return person;
    }),
  );
  const week: Week = {
    desk: desk!,
    phone: phone!,
    ophelia,
    url: server.url,
    killed: async (meanwhile) => {
      await server.kill();
      for (const one of [desk!, phone!]) await one.see(`document.querySelector('.away')`);
      await meanwhile();
      server = await server.restart(t);
      for (const one of [desk!, phone!]) await one.see(`!document.querySelector('.away')`);
    },
    accessible: async (t, { tab }, what) => {
      for (const value of ['light', 'dark']) {
        await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        t.strictSame(await accessibilityFaults(tab), [], `${what}, ${value}`);
      }
    },
  };
  await reading(t, week);
  await messages(t, week);
  await channelsAndPeople(t, week);
  await withOthers(t, week);
  await inOwnLanguage(t, week);
  await aboutOneself(t, week);
  await lastDay(t, week);
}

/** Read is what was in sight, and nothing else. */
async function reading(t: Test, { desk, phone, killed, accessible }: Week): Promise<void> {
  await t.test(
    'who opens a conversation begins at what is new, and reads what they see',
    async (t) => {
      const ids: number[] = [];
      for (let line = 0; line < LINES; line++) {
        ids.push(await phone.api.say(`line ${line}`, 'general', 'wall'));
      }
      await desk.see(
        `[...document.querySelectorAll('.inbox a')].some((one) => /Hamlet: line ${LINES - 1}/.test(one.textContent))`,
      );
      await accessible(t, desk, 'inbox');
      await desk.look(
        `[...document.querySelectorAll('.inbox a')].find((one) => /wall/.test(one.textContent)).click()`,
      );
      await desk.at('#general › wall');
      await desk.see(
        `document.querySelector('.new-line')?.nextElementSibling?.id === 'message-${ids[0]}'`,
      );
      const inSight = `(() => {
      const { bottom } = document.querySelector('.messages').getBoundingClientRect();
      return [...document.querySelectorAll('.message')].filter((one) => one.getBoundingClientRect().bottom <= bottom + 1).length;
    })()`;
      await desk.see(`document.querySelectorAll('.message').length > 20`);
      // The rest is still unread, here and on the server.
      await comes('what is in sight is read, and the rest is not', async () => {
        const left = (await desk.unread()).filter((id) => ids.includes(id)).length;
        return left === LINES - Number(await desk.look(inSight));
      });
      t.ok(Number(await desk.look(inSight)) < LINES, 'the window shows a part');
      await desk.press('↓ Newest');
      await desk.shows(`line ${LINES - 1}`);
      await desk.press('↑ First unread');
      await desk.see(`!/First unread/.test(document.querySelector('.jumps').textContent)`);
      // While the server is away one reads on; it hears of it afterwards.
      await killed(async () => {
        await desk.press('↓ Newest');
        await desk.shows(`line ${LINES - 1}`);
      });
      const isUnread = async (): Promise<boolean> => (await desk.unread()).includes(ids.at(-1)!);
      await comes('the last line is read', async () => !(await isUnread()));
      await desk.chooseOn(ids.at(-2)!, 'Mark as unread from here');
      await comes('the last line is unread again', isUnread);
      await desk.see(
        `document.querySelector('.new-line')?.nextElementSibling?.id === 'message-${ids.at(-2)}'`,
      );
      t.ok((await desk.unread()).includes(ids.at(-2)!), 'what stays in sight stays unread');
      await desk.go('#/home');
      await desk.see(`/2 unread/.test(document.querySelector('.inbox').textContent)`);
      await desk.api.ok('PATCH', '/settings', { web_mark_read_on_scroll_policy: 3 });
    },
  );
}

/** What is done with messages. */
async function messages(t: Test, { desk, phone, accessible, url }: Week): Promise<void> {
  await t.test(
    'quote, link, delete, resolve; what is too long is refused before it is sent',
    async (t) => {
      const { stream_id: general } = await desk.api.ok('GET', '/get_stream_id', {
        stream: 'general',
      });
      const at = `#/channel/${String(general)}/gate`;
      for (const one of [desk, phone]) await one.go(at);
      await phone.write('Who is there?');
      await desk.shows('Who is there?');
      const [id] = (await desk.all()).slice(-1).map((one) => one.id);
      await desk.press('Quote', `#message-${id}`);
      await desk.see(
        `/said.*\\n\`\`\`quote\\nWho is there\\?\\n\`\`\`\\n$/s.test(document.querySelector('#compose').value)`,
      );
      await desk.write('Nay, answer me');
      await phone.see(
        `document.querySelector('.message blockquote')?.textContent.trim() === 'Who is there?'`,
      );
      t.equal(
        await desk.look(`document.activeElement.id`),
        'compose',
        'the focus stays where one writes',
      );

      await phone.look(
        `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }`,
      );
      await phone.chooseOn(id!, 'Copy link');
      await phone.see('window.copied');
      const link = String(await phone.look('window.copied'));
      t.equal(link, `${url}/#narrow/channel/${String(general)}-general/topic/gate/near/${id}`);
      await phone.go('#/home');
      await phone.go(new URL(link).hash);
      await phone.see(`document.activeElement?.id === 'message-${id}'`);

      await desk.write('A word too much');
      await phone.shows('A word too much');
      const [gone] = (await desk.all()).slice(-1).map((one) => one.id);
      // Who does not see the page finds its parts by role and name.
      for (const part of [
        ...['Conversations[role="navigation"]', 'Messages[role="region"]'],
        ...['Search all messages[role="searchbox"]', 'Message to #general › gate[role="textbox"]'],
        'More for this conversation[role="button"]',
      ]) {
        t.ok(await desk.tab.page.$(`aria/${part}`), part);
      }
      await desk.tab.page.emulateMediaFeatures([
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      t.equal(
        await desk.look(`getComputedStyle(document.querySelector('.actions')).transitionDuration`),
        '0s',
      );
      await desk.chooseOn(gone!, 'Delete');
      await accessible(t, desk, 'question');
      await desk.press('Cancel', 'dialog');
      await desk.chooseOn(gone!, 'Delete');
      await desk.press('Delete', 'dialog.part');
      await phone.see(`!document.querySelector('#message-${gone}')`);

      const { length } = await desk.all();
      await desk.fill('#compose', 'x'.repeat(10_001));
      await desk.tab.page.focus('#compose');
      await desk.key('Enter');
      await desk.see(
        `/Too long by 1 character\\..*10,001 of 10,000/.test(document.querySelector('.composer').textContent)`,
      );
      t.equal(await desk.look(`document.querySelector('.outgoing')`), null);
      await desk.fill('#compose', '');
      t.equal((await desk.all()).length, length, 'nothing was sent');

      await desk.choose('Mark as resolved');
      for (const one of [desk, phone]) {
        await one.see(`/✔ gate/.test(document.querySelector('.title h1').textContent)`);
        await one.see(
          `/resolved/.test([...document.querySelectorAll('.message')].at(-1)?.textContent)`,
        );
      }
    },
  );
}

/** Both write at once while the server is killed; then all is counted. */
async function lastDay(t: Test, { desk, phone, killed }: Week): Promise<void> {
  await t.test('nothing is lost, doubled, or marked as read unseen', async (t) => {
    const { stream_id: general } = await desk.api.ok('GET', '/get_stream_id', {
      stream: 'general',
    });
    for (const one of [desk, phone]) await one.go(`#/channel/${String(general)}/friday`);
    await killed(async () => {
      for (const [name, one] of [
        ['desk', desk],
        ['phone', phone],
      ] as const) {
        for (let line = 0; line < 3; line++) await one.write(`${name} ${line}`);
      }
    });
    const texts = `[...document.querySelectorAll('.message .content')].map((one) => one.textContent.trim())`;
    for (const one of [desk, phone]) {
      await one.see(`${texts}.length >= 6 && !document.querySelector('.outgoing')`);
      const shown = (await one.look(texts)) as string[];
      for (const name of ['desk', 'phone']) {
        t.same(
          shown.filter((text) => text.startsWith(name)).sort(),
          [0, 1, 2].map((line) => `${name} ${line}`),
        );
      }
      const stored = (await one.all()).map(({ content }) => content);
      t.same(stored.slice(-6), shown, 'the server has them in this order');
    }
    for (const one of [desk, phone]) {
      const seen = await one.seen();
      t.ok(seen.size > 10, 'many were seen');
      const unseen = (await one.all()).filter(
        ({ id, flags, sender_id }) =>
          flags.includes('read') && sender_id !== one.api.userId && !seen.has(id),
      );
      t.same(unseen, [], 'marked as read is what was seen');
      t.same(one.tab.faults, []);
    }
  });
}
