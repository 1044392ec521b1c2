import t from 'tap';
import nacl from 'tweetnacl';
import { BouncerTransport } from '../../../../src/services/push/bouncer.js';
import { RegistrationRefusedError } from '../../../../src/services/push/push-service.js';
import { kinds, NOTICE, REMOVAL, service, type Answer } from '../../../fixtures/push-services.js';

const KEY = Buffer.concat([Buffer.from([0x31]), Buffer.alloc(32, 5)]);

/** What the device reads. */
function opened(sealed: string): unknown {
  const bytes = new Uint8Array(Buffer.from(sealed, 'base64'));
  const plain = nacl.secretbox.open(bytes.subarray(24), bytes.subarray(0, 24), KEY.subarray(1));
  return JSON.parse(Buffer.from(plain!).toString('utf8'));
}

void t.test('encrypted: the bouncer sees when, and the device alone what', async (t) => {
  let deleted: string[] = [];
  const server = await service(t, () => ({ status: 200, body: { delete_token_ids: deleted } }));
  const { encrypted } = new BouncerTransport({ url: server.url, id: 'server-id', key: 'secret' });
  const key = KEY.toString('base64');
  const phone = { id: 1, service: 'fcm', tokenId: 'AAAAAAAAAAE=', key, keyId: 20 } as const;
  const tablet = { id: 2, service: 'apns', tokenId: 'AAAAAAAAAAI=', key, keyId: 10 } as const;
  const other = { ...phone, id: 3, key: Buffer.alloc(33, 5).toString('base64') };
  deleted = ['AAAAAAAAAAI='];
  t.same(kinds(await encrypted.send(NOTICE, [phone, tablet, other])).sort(), [
    [1, 'sent'],
    [2, 'gone'],
    [3, 'refused'],
  ]);
  const [asked] = server.asked;
  t.equal(asked!.path, '/api/v1/remotes/push/e2ee/notify');
  t.notMatch(asked!.body, /hello|"user_/);
  const body = JSON.parse(asked!.body) as {
    realm_uuid: string;
    push_requests: { payload: { encrypted_data: string } }[];
  };
  t.match(body, {
    realm_uuid: NOTICE.realmUuid,
    push_requests: [
      { token_id: 'AAAAAAAAAAE=', fcm_priority: 'high', payload: { push_key_id: 20 } },
      {
        token_id: 'AAAAAAAAAAI=',
        http_headers: { apns_priority: 10, apns_push_type: 'alert' },
        payload: {
          push_key_id: 10,
          aps: { 'mutable-content': 1, alert: { title: 'New notification' } },
        },
      },
    ],
  });
  const sealed = body.push_requests.map(({ payload }) => payload.encrypted_data);
  t.same(sealed.map(opened), [NOTICE.encrypted, NOTICE.encrypted]);
  t.not(sealed[0], sealed[1], 'under a nonce of its own');
  await encrypted.send(REMOVAL, [tablet]);
  t.match(JSON.parse(server.asked[1]!.body), {
    push_requests: [
      {
        http_headers: { apns_priority: 5, apns_push_type: 'background' },
        payload: { aps: { 'content-available': 1 } },
      },
    ],
  });
});

void t.test('encrypted: what the bouncer says of a registration', async (t) => {
  let reply: Answer = { status: 200 };
  const server = await service(t, () => reply);
  const { encrypted } = new BouncerTransport({ url: server.url, id: 'server-id', key: 'secret' });
  const token = {
    token_id: 'AAAAAAAAAAE=',
    bouncer_public_key: 'public',
    encrypted_push_registration: 'sealed',
  };
  await encrypted.register(token, NOTICE.realmUuid);
  t.equal(server.asked[0]!.path, '/api/v1/remotes/push/e2ee/register');
  t.same(Object.fromEntries(new URLSearchParams(server.asked[0]!.body)), {
    realm_uuid: NOTICE.realmUuid,
    ...token,
  });
  for (const [code, told] of [
    ['INVALID_BOUNCER_PUBLIC_KEY', 'INVALID_BOUNCER_PUBLIC_KEY'],
    ['REQUEST_EXPIRED', 'REQUEST_EXPIRED'],
    ['BAD_REQUEST', 'INVALID_ENCRYPTED_PUSH_REGISTRATION'],
  ]) {
    reply = { status: 400, body: { code } };
    await t.rejects(encrypted.register(token, NOTICE.realmUuid), { code: told });
  }
  for (const again of [{ status: 400, body: { code: 'MISSING_REMOTE_REALM' } }, { status: 502 }]) {
    reply = again;
    const error = await encrypted.register(token, NOTICE.realmUuid).catch((one: unknown) => one);
    t.notOk(error instanceof RegistrationRefusedError, 'to be tried again');
    t.ok(error instanceof Error);
  }
});
