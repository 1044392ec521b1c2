import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange, type Body, type Parameters, type Reply } from '../harness/client.js';
import { CrashCrowd, someTime } from '../harness/crowd/crash-crowd.js';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import { RunningServer } from '../harness/server.js';

const ROUNDS = scaled(3, 20);
const SIZE = { queues: scaled(30, 60), writers: 4 };
/** A round lasts between these, milliseconds. */
const SHORTEST = 200;
const LONGEST = 1000;
/** A client turns to the other process after this time without an answer, milliseconds. */
const IMPATIENCE = 2000;

const MISHAPS = ['killed', 'paused', 'stopped', 'Redis killed'] as const;

const NO_ANSWER: Reply = { status: 503, headers: {}, text: '', body: {} };

/** A client that turns to the next process when one refuses, does not answer, or is gone. */
class RoamingClient extends ApiClient {
  private turn = 0;

  constructor(
    private readonly account: ApiClient,
    private readonly servers: readonly RunningServer[],
  ) {
    super('', account.email, account.key, account.userId);
  }

  override async call(method: string, path: string, parameters: Parameters = {}): Promise<Reply> {
    const { url } = this.servers[this.turn % this.servers.length]!;
    const signal = AbortSignal.timeout(IMPATIENCE);
    const reply = await this.account
      .at(url)
      .call(method, path, parameters, { signal })
      .catch(() => NO_ANSWER);
    if (reply.status === 503) this.turn += 1;
    return reply;
  }

  override async ok(method: string, path: string, parameters: Parameters = {}): Promise<Body> {
    for (;;) {
      const { status, body, text } = await this.call(method, path, parameters);
      if (status === 200) return body;
      if (status !== 503) throw new Error(`${method} ${path}: ${status} ${text}`);
      await pause(25);
    }
  }
}

/** Index of the process that leads, once one does. */
async function leaderOf(servers: readonly RunningServer[], not = -1): Promise<number> {
  for (;;) {
    for (const [i, { url }] of servers.entries()) {
      if (i === not) continue;
      const health = await exchange(url, 'GET', '/health').catch(() => NO_ANSWER);
      if (health.status === 200) return i;
    }
    await pause(25);
  }
}

// Loaded machines take long to start processes.
t.setTimeout(scaled(240_000, 900_000));

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test(`two processes and ${ROUNDS} mishaps lose and repeat nothing`, async (t) => {
    const random = randomOfRun(t);
    const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const options = {
      store: freshUrl(redis.port),
      env: { PARLEY_LEASE: '2', PARLEY_STORE_WAIT: '1', PARLEY_LOG: 'silent' },
    };
    const organization = await startOrganization(t, options);
    const { server } = organization;
    const startAnother = async (): Promise<RunningServer> => {
      const another = RunningServer.spawn(server.folder, options);
      t.teardown(() => another.kill());
      await another.listening();
      return another;
    };
    const servers = [server, await startAnother()];
    const crowd = await CrashCrowd.gather(t, organization, SIZE);
    const roaming = (account: ApiClient): ApiClient => new RoamingClient(account, servers);
    const happened = new Map<string, number>();

    for (let i = 1; i <= ROUNDS; i++) {
      const chance = Math.floor(random() * MISHAPS.length);
      const mishap = MISHAPS[i <= MISHAPS.length ? i - 1 : chance]!;
      happened.set(mishap, (happened.get(mishap) ?? 0) + 1);
      const round = crowd.begin(i, roaming);
      const at = await leaderOf(servers);
      await someTime(random, SHORTEST, LONGEST);
      const leader = servers[at]!;
      if (mishap === 'paused') {
        leader.pause();
        await leaderOf(servers, at);
        leader.resume();
      } else if (mishap === 'Redis killed') {
        await redis.kill();
        await pause(random() * LONGEST);
        await redis.start();
      } else {
        await (mishap === 'killed' ? leader.kill() : leader.stop());
        servers[at] = await startAnother();
      }
      await crowd.end(i, round, roaming);
      await crowd.check(t, `round ${i}, ${mishap}`, roaming);
    }
    const counts = [...happened].map(([name, count]) => `${name} ${count}`);
    t.comment(`${crowd.acknowledged.size} messages acknowledged; ${counts.join(', ')}`);
  });
}
