/** What a row of messages shows by ids changes while it stands there, without a reload. */
import sharp from 'sharp';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { closeDialog, go, isAt, logIn, openTab, textsOf, until } from '../../harness/browser.js';
import { ApiClient } from '../../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../harness/server.js';
import { upload } from '../../harness/uploading.js';

const AWAY = `{
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  window.notices = [];
  window.Notification = class {
    static permission = 'granted';
    constructor(title, { body }) { window.notices.push(title + ': ' + body); }
  };
}`;

const square = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .png()
    .toBuffer();

export async function rowsFollow(t: Test, browser: Browser): Promise<void> {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  const tab = await openTab(browser, `${server.url}/`);
  const { stream_id: general } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const { id: verona } = await owner.ok('POST', '/channels/create', {
    name: 'verona',
    subscribers: [owner.userId, hamlet.userId],
  });
  await upload(owner, '/realm/emoji/skull_of_y', 'skull.png', await square('white'));
  const id = await hamlet.say('See #**verona** and #**verona>bones**, @**Owner**');
  await hamlet.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'skull_of_y' });
  await hamlet.say('/me sighs', 'verona', 'bones');
  await logIn(tab, OWNER_EMAIL, OWNER_PASSWORD);

  const row = `document.querySelector('#message-${id}')`;
  const isThere = (what: string): Promise<void> => until(tab, what);
  const preview = `document.querySelector('.inbox')?.textContent`;

  await t.test('a line of the inbox has the name and the text of now', async () => {
    await isThere(`/Hamlet: .*sighs/.test(${preview})`);
    await owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Prince' });
    await isThere(`/Prince: .*sighs/.test(${preview})`);
    const late = await hamlet.say('/me dies', 'verona', 'bones');
    await isThere(`/Prince: .*dies/.test(${preview})`);
    await hamlet.ok('PATCH', `/messages/${late}`, { content: '/me sleeps' });
    await isThere(`/Prince: .*sleeps/.test(${preview})`);
    await owner.ok('DELETE', `/messages/${late}`);
    await isThere(`/Prince: .*sighs/.test(${preview})`);
  });

  await t.test('the inbox names polls and what one said oneself', async () => {
    await hamlet.say('/poll Which wall?\nNorth', 'verona', 'walls');
    await isThere(`/Prince: Poll: Which wall\\?/.test(${preview})`);
    const own = await owner.say('to be', 'verona', 'own');
    await owner.ok('POST', '/messages/flags', { messages: [own], op: 'remove', flag: 'read' });
    await isThere(`/You: to be/.test(${preview})`);
  });

  await t.test('people stand by name, and who may invite has a button', async (t) => {
    for (const name of ['zoe', 'ann']) await owner.createUser(name);
    await tab.page.click('[aria-label=People]');
    await isThere(`document.querySelectorAll('dialog .name').length === 4`);
    t.same(await textsOf(tab, 'dialog .name'), ['Ann', 'Owner', 'Prince', 'Zoe']);
    await closeDialog(tab);
    const button = `document.querySelector('.begin .icon-link')`;
    await isThere(`Boolean(${button})`);
    const change = { new: { direct_members: [hamlet.userId], direct_subgroups: [] } };
    await owner.ok('PATCH', '/realm', { create_multiuse_invite_group: change });
    await isThere(`!${button}`);
  });

  await go(tab, `#/channel/${String(general)}/test`);
  await isThere(`Boolean(${row})`);
  await tab.page.evaluate(`${row}.dataset.stands = 'here'`);

  await t.test('names of authors, of who is mentioned, and of who reacted', async (t) => {
    await owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Dane' });
    await isThere(`${row}.querySelector('.author').textContent === 'Dane'`);
    await isThere(`/Dane/.test(${row}.querySelector('.reactions button').title)`);
    t.match(await tab.page.evaluate(`${row}.ariaLabel`), /Dane/);
    await owner.ok('PATCH', '/settings', { full_name: 'Claudius' });
    await isThere(`${row}.querySelector('.user-mention').textContent === '@Claudius'`);
  });

  await t.test('pictures of authors', async () => {
    const picture = `${row}.querySelector('.avatar').src`;
    const before = String(await tab.page.evaluate(picture));
    await upload(hamlet, '/users/me/avatar', 'face.png', await square('red'));
    await isThere(`${picture} !== ${JSON.stringify(before)}`);
  });

  await t.test('names of channels, in the text and above what is found', async (t) => {
    await owner.ok('PATCH', `/streams/${String(verona)}`, { new_name: 'padua' });
    await isThere(`${row}.querySelector('.stream').textContent === '#padua'`);
    await isThere(`${row}.querySelector('.stream-topic').textContent === '#padua > bones'`);
    t.equal(await tab.page.evaluate(`${row}.dataset.stands`), 'here', 'the row was not replaced');
    await go(tab, '#/search/sighs');
    await isThere(`/padua.*bones/.test(document.querySelector('.place')?.textContent)`);
    await owner.ok('PATCH', `/streams/${String(verona)}`, { new_name: 'mantua' });
    await isThere(`/mantua.*bones/.test(document.querySelector('.place')?.textContent)`);
    t.match(await textsOf(tab, '.message .content'), [/Dane sighs/]);
    await owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Hamlet' });
    await isThere(`/Hamlet sighs/.test(document.querySelector('.content').textContent)`);
  });

  await t.test('topics that move, and pictures of emoji that come later or go', async (t) => {
    const placed = (topic: string): string =>
      `[...document.querySelectorAll('.place')].some((one) => one.textContent.endsWith('› ${topic}'))`;
    await go(tab, `#/channel/${String(general)}`);
    await isThere(placed('test'));
    await owner.ok('PATCH', `/messages/${id}`, { topic: 'graves', propagate_mode: 'change_all' });
    await isThere(placed('graves'));
    const picture = `${row}?.querySelector('.reactions img')?.naturalWidth > 0`;
    await isThere(picture);
    await owner.ok('DELETE', '/realm/emoji/skull_of_y');
    await upload(owner, '/realm/emoji/worm', 'worm.png', await square('pink'));
    await hamlet.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'worm' });
    await isThere(`${row}.querySelectorAll('.reactions img').length === 2`);
    t.strictSame(tab.faults, []);
  });

  await t.test('who is told of what by a notice, the server says', async (t) => {
    await go(tab, '#/home');
    await isAt(tab, 'Inbox');
    await owner.ok('POST', '/user_topics', {
      stream_id: general,
      topic: 'followed',
      visibility_policy: 3,
    });
    await tab.page.evaluate(AWAY);
    await hamlet.say('not for you', 'general', 'other');
    await hamlet.say('of a followed topic', 'general', 'followed');
    await hamlet.say('@**all** come', 'general', 'other');
    await owner.ok('PATCH', '/settings', { pm_content_in_desktop_notifications: false });
    await hamlet.tell([owner.userId], 'of nobody else');
    await until(tab, `window.notices.length >= 3`);
    t.same(await tab.page.evaluate('window.notices'), [
      'Hamlet: #general › followed: of a followed topic',
      'Hamlet: #general › other: @all come',
      'Hamlet: Hamlet: ',
    ]);
    t.strictSame(tab.faults, []);
  });
}
