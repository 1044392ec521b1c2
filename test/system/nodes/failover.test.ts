import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { NO_REDIS } from '../../src/store/fixtures/redis-server.js';
import { NodeGroup, type CampaignNode } from '../harness/campaign/node-group.js';
import type { ApiClient } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { fullScale, scaled } from '../harness/scale.js';
import { underLoad } from '../../fixtures/machine-load.js';

const ROUNDS = scaled(1, 10);
/** Time to the first new acknowledged write on another node. Milliseconds. */
const FAILOVER_MS = 3000;
/** The same where the leader is told to stop; the second is for machines that others use too. */
const HANDOVER_MS = fullScale ? 300 : 1000;
/** Interval at which writers begin to write while the leader is away, milliseconds. */
const WRITE_MS = 20;
/** A write that is under way when the leader goes may be lost with it, and is then refused. */
const UNDER_WAY_MS = 400;

const message = (content: string) => ({ type: 'channel', to: 'general', topic: 'nodes', content });

interface Write {
  readonly at: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly msg: unknown;
}

/** Writes at nodes in turn, without waiting for replies, until one that began after `since()` is acknowledged. */
async function writeUntilAcknowledged(
  clients: readonly ApiClient[],
  went: Promise<number>,
): Promise<{
  readonly since: number;
  readonly writes: readonly Write[];
}> {
  const writes: Promise<Write>[] = [];
  let since = Infinity;
  let isOver = false;
  void went.then((at) => (since = at));
  for (let i = 0; !isOver; i++) {
    const at = Date.now();
    writes.push(
      clients[i % clients.length]!.call('POST', '/messages', message(`write ${i}`)).then(
        ({ status, body }) => {
          if (at > since && status === 200) isOver = true;
          return { at, answeredAt: Date.now(), status, msg: body.msg };
        },
      ),
    );
    await pause(WRITE_MS);
  }
  return { since, writes: await Promise.all(writes) };
}

/** Figures of one failover. */
interface Failover {
  /** From the moment to the first acknowledgement of a write that began later, milliseconds. */
  readonly ms: number;
  /** Writes that began later. */
  readonly waited: number;
  /** Those of them that failed, by how long after the moment they began, milliseconds. */
  readonly failed: readonly number[];
  /** Those under way at the moment that failed. */
  readonly lost: number;
  /** What those that failed were told. */
  readonly refusals: readonly string[];
}

/** @param end what happens to the leader @returns when it did */
async function failover(
  group: NodeGroup,
  account: ApiClient,
  end: (leader: CampaignNode) => number | Promise<number>,
): Promise<Failover> {
  await group.settled();
  const leader = group.leader!;
  const clients = group.followers.map(({ url }) => account.at(url));
  const reader = await QueueReader.open(clients[0]!, { event_types: ['message'] });
  const went = pause(300).then(() => end(leader));
  const { since, writes } = await writeUntilAcknowledged(clients, went);
  const later = writes.filter(({ at }) => at > since);
  const acknowledged = writes.filter(({ status }) => status === 200);
  // Every acknowledged one reaches who waits at another node.
  let seen = 0;
  while (seen < acknowledged.length) {
    seen += (await reader.next()).filter(({ type }) => type === 'message').length;
  }
  return {
    ms:
      Math.min(...later.filter(({ status }) => status === 200).map((one) => one.answeredAt)) -
      since,
    waited: later.length,
    failed: later.filter(({ status }) => status !== 200).map(({ at }) => at - since),
    lost: writes.filter(({ at, status }) => at <= since && status !== 200).length,
    refusals: writes
      .filter(({ status }) => status !== 200)
      .map(
        ({ at, answeredAt, status, msg }) =>
          `${status} after ${answeredAt - at} ms: ${String(msg)}`,
      ),
  };
}

