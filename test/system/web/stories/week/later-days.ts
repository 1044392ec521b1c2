import type { Test } from 'tap';
import { logIn } from '../../../harness/browser.js';
import { comes } from './hands.js';
import type { Week } from './week.js';

const NEW_PASSWORD = 'harbor-lamp-iris-93';

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
    const seen = [...(await desk.seen())];
    await desk.tab.page.reload();
    await desk.see(`document.querySelector('#compose')?.value === 'To be continued'`);
    await desk.look(`window.seen = new Set(${JSON.stringify(seen)})`);
    await desk.watch();
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
    await phone.type(':tad');
    await phone.see(`/:tada:/.test(document.querySelector('[role=option]')?.textContent)`);
    await accessible(t, phone, 'completion on a phone');
    await phone.key('Tab');
    await phone.see(`document.querySelector('#compose').value === 'See #**watch** :tada: '`);
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
    await desk.see(`/scheduled messages/.test(document.querySelector('dialog')?.textContent)`);
    await accessible(t, desk, 'help');
    await desk.closeDialog();
  });
}

/** Name, picture, status, look, notices, language, password. */
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
    await phone.fill('#language', 'de');
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
    await comes('the language is set', async () => (await setting('default_language')) === 'de');
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
