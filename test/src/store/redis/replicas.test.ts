/** A store whose replicas must have a commit before it counts, on real servers that die or lag. */
import t, { type Test } from 'tap';
import {
  LostWritesError,
  StoreReadOnlyError,
  type Lease,
  type Store,
  type StoredEntry,
} from '../../../../src/store/port.js';
import { TooFewReplicasError } from '../../../../src/store/too-few-replicas.js';
import type { Connection } from '../../../../src/store/redis/connection.js';
import { assertWaits, Replicas } from '../../../../src/store/redis/replicas.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, entry, one, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis, type RedisServer } from '../fixtures/redis-server.js';
import { startProxy, type Proxy } from '../fixtures/tcp-proxy.js';

const QUICK = { replyMs: 2000, waitMs: 300 };
const PATIENT = { replyMs: 2000, waitMs: 20_000 };

interface Machines {
  readonly master: RedisServer;
  readonly replicas: readonly [RedisServer, RedisServer];
  /** Stands for the address of the master. */
  readonly proxy: Proxy;
  readonly url: string;
}

async function machines(t: Test): Promise<Machines> {
  // A replica that comes gets everything at once.
  const settings = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(t, ...settings);
  const follow = (): Promise<RedisServer> =>
    startRedis(t, ...settings, '--replicaof', `127.0.0.1 ${master.port}`);
  const replicas = [await follow(), await follow()] as const;
  for (const replica of replicas) await replica.says(/sync: Finished with success/);
  const proxy = await startProxy(t, master.port);
  return { master, replicas, proxy, url: freshUrl(proxy.port) };
}

/** A store that closes with the test. */
async function opened(
  t: Test,
  url: string,
  options: Parameters<typeof openRedisStore>[1],
): Promise<Store> {
  const store = await openRedisStore(parseRedisUrl(url), options);
  t.teardown(() => store.close());
  return store;
}

function putter(store: Store, lease: Lease): (seq: number) => Promise<void> {
  return (seq) =>
    store.commit(lease, commitOf({ entries: [entry(seq)], writes: [set('users', '1', { seq })] }));
}

/** Gives a commit again and again, as long as too few replicas have it. */
async function untilKept(commit: () => Promise<void>): Promise<void> {
  let tooFew: boolean;
  do {
    tooFew = await commit().then(
      () => false,
      (error: unknown) => {
        if (error instanceof TooFewReplicasError) return true;
        throw error;
      },
    );
  } while (tooFew);
}

/** Both replicas follow nobody any more: what the master gets from now on is there alone. */
async function cutOff({ replicas }: Machines): Promise<void> {
  for (const replica of replicas) await replica.command('REPLICAOF', 'NO', 'ONE');
}

/** Waits until all replicas say that they have what the master has. */
async function inStep({ master }: Machines): Promise<void> {
  for (;;) {
    const [, offset, replicas] = (await master.command('ROLE')) as [string, number, string[][]];
    if (replicas.length === 2 && replicas.every(([, , had]) => Number(had) >= offset)) return;
  }
}

async function rejoin({ replicas, master }: Machines): Promise<void> {
  for (const replica of replicas) {
    await replica.command('REPLICAOF', '127.0.0.1', String(master.port));
  }
}

/** The master dies for good; one replica takes its place, and the other follows that one. */
async function failOver({ master, replicas: [next, other], proxy }: Machines): Promise<void> {
  await master.kill();
  await next.command('REPLICAOF', 'NO', 'ONE');
  await other.command('REPLICAOF', '127.0.0.1', String(next.port));
  proxy.target = next.port;
}

/** Positions that a follower gets, as they come. */
function followed(t: Test, store: Store, after: number, last?: StoredEntry) {
  const ended = new AbortController();
  t.teardown(() => ended.abort());
  const got: number[] = [];
  let came = (): void => undefined;
  const end = (async () => {
    for await (const entries of store.follow(after, ended.signal, last)) {
      got.push(...entries.map(({ seq }) => seq));
      came();
    }
  })();
  end.catch(() => undefined);
  const until = async (seq: number): Promise<void> => {
    while (got.at(-1) !== seq) await Promise.race([new Promise<void>((go) => (came = go)), end]);
  };
  return { got, until };
}

