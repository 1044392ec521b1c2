import t from 'tap';
import { RedisServer, STORE, STORE_PORT, type Answer } from '../../simulation/redis/server.js';
import { Network } from '../../simulation/world/network.js';
import { Random } from '../../simulation/world/random.js';
import { Scheduler } from '../../simulation/world/scheduler.js';
import { NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';

/* The simulated server answers as a real one does (docs/simulation.md), which only a real one can judge. */

type Ask = (...command: string[]) => Promise<unknown>;

/** What is there before a server is full, or a replica. */
const BEFORE = [
  ['SET', 'text', 'a'],
  ['HSETNX', 'hash', 'field', 'a'],
];

/** Scores in the ways that they are written, sent as the product sends them. */
const SCORES = [0, 1, -7, 0.1, 2.5, 1e-7, 1893456000000.1, 2 ** 53, 1e17, 123456789012345680000];

const ASKED = [
  ['SET', 'text', 'b', 'NX'],
  ['SET', 'other', 'b', 'NX'],
  ['SET', 'text', 'b'],
  ['GET', 'text'],
  ['HSETNX', 'hash', 'field', 'b'],
  ['HSETNX', 'hash', 'new', 'b'],
  ['HGET', 'hash', 'new'],
  ['GET', 'hash'],
  ['HGET', 'text', 'field'],
  ['HSETNX', 'text', 'field', 'b'],
  ['MGET', 'text', 'hash', 'nothing'],
  ['ZRANGEBYSCORE', 'scores', '-inf', '+inf', 'WITHSCORES'],
  ...SCORES.map((score) => ['ZSCORE', 'scores', String(score)]),
];

/** The reply; of a refusal its first word. */
async function replyTo(ask: Ask, command: readonly string[]): Promise<unknown> {
  try {
    return await ask(...command);
  } catch (error) {
    return (error as Error).message.split(' ', 1)[0];
  }
}

function simulated(): { server: RedisServer; ask: Ask } {
  const scheduler = new Scheduler();
  const random = new Random('simulated redis');
  const network = new Network(scheduler, random);
  const server = new RedisServer(network, random, false);
  const ask: Ask = async (...command) => {
    const end = network.connect('client', STORE, STORE_PORT);
    let answer: Answer | null = null;
    end.onOpen = () => end.send({ number: 1, command });
    end.onData = (payload) => (answer = payload as Answer);
    await scheduler.run(Infinity, () => answer !== null);
    const { reply, error } = answer!;
    if (error !== undefined) throw new Error(error);
    return reply;
  };
  return { server, ask };
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('the simulated server answers as a real one', async (t) => {
    const real = await startRedis(t);
    const askReal: Ask = (...command) => real.command(...command);
    const version = /redis_version:(\S+)/.exec(String(await real.command('INFO', 'server')))?.[1];
    const scores = SCORES.flatMap((score) => [String(score), String(score)]);
    const begin = async () => {
      const { server, ask } = simulated();
      await real.command('FLUSHALL');
      for (const command of BEFORE) {
        t.same(await replyTo(ask, command), await replyTo(askReal, command));
      }
      await real.command('ZADD', 'scores', ...scores);
      for (const score of SCORES)
        server.db.apply({ op: 'member', key: 'scores', member: String(score), score });
      return { server, ask };
    };
    const compare = async (ask: Ask, state: string): Promise<void> => {
      for (const command of ASKED) {
        const [told, wanted] = [await replyTo(ask, command), await replyTo(askReal, command)];
        const isScore = command[0]!.startsWith('Z');
        // Servers from 7.2 on write as few digits as tell a score from its neighbours.
        const comparable = (reply: unknown): unknown =>
          isScore && !version?.startsWith('7.0') ? [reply].flat().map(Number) : reply;
        t.same(comparable(told), comparable(wanted), `${state}: ${command.join(' ')}`);
      }
    };
    await compare((await begin()).ask, 'as ever');
    const full = await begin();
    full.server.isFull = true;
    await real.command('CONFIG', 'SET', 'maxmemory', '1');
    await compare(full.ask, 'full');
    await real.command('CONFIG', 'SET', 'maxmemory', '0');
    const replica = await begin();
    replica.server.refusal = "READONLY You can't write against a read only replica.";
    await real.command('REPLICAOF', '127.0.0.1', '1');
    await real.command('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
    await compare(replica.ask, 'replica');
    for (const command of [
      ['BLPOP', 'list', '1'],
      ['XREAD', 'COUNT', '1', 'BLOCK', '1', 'STREAMS', 'stream', '0'],
    ]) {
      const [told, wanted] = [await replyTo(replica.ask, command), await replyTo(askReal, command)];
      t.same(told, wanted, `replica: ${command.join(' ')}`);
    }
  });
}
