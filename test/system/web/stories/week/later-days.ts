import type { Test } from 'tap';
import { logIn } from '../../../harness/browser.js';
import { ApiClient } from '../../../harness/client.js';
import { comes } from './hands.js';
import type { Week } from './week.js';

const NEW_PASSWORD = 'harbor-lamp-iris-93';
/** What is in the field where one writes. */
const WRITTEN = `document.querySelector('#compose')?.value`;

/** Conversations of three, who is who, and what helps who writes. */
export async function withOthers(t: Test, week: Week): Promise<void> {
  const { desk, phone, ophelia, killed, accessible } = week;
  await t.test('a conversation of three begins; a draft outlives a kill and a page', async (t) => {
    await desk.press('New conversation', 'nav');
    for (const name of ['haml', 'ophe']) {
      await desk.fill('dialog [aria-label="Find people"]', name);
      await desk.see(`document.querySelectorAll('.people-picker li').length === 1`);
      await desk.look(`document.querySelector('.people-picker input[type=checkbox]').click()`);
    }
    await accessible(t, desk, 'new conversation');
    await desk.press('Begin with 2 people', 'dialog');
    await desk.at('Hamlet, Ophelia');
    await desk.write('A word with you both');
    await desk.shows('A word with you both');
    const address = `#/direct/${[phone.api.userId, ophelia.userId].sort((a, b) => a - b).join()}`;
    t.equal(await desk.look('location.hash'), address);
    const heard = { anchor: 'newest', num_before: 1, num_after: 0 };
    const { messages } = await ophelia.ok('GET', '/messages', heard);
    t.match((messages as { content: string }[])[0]!.content, /with you both/);

    // What is opened while the server is away comes when it is back.
    const { stream_id: general } = await desk.api.ok('GET', '/get_stream_id', {
      stream: 'general',
    });
    await killed(async () => {
      await desk.type('To be continued');
      await phone.go(`#/channel/${String(general)}/wall`);
      await phone.see(`document.querySelector('.messages [role=alert]')`);
    });
    await phone.shows('line 39');
    let drafts: { content: string }[] = [];
    await comes('the server has the draft', async () => {
      ({ drafts } = (await desk.api.okInTheEnd('GET', '/drafts')) as { drafts: typeof drafts });
      return drafts.length > 0;
    });
    t.same(
      drafts.map(({ content }) => content),
      ['To be continued'],
    );
    await desk.anew(() => desk.tab.page.reload(), `${WRITTEN} === 'To be continued'`);
    await desk.fill('#compose', '');
  });

  await t.test('people, their cards, and what is completed while one writes', async (t) => {
    await phone.go('#/home');
    await phone.press('People', 'nav');
    await phone.fill('[aria-label="Find people"]', 'owner');
    await phone.see(`document.querySelectorAll('dialog .list li').length === 1`);
    await phone.look(`document.querySelector('dialog .list button').click()`);
    await phone.see(`/Owner/.test(document.querySelector('dialog dl')?.textContent)`);
    await accessible(t, phone, 'profile on a phone');
    await phone.press('Message', 'dialog');
    await phone.at('Owner');
    t.equal(await phone.look('location.hash'), `#/direct/${desk.api.userId}`);
    await phone.type('See #wat');
    await phone.see(`document.querySelector('[role=listbox] [role=option][aria-selected=true]')`);
    await phone.key('Enter');
    await phone.see(`document.querySelector('#compose').value === 'See #**watch** '`);
    // `>` asks for the topics of the channel.
    await phone.type('#wat');
    await phone.see(`document.querySelector('[role=option][aria-selected=true]')`);
    await phone.type('>');
    await phone.see(`/moon/.test(document.querySelector('[role=option]')?.textContent)`);
    t.equal(await phone.look(WRITTEN), 'See #**watch** #**watch>');
    await phone.type('oo');
    await phone.key('Tab');
    await phone.see(`${WRITTEN} === 'See #**watch** #**watch>moon** '`);
    await phone.type(':tad');
    await phone.see(`/:tada:/.test(document.querySelector('[role=option]')?.textContent)`);
    await accessible(t, phone, 'completion on a phone');
    await phone.key('Tab');
    await phone.see(
      `document.querySelector('#compose').value === 'See #**watch** #**watch>moon** :tada: '`,
    );
    await phone.press('Put in an emoji', '.composer');
    await phone.fill('[aria-label="Search emoji by name"]', 'ghost');
    await phone.press('ghost', '.picker');
    await phone.see(`document.querySelector('#compose').value.endsWith('👻')`);
    await phone.press('Begin a video call', '.composer');
    await phone.see(`/meet.example.org\\/\\d+/.test(document.querySelector('#compose').value)`);
    await phone.press('Send', '.composer');
    await phone.see(
      `document.querySelector('.message a[href="#narrow/channel/${String((await desk.api.ok('GET', '/get_stream_id', { stream: 'watch' }))['stream_id'])}-watch"]')`,
    );
  });

  await t.test('a search marks what was found and leads to its place', async (t) => {
    await desk.fill('#search', 'line 7');
    await desk.look(`document.querySelector('[role=search]').requestSubmit()`);
    await desk.at('Search: line 7');
    await desk.see(`document.querySelector('.message .highlight')`);
    await accessible(t, desk, 'search');
    const id = String(await desk.look(`document.querySelector('.message').id`));
    await desk.press('Show in conversation', `#${id}`);
    await desk.at('#general › wall');
    await desk.see(
      `document.activeElement?.id === '${id}' && /wall/.test(document.querySelector('.title h1').textContent)`,
    );
    await desk.look('document.activeElement.blur()');
    await desk.tab.page.keyboard.down('Meta');
    await desk.tab.page.keyboard.press('k');
    await desk.tab.page.keyboard.up('Meta');
    await desk.see(`document.activeElement.id === 'filter'`);
    await desk.press('Help and keys', 'nav');
    await desk.see(`/saved snippets/.test(document.querySelector('dialog')?.textContent)`);
    await accessible(t, desk, 'help');
    await desk.closeDialog();
  });
}