void t.test(
  'files of replicas are waited for behind the replicas: alone that takes a second',
  (t) => {
    const connection = { present: null } as unknown as Connection;
    const behind = (inLog: boolean, hasPromoters: boolean): readonly string[] =>
      new Replicas(connection, { wanted: 2, inLog, hasPromoters }).behind.commands.map((one) =>
        one.join(' '),
      );
    t.same(behind(false, false), ['WAIT 2 500']);
    t.same(behind(false, true), ['WAIT 2 500', 'INFO replication']);
    t.same(behind(true, false), ['WAIT 2 500', 'WAITAOF 1 2 1500']);
    t.same(behind(true, true), ['WAIT 2 500', 'WAITAOF 1 2 1500', 'INFO replication']);
    t.end();
  },
);

void t.test('a user who may not wait, or not for files, is found at the start', async (t) => {
  const trial = async (inLog: boolean, refused: string): Promise<readonly string[]> => {
    const sent: string[] = [];
    const send = async ([name]: readonly string[]): Promise<void> => {
      sent.push(name!);
      if (name === refused) throw new Error(`NOPERM ${name}`);
    };
    const retry = (act: () => Promise<unknown>): Promise<unknown> => act();
    const connection = { present: null, send, retry } as unknown as Connection;
    const replicas = new Replicas(connection, { wanted: 1, inLog, hasPromoters: false });
    await assertWaits(replicas).catch(({ message }: Error) => sent.push(message));
    return sent;
  };
  t.same(await trial(true, ''), ['WAIT', 'WAITAOF']);
  t.same(await trial(true, 'WAITAOF'), ['WAIT', 'WAITAOF', 'NOPERM WAITAOF']);
  t.same(await trial(true, 'WAIT'), ['WAIT', 'NOPERM WAIT']);
  t.same(await trial(false, 'WAITAOF'), ['WAIT'], 'an older server does not know it');
});

void t.test('a replica without a file is waited for, and its file is not', async (t) => {
  const master = {};
  let questions = 0;
  const confirm = async (): Promise<boolean> => ++questions > 0;
  const connection = { present: master, confirm } as unknown as Connection;
  const replicas = new Replicas(connection, { wanted: 1, inLog: true, hasPromoters: true });
  const online = (i: number): string => `slave${i}:ip=r${i},port=6379,state=online,offset=7,lag=0`;
  const info = ['connected_slaves:2', online(0), online(1), 'master_repl_offset:7'].join('\r\n');
  t.ok(await replicas.keep(replicas.sent(), [1, [1, 1], info]));
  t.same(
    replicas.behind.commands.map((one) => one.join(' ')),
    ['WAIT 2 500', 'WAITAOF 1 1 1500', 'INFO replication'],
  );
  t.ok(await replicas.keep(replicas.sent(), [2, [1, 1], info]));
  t.equal(questions, 1, 'the second change is at all that may be promoted');
  t.notOk(await replicas.keep(replicas.sent(), [2, [1, 0], info]), 'one file must have it');
  t.notOk(await replicas.keep(replicas.sent(), [2, [0, 1], info]), 'so must that of the master');
  t.same(replicas.count, { have: 1, wanted: 1 });
});

