import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import t from 'tap';
import { BY_SESSION } from '../../../schemas/accounts/sessions.js';
import { ENDPOINTS, validParameters } from '../harness/endpoints.js';
import { loggedIn } from '../harness/browser-session.js';
import { startOrganization } from '../harness/organization.js';
import { OWNER_EMAIL, OWNER_PASSWORD, storeFolder } from '../harness/server.js';

/** What opens something, by the name of its parameter. */
const SECRETS = /password|token|code$|_key$|otp|nonce|signature/;

void t.test('below /json, 401 says that the session is over, and nothing else does', async (t) => {
  const file = join(storeFolder(t), 'jwt.json');
  const secret = 'a shared secret of enough bytes, 32';
  writeFileSync(file, JSON.stringify({ algorithms: ['HS256'], secret, audience: 'parley' }));
  const { server, owner } = await startOrganization(t, { args: ['--jwt', file] });
  const claims = { email: 'nobody@example.org' };
  const token = jwt.sign(claims, secret, { audience: 'parley', expiresIn: 600 });
  let browser = await loggedIn(server, OWNER_EMAIL, OWNER_PASSWORD);
  const messageId = await owner.say('hello');
  const { streams } = (await owner.call('GET', '/streams')).body as {
    streams: { stream_id: number }[];
  };
  const streamId = streams[0]!.stream_id;
  const valid = validParameters({ userId: owner.userId, streamId, messageId, queueId: 'none' });
  const told: string[] = [];
  let secrets = 0;
  for (const { operation, method, path, params } of [...ENDPOINTS, ...Object.values(BY_SESSION)]) {
    const given: Record<string, unknown> = { ...valid[operation] };
    for (const name of Object.keys(params)) {
      if (!SECRETS.test(name)) continue;
      given[name] = name === 'token' ? token : 'wrong';
      secrets += 1;
    }
    if (operation === 'log-in') given['username'] = OWNER_EMAIL;
    const filled = path.replace(/\{(\w+)\+?\}/g, (_, name: string) =>
      encodeURIComponent(String((given[name] as string | number | undefined) ?? 1)),
    );
    if ((await browser.call(method, filled, given)).status !== 401) continue;
    if ((await browser.call('GET', '/users/me')).status === 200) told.push(operation);
    else browser = await loggedIn(server, OWNER_EMAIL, OWNER_PASSWORD);
  }
  t.ok(secrets > 10, `${secrets} secrets`);
  t.same(told, []);
});
