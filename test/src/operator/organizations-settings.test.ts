/** What an operator sets for one of several organizations, and that it holds for this one alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import nodemailer from 'nodemailer';
import t from 'tap';
import { createApp } from '../../../src/app/app.js';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  NOTHING,
  placeFor,
  serve,
  status,
} from '../../fixtures/several.js';
import { ApiClient, exchange } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

/** Carries out a command of `parley organizations`. */
function run(config: Config, ...words: string[]): Promise<unknown> {
  return carryOut(readCommand([...words, ...placed(config)], {}));
}

/** Says what an organization has of its own. */
function set(folder: string, name: string, ...lines: string[]): void {
  writeFileSync(join(folder, 'organizations', name, 'settings.yaml'), lines.join('\n'));
}

const SECRET = 'x'.repeat(32);

void t.test('quotas and logins are an organization’s own', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const { at } = await serve(t, config);
  const owners = [];
  for (const name of ['birch', 'cedar']) {
    const { password } = await create(config, name);
    owners.push(await ApiClient.login(at(`${name}.test`), OWNER_EMAIL, password));
  }
  const [birch, cedar] = owners as [ApiClient, ApiClient];
  const settings = { algorithms: ['HS256'], secret: SECRET, audience: 'parley' };
  writeFileSync(join(folder, 'organizations', 'birch', 'jwt.json'), JSON.stringify(settings));
  const own = ['upload-quota: 1', 'jwt: jwt.json', 'member-quota: 2'];
  set(folder, 'birch', ...own);
  t.match(await run(config, 'organizations', 'reload', 'birch'), {
    state: 'active',
    health: 'ready',
  });

  const user = { password: 'correct horse', full_name: 'Ann' };
  const join1 = { ...user, email: 'ann@example.org' };
  const { user_id } = await birch.ok('POST', '/users', join1);
  const full = {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Your organization can have at most 2 active users.' },
  };
  t.match(await birch.call('POST', '/users', { ...user, email: 'bob@example.org' }), full);
  await birch.ok('POST', '/bots', { full_name: 'Echo', short_name: 'echo', bot_type: 1 });
  await birch.ok('DELETE', `/users/${String(user_id)}`);
  await birch.ok('POST', '/users', { ...user, email: 'bob@example.org' });
  t.match(await birch.call('POST', `/users/${String(user_id)}/reactivate`), full);
  for (const email of ['ann', 'bob', 'eve']) {
    await cedar.ok('POST', '/users', { ...user, email: `${email}@example.org` });
  }

  const say = { type: 'direct', to: [birch.userId], content: 'hi' };
  t.match(await birch.call('POST', '/messages', say), { status: 200 });
  set(folder, 'birch', ...own, 'message-quota: 1');
  await run(config, 'organizations', 'reload', 'birch');
  t.match(await birch.call('POST', '/messages', say), {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Your organization can have at most 1 messages.' },
  });
  for (let i = 0; i < 3; i += 1)
    t.match(await cedar.call('POST', '/messages', say), { status: 200 });
  const files = async (one: ApiClient) => (await one.register())['realm_upload_quota_mib'];
  t.equal(await files(birch), 1);
  t.equal(await files(cedar), 10_240);

  const claims = { email: OWNER_EMAIL };
  const token = jwt.sign(claims, SECRET, { audience: 'parley', expiresIn: 60 });
  const login = (name: string) =>
    exchange(at(`${name}.test`), 'POST', '/api/v1/jwt/fetch_api_key', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `token=${token}`,
    });
  t.match(await login('birch'), { status: 200 });
  t.not((await login('cedar')).status, 200);
  t.not((await login('main')).status, 200);
});

void t.test(
  'settings that cannot be used are refused, and take one out of service alone',
  async (t) => {
    const folder = join(placeFor(t), 'data');
    const config = configOf(folder);
    const first = await serve(t, config);
    await create(config, 'birch');
    await create(config, 'cedar');
    const refused = [
      ['port: 80', /port: of the server, for all of its organizations\. One may have mail-from/],
      ['member-quota: many', /settings\.yaml.*many is not a number/],
      ['oidc: absent.json', /absent\.json/],
      ['no-option: 1', /there is no option no-option/],
    ] as const;
    for (const [line, reason] of refused) {
      set(folder, 'birch', line);
      await t.rejects(run(config, 'organizations', 'reload', 'birch'), reason, line);
      t.equal(await status(first.at('birch.test')), 200, 'it goes on as it was');
    }
    await first.app.stop(DEADLINE_MS);
    const { at, errors } = await serve(t, config);
    t.equal(await status(at('birch.test')), 503);
    t.equal(await status(at('cedar.test')), 200);
    t.match(errors, [{ organization: 'birch', err: /no-option/ }]);
    set(folder, 'birch', 'member-quota: 5');
    t.match(await run(config, 'organizations', 'reactivate', 'birch'), { health: 'ready' });
    t.equal(await status(at('birch.test')), 200);
  },
);

void t.test('each takes the mails to its host name, also while it sleeps', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(
    folder,
    ...['--incoming-mail', 'smtp://127.0.0.1:0', '--incoming-mail-address', 'c.%s@mail.test'],
  );
  let port = 0;
  const app = createApp(config, {
    log: { info: NOTHING, warn: NOTHING, error: NOTHING },
    announce: (_text, facts) => {
      const [, taken] =
        /:(\d+)$/.exec((facts as { incoming_mail?: string }).incoming_mail ?? '') ?? [];
      if (taken !== undefined) port = Number(taken);
    },
    fatal: (error) => {
      throw error;
    },
  });
  t.teardown(() => app.stop(DEADLINE_MS));
  await app.start();
  const all = [];
  for (const name of ['birch', 'cedar']) {
    const { password } = await create(config, name);
    const owner = await ApiClient.login(`http://${name}.test:${app.port}`, OWNER_EMAIL, password);
    const { id } = await owner.ok('POST', '/channels/create', { name: 'post', subscribers: [] });
    const { email } = await owner.ok('GET', `/streams/${String(id)}/email_address`);
    all.push({ name, owner, email: String(email), id });
  }
  const [birch, cedar] = [all[0]!, all[1]!];
  t.match(birch.email, /^c\..*@birch\.test$/);
  t.match(cedar.email, /^c\..*@cedar\.test$/);
  for (let isAsleep = false; !isAsleep;) {
    // Something may be under way.
    isAsleep = await run(config, 'organizations', 'sleep', 'birch').then(
      () => true,
      () => false,
    );
  }
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const mail = { from: 'yorick@example.org', subject: 'Alas', text: 'poor Yorick' };
  const told = await transport.sendMail({ ...mail, to: [birch.email, cedar.email] });
  t.same(told.rejected, []);
  for (const { owner, name, id } of all) {
    const window = { anchor: 'newest', num_before: 5, num_after: 0, apply_markdown: false };
    const narrow = [{ operator: 'channel', operand: id }];
    const { messages } = await owner.ok('GET', '/messages', { ...window, narrow });
    const mails = (messages as { subject: string }[]).filter(({ subject }) => subject === 'Alas');
    t.equal(mails.length, 1, name);
  }
  const swapped = birch.email.replace('birch.test', 'cedar.test');
  await t.rejects(transport.sendMail({ ...mail, to: swapped }), { message: /550/ });
  const unknown = birch.email.replace('birch.test', 'oak.test');
  await t.rejects(transport.sendMail({ ...mail, to: unknown }), { message: /550/ });
});
