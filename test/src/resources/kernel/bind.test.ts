import t from 'tap';
import { badRequest } from '../../../../src/errors/index.js';
import { bind } from '../../../../src/resources/kernel/bind.js';
import {
  CommittedRefusal,
  type Caller,
  type DecodedRequest,
} from '../../../../src/resources/kernel/route.js';
import {
  handle,
  handleInParts,
  handleJob,
  handlePinned,
  handlePrepared,
  type AnyHandler,
} from '../../../../src/resources/kernel/handler.js';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import type { Organization } from '../../../../src/organization/state/organization.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { toyEndpoint } from '../../http/toy-server.js';
import { longestRound, useClockOfWork, work } from '../../turns/clock-of-work.js';

const ENDPOINT = toyEndpoint({ method: 'POST', path: '/toy' });

/** A request that tells when the costly parts of it are asked for. */
function request(caller: Caller | null, asked: string[] = []): DecodedRequest {
  return {
    caller,
    params: { x: 1 },
    get clientName() {
      asked.push('client');
      return 'website';
    },
    get remoteAddress() {
      asked.push('address');
      return '192.0.2.1';
    },
  };
}

async function setUp(handler: (node: CoreNode) => AnyHandler) {
  const node = await CoreNode.start();
  node.runtime.transact((tx) => tx.org.users.insert(account(1)));
  await node.journal.barrier();
  return { node, route: bind(node.runtime, handler(node)), caller: { user: account(1) } };
}

void t.test('a handler that changes nothing answers at once', async (t) => {
  const asked: string[] = [];
  const { route, caller } = await setUp(() =>
    handle(ENDPOINT, (_tx, { user, params }) => ({ name: user.full_name, params })),
  );
  t.same(route.call(request(caller, asked)), { name: 'User 1', params: { x: 1 } });
  t.same(asked, [], 'what is costly is left alone');
});

void t.test('what is refused after a part was done comes once that part is durable', async (t) => {
  const { node, route, caller } = await setUp(() =>
    handle(ENDPOINT, (tx) => {
      if (!tx.org.users.has(2)) tx.org.users.insert(account(2));
      return new CommittedRefusal(badRequest('Only a part.'));
    }),
  );
  node.gate.holding = true;
  let refused = false;
  const reply = Promise.resolve(route.call(request(caller))).catch((error: unknown) => {
    refused = true;
    throw error;
  });
  await node.gate.waiting(1);
  t.notOk(refused, 'not before');
  await node.gate.held[0]!.accept();
  await t.rejects(reply, { status: 400, message: 'Only a part.' });
  t.ok(node.org.users.has(2), 'and what was done stays');
  t.throws(() => route.call(request(caller)), { message: 'Only a part.' });
});

void t.test('the costly parts are there for those who ask', async (t) => {
  const { route, caller } = await setUp(() =>
    handle(ENDPOINT, (_tx, one) => ({ client: one.clientName, address: one.remoteAddress })),
  );
  t.same(route.call(request(caller)), { client: 'website', address: '192.0.2.1' });
  t.same(route.call(request(null)), { client: 'website', address: '192.0.2.1' });
});

void t.test('each part of a large change waits until the one before it is durable', async (t) => {
  const { node, route, caller } = await setUp(() =>
    handleInParts(ENDPOINT, function* (change) {
      for (const id of [2, 3, 4]) {
        if (id > 2) yield* change.nextPart();
        change.tx.org.users.insert(account(id));
      }
      return {};
    }),
  );
  node.gate.holding = true;
  const reply = route.call(request(caller)) as Promise<unknown>;
  const seen: number[] = [];
  for (let part = 0; part < 3; part++) {
    await node.gate.waiting(1);
    // Rounds in which the next part would run.
    for (let round = 0; round < 5; round++) await new Promise((done) => setImmediate(done));
    seen.push(node.org.users.size);
    await node.gate.held.shift()!.accept();
  }
  t.same(seen, [2, 3, 4]);
  t.same(await reply, {});
});

void t.test('an answer waits for what it rests on, also where others wrote that', async (t) => {
  const { node, route, caller } = await setUp(() =>
    handle(ENDPOINT, (tx) => ({ users: tx.org.users.size })),
  );
  node.gate.holding = true;
  node.runtime.transact((tx) => tx.org.users.insert(account(2)));
  let answered = false;
  const reply = Promise.resolve(route.call(request(caller))).then((value) => {
    answered = true;
    return value;
  });
  await node.gate.waiting(1);
  t.notOk(answered);
  await node.gate.held.shift()!.accept();
  t.same(await reply, { users: 2 });
});