/** The page in other words, from the left and from the right. */
export async function inOwnLanguage(t: Test, { desk, phone, accessible }: Week): Promise<void> {
  const choose = (default_language: string, more = {}) =>
    phone.api.ok('PATCH', '/settings', { default_language, ...more });
  await t.test(
    'the chat speaks the language that one chooses, and loses nothing by it',
    async (t) => {
      const { stream_id: general } = await desk.api.ok('GET', '/get_stream_id', {
        stream: 'general',
      });
      // One's own messages.
      await phone.go(`#/channel/${String(general)}/wall`);
      await phone.type('Not yet');
      // On another device.
      await phone.anew(
        () => choose('ar'),
        `document.documentElement.lang === 'ar' && ${WRITTEN} === 'Not yet'`,
      );
      const { lang, dir } = (await phone.look(
        `({ lang: document.documentElement.lang, dir: document.documentElement.dir })`,
      )) as Record<string, string>;
      t.strictSame([lang, dir], ['ar', 'rtl']);
      // Messages come after the field, whose text is a draft.
      await phone.see(`document.querySelector('.message .content p')`);
      const place = (selector: string) =>
        phone.look(`document.querySelector('${selector}').getBoundingClientRect().left`);
      t.ok(
        Number(await place('.message .avatar')) > Number(await place('.message .content')),
        'pictures stand where lines begin',
      );
      t.equal(
        await phone.look(`getComputedStyle(document.querySelector('.message p')).direction`),
        'ltr',
        'what was said in English stays so',
      );
      await phone.press('المزيد لهذه المحادثة');
      await phone.see(`document.querySelectorAll('dialog.menu[open] button').length > 2`);
      const { left, right } = (await phone.look(
        `document.querySelector('dialog.menu').getBoundingClientRect().toJSON()`,
      )) as Record<string, number>;
      t.ok(left! >= 0 && right! <= 390, 'the menu is in sight');
      await accessible(t, phone, 'menu in Arabic on a phone');
      await phone.closeDialog();
      await phone.look(`document.querySelector('.message[id]').focus()`);
      // Only the message that was tapped has its buttons, and they lie on no text.
      await phone.see(`(() => {
        const bars = [...document.querySelectorAll('.message[id] > .actions')];
        const [first, ...more] = bars.filter((one) => one.offsetHeight > 0);
        const below = document.activeElement.querySelector('.content')?.getBoundingClientRect().bottom;
        return first.parentElement === document.activeElement && more.length === 0
          && first.getBoundingClientRect().top >= below;
      })()`);
      await phone.go('#/home');
      await accessible(t, phone, 'inbox in Arabic on a phone');
      await phone.press('الإعدادات', 'nav');
      await accessible(t, phone, 'settings in Arabic on a phone');
      await phone.anew(
        () => phone.fill('#language', 'de'),
        `/Einstellungen/.test(document.body.innerHTML)`,
      );

      // Nobody keeps the topic but the page.
      await phone.go(`#/channel/${String(general)}`);
      await phone.fill('[aria-label=Thema]', 'speech');
      await choose('en', { color_scheme: 2 });
      await phone.see(`getComputedStyle(document.documentElement).colorScheme === 'dark'`);
      t.equal(await phone.look(`document.querySelector('[aria-label=Thema]').value`), 'speech');
      await phone.anew(
        () => phone.write('Words, words, words'),
        `document.documentElement.lang === 'en' && document.querySelector('.sidebar')`,
      );
      await phone.at('#general › speech');
      await phone.shows('Words, words, words');
      await choose('en', { color_scheme: 1 });
      // Somebody who is not known is read by their browser.
      const page = await fetch(phone.tab.page.url().replace(/#.*/, ''), {
        headers: { 'Accept-Language': 'fr-CA, en;q=0.5' },
      });
      t.match(await page.text(), /<html lang="fr" dir="ltr">/);
    },
  );
}

