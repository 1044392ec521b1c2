import t from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { outgoingCrashes, timeForCrashes } from '../harness/crowd/outgoing-crashes.js';
import { scaled } from '../harness/scale.js';

const CRASHES = scaled(2, 1000);

t.setTimeout(timeForCrashes(CRASHES));

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test(`${CRASHES} kills while mails, pushes and calls go out, on Redis`, async (t) => {
    const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const env = { PARLEY_LEASE: '1', PARLEY_LOG: 'silent' };
    await outgoingCrashes(t, CRASHES, { store: freshUrl(redis.port), env });
  });
}
