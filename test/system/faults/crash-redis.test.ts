import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import type { ApiClient } from '../harness/client.js';
import { CrashCrowd, someTime } from '../harness/crowd/crash-crowd.js';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';

const ROUNDS = scaled(3, 20);
const SIZE = { queues: scaled(60, 200), writers: scaled(4, 8) };
/** A round lasts between these, milliseconds. */
const SHORTEST = 200;
const LONGEST = 1200;
/** Redis stays away up to this long, milliseconds: less and more than a request waits. */
const AWAY = 1500;

const VICTIMS = ['Parley', 'Redis', 'both'] as const;

// Loaded machines take long to start processes.
t.setTimeout(scaled(240_000, 900_000));

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const title = `${ROUNDS} crashes of Parley, Redis or both lose nothing that was acknowledged`;
  void t.test(title, async (t) => {
    const random = randomOfRun(t);
    const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const organization = await startOrganization(t, {
      store: freshUrl(redis.port),
      env: { PARLEY_LEASE: '2', PARLEY_STORE_WAIT: '1', PARLEY_LOG: 'silent' },
    });
    let { server } = organization;
    const connect = (account: ApiClient): ApiClient => account.at(server.url);
    const crowd = await CrashCrowd.gather(t, organization, SIZE);
    const killed = { Parley: 0, Redis: 0, both: 0 };

    for (let i = 1; i <= ROUNDS; i++) {
      // The first rounds kill each once; then it is left to chance.
      const victim = VICTIMS[i <= 3 ? i - 1 : Math.floor(random() * 3)]!;
      killed[victim] += 1;
      const round = crowd.begin(i, connect);
      await someTime(random, SHORTEST, LONGEST);
      const kills = [];
      if (victim !== 'Redis') kills.push(server.kill());
      if (victim !== 'Parley') kills.push(redis.kill());
      await Promise.all(kills);
      if (victim !== 'Parley') {
        await pause(random() * AWAY);
        await redis.start();
      }
      if (victim !== 'Redis') {
        await Promise.all([round.writing, crowd.stopped()]);
        server = await server.restart(t);
      }
      await crowd.end(i, round, connect);
      await crowd.check(t, `round ${i}, ${victim}`, connect);
    }
    const counts = Object.entries(killed).map(([name, count]) => `${name} ${count}`);
    t.comment(`${crowd.acknowledged.size} messages acknowledged; killed: ${counts.join(', ')}`);
  });
}