/** Name, picture, status, look, notices, password. */
export async function aboutOneself(t: Test, { desk, phone, accessible }: Week): Promise<void> {
  await t.test('one changes what is one’s own', async (t) => {
    const me = async () => (await phone.api.ok('GET', '/users/me')) as Record<string, unknown>;
    const setting = async (name: string): Promise<unknown> => {
      const asked = {
        fetch_event_types: ['user_settings'],
        client_capabilities: { user_settings_object: true },
      };
      const { user_settings } = await phone.api.ok('POST', '/register', asked);
      return (user_settings as Record<string, unknown>)[name];
    };
    await phone.go('#/home');
    await phone.press('Settings', 'nav');
    await accessible(t, phone, 'settings on a phone');
    await phone.fill('#own-name', 'Prince Hamlet');
    await phone.press('Save', '[aria-label=Profile]');
    await phone.fill('#own-status', 'in England');
    await phone.press('Emoji of the status', 'dialog');
    await phone.fill('[aria-label="Search emoji by name"]', 'ship');
    await phone.press('ship', '.picker');
    await phone.press('Save', '[aria-label=Status]');
    await phone.fill('#theme', '2');
    await phone.see(`getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    await phone.look(
      `document.querySelector('[name=enable_stream_desktop_notifications]').click()`,
    );
    await phone.see(`document.querySelector('[name=enable_stream_desktop_notifications]').checked`);
    const before = (await me())['avatar_url'];
    await phone.look(`{
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 16;
      canvas.toBlob((blob) => {
        const data = new DataTransfer();
        data.items.add(new File([blob], 'me.png', { type: 'image/png' }));
        const input = document.querySelector('dialog input[type=file]');
        input.files = data.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
      });
    }`);
    await comes('the picture changes', async () => (await me())['avatar_url'] !== before);
    t.equal((await me())['full_name'], 'Prince Hamlet');
    t.equal(await setting('color_scheme'), 2);
    t.equal(await setting('enable_stream_desktop_notifications'), true);
    const { status } = await desk.api.ok('GET', `/users/${phone.api.userId}/status`);
    t.match(status, { status_text: 'in England', emoji_name: 'ship' });
    await desk.see(
      `/🚢/.test([...document.querySelectorAll('.rows a')].find((one) => /Prince Hamlet/.test(one.textContent))?.textContent)`,
    );

    const seen = [...(await phone.seen())];
    await phone.fill('#old-password', 'willow-anchor-hamlet-47');
    await phone.fill('#new-password', NEW_PASSWORD);
    await Promise.all([
      phone.tab.page.waitForNavigation(),
      phone.press('Change', '[aria-label=Password]'),
    ]);
    await phone.see(`document.querySelector('.sidebar') || document.querySelector('#username')`);
    t.ok(await phone.look(`Boolean(document.querySelector('.sidebar'))`), 'the login goes on');
    t.equal((await phone.api.call('GET', '/users/me')).status, 401, 'apps are logged out');
    phone.api = await ApiClient.login(phone.api.url, phone.api.email, NEW_PASSWORD);
    await phone.look(`window.seen = new Set(${JSON.stringify(seen)})`);
    await phone.watch();
    await phone.press('More', '.self');
    await phone.press('Log out', 'dialog.menu');
    await phone.tab.page.waitForSelector('#username');
    await logIn(phone.tab, phone.api.email, NEW_PASSWORD);
    await phone.look(`window.seen = new Set(${JSON.stringify(seen)})`);
    await phone.watch();
  });
}
