import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import type { AdminNode } from '../../../../src/operator/admin/admin-request.js';
import { AdminSocket, ofLeader } from '../../../../src/operator/admin/admin-socket.js';
import { importUsers } from '../../../../src/operator/admin/user-import.js';
import { replacePlatform } from '../../../../src/platform/bound.js';
import { nodePlatform } from '../../../../src/platform/node-platform.js';
import { bind } from '../../../../src/resources/kernel/bind.js';
import { type Console, consoleHandlers } from '../../../../src/resources/queues/console.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { storeFolder } from '../../../system/harness/server.js';

/** A pause before a probe does not keep a process alive; these tests wait for it. */
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

/** A node that leads, as far as these commands look. */
function leading({ org, queues, runtime }: CoreNode): AdminNode {
  const parts = { markdown: createMarkdown(), linkKeys: new LinkKeys(Buffer.alloc(32, 7)) };
  const handlers = consoleHandlers({} as Console, queues, () => null);
  const service = { routes: handlers.map((handler) => bind(runtime, handler)) };
  return { served: { org, queues, runtime, parts, service } } as unknown as AdminNode;
}

/** A node with user 2 whose store says nothing from now on, and how the operator asks it. */
async function setUp(t: Test) {
  const node = await CoreNode.start();
  const owner = { ...account(1), role: ROLE.owner };
  for (const one of [owner, account(2)]) node.runtime.transact((tx) => tx.org.users.insert(one));
  const queue = await node.register(1);
  t.teardown(() => node.journal.abandon());
  node.gate.holding = true;
  const path = join(storeFolder(t), 'admin');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const socket = new AdminSocket(
    path,
    ofLeader(() => leading(node)),
    log,
  );
  socket.open();
  t.teardown(() => socket.close());
  const answers: string[] = [];
  /** The last line of the answer. */
  const ask = async (
    command: string,
    flags: Record<string, string> = {},
    args: readonly string[] = [],
  ): Promise<unknown> => {
    const client = connect(path);
    client.setEncoding('utf8');
    let text = '';
    client.on('data', (chunk: string) => (text += chunk));
    client.write(`${JSON.stringify({ command, args, flags })}\n`);
    await once(client, 'end');
    const lines = text.trimEnd().split('\n');
    answers.push(...lines);
    return JSON.parse(lines.at(-1)!) as unknown;
  };
  /** Rounds in which it would be answered. */
  const rounds = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await new Promise((done) => setImmediate(done));
  };
  return { node, queue, ask, answers, rounds };
}

const UNKNOWN = { kind: 'error', message: 'There is no account user2@example.com' };
const AWAY = { kind: 'error', message: 'The store is not available' };

void t.test('the operator is told nothing that a crash could undo', async (t) => {
  for (const isTaken of [true, false]) {
    const { node, queue, ask, answers, rounds } = await setUp(t);
    node.runtime.transact((tx) => tx.org.users.delete(2));
    await node.gate.waiting(1);
    const refused = ask('tail', { user: 'user2@example.com' });
    const done = ask('queues list');
    await rounds();
    t.same(answers, [], 'neither an answer nor a refusal comes before');
    const held = node.gate.held.shift()!;
    if (isTaken) await held.accept();
    else held.refuse(new Error('no space left on the disk'));
    const queues = { kind: 'done', result: [{ id: queue.queueId }] };
    t.match(await refused, isTaken ? UNKNOWN : AWAY);
    t.match(await done, isTaken ? queues : AWAY);
  }
});

void t.test('a queue whose end the store refuses goes on', async (t) => {
  const { node, queue, ask } = await setUp(t);
  const dropped = ask('queues drop', {}, [queue.queueId]);
  await node.gate.waiting(1);
  node.gate.held.shift()!.refuse(new Error('no space left on the disk'));
  t.same(await dropped, AWAY);
  t.notOk(queue.hasEnded);
});

void t.test('an import tells of no account that was taken back', async (t) => {
  const node = await CoreNode.start();
  await node.found();
  t.teardown(() => node.journal.abandon());
  const rows = [1, 2].map((line) => ({
    ...{ line, email: `new${line}@example.com`, name: `New ${line}`, role: '' },
  }));
  const told: unknown[] = [];
  let looks = 0;
  const imported = importUsers(
    leading(node),
    { command: 'users import', args: [], flags: {}, rows },
    {
      row: (row) => told.push(row),
      drained: async () => undefined,
      gone: new Promise(() => undefined),
      isGone: () => {
        // The store refuses what the first row has made.
        if (++looks === 2) node.runtime.takenBack([]);
        return false;
      },
    },
  );
  await t.rejects(imported, { message: 'The store is not available' });
  t.same(told, []);
});

void t.test('a folder in which nothing can be done ends no leader: it is told', (t) => {
  const names = ['rmSync', 'chmodSync', 'lstatSync', 'renameSync'] as const;
  for (const name of names) {
    const warned: unknown[] = [];
    const warn = (fields: object): void =>
      void warned.push((fields as { err?: Error }).err?.message);
    const path = join(storeFolder(t), 'admin');
    const log = { info: () => undefined, warn, error: () => undefined };
    const socket = new AdminSocket(
      path,
      ofLeader(() => null),
      log,
    );
    const failing = (): never => {
      throw new Error(`EIO: ${name}`);
    };
    const files = { ...nodePlatform.files, [name]: failing };
    const putBack = replacePlatform({ ...nodePlatform, files });
    socket.open();
    t.same(warned, [`EIO: ${name}`]);
    socket.close();
    putBack();
    socket.open();
    t.ok(existsSync(path), 'it opens once it can');
    socket.close();
    t.notOk(existsSync(path));
  }
  t.end();
});
