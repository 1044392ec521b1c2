/*
 * What many connections cause in one round of the event loop: nearly two hundred of one user, and of ten, at the leader and at
 * a node that follows. The server stands still while they send, so that it finds everything at once. Nobody's turn may come
 * later than 50 ms for it, at either node. That any set of connections moves a bounded number of bytes in a round is in
 * connection-turns.test.ts; only a process shows what the kernel, the native layer and the garbage collector add. What a
 * single request causes is in largest-input.test.ts.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { leastOf, LIMIT_MS, told } from '../../fixtures/machine-load.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { atOnce, connections, head, type Connection } from '../harness/together/connections.js';

t.setTimeout(600_000);

/** Of one address: a mail listener takes half of a hundred. */
const CONNECTIONS = 190;
const MAILS = 45;
const MIB = 1024 * 1024;
/** Messages of the greatest length that wait for each queue: a megabyte and a half, which the network takes at once. */
const BACKLOG = 150;
const LONG = 'x'.repeat(10_000);

const watch = new URL('../../../bench/harness/measuring/loop-watch.js', import.meta.url).href;

/** A node, and how long its event loop was blocked since somebody last asked. */
interface Node {
  readonly name: string;
  readonly server: RunningServer;
  readonly mails: number;
  readonly longestBlock: () => Promise<number>;
}

interface Queue {
  readonly account: ApiClient;
  readonly id: string;
  readonly cursor: number;
}

const MAIL_LISTENER = [
  ...['--incoming-mail', 'smtp://127.0.0.1:0'],
  ...['--incoming-mail-address', '%s@mail.example'],
];

/** Options of a node that tells its blocks in a file. */
function watchedBy(file: string) {
  const env = { PARLEY_LOOP_WATCH: file, NODE_OPTIONS: `--import=${watch}` };
  return { env, args: MAIL_LISTENER };
}

async function watched(name: string, server: RunningServer, file: string): Promise<Node> {
  const taken = await server.printed(/^Mails are taken at smtp:\/\/127\.0\.0\.1:(\d+)$/m);
  return {
    name,
    server,
    mails: Number(taken[1]),
    longestBlock: async () => {
      rmSync(file, { force: true });
      while (!existsSync(file)) await pause(1);
      return Number(readFileSync(file, 'utf8'));
    },
  };
}

/** A leader and a node that follows it, on one store. */
async function twoNodes(t: Parameters<typeof storeFolder>[0]): Promise<[Node, Node]> {
  const folder = storeFolder(t);
  const [atLeader, atFollower] = [join(folder, 'watch-leader'), join(folder, 'watch-follower')];
  const first = await RunningServer.serve(t, folder, watchedBy(atLeader));
  const second = RunningServer.spawn(folder, watchedBy(atFollower));
  t.teardown(() => second.kill());
  await second.printed(/^Parley follows on/m);
  await second.listening();
  return [await watched('leader', first, atLeader), await watched('follower', second, atFollower)];
}

