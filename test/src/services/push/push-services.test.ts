import { decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import t from 'tap';
import { ApnsTransport } from '../../../../src/services/push/apns.js';
import { BouncerTransport } from '../../../../src/services/push/bouncer.js';
import { ConfiguredPush } from '../../../../src/services/push/configured-push.js';
import { FcmTransport } from '../../../../src/services/push/fcm.js';
import {
  apple,
  appleService,
  ec,
  google,
  kinds,
  NOTICE,
  REMOVAL,
  rsa,
  service,
  type Answer,
} from '../../../fixtures/push-services.js';

void t.test('APNs: headers, payload and a token that Apple can verify', async (t) => {
  const server = await appleService(() => ({ status: 200 }));
  let now = Date.UTC(2026, 0, 31);
  const settings = { team_id: 'TEAM', key_id: 'KEY', key: ec.privateKey, topic: 'org.other' };
  const transport = new ApnsTransport({ ...settings, url: server.url }, () => now);
  t.teardown(() => {
    transport.close();
    server.close();
  });
  const base64 = Buffer.from('c0ffee', 'hex').toString('base64');
  const targets = [apple(1), { ...apple(2, `${base64}`), appid: null }];
  t.same(kinds(await transport.send(NOTICE, targets)), [
    [1, 'sent'],
    [2, 'sent'],
  ]);
  const [first, second] = server.asked;
  t.match(first, {
    path: '/3/device/c0ffee',
    headers: {
      'apns-topic': 'org.example.Chat',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-collapse-id': 'message-7',
      'apns-expiration': String(now / 1000 + 86_400),
    },
  });
  t.same(JSON.parse(first!.body), {
    zulip: { message_ids: [7] },
    aps: { alert: { title: 'Ophelia', body: 'hello' }, sound: 'default' },
  });
  t.equal(second!.path, '/3/device/c0ffee');
  t.equal(second!.headers['apns-topic'], 'org.other');
  const token = first!.headers['authorization']!.replace('bearer ', '');
  t.same(decodeProtectedHeader(token), { alg: 'ES256', kid: 'KEY' });
  t.same(decodeJwt(token), { iss: 'TEAM', iat: now / 1000 });
  await jwtVerify(token, await importSPKI(ec.publicKey, 'ES256'), { currentDate: new Date(now) });

  now += 39 * 60_000;
  await transport.send(REMOVAL, [apple(1)]);
  const third = server.asked[2]!;
  t.equal(third.headers['authorization'], first!.headers['authorization'], 'used for 40 minutes');
  t.match(third.headers, { 'apns-push-type': 'background', 'apns-priority': '5' });
  t.notOk('apns-collapse-id' in third.headers);
  t.same(JSON.parse(third.body), {
    zulip: { event: 'remove', zulip_message_ids: '7' },
    aps: { 'content-available': 1 },
  });
  now += 2 * 60_000;
  await transport.send(NOTICE, [apple(1)]);
  t.not(server.asked[3]!.headers['authorization'], first!.headers['authorization'], 'then renewed');
  t.equal(server.asked[3]!.headers['apns-id'], first!.headers['apns-id'], 'one id per device');
  t.not(first!.headers['apns-id'], second!.headers['apns-id']);
  t.equal(server.sessions(), 1, 'all over one connection');
});

void t.test('APNs: dead tokens, refusals, and what is tried again', async (t) => {
  const answers: Record<string, Answer> = {
    aa: { status: 410, body: { reason: 'Unregistered' } },
    bb: { status: 400, body: { reason: 'BadDeviceToken' } },
    cc: { status: 413, body: { reason: 'PayloadTooLarge' } },
    dd: { status: 429, body: { reason: 'TooManyRequests' } },
    ee: { status: 503 },
    ff: { status: 403, body: { reason: 'ExpiredProviderToken' } },
  };
  const server = await appleService(({ path }) => answers[path.slice(-2)]!);
  const settings = { team_id: 'TEAM', key_id: 'KEY', key: ec.privateKey, topic: 'org.other' };
  const transport = new ApnsTransport({ ...settings, url: server.url });
  t.teardown(() => transport.close());
  const targets = Object.keys(answers).map((token, i) => apple(i, token));
  t.same(kinds(await transport.send(NOTICE, targets)), [
    [0, 'gone'],
    [1, 'gone'],
    [2, 'refused'],
    [3, 'failed'],
    [4, 'failed'],
    [5, 'failed'],
  ]);
  transport.close();
  server.close();
  t.same(kinds(await transport.send(NOTICE, [apple(1)])), [[1, 'failed']], 'nobody is there');
});

void t.test('FCM: access by a service account, texts only, and what answers mean', async (t) => {
  const errors: Record<string, Answer> = {
    dead: {
      status: 404,
      body: { error: { status: 'NOT_FOUND', details: [{ errorCode: 'UNREGISTERED' }] } },
    },
    wrong: {
      status: 400,
      body: {
        error: {
          status: 'INVALID_ARGUMENT',
          message: 'The registration token is not a valid FCM registration token',
        },
      },
    },
    large: { status: 400, body: { error: { status: 'INVALID_ARGUMENT', message: 'too big' } } },
    busy: { status: 503 },
  };
  const server = await service(t, ({ path, body }) => {
    if (path === '/token') return { status: 200, body: { access_token: 'open', expires_in: 3600 } };
    const { message } = JSON.parse(body) as { message: { token: string } };
    return errors[message.token] ?? { status: 200, body: { name: 'projects/p/messages/1' } };
  });
  let now = Date.UTC(2026, 0, 31);
  const settings = {
    project_id: 'chat-1',
    client_email: 'push@chat-1.example',
    private_key: rsa.privateKey,
    token_uri: `${server.url}/token`,
    url: server.url,
  };
  const transport = new FcmTransport(settings, () => now);
  const names = ['android-1', 'dead', 'wrong', 'large', 'busy'];
  t.same(
    kinds(
      await transport.send(
        NOTICE,
        names.map((name, i) => google(i, name)),
      ),
    ),
    [
      [0, 'sent'],
      [1, 'gone'],
      [2, 'gone'],
      [3, 'refused'],
      [4, 'failed'],
    ],
  );
  const [access, sent] = server.asked;
  const assertion = new URLSearchParams(access!.body).get('assertion')!;
  t.same(decodeJwt(assertion), {
    iss: 'push@chat-1.example',
    aud: `${server.url}/token`,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    iat: now / 1000,
    exp: now / 1000 + 3600,
  });
  t.equal(sent!.path, '/v1/projects/chat-1/messages:send');
  t.equal(sent!.headers['authorization'], 'Bearer open');
  t.same(JSON.parse(sent!.body), {
    message: {
      token: 'android-1',
      data: { event: 'message', zulip_message_id: '7', content: 'hello' },
      android: { priority: 'HIGH', collapse_key: 'message-7' },
    },
  });
  const count = (): number => server.asked.filter(({ path }) => path === '/token').length;
  t.equal(count(), 1, 'one access for all');
  now += 3600_000;
  await transport.send(NOTICE, [google(1)]);
  t.equal(count(), 2, 'renewed when it ends');
});

void t.test('bouncer: devices are registered before, in the form it knows', async (t) => {
  let down = false;
  const server = await service(t, ({ path }) => {
    if (down) return { status: 502 };
    return path.endsWith('/notify')
      ? { status: 200, body: { result: 'success', deleted_devices: { android_devices: ['old'] } } }
      : { status: 200, body: { result: 'success' } };
  });
  const transport = new BouncerTransport({ url: `${server.url}/`, id: 'server-id', key: 'secret' });
  const targets = [apple(1), google(2), google(3, 'old')];
  t.same(kinds(await transport.send(NOTICE, targets)), [
    [1, 'sent'],
    [2, 'sent'],
    [3, 'gone'],
  ]);
  const path = '/api/v1/remotes/push';
  t.same(
    server.asked.map((one) => one.path),
    [`${path}/register`, `${path}/register`, `${path}/register`, `${path}/notify`],
  );
  t.same(Object.fromEntries(new URLSearchParams(server.asked[0]!.body)), {
    user_id: '9',
    user_uuid: NOTICE.user.uuid,
    realm_uuid: NOTICE.realmUuid,
    token: 'c0ffee',
    token_kind: '1',
    ios_app_id: 'org.example.Chat',
  });
  const notify = server.asked[3]!;
  t.equal(
    notify.headers['authorization'],
    `Basic ${Buffer.from('server-id:secret').toString('base64')}`,
  );
  t.same(JSON.parse(notify.body), {
    user_id: 9,
    user_uuid: NOTICE.user.uuid,
    realm_uuid: NOTICE.realmUuid,
    apns_payload: { badge: 0, ...NOTICE.apns },
    gcm_payload: NOTICE.fcm,
    gcm_options: { priority: 'high' },
    apple_devices: ['c0ffee'],
    android_devices: ['android-2', 'old'],
  });
  server.asked.length = 0;
  await transport.send(NOTICE, targets);
  t.equal(server.asked.length, 1, 'known by now');
  await transport.forget(google(2), NOTICE.user, NOTICE.realmUuid);
  t.equal(server.asked[1]!.path, `${path}/unregister`);
  t.equal(new URLSearchParams(server.asked[1]!.body).get('token_kind'), '2');
  down = true;
  t.same(kinds(await transport.send(NOTICE, [apple(1)])), [[1, 'failed']]);
});

void t.test('bouncer: a wrong request is not repeated, a wrong account is', async (t) => {
  let reply: Answer = { status: 400, body: { code: 'BAD_REQUEST' } };
  const server = await service(t, () => reply);
  const transport = new BouncerTransport({ url: server.url, id: 'server-id', key: 'secret' });
  t.same(kinds(await transport.send(NOTICE, [apple(1)])), [[1, 'refused']]);
  reply = { status: 400, body: { code: 'INVALID_ZULIP_SERVER' } };
  t.same(kinds(await transport.send(NOTICE, [apple(1)])), [[1, 'failed']]);
  reply = { status: 401, body: {} };
  t.same(kinds(await transport.send(NOTICE, [apple(1)])), [[1, 'failed']]);
  await t.rejects(transport.forget(apple(1), NOTICE.user, NOTICE.realmUuid), /answered 401/);
});

void t.test('the file says which service serves which devices', async (t) => {
  const server = await service(t, () => ({ status: 200, body: {} }));
  const bouncer = { url: server.url, id: 'id', key: 'key' };
  const fcm = { project_id: 'p', client_email: 'e', private_key: 'k', token_uri: server.url };
  const both = ConfiguredPush.of({ bouncer, fcm }, 'push.json');
  t.match(both.description, /^push bouncer at 127\.0\.0\.1:\d+, FCM for p$/);
  const alone = ConfiguredPush.of({ fcm }, 'push.json');
  t.same(kinds(await alone.send(NOTICE, [apple(1)])), [[1, 'refused']], 'none for Apple’s');
  t.throws(() => ConfiguredPush.of({}, 'push.json'), 'push.json: give bouncer, apns or fcm');
  t.throws(
    () =>
      ConfiguredPush.of({ bouncer: { ...bouncer, url: 'http://push.example.com' } }, 'push.json'),
    'push.json: push.example.com is not reached by https',
  );
});
