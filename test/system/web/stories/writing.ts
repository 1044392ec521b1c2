/** What helps who writes and who is away: mentions, preview, files, presence, notices, keys. */
import type { Test } from 'tap';
import {
  closeDialog,
  go,
  isAccessible,
  isAt,
  textsOf,
  until,
  type Tab,
} from '../../harness/browser.js';
import type { ApiClient } from '../../harness/client.js';

interface Scene {
  /** The owner's. */
  readonly here: Tab;
  /** Hamlet's. */
  readonly there: Tab;
  readonly owner: ApiClient;
  readonly hamlet: ApiClient;
  /** A topic of a channel that both read. */
  readonly address: string;
}

/** Puts a file into the text that is being written, as a drop from the desktop does. */
const DROP = `{
  const data = new DataTransfer();
  data.items.add(new File(['the play'], 'play.txt', { type: 'text/plain' }));
  const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector('.composer').dispatchEvent(drop);
}`;
/** A page that nobody looks at, in a browser that may show notices. */
const AWAY = `{
  window.notices = [];
  window.Notification = class {
    static permission = 'granted';
    constructor(title, { body }) { window.notices.push(title + ': ' + body); }
  };
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
}`;
const BACK = `{ delete document.visibilityState; }`;

export async function writing(t: Test, { here, there, owner, hamlet, address }: Scene) {
  const { page } = here;
  const value = `document.querySelector('#compose').value`;
  const press = (text: string): string =>
    `[...document.querySelectorAll('.composer button')].find((one) => one.textContent === '${text}').click()`;

  await t.test('a mention is completed, a draft is previewed, a file dropped', async (t) => {
    await go(here, address);
    await page.waitForSelector('#compose');
    await page.focus('#compose');
    await page.keyboard.type('Hear *this*, @ham');
    await until(here, `document.querySelector('.completions [role=option]')`);
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(value), 'Hear *this*, @**Hamlet** ');
    await page.evaluate(press('Preview'));
    await until(here, `document.querySelector('.composer .content .user-mention')`);
    t.match(await textsOf(here, '.composer .content em'), ['this']);
    await page.evaluate(press('Write'));
    await page.evaluate(DROP);
    await until(here, `/\\[play.txt\\]\\(/.test(${value})`);
    await page.focus('#compose');
    await page.keyboard.press('Enter');
    await until(there, `document.querySelector('.message.mentioned a[href*=play]')`);
  });

  await t.test('what opens on a message and at the cursor can be read by all', async (t) => {
    const own = `[...document.querySelectorAll('.message')].filter((one) => one.ariaLabel.startsWith('Owner'))`;
    // What is on its way to the server has no name yet.
    await until(here, `!document.querySelector('.outgoing')`);
    await page.evaluate(`${own}.at(-1).dispatchEvent(new MouseEvent('dblclick'))`);
    await page.evaluate(`document.querySelector('.message [aria-label=React]').click()`);
    // The text that is edited takes the focus when it is there.
    await until(
      here,
      `document.querySelector('.edit textarea:enabled') && document.querySelector('.picker')`,
    );
    await page.focus('#compose');
    await page.keyboard.type('@ham');
    await until(here, `document.querySelector('.completions')`);
    await isAccessible(t, here, 'writing');
    for (let i = 0; i < 4; i++) await page.keyboard.press('Backspace');
    await page.evaluate(`document.querySelector('.edit .plain').click()`);
  });

  await t.test('who is there is marked; who is away is told by a notice', async (t) => {
    const row = `[...document.querySelectorAll('.rows a')].find((one) => /Hamlet/.test(one.textContent))`;
    await until(here, `${row}.querySelector('.presence.active')`);
    await page.evaluate(AWAY);
    await hamlet.tell([owner.userId], 'Something is rotten');
    await until(here, `window.notices.length > 0`);
    t.same(await page.evaluate('window.notices'), ['Hamlet: Hamlet: Something is rotten']);
    await page.evaluate(BACK);
  });

  await t.test('keys find a channel, tell of themselves, and lead home', async (t) => {
    await page.evaluate(`document.activeElement.blur()`);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await isAccessible(t, here, 'keys');
    await closeDialog(here);
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.keyboard.type('haml');
    await page.keyboard.press('Enter');
    await isAt(here, 'Hamlet');
    await until(here, `document.querySelector('.message')`);
    // The field takes the focus when it is there.
    await until(here, `document.activeElement?.id === 'compose'`);
    await isAccessible(t, here, 'direct messages');
    await page.evaluate(`document.activeElement.blur()`);
    await page.keyboard.press('Escape');
    await isAt(here, 'Inbox');
  });
}