const SOCKET = {
  ...{ Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13 },
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** A body that is refused once it is whole: its end is missing. */
const PART = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
const BODY = Buffer.concat([Buffer.from(PART), Buffer.alloc(MIB, 'x')]);
const BODY_HEADERS = {
  'Content-Type': 'multipart/form-data; boundary=b',
  'Content-Length': BODY.length,
};

void t.test(
  `nobody waits longer than ${LIMIT_MS} ms for what many connections cause`,
  async (t) => {
    const nodes = await twoNodes(t);
    const [leader] = nodes;
    const owner = await ApiClient.login(leader.server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const members: ApiClient[] = [];
    for (let i = 0; i < 10; i++) members.push(await owner.createUser(`member${i}`));
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(2 * MIB)]), 'a.bin');
    const uploaded = await fetch(`${owner.url}/api/v1/user_uploads`, {
      method: 'POST',
      headers: { Authorization: owner.authorization },
      body: form,
    });
    const { uri } = (await uploaded.json()) as { uri: string };
    await owner.say(`[a.bin](${uri})`);

    const queuesOf = async (node: Node, users: number): Promise<Queue[]> => {
      const queues: Queue[] = [];
      for (let i = 0; i < CONNECTIONS; i++) {
        const account = members[i % users]!.at(node.server.url);
        const { queue_id, last_event_id } = await account.register({ event_types: ['message'] });
        queues.push({ account, id: queue_id, cursor: last_event_id });
      }
      return queues;
    };
    const cases: { node: Node; users: number; queues: Queue[] }[] = [];
    for (const node of nodes) {
      for (const users of [1, 10]) cases.push({ node, users, queues: await queuesOf(node, users) });
    }
    for (let i = 0; i < BACKLOG; i += 10) {
      await Promise.all(Array.from({ length: 10 }, () => owner.say(LONG)));
    }

    const measure = async (
      what: string,
      {
        node,
        port = node.server.port,
        count = CONNECTIONS,
      }: { node: Node; port?: number; count?: number },
      run: (all: readonly Connection[]) => Promise<unknown>,
    ): Promise<void> => {
      const least = nodes.map(() => Infinity);
      const { limit } = await leastOf(LIMIT_MS, async () => {
        const all = await connections(port, count);
        await Promise.all(nodes.map((one) => one.longestBlock()));
        await run(all);
        for (const [i, one] of nodes.entries()) {
          least[i] = Math.min(least[i]!, await one.longestBlock());
        }
        await Promise.all(all.map((one) => one.close()));
        return Math.max(...least);
      });
      for (const [i, one] of nodes.entries()) {
        const text = told(`${what}, to the ${node.name}: the ${one.name}`, {
          least: least[i]!,
          limit,
        });
        t.ok(least[i]! < limit, text);
      }
    };

    for (const { node, users, queues } of cases) {
      const whose = users === 1 ? 'one user' : 'ten users';
      const pulled = [node.server];
      const each =
        (headers: Readonly<Record<string, string | number>>) => (one: Connection, i: number) => {
          const { account, id, cursor } = queues[i]!;
          one.say(head(account, 'GET', `/events?queue_id=${id}&last_event_id=${cursor}`, headers));
        };
      const ask =
        (say: (one: Connection, i: number) => void, bytes: number) =>
        async (all: readonly Connection[]): Promise<void> => {
          await atOnce(pulled, () => all.forEach(say));
          await Promise.all(all.map((one) => one.heard(bytes)));
        };
      const everything = BACKLOG * LONG.length;
      const stream = each({ Accept: 'text/event-stream' });
      await measure(`streams of ${whose}`, { node }, ask(stream, everything));
      await measure(`streams of ${whose} that are read again`, { node }, async (all) => {
        for (const one of all) one.ignore();
        await ask(stream, 0)(all);
        // The server is told that all are read while it stands still.
        await node.longestBlock();
        await atOnce(pulled, () => all.forEach((one) => one.listen()));
        await Promise.all(all.map((one) => one.heard(everything)));
      });
      await measure(`sockets of ${whose}`, { node }, ask(each(SOCKET), everything));
      await measure(`polls of ${whose}`, { node }, ask(each({}), MIB));
      const file = (one: Connection, i: number): void =>
        one.say(head(queues[i]!.account, 'GET', uri, {}, ''));
      await measure(`downloads of ${whose}`, { node }, ask(file, 2 * MIB));
      await measure(`uploads of ${whose}`, { node }, async (all) => {
        const begins = (one: Connection, i: number): void => {
          one.say(head(queues[i]!.account, 'POST', '/user_uploads', BODY_HEADERS));
          one.say(BODY.subarray(0, MIB / 2));
        };
        await atOnce(pulled, () => all.forEach(begins));
        await atOnce(pulled, () => all.forEach((one) => one.say(BODY.subarray(MIB / 2))));
        await Promise.all(all.map((one) => one.heard(1)));
        const statuses = new Set(all.map((one) => one.head.slice(0, 12)));
        t.same([...statuses], ['HTTP/1.1 400']);
      });
    }
    for (const node of nodes) {
      await measure('mails', { node, port: node.mails, count: MAILS }, async (all) => {
        const line = async (text: string, code: string): Promise<void> => {
          for (const one of all) one.say(text);
          await Promise.all(all.map((one) => one.until(() => one.head.includes(code))));
        };
        await Promise.all(all.map((one) => one.until(() => one.head.includes('220 '))));
        await line('EHLO x\r\n', '250 ');
        await atOnce([node.server], () => {
          for (const one of all) one.say(Buffer.alloc(MIB, 'NOOP\r\n'));
        });
        await Promise.all(all.map((one) => one.heard(100_000)));
      });
    }
  },
);
