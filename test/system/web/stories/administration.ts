/** The views of the console in which administrators change things, in Chromium. */
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import type { Body } from '../../harness/client.js';
import { go, isAccessible, openTab, textsOf, until } from '../../harness/browser.js';
import { startOrganization } from '../../harness/organization.js';
import { upload } from '../../harness/uploading.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../harness/server.js';

/** Settings that have no field: an object by name, which the page of logins would explain, and what is refused anyway. */
const WITHOUT_FIELD = [
  'string_id',
  'digest_emails_enabled',
  'digest_weekday',
  'authentication_methods',
];

export async function administrates(t: Test, browser: Browser): Promise<void> {
  const { server, owner, hamlet, iago } = await startOrganization(t);
  const { id: channel } = (await owner.ok('POST', '/channels/create', {
    name: 'Verona',
    subscribers: [owner.userId],
  })) as { id: number };
  await owner.ok('POST', '/user_groups/create', { name: 'support', description: '', members: [] });
  const tab = await openTab(browser, `${server.url}/console#/people`);
  const { page } = tab;
  await page.type('#username', OWNER_EMAIL);
  await page.type('#password', OWNER_PASSWORD);
  await page.click('#login button');

  /** Opens a view. */
  const view = (name: string): Promise<void> => go(tab, `#/${name}`);
  /** Waits for what the page says was done. */
  const said = (words: string, place = ''): Promise<void> =>
    until(
      tab,
      `document.querySelector('${place}[role=status]')?.textContent === ${JSON.stringify(words)}`,
    );
  /** Presses a button, and confirms where it asks. */
  const press = async (label: string): Promise<void> => {
    const button = `[aria-label=${JSON.stringify(label)}]`;
    await page.waitForSelector(`button${button}:not(:disabled)`);
    await page.evaluate(`document.querySelector('button${button}').click()`);
    await page.evaluate(
      `[...document.querySelectorAll('dialog[open]${button} button')].at(-1)?.click()`,
    );
  };

  await t.test('roles and accounts', async (t) => {
    await page.waitForSelector('select[aria-label="Role of Hamlet"]');
    await isAccessible(t, tab, 'people');
    await page.select('select[aria-label="Role of Hamlet"]', '300');
    await said('Hamlet is now Moderator.');
    await press('Deactivate Hamlet');
    await said('Hamlet is deactivated.');
    t.match((await hamlet.call('GET', '/users/me')).body, { code: 'UNAUTHORIZED' });
    await press('Reactivate Hamlet');
    await said('Hamlet can log in again.');
    t.match(await owner.ok('GET', `/users/${hamlet.userId}`), {
      user: { role: 300, is_active: true },
    });
    const name = ((await owner.ok('GET', '/users/me')) as { full_name: string }).full_name;
    const only = `document.querySelector('select[aria-label="Role of ${name}"]')`;
    t.strictSame(await page.evaluate(`[${only}.disabled, ${only}.title]`), [
      true,
      'The only owner stays.',
    ]);
    t.equal(await page.$(`button[aria-label="Deactivate ${name}"]`), null);
  });

  await t.test('how somebody logs in, and what ends it', async (t) => {
    await press('Open logins of Iago');
    await page.waitForSelector('[aria-label="Sessions of Iago"]');
    await until(tab, `!/Asking/.test(document.querySelector('.console .chosen').textContent)`);
    await isAccessible(t, tab, 'logins of a person');
    await press('Reset password of Iago');
    await until(
      tab,
      `/\\/accounts\\/password\\/reset\\//.test(document.querySelector('.chosen [role=status]').textContent)`,
    );
    const { queue_id } = await iago.register({ client: 'Test' });
    await press('Open logins of Hamlet');
    await page.waitForSelector('[aria-label="Sessions of Hamlet"]');
    await press('Open logins of Iago');
    await press('Disconnect Test');
    await said('The client is disconnected.', '.chosen ');
    const { body } = await iago.call('GET', '/events', { queue_id, last_event_id: -1 });
    t.match(body, { code: 'BAD_EVENT_QUEUE_ID' });
    await press('Log out everywhere: Iago');
    await said('Iago is logged out everywhere.', '.chosen ');
    t.match((await iago.call('GET', '/users/me')).body, { code: 'UNAUTHORIZED' });
  });

  await t.test('logins, mails and files', async (t) => {
    await view('logins');
    await until(
      tab,
      `/Of 3 people 3 have a password here, 0/.test(document.querySelector('.console main').textContent)`,
    );
    await page.evaluate(
      `[...document.querySelectorAll('main button')].find((one) => /^Try/.test(one.textContent)).click()`,
    );
    await said('Nothing is configured that could be tried.');
    await isAccessible(t, tab, 'logins');
    await view('mails');
    await page.waitForSelector('#test-mail');
    await page.type('#test-mail', 'yorick@example.org');
    await page.click('main form button');
    await until(
      tab,
      `/^The mail was taken by /.test(document.querySelector('[role=status]')?.textContent)`,
    );
    await isAccessible(t, tab, 'mails');
    await upload(owner, '/user_uploads', 'skull.txt', Buffer.from('Alas'));
    await view('files');
    await press('Delete skull.txt');
    await said('skull.txt is deleted.');
    await isAccessible(t, tab, 'files');
    t.strictSame((await owner.ok('GET', '/attachments')).attachments, []);
  });

  await t.test('a support bundle is saved, and a test event published', async (t) => {
    await view('operation');
    await until(
      tab,
      `[...document.querySelectorAll('main button')].some((one) => /bundle/.test(one.textContent))`,
    );
    await page.evaluate(
      `[...document.querySelectorAll('main button')].find((one) => /bundle/.test(one.textContent)).click()`,
    );
    await said('The bundle is saved as parley-support.json. Read it before you send it.');
    await view('log');
    await until(
      tab,
      `/No line matches|Lines/.test(document.querySelector('.console main').innerHTML)`,
    );
    await page.select('#log-level', 'error');
    await until(tab, `/No line matches/.test(document.querySelector('.console main').textContent)`);
    await isAccessible(t, tab, 'log');
    await view('journal');
    await until(tab, `document.querySelector('#journal-type')`);
    await page.evaluate(
      `[...document.querySelectorAll('main button')].find((one) => /test event/.test(one.textContent)).click()`,
    );
    await until(
      tab,
      `/is on its way to/.test(document.querySelector('[role=status]')?.textContent)`,
    );
  });

  await t.test('invitations', async (t) => {
    await view('invitations');
    await page.waitForSelector('#emails');
    await isAccessible(t, tab, 'invitations');
    await page.click('main form button');
    await said('The link is in the list.');
    await until(tab, `document.querySelectorAll('tbody a').length === 1`);
    const [link] = await textsOf(tab, 'tbody a');
    t.match(link, /\/join\//);
    await page.type('#emails', 'ophelia@example.org');
    await page.click('main form button');
    await said('The invitations are on their way.');
    await press('Send again to ophelia@example.org');
    await said('The invitation to ophelia@example.org is sent again.');
    await press('Revoke ophelia@example.org');
    await said('ophelia@example.org is revoked.');
    const { invites } = (await owner.ok('GET', '/invites')) as { invites: Body[] };
    t.match(invites, [{ is_multiuse: true, link_url: link }]);
    t.equal(invites.length, 1);
  });

  await t.test('groups and channels', async (t) => {
    await view('groups');
    await press('Deactivate support');
    await said('support is deactivated.');
    await press('Reactivate support');
    await said('support is a group again.');
    await isAccessible(t, tab, 'groups');
    await view('channels');
    await press('Archive Verona');
    await said('Verona is archived.');
    t.match(await owner.ok('GET', `/streams/${channel}`), { stream: { is_archived: true } });
    await press('Unarchive Verona');
    await said('Verona is a channel again.');
    await isAccessible(t, tab, 'channels');
  });

  await t.test('settings, each of which has its words', async (t) => {
    await view('settings');
    await page.waitForSelector('#setting-name');
    await isAccessible(t, tab, 'settings');
    const contract = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, { patch: { requestBody: { content: Record<string, Body> } } }>;
    };
    const [body] = Object.values(contract.paths['/api/v1/realm']!.patch.requestBody.content);
    const { properties } = body!['schema'] as { properties: Record<string, unknown> };
    const shown = (await page.evaluate(
      `[...document.querySelectorAll('.setting')].map((one) => [one.querySelector('[id]').id.replace('setting-', ''), one.querySelector('label').textContent])`,
    )) as [string, string][];
    t.strictSame(
      Object.keys(properties).filter((name) => !shown.some(([one]) => one === name)),
      WITHOUT_FIELD,
    );
    t.strictSame(
      shown.filter(
        ([name, words]) =>
          words.toLowerCase().replaceAll(' ', '_') === name && !/name|description/.test(name),
      ),
      [],
    );
    await page.type('#setting-description', 'A company');
    await page.evaluate(`document.querySelector('.setting form button').click()`);
    await said('Saved: Description');
    await page.click('#setting-allow_message_editing');
    await said('Saved: Messages can be edited');
    await page.select('#setting-org_type', '40');
    await said('Saved: Kind of organization');
    await page.select(
      '#setting-can_create_groups',
      await optionOf('can_create_groups', 'moderators'),
    );
    await said('Saved: Who may make groups');
    await page.select('#setting-signup_announcements_stream_id', String(channel));
    await said('Saved: New people are announced in');
    const state = await owner.ok('POST', '/register', { fetch_event_types: ['realm'] });
    t.match(state, {
      realm_description: 'A company',
      realm_allow_message_editing: false,
      realm_org_type: 40,
      realm_signup_announcements_stream_id: channel,
    });
    t.strictSame(await textsOf(tab, '#setting-message_edit_history_visibility_policy option'), [
      'everything',
      'only moves',
      'nothing',
    ]);
    const groups = await textsOf(tab, '#setting-can_create_bots_group option');
    t.notOk(groups.includes('everyone'), 'what the server refuses is no choice');
    t.ok(groups.includes('nobody'));
    t.equal(
      await page.evaluate(`document.querySelector('#setting-require_two_factor').disabled`),
      true,
    );
  });

  await t.test('all of it is in the audit log', async (t) => {
    await view('audit');
    await until(tab, `document.querySelectorAll('tbody tr').length > 8`);
    await isAccessible(t, tab, 'audit');
    const { records } = (await owner.ok('GET', '/realm/audit_log', { limit: 100 })) as {
      records: { changes: { kind: string; action: string; fields: { name: string }[] }[] }[];
    };
    const changed = records.flatMap(({ changes }) =>
      changes.flatMap(({ kind, fields }) => fields.map(({ name }) => `${kind} ${name}`)),
    );
    const made = records.flatMap(({ changes }) =>
      changes
        .filter(({ kind }) => kind.startsWith('invitation'))
        .map(({ kind, action }) => `${kind} ${action}`),
    );
    // The newest first.
    t.strictSame(made, [
      'invitation removed',
      'invitation changed',
      'invitation created',
      'invitation_link created',
    ]);
    const expected = [
      ...['user role', 'user is_active', 'channel is_archived', 'group deactivated'],
      ...['organization description', 'organization can_create_groups'],
    ];
    t.strictSame(
      expected.filter((one) => !changed.includes(one)),
      [],
    );
    t.strictSame(tab.faults, []);
  });

  /** The value of a choice by its words. */
  async function optionOf(setting: string, words: string): Promise<string> {
    return (await page.evaluate(
      `[...document.querySelectorAll('#setting-${setting} option')].find((one) => one.textContent === '${words}').value`,
    )) as string;
  }
}
