/** What a team does in its first month: moving, looking back, planning, and keeping people at a distance. */
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
  readonly owner: ApiClient;
  readonly hamlet: ApiClient;
  /** Number of the channel `general`. */
  readonly channel: number;
}

const VALUE = `document.querySelector('#compose').value`;

export async function firstMonth(t: Test, { here, owner, hamlet, channel }: Scene): Promise<void> {
  const { page } = here;
  const topic = (name: string): string => `#/channel/${channel}/${encodeURIComponent(name)}`;
  const named = (name: string, within: string): string =>
    `[...document.querySelectorAll('${within} :is(button, [role=option])')].find((one) => (one.ariaLabel ?? one.textContent.trim()) === ${JSON.stringify(name)})`;
  const press = async (name: string, within = 'body'): Promise<void> => {
    await until(here, `Boolean(${named(name, within)})`);
    await page.evaluate(`${named(name, within)}.click()`);
  };
  const ofMessage = async (id: number, item: string): Promise<void> => {
    await press('More', `#message-${id}`);
    await press(item, 'dialog.menu');
  };
  const says = (text: string): Promise<void> =>
    until(here, `document.querySelector('.snack')?.textContent.includes(${JSON.stringify(text)})`);
  const inDialog = (pattern: RegExp): Promise<void> =>
    until(here, `${String(pattern)}.test(document.querySelector('dialog.part')?.textContent)`);
  const fill = async (selector: string, text: string): Promise<void> => {
    await page.waitForSelector(selector);
    await page.evaluate(`document.querySelector('${selector}').value = ''`);
    await page.type(selector, text);
  };
  const topicOf = async (id: number): Promise<string> => {
    const { message } = await owner.ok('GET', `/messages/${id}`);
    return (message as { subject: string }).subject;
  };

  await t.test(
    'one message moves by keys, then the whole topic; what it was is told',
    async (t) => {
      const stays = await owner.say('The first watch', 'general', 'watch');
      const goes = await owner.say('The second watch', 'general', 'watch');
      await owner.ok('PATCH', `/messages/${goes}`, { content: 'The last watch' });
      await go(here, topic('watch'));
      await page.waitForSelector(`#message-${goes}`);
      await ofMessage(goes, 'Move …');
      await page.waitForSelector('#move-topic');
      await isAccessible(t, here, 'move');
      await until(here, `${named('Move', 'dialog.part')}.disabled`);
      await fill('#move-topic', 'night');
      await page.keyboard.press('Enter');
      await says('Moved.');
      await until(here, `!document.querySelector('#message-${goes}')`);
      t.strictSame([await topicOf(stays), await topicOf(goes)], ['watch', 'night']);

      await press('More for this conversation');
      await press('Rename or move topic', 'dialog.menu');
      await fill('#move-topic', 'day');
      await press('Move', 'dialog.part');
      await isAt(here, '#general › day');
      t.equal(await topicOf(stays), 'day');

      await go(here, topic('night'));
      await page.waitForSelector(`#message-${goes}`);
      await ofMessage(goes, 'Earlier versions …');
      await inDialog(/Topic before: \u2068?watch.*The second watch/s);
      await isAccessible(t, here, 'earlier versions');
      await closeDialog(here);
    },
  );

  await t.test('who has read a message', async (t) => {
    const id = await owner.say('Read this', 'general', 'night');
    await page.waitForSelector(`#message-${id}`);
    await ofMessage(id, 'Who has read it …');
    await inDialog(/Nobody has read it yet/);
    await closeDialog(here);
    await hamlet.ok('POST', '/messages/flags', { messages: [id], op: 'add', flag: 'read' });
    await ofMessage(id, 'Who has read it …');
    await inDialog(/1 person has read it.*Hamlet/s);
    await isAccessible(t, here, 'readers');
    await closeDialog(here);
  });

  await t.test(
    'a text is sent later, changed and taken back; a reminder, too, by touch',
    async (t) => {
      const planned = async () =>
        (await owner.ok('GET', '/scheduled_messages')).scheduled_messages as {
          content: string;
          topic: string;
        }[];
      await page.setViewport({ width: 320, height: 640, hasTouch: true, isMobile: true });
      // The browser loads the page anew for another kind of screen.
      await page.waitForSelector('#compose');
      await page.type('#compose', 'For tomorrow');
      const overflow = `document.documentElement.scrollWidth - innerWidth`;
      t.equal(await page.evaluate(overflow), 0);
      await page.tap('.composer [aria-label="Send later"]');
      await page.waitForSelector('dialog .usual');
      await page.tap('.usual button:nth-of-type(2)');
      await press('Send then', 'dialog.part');
      await until(here, `${VALUE} === ''`);
      t.match(await planned(), [{ content: 'For tomorrow', topic: 'night' }]);
      const [id] = (await shownIds(here)).slice(-1);
      await ofMessage(id!, 'Remind me …');
      await press('Remind me', 'dialog.part');
      await says('You will be reminded');
      await page.setViewport({ width: 1280, height: 800 });

      await press('More', '.self');
      await press('Planned messages and reminders', 'dialog.menu');
      await inDialog(/#general › night.*For tomorrow.*Reminder/s);
      await isAccessible(t, here, 'planned');
      await press('Edit', '.planned');
      await fill('.planned textarea', 'For another day');
      await press('Save', '.planned');
      await inDialog(/For another day/);
      t.match(await planned(), [{ content: 'For another day' }]);
      for (let left = 2; left > 0; left--) {
        await until(here, `document.querySelectorAll('.planned > li').length === ${left}`);
        await press('Delete', '.planned');
      }
      await inDialog(/Nothing is planned/);
      t.strictSame(await planned(), []);
      t.strictSame((await owner.ok('GET', '/reminders')).reminders, []);
      await closeDialog(here);
    },
  );

  await t.test('a page at 400 % has room for what is read, and for what one writes', async (t) => {
    await page.setViewport({ width: 320, height: 256 });
    await page.waitForSelector('#compose');
    await page.evaluate(`document.activeElement.blur()`);
    const height = `document.querySelector('.messages').clientHeight`;
    t.ok(Number(await page.evaluate(height)) >= 128, 'half of the page is for messages');
    await page.focus('#compose');
    await until(here, `document.querySelector('.composer .send').checkVisibility()`);
    t.ok(Number(await page.evaluate(height)) >= 64, 'a quarter of it while one writes');
    await page.setViewport({ width: 1280, height: 800 });
  });

  await t.test('a group is mentioned', async (t) => {
    const members = [hamlet.userId];
    await owner.ok('POST', '/user_groups/create', { name: 'guards', description: '', members });
    await page.type('#compose', '@gua');
    await until(here, `/guards/.test(document.querySelector('.completions')?.textContent)`);
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(VALUE), '@*guards* ');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.content .user-group-mention');
  });

  await t.test('somebody is ignored, shown once, and heard again', async (t) => {
    const id = await hamlet.say('Words, words, words', 'general', 'night');
    await page.waitForSelector(`#message-${id}`);
    const turn = async (button: string): Promise<void> => {
      await press('People', 'nav');
      await fill('[aria-label="Find people"]', 'haml');
      await until(here, `document.querySelectorAll('dialog .list li').length === 1`);
      await page.evaluate(`document.querySelector('dialog .list button').click()`);
      await press(button, 'dialog.part');
      await until(here, `!(${named(button, 'dialog.part')})`);
      await closeDialog(here);
    };
    await turn('Ignore');
    await until(here, `document.querySelector('#message-${id}.ignored')`);
    t.notMatch(await textsOf(here, `#message-${id}`), [/Words/]);
    await isAccessible(t, here, 'ignored');
    await press('Show', `#message-${id}`);
    await until(here, `/Words/.test(document.querySelector('#message-${id}').textContent)`);
    await turn('No longer ignore');
    await until(here, `!document.querySelector('.message.ignored')`);
  });

  await t.test('somebody is removed from a channel', async (t) => {
    const members = async (): Promise<unknown> =>
      (await owner.ok('GET', `/streams/${channel}/members`)).subscribers;
    await go(here, `#/channel/${channel}`);
    await isAt(here, '#general');
    await press('More for this conversation');
    await press('Description and members …', 'dialog.menu');
    await press('Remove Hamlet', 'dialog.part');
    await inDialog(/Remove .*Hamlet.* from #.*general/);
    await press('Remove', 'dialog.part');
    await says('is no longer in');
    t.strictSame(await members(), [owner.userId]);
    await owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'general' }],
      principals: [hamlet.userId],
    });
  });
}

/** Numbers of the messages that are shown. */
function shownIds({ page }: Tab): Promise<number[]> {
  return page.evaluate(
    `[...document.querySelectorAll('.message[id]')].map(({ id }) => Number(id.slice('message-'.length)))`,
  ) as Promise<number[]>;
}