if (NO_REDIS !== null) {
  t.comment(NO_REDIS);
} else {
  void t.test('a server that its replicas have left is not asked for what is newest', async (t) => {
    const servers = await machines(t);
    const store = await opened(t, servers.url, { ...QUICK, replicas: 1 });
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    const follower = await opened(t, servers.url, { ...QUICK, replicas: 1 });
    t.equal(await follower.surelyNewest!(), 1);
    await store.confirmLease!(lease, TTL_MS);
    // One of them may have taken its place, and have more by now.
    await cutOff(servers);
    t.same(await follower.lastEntry(), entry(1), 'what is durable is read on');
    await t.rejects(follower.surelyNewest!(), TooFewReplicasError);
    await t.rejects(store.confirmLease!(lease, TTL_MS), TooFewReplicasError);
    await store.renewLease(lease, TTL_MS);
    await rejoin(servers);
    await untilKept(() => store.confirmLease!(lease, TTL_MS));
    t.equal(await follower.surelyNewest!(), 1);
    const alone = await opened(t, servers.url, {});
    t.equal(await alone.surelyNewest!(), null, 'where nobody waits for replicas, nobody asks');
  });

  void t.test('nobody sees a commit that too few replicas have, until they have it', async (t) => {
    const servers = await machines(t);
    const { url, master } = servers;
    const store = await opened(t, url, { ...QUICK, replicas: 2 });
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    // Another process goes by what the writer waits for, whatever it would wait for itself.
    const reader = await opened(t, url, {});
    const { got, until } = followed(t, reader, 0);
    await until(1);
    await servers.replicas[0].command('REPLICAOF', 'NO', 'ONE');
    const refused = await put(2).catch((error: unknown) => error);
    t.type(refused, TooFewReplicasError);
    t.match(refused, { have: 1, wanted: 2 });
    t.match(refused, { message: '1 of 2 replicas of the store have the newest change' });
    t.same(store.replicas, { have: 1, wanted: 2 });
    t.equal(reader.replicas, undefined, 'one that waits for none counts none');
    t.same(await reader.lastEntry(), entry(1), 'the newest durable one');
    t.same(await reader.getManyWithLast([{ collection: 'users', id: '1' }]), {
      documents: [{ seq: 2 }],
      last: entry(2),
      isUnsettled: true,
    });
    t.same(got, [1]);
    await servers.replicas[0].command('REPLICAOF', '127.0.0.1', String(master.port));
    await untilKept(() => put(2));
    await until(2);
    t.same(got, [1, 2]);
    t.same(await seqs(reader), [1, 2], 'it was written once');
    await put(3);
    await until(3);
    t.same(await reader.lastEntry(), entry(3));
  });

  void t.test('a reply that is lost says nothing of replicas', async (t) => {
    const servers = await machines(t);
    const { url, proxy } = servers;
    const store = await opened(t, url, { ...QUICK, replicas: 1 });
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    const reader = await opened(t, url, {});
    await cutOff(servers);
    // A new connection has written nothing of it: WAIT alone would answer there for what it has, which is nothing.
    proxy.reset();
    proxy.cutAfter('down', 1);
    await t.rejects(put(2), TooFewReplicasError);
    t.same(await reader.lastEntry(), entry(1));
    await rejoin(servers);
    await untilKept(() => put(2));
    t.same(await seqs(reader), [1, 2]);
  });

  void t.test('the master dies with a commit that no replica has: it is made again', async (t) => {
    const servers = await machines(t);
    const { url, replicas } = servers;
    const store = await opened(t, url, { ...PATIENT, replicas: 1 });
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    const reader = await opened(t, url, PATIENT);
    const { got, until } = followed(t, reader, 0);
    await until(1);
    // One would do for the commit, and the other may take the master's place.
    await inStep(servers);
    await cutOff(servers);
    const second = put(2);
    while (!(await reader.getManyWithLast([])).isUnsettled);
    t.same(got, [1]);
    await failOver(servers);
    await second;
    await put(3);
    await until(3);
    t.same(got, [1, 2, 3], 'who follows goes on');
    t.same(await seqs(reader), [1, 2, 3]);
    t.same(await one(reader, 'users', '1'), { seq: 3 });
    await store.renewLease(lease, TTL_MS);
    t.match(await replicas[0].command('ROLE'), ['master']);
  });

  void t.test('who writes at the new master reads nothing of the former one', async (t) => {
    const servers = await machines(t);
    const { url, master, proxy } = servers;
    const [next, other] = servers.replicas;
    const store = await opened(t, url, { ...PATIENT, replicas: 1 });
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    t.same(await one(store, 'users', '1'), { seq: 1 });
    await inStep(servers);
    await next.command('REPLICAOF', 'NO', 'ONE');
    await other.command('REPLICAOF', '127.0.0.1', String(next.port));
    proxy.target = next.port;
    // The former master does not know. Of two connections to it the one breaks over which is written.
    const clients = String(await master.command('CLIENT', 'LIST'));
    const [, id] = /^id=(\d+) .* cmd=(?:wait|eval)/m.exec(clients)!;
    await master.command('CLIENT', 'KILL', 'ID', id!);
    await put(2);
    t.same(await one(store, 'users', '1'), { seq: 2 });
    t.same(await seqs(store), [1, 2]);
  });

  void t.test(
    'without replicas the same loses what was acknowledged, and is noticed',
    async (t) => {
      const servers = await machines(t);
      const store = await opened(t, servers.url, PATIENT);
      const lease = (await store.acquireLease('writer', TTL_MS))!;
      const put = putter(store, lease);
      await put(1);
      // The replicas have it, and the lease.
      await inStep(servers);
      await cutOff(servers);
      await put(2);
      await put(3);
      await failOver(servers);
      await t.rejects(store.renewLease(lease, TTL_MS), LostWritesError);
    },
  );

  void t.test('nobody writes where too few replicas would have it', async (t) => {
    const servers = await machines(t);
    const store = await opened(t, servers.url, { ...QUICK, replicas: 1 });
    await cutOff(servers);
    await t.rejects(
      store.acquireLease('writer', TTL_MS),
      new StoreReadOnlyError('0 of 1 replicas of the store have the newest change'),
    );
    await rejoin(servers);
    let lease: Lease | null = null;
    while (lease === null) {
      lease = await store.acquireLease('writer', TTL_MS).catch((error: unknown) => {
        if (error instanceof StoreReadOnlyError) return null;
        throw error;
      });
    }
    t.same(lease, { token: 1 }, 'and it is the same that was asked for');
    await putter(store, lease)(1);
    t.same(await store.lastEntry(), entry(1));
  });

  void t.test('a master that says nothing is found so once, not on each connection', async (t) => {
    const { master, replicas, proxy, url } = await machines(t);
    const store = await opened(t, url, { ...QUICK, replicas: 1 });
    master.process.kill('SIGSTOP');
    await t.rejects(store.lineage!(), /No answer within/);
    await replicas[0].command('REPLICAOF', 'NO', 'ONE');
    await replicas[1].command('REPLICAOF', '127.0.0.1', String(replicas[0].port));
    while (!String(await replicas[0].command('INFO', 'replication')).includes('state=online'));
    proxy.target = replicas[0].port;
    t.ok(await store.acquireLease('writer', TTL_MS), 'over the connection that waits for replicas');
  });

  void t.test('a replica that is gone is missed before a commit waits for it', async (t) => {
    const servers = await machines(t);
    const store = await opened(t, servers.url, { ...QUICK, replicas: 2 });
    t.equal(store.replicas, undefined, 'nothing was asked');
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const have = (): number | undefined => store.replicas?.have;
    t.equal(have(), 2);
    await servers.replicas[0].command('REPLICAOF', 'NO', 'ONE');
    while (have() !== 1) await store.renewLease(lease, TTL_MS);
    await servers.replicas[0].command('REPLICAOF', '127.0.0.1', String(servers.master.port));
    while (have() !== 2) await store.renewLease(lease, TTL_MS);
    t.same(await seqs(store), [], 'without a commit');
  });

  void t.test('what was acknowledged without replicas is there for all', async (t) => {
    const servers = await machines(t);
    const first = await opened(t, servers.url, PATIENT);
    const lease = (await first.acquireLease('first', TTL_MS))!;
    await putter(first, lease)(1);
    await first.releaseLease(lease);
    await cutOff(servers);
    const store = await opened(t, servers.url, { ...QUICK, replicas: 1 });
    await t.rejects(store.acquireLease('second', TTL_MS), StoreReadOnlyError);
    t.same(await store.lastEntry(), entry(1));
    const { until } = followed(t, store, 0);
    await until(1);
  });
}