void t.test(
  'what was deferred is answered and seen at once; only another node waits',
  async (t) => {
    const { node, route, caller } = await setUp(() =>
      handle(ENDPOINT, (tx) => {
        tx.defer(60_000);
        return { number: tx.org.counters.next('presence_update') };
      }),
    );
    const reader = bind(
      node.runtime,
      handle(ENDPOINT, (tx) => ({ last: tx.org.counters.last('presence_update') })),
    );
    t.same(route.call(request(caller)), { number: 1 });
    t.same(reader.call(request(caller)), { last: 1 });
    t.same(node.gate.given.length, 1, 'nothing went to the store since the account');
    const forwarded = route.call({ ...request(caller), isForwarded: true });
    t.ok(forwarded instanceof Promise);
    t.same(await forwarded, { number: 2 });
    t.same(node.gate.given.slice(1), [[2, 3]], 'both are durable');
  },
);

void t.test(
  'what the store refuses is refused, and later reads show what the store has',
  async (t) => {
    const { node, route, caller } = await setUp(() =>
      handle(ENDPOINT, (tx) => {
        tx.org.counters.next('message');
        return {};
      }),
    );
    const reader = bind(
      node.runtime,
      handle(ENDPOINT, (tx) => ({ last: tx.org.counters.last('message') })),
    );
    const read = (): Promise<unknown> => Promise.resolve(reader.call(request(caller)));
    const before = await read();
    node.gate.holding = true;
    const reply = route.call(request(caller)) as Promise<unknown>;
    await node.gate.waiting(1);
    node.gate.held.shift()!.refuse(new Error('gone'));
    await t.rejects(reply, { message: 'The store is not available' });
    t.same(await read(), before);
    await t.rejects(
      Promise.resolve().then(() => route.call(request(caller))),
      {
        message: 'The store is not available',
      },
    );
  },
);

void t.test('what was stored for a request is removed where the store refuses it', async (t) => {
  const removed: unknown[] = [];
  const { node, route, caller } = await setUp(() =>
    handlePrepared(
      ENDPOINT,
      async () => 'a file',
      (tx, _request, file) => {
        tx.org.counters.next('message');
        return { file };
      },
      (file) => removed.push(file),
    ),
  );
  t.same(await route.call(request(caller)), { file: 'a file' });
  t.same(removed, []);
  node.gate.holding = true;
  const reply = route.call(request(caller)) as Promise<unknown>;
  await node.gate.waiting(1);
  t.same(removed, [], 'it may become durable');
  node.gate.held.shift()!.refuse(new Error('gone'));
  await t.rejects(reply, { message: 'The store is not available' });
  t.same(removed, ['a file']);
});

void t.test('the caller is who they are when the handler runs', async (t) => {
  let proceed: () => void = () => undefined;
  const { node, route, caller } = await setUp(() =>
    handlePrepared(
      ENDPOINT,
      () => new Promise<string>((done) => (proceed = () => done('loaded'))),
      (_tx, { user }, loaded) => ({ name: user.full_name, loaded }),
    ),
  );
  const renamed = route.call(request(caller));
  node.runtime.transact((tx) => tx.org.users.update(1, { full_name: 'New' }));
  proceed();
  t.same(await renamed, { name: 'New', loaded: 'loaded' });
  const late = route.call(request(caller)) as Promise<unknown>;
  node.runtime.transact((tx) => tx.org.users.update(1, { is_active: false }));
  proceed();
  await t.rejects(late, { message: 'Account is deactivated' });
});

void t.test('what was read of changes that were taken back is told to nobody', async (t) => {
  const read = toyEndpoint({ method: 'GET', path: '/toy' });
  let proceed = (): void => undefined;
  const name = async (org: Organization): Promise<string> => {
    const { full_name } = org.users.get(1)!;
    await new Promise<void>((done) => (proceed = done));
    return full_name;
  };
  const handlers = [
    handlePrepared(read, name, (_tx, _request, found) => ({ name: found })),
    handleJob(read, async (org) => ({ name: await name(org) })),
  ];
  for (const handler of handlers) {
    const { node, route, caller } = await setUp(() => handler);
    t.teardown(() => node.journal.abandon());
    node.gate.holding = true;
    node.runtime.transact((tx) => tx.org.users.update(1, { full_name: 'Lost' }));
    await node.gate.waiting(1);
    const reply = Promise.resolve(route.call(request(caller)));
    node.gate.held.shift()!.refuse(new Error('no space left on the disk'));
    while (!node.journal.isReadOnly) await new Promise((done) => setImmediate(done));
    proceed();
    await t.rejects(reply, { message: 'The store is not available' });
    const again = Promise.resolve(route.call(request(caller)));
    proceed();
    t.same(await again, { name: 'User 1' });
  }
});