function judge(t: Test, name: string, rounds: readonly Failover[], limitMs: number): void {
  const times = rounds.map(({ ms }) => Math.round(ms)).sort((a, b) => a - b);
  const failed = rounds.flatMap((one) => one.failed);
  const waited = rounds.reduce((sum, one) => sum + one.waited, 0);
  const lost = rounds.map((one) => one.lost);
  t.comment(
    `${name}: first write after ${times.join(', ')} ms; of ${waited} writes that began meanwhile ` +
      `${failed.length} failed (begun after ${failed.join(', ') || '-'} ms); under way and lost: ${lost.join(', ')}`,
  );
  for (const refusal of rounds.flatMap(({ refusals }) => refusals)) t.comment(refusal);
  t.ok(
    times.at(-1)! <= limitMs,
    `${name}: the first write within ${limitMs} ms (${times.join(', ')})`,
  );
  const underWayMs = underLoad(UNDER_WAY_MS);
  t.same(
    failed.filter((ms) => ms > underWayMs),
    [],
    `${name}: writes wait instead of failing`,
  );
}

// Ten rounds of each take minutes.
t.setTimeout(scaled(240_000, 900_000));

for (const store of ['Redis', 'embedded'] as const) {
  void t.test(store, { skip: store === 'Redis' ? (NO_REDIS ?? false) : false }, async (t) => {
    const group = await NodeGroup.start(t, store, 3, { env: { PARLEY_LOG: 'warn' } });
    const account = await group.owner();
    const rounds = async (run: () => Promise<Failover>): Promise<Failover[]> => {
      const found: Failover[] = [];
      for (let i = 0; i < ROUNDS; i++) found.push(await run());
      return found;
    };

    await t.test('after SIGKILL of the leader another leads within the bound', async (t) => {
      const found = await rounds(async () => {
        await group.settled();
        const leader = group.leader!;
        const figures = await failover(group, account, async ({ server }) => {
          const at = Date.now();
          await server.kill();
          return at;
        });
        await leader.start();
        return figures;
      });
      judge(t, 'killed', found, underLoad(FAILOVER_MS));
    });

    await t.test('after SIGSTOP of the leader another leads within the bound', async (t) => {
      const found = await rounds(async () => {
        await group.settled();
        const leader = group.leader!;
        const figures = await failover(group, account, ({ server }) => {
          server.pause();
          return Date.now();
        });
        leader.server.resume();
        await pause(100);
        if (!leader.server.running) await leader.start();
        return figures;
      });
      judge(t, 'paused', found, underLoad(FAILOVER_MS));
    });

    await t.test(
      'a leader without network is replaced within the bound',
      { skip: store === 'embedded' },
      async (t) => {
        const found = await rounds(async () => {
          await group.settled();
          const leader = group.leader!;
          const figures = await failover(group, account, ({ toStore }) => {
            toStore!.cut();
            return Date.now();
          });
          leader.toStore!.heal(true);
          return figures;
        });
        judge(t, 'cut off', found, underLoad(FAILOVER_MS));
      },
    );

    await t.test('after SIGTERM of the leader another leads within the bound', async (t) => {
      const found = await rounds(async () => {
        await group.settled();
        const leader = group.leader!;
        let ended: Promise<unknown> | undefined;
        const figures = await failover(group, account, ({ server }) => {
          const at = Date.now();
          ended = server.stop();
          return at;
        });
        await ended;
        await leader.start();
        return figures;
      });
      judge(t, 'told to stop', found, underLoad(HANDOVER_MS));
      t.same(
        found.flatMap(({ failed }) => failed),
        [],
        'no write fails',
      );
      t.same(
        found.map(({ lost }) => lost),
        found.map(() => 0),
        'nor is one lost',
      );
    });

    await t.test('a pause of 2 s loses nothing', async (t) => {
      await group.settled();
      const { server } = group.leader!;
      const clients = group.nodes.map(({ url }) => account.at(url));
      const reader = await QueueReader.open(clients[0]!, { event_types: ['message'] });
      const ids = await Promise.all(clients.map((client) => client.say('before the pause')));
      server.pause();
      await pause(2000);
      server.resume();
      await group.settled();
      const after = clients.map((client) =>
        client.okInTheEnd('POST', '/messages', message('after the pause')),
      );
      for (const { id } of await Promise.all(after)) ids.push(Number(id));
      const seen: number[] = [];
      while (seen.length < ids.length) {
        for (const event of await reader.next()) {
          if (event.type === 'message') seen.push((event['message'] as { id: number }).id);
        }
      }
      t.same(
        seen,
        ids.sort((a, b) => a - b),
      );
    });
    if (fullScale && !t.passing()) t.comment(group.output);
  });
}
