import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { beginSession, deviceName } from '../../../../src/organization/accounts/sessions.js';
import { ActivityTracker } from '../../../../src/organization/presence/activity-tracker.js';
import {
  sessionHandlers,
  sessionListHandlers,
} from '../../../../src/resources/accounts/sessions.js';
import { unlimitedLogins } from '../../../../src/resources/kernel/limiters.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import { OneTimeCodes } from '../../../../src/services/auth/one-time-codes.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import {
  LivingOrganization,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';
import { sessionParts } from '../../../fixtures/session-parts.js';
import { passwords } from '../../../fixtures/settings-world.js';

const PASSWORD = 'the password';
const hash = await passwords.hash(PASSWORD);
const DAY_MS = 86_400_000;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

class World extends LivingOrganization {
  readonly sessions = sessionParts(this.org).sessions;
  readonly renewed: number[] = [];
  readonly parts = {
    ...{ passwords, limiter: unlimitedLogins, markdown: createMarkdown(), webTokens: null },
    keys: new ApiKeys(Buffer.alloc(32, 9)),
    codes: new OneTimeCodes(Buffer.alloc(32, 9)),
    sessions: this.sessions,
    queues: {
      renewPushOf: (userId: number) => void this.renewed.push(userId),
      closeSocketsOf: () => undefined,
    },
  };
  override readonly handlers = sessionListHandlers(this.parts);
  readonly hamlet = this.addUser('hamlet@example.com', { password_hash: hash });

  /** Logs in with a browser that has these cookies. @returns those that it has afterwards */
  async logIn(cookies = '', password = PASSWORD): Promise<string> {
    const handler = handlerOf(sessionHandlers(this.parts), 'log-in');
    let given: readonly string[] = [];
    const request = {
      params: { username: 'hamlet@example.com', password },
      ...{ clientName: 'test', remoteAddress: '192.0.2.1', userAgent: AGENT },
      header: () => cookies,
      setCookies: (lines: readonly string[]) => (given = lines),
    } as never;
    const proof = await handler.prepare!(this.org, request);
    this.transact((tx) => handler.run(tx, request, proof));
    return given.map((line) => line.split(';')[0]).join('; ');
  }

  list = async () => (await this.do('get-sessions')).sessions as Body[];
}

const mails = ({ org }: World) => [...org.mails.values()].map(({ content }) => content.kind);

void t.test('a login with a browser that was not seen before is told by mail, once', async (t) => {
  const world = new World();
  world.clock.advance(DAY_MS);
  const cookies = await world.logIn();
  t.strictSame(mails(world), ['new_login']);
  const again = await world.logIn(cookies);
  t.strictSame(mails(world), ['new_login'], 'the same browser');
  t.equal(world.sessions.find(cookies), null, 'whose former session ends');
  t.equal((await world.list()).length, 1);
  const onlyDevice = again.split('; ').find((one) => one.includes('device'))!;
  await world.logIn(onlyDevice);
  t.strictSame(mails(world), ['new_login'], 'also after a logout, which leaves it the device');
  await world.logIn();
  t.equal(mails(world).length, 2, 'another one');
  const ophelia = world.addUser('ophelia@example.com', { password_hash: hash });
  t.notOk(world.sessions.isKnownDevice(ophelia, onlyDevice), 'for nobody else');
  world.alter(world.hamlet.user_id, { password_hash: await passwords.hash('another') });
  await world.logIn(onlyDevice, 'another');
  t.equal(mails(world).length, 3, 'who learnt a former password is told apart');
});

void t.test('a session lasts for 14 days after its last use', async (t) => {
  const world = new World();
  const cookies = await world.logIn();
  const found = () => world.sessions.find(cookies);
  t.match(found(), { user: { user_id: world.hamlet.user_id }, renewal: null });
  world.clock.advance(DAY_MS + 1);
  const renewal = found()!.renewal!;
  t.match(
    renewal,
    [
      /^__Host-parley-session=[\w-]+; Path=\/; Max-Age=1209600;/,
      /^__Host-parley-device=[\w-]+; Path=\/; Max-Age=34560000;/,
    ],
    'after a day the cookies are renewed',
  );
  const activity = new ActivityTracker(world.org, (work) => world.transact(work));
  activity.recordSession(found()!.session);
  activity.run();
  t.match(await world.list(), [{ last_used_at: START_SECONDS + 86_400 }], 'and the use written');
  world.clock.advance(13 * DAY_MS);
  t.equal(found(), null, 'the first cookie is too old');
  const renewed = renewal.map((line) => line.split(';')[0]).join('; ');
  t.ok(world.sessions.find(renewed));
  world.clock.advance(DAY_MS);
  t.equal(world.sessions.find(renewed), null);
  world.clock.advance(DAY_MS);
  t.strictSame(await world.list(), [], 'and the list has it no longer');
});

void t.test('a session ends 30 days after its login, however much it is used', async (t) => {
  const world = new World();
  const activity = new ActivityTracker(world.org, (work) => world.transact(work));
  let cookies = await world.logIn();
  for (let day = 1; day < 30; day++) {
    world.clock.advance(DAY_MS + 1);
    const { session, renewal } = world.sessions.find(cookies)!;
    activity.recordSession(session);
    activity.run();
    cookies = renewal!.map((line) => line.split(';')[0]).join('; ');
    // The last cookies say it, too: 30 days less those that have passed.
    if (day === 28) t.match(renewal![0], /; Max-Age=172799;/);
  }
  world.clock.advance(DAY_MS - 30);
  t.ok(world.sessions.find(cookies), 'a moment before');
  world.clock.advance(1);
  t.equal(world.sessions.find(cookies), null);
  t.strictSame(await world.list(), []);
});

void t.test('the list has the sessions of its user, and the bound keeps the newest', async (t) => {
  const world = new World();
  await world.logIn();
  t.strictSame(await world.list(), [
    {
      id: 1,
      device: 'Firefox on Linux',
      created_at: START_SECONDS,
      last_used_at: START_SECONDS,
      is_current: false,
    },
  ]);
  const ophelia = world.addUser('ophelia@example.com');
  await t.rejects(world.do('end-session', { session_id: 1 }, ophelia), {
    status: 404,
    message: 'No such session',
  });
  for (let i = 0; i < 40; i++) {
    world.transact((tx) => beginSession(tx, ophelia.user_id, 'browser'));
  }
  const own = (await world.do('get-sessions', {}, ophelia)).sessions as Body[];
  t.equal(own.length, 30);
  t.equal(own[0]!.id, 41);
  t.equal(world.reloaded().sessions.countOf(ophelia.user_id), 30);
  t.strictSame(await world.do('end-all-sessions', {}, ophelia), {});
  t.strictSame(world.renewed, [ophelia.user_id], 'streams and sockets come back, or are refused');
  t.equal((await world.list()).length, 1, 'of nobody else');
});

void t.test(
  'a cookie of another purpose, a changed one and one of another user name nobody',
  async (t) => {
    const world = new World();
    const cookies = await world.logIn();
    const [session = '', device = ''] = cookies.split('; ');
    const value = (pair: string) => pair.slice(pair.indexOf('=') + 1);
    const name = session.slice(0, session.indexOf('='));
    const find = (sealed: string) => world.sessions.find(`${name}=${sealed}; ${device}`);
    t.ok(find(value(session)));
    const { token } = { token: world.sessions.token(find(value(session))!.session) };
    const changed = `${value(session).slice(0, -2)}AA`;
    t.equal(world.sessions.find(session), null, 'over HTTPS without the device');
    for (const [what, sealed] of Object.entries({
      device: value(device),
      token,
      changed,
      none: '',
    })) {
      t.equal(find(sealed), null, what);
    }
    world.alter(world.hamlet.user_id, { password_hash: 'another' });
    t.equal(find(value(session)), null, 'another password ends it, whoever set it');
    t.strictSame(await world.list(), []);
    world.alter(world.hamlet.user_id, { password_hash: hash });
    t.ok(find(value(session)));
    const deactivated: Partial<UserDocument> = { is_active: false };
    world.alter(world.hamlet.user_id, deactivated);
    t.equal(find(value(session)), null);
  },
);

void t.test('devices have the names that people know', async (t) => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
  const rows: readonly [string, string][] = [
    [AGENT, 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${chrome} Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 15) ${chrome} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
      'Safari on iOS',
    ],
    [
      `ZulipElectron/5.12.0 Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`,
      'Zulip desktop app on macOS',
    ],
    ['curl/8.5.0', 'curl'],
    ['', 'Unknown browser'],
  ];
  for (const [agent, name] of rows) t.equal(deviceName(agent), name);
});