void t.test(
  'what was prepared outside memory is discarded where the transaction is refused',
  async (t) => {
    const discarded: string[] = [];
    let refusal: Error | null = badRequest('No.');
    const { node, route, caller } = await setUp(() =>
      handlePrepared(
        ENDPOINT,
        async () => 'a file',
        (tx) => {
          if (refusal) throw refusal;
          tx.org.counters.next('message');
          return {};
        },
        (loaded) => discarded.push(loaded),
      ),
    );
    await t.rejects(route.call(request(caller)) as Promise<unknown>, { message: 'No.' });
    t.same(discarded, ['a file']);
    refusal = null;
    t.same(await route.call(request(caller)), {});
    node.gate.holding = true;
    const unsure = route.call(request(caller)) as Promise<unknown>;
    await node.gate.waiting(1);
    node.gate.held.shift()!.refuse(new StoreUnavailableError('gone', null));
    await t.rejects(unsure, { message: 'The store is not available' });
    t.same(discarded, ['a file'], 'what may still become durable keeps its file');
    await t.rejects(route.call(request(caller)) as Promise<unknown>, {
      message: 'The store is not available',
    });
    t.same(discarded, ['a file', 'a file'], 'a failing store takes nothing more');
  },
);

void t.test(
  'a job runs transactions of its own, and is answered once they are durable',
  async (t) => {
    const { node, route, caller } = await setUp((node) =>
      handleJob(ENDPOINT, async (org) => {
        node.runtime.transact((tx) => tx.org.users.insert(account(2)));
        await Promise.resolve();
        node.runtime.transact((tx) => tx.org.users.insert(account(3)));
        return { users: org.users.size };
      }),
    );
    node.gate.holding = true;
    let answered = false;
    const reply = Promise.resolve(route.call(request(caller))).then((body) => {
      answered = true;
      return body;
    });
    await node.gate.waiting(1);
    t.notOk(answered);
    node.gate.holding = false;
    await node.gate.held.shift()!.accept();
    t.same(await reply, { users: 3 });
    t.ok(node.memory.collections.get('user')?.has('3'));
  },
);

void t.test('what a job changed stays, also where its caller is gone at the end', async (t) => {
  const { node, route, caller } = await setUp((node) =>
    handleJob(ENDPOINT, async () => {
      node.runtime.transact((tx) => tx.org.users.update(1, { is_active: false }));
      return {};
    }),
  );
  await t.rejects(Promise.resolve(route.call(request(caller))), {
    code: 'UNAUTHORIZED',
    message: 'Account is deactivated',
  });
  t.equal(node.org.users.get(1)!.is_active, false);
});

void t.test('what was prepared at once answers at once', async (t) => {
  const { route, caller } = await setUp(() =>
    handleInParts(
      ENDPOINT,
      function* (_change, _request, loaded: string) {
        return { loaded };
      },
      () => 'nothing to wait for',
    ),
  );
  t.same(route.call(request(caller)), { loaded: 'nothing to wait for' });
});

void t.test('of many that were prepared at once each takes its turn', async (t) => {
  const released: number[] = [];
  let prepared = 0;
  const { route, caller } = await setUp(() =>
    handlePinned(
      ENDPOINT,
      async () => ++prepared,
      (_tx, _request, number) => {
        work(10);
        if (number === 4) throw badRequest('Not this one.');
        return { number };
      },
      (number) => released.push(number),
    ),
  );
  useClockOfWork(t);
  const calls = Array.from({ length: 6 }, async () => route.call(request(caller)));
  const settled = Promise.allSettled(calls);
  const longest = await longestRound(settled);
  const replies = await settled;
  t.same(
    replies.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    [1, 2, 3, 'ApiError: Not this one.', 5, 6].map((one) =>
      typeof one === 'string' ? one : { number: one },
    ),
  );
  t.equal(longest, 10, 'one of ten milliseconds in a round of the event loop');
  t.same(released, [4], 'what was refused needs nothing any more');
});
