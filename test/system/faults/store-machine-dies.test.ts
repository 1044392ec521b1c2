/** The machine under the store dies under load, for good, and a replica takes its place: with replicas that must have a change. */
import t, { type Test } from 'tap';
import {
  freshUrl,
  NO_REDIS,
  startRedis,
  type RedisServer,
} from '../../src/store/fixtures/redis-server.js';
import { startProxy } from '../../src/store/fixtures/tcp-proxy.js';
import { ApiClient } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { scaled } from '../harness/scale.js';
import { SeenBefore } from '../harness/seen-before.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

const ROUNDS = scaled(2, 20);
const WRITERS = 8;
/** Acknowledged messages before each death, and after it. */
const BATCH = 60;

// Loaded machines take long to start processes.
t.setTimeout(600_000);

interface Message {
  readonly id: number;
  readonly content: string;
}

/** How far a replica has come. */
async function offset(replica: RedisServer): Promise<number> {
  const info = String(await replica.command('INFO', 'replication'));
  return Number(/slave_repl_offset:(\d+)/.exec(info)?.[1] ?? 0);
}

/** A master with two replicas, of which the second hears of nothing for a while before the master dies. */
async function threeMachines(t: Test) {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const start = (...further: string[]) => startRedis(t, ...settings, ...further);
  let master = await start();
  const copies = [
    await start('--replicaof', `127.0.0.1 ${master.port}`),
    await start('--replicaof', `127.0.0.1 ${master.port}`),
  ];
  for (const copy of copies) await copy.says(/sync: Finished with success/);
  const proxy = await startProxy(t, master.port);
  /** The master dies; the replica that has most takes its place, as Sentinel chooses, and a new machine joins. */
  const fail = async (): Promise<void> => {
    const dead = master;
    await dead.kill();
    const far = await Promise.all(copies.map(offset));
    const [next] = copies.splice(far[1]! > far[0]! ? 1 : 0, 1);
    master = next!;
    await master.command('REPLICAOF', 'NO', 'ONE');
    proxy.target = master.port;
    await dead.start();
    copies.push(dead);
    for (const copy of copies) {
      await copy.command('REPLICAOF', '127.0.0.1', String(master.port));
    }
  };
  const lag = async (): Promise<void> => {
    await copies[1]!.command('REPLICAOF', '127.0.0.1', '1');
  };
  return { proxy, fail, lag };
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test(
    'the master dies under load: what was acknowledged is there, and all go on',
    async (t) => {
      const { proxy, fail, lag } = await threeMachines(t);
      const options = {
        store: freshUrl(proxy.port),
        env: { PARLEY_LEASE: '2', PARLEY_STORE_REPLICAS: '1' },
      };
      const leader = await RunningServer.start(t, options);
      const follower = RunningServer.spawn(leader.folder, options);
      t.teardown(() => follower.kill());
      await follower.printed(/^Parley follows on/m);
      await follower.listening();
      const nodes = [leader, follower];
      const seen = await Promise.all(nodes.map(({ url }) => SeenBefore.begin(url)));
      for (const one of seen) await one.live('before');
      const owner = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
      const readers = await Promise.all(
        nodes.map(({ url }) => QueueReader.open(owner.at(url), { event_types: ['message'] })),
      );

      const acknowledged: Message[] = [];
      let refused = 0;
      let isOver = false;
      const write = async (writer: number): Promise<void> => {
        const client = owner.at(nodes[writer % nodes.length]!.url);
        for (let n = 0; !isOver; n++) {
          const content = `message ${n} of ${writer}`;
          const parameters = { type: 'channel', to: 'general', topic: 'load', content };
          const { status, body } = await client.call('POST', '/messages', parameters);
          if (status === 200) acknowledged.push({ id: Number(body.id), content });
          else refused++;
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
      const more = async (): Promise<void> => {
        const until = acknowledged.length + BATCH;
        while (acknowledged.length < until) await new Promise((go) => setImmediate(go));
      };
      const pauses: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await more();
        await lag();
        await more();
        const began = Date.now();
        await fail();
        const had = acknowledged.length;
        while (acknowledged.length === had) await new Promise((go) => setImmediate(go));
        pauses.push(Date.now() - began);
      }
      await more();
      isOver = true;
      await Promise.all(writers);

      const last = acknowledged.reduce((a, b) => (a.id > b.id ? a : b));
      // Both nodes have everything by then: a follower that is read without a position may be behind.
      const told: Message[][] = [];
      for (const reader of readers) {
        const events: Message[] = [];
        while ((events.at(-1)?.id ?? 0) < last.id) {
          for (const event of await reader.next()) {
            if (event.type === 'message') events.push(event.message as Message);
          }
        }
        told.push(events);
      }
      const stored: Message[] = [];
      for (let anchor: number | 'oldest' = 'oldest'; ;) {
        const parameters = { anchor, num_before: 0, num_after: 1000, apply_markdown: false };
        const reply = await owner.ok('GET', '/messages', { ...parameters, include_anchor: false });
        stored.push(...(reply.messages as Message[]));
        if (reply.found_newest === true) break;
        anchor = stored.at(-1)!.id;
      }
      const contents = new Map(stored.map(({ id, content }) => [id, content]));
      const lost = acknowledged.filter(({ id, content }) => contents.get(id) !== content);
      t.same(lost, [], 'nothing that was acknowledged is lost');
      const load = stored.filter(({ content }) => content.startsWith('message '));
      t.equal(new Set(load.map(({ content }) => content)).size, load.length, 'nothing is repeated');
      for (const i of readers.keys()) {
        const events = told[i]!;
        const had = events.filter(({ content }) => content.startsWith('message '));
        const expected = load.filter(({ id }) => id <= had.at(-1)!.id).map(({ id }) => id);
        t.same(
          had.map(({ id }) => id),
          expected,
          `node ${i}: each once, and none that is gone`,
        );
      }
      for (const [i, one] of seen.entries()) {
        await one.goesOn(t, nodes[i]!.url, `node ${i}`);
      }
      t.comment(
        `${acknowledged.length} acknowledged, ${lost.length} lost, ${refused} refused, ` +
          `${ROUNDS} deaths; writes went on after ${pauses.join(', ')} ms`,
      );
    },
  );
}
