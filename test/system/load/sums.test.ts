/*
 * What many connections cause in one round of the event loop: two hundred of one user, and of ten, at the leader and at
 * a node that follows; each kind alone, and sets that a seed draws, at every listener. The server stands still while they
 * send, so that it finds everything at once. Nobody's turn may come later than 50 ms for it, at either node, and their memory
 * is bounded. That any set of connections moves a bounded number of bytes in a round is in connection-turns.test.ts; only a
 * process shows what the kernel, the native layer and the garbage collector add. What a single request causes is in
 * largest-input.test.ts.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { leastOf, LIMIT_MS, told } from '../../fixtures/machine-load.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { randomOfRun } from '../harness/scale.js';
import { atOnce, connections, head, type Connection } from '../harness/together/connections.js';

t.setTimeout(600_000);

const CONNECTIONS = 200;
/** A listener for mails takes a hundred, half of them from one address; so does that of metrics. */
const OTHERS = 45;
const MIB = 1024 * 1024;
/** Messages of the greatest length that wait for each queue: all queues have 120 MB. */
const BACKLOG = 60;
const LONG = 'x'.repeat(10_000);

const watch = new URL('../../../bench/harness/measuring/loop-watch.js', import.meta.url).href;

/** A node, and how long its event loop was blocked since somebody last asked. */
interface Node {
  readonly name: string;
  readonly server: RunningServer;
  readonly mails: number;
  readonly metrics: number;
  readonly longestBlock: () => Promise<number>;
}

interface Queue {
  readonly account: ApiClient;
  readonly id: string;
  readonly cursor: number;
}

const LISTENERS = [
  ...['--metrics', '127.0.0.1:0', '--incoming-mail', 'smtp://127.0.0.1:0'],
  ...['--incoming-mail-address', '%s@mail.example'],
];

/** Options of a node that tells its blocks in a file. */
function watchedBy(file: string) {
  const env = { PARLEY_LOOP_WATCH: file, NODE_OPTIONS: `--import=${watch}` };
  return { env, args: LISTENERS };
}

function nodeOf(name: string, server: RunningServer, file: string): Node {
  return {
    ...{ name, server, mails: 0, metrics: 0 },
    longestBlock: async () => {
      rmSync(file, { force: true });
      while (!existsSync(file)) await pause(1);
      return Number(readFileSync(file, 'utf8'));
    },
  };
}

async function watched(name: string, server: RunningServer, file: string): Promise<Node> {
  const mails = await server.printed(/^Mails are taken at smtp:\/\/127\.0\.0\.1:(\d+)$/m);
  const metrics = await server.printed(/Metrics are served on http:\/\/[\d.]+:(\d+)/);
  const node = nodeOf(name, server, file);
  return { ...node, mails: Number(mails[1]), metrics: Number(metrics[1]) };
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

/** A process that redirects to HTTPS, which is a listener of its own. */
async function redirecting(t: Parameters<typeof storeFolder>[0]): Promise<Node & { port: number }> {
  const tls = (name: string): string =>
    fileURLToPath(new URL(`../../../../test/fixtures/tls/first.${name}`, import.meta.url));
  const folder = storeFolder(t);
  const file = join(folder, 'watch');
  const { env } = watchedBy(file);
  const server = RunningServer.spawn(folder, {
    env,
    args: ['--tls-cert', tls('pem'), '--tls-key', tls('key'), '--redirect-port', '0'],
  });
  t.teardown(() => server.kill());
  const found = await server.printed(/Plain HTTP is redirected at port (\d+)/);
  return { ...nodeOf('redirecting process', server, file), port: Number(found[1]) };
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

/** An upload by pieces, whole in its first one. */
const PIECE = Buffer.alloc(100_000, 'x');
const RESUMABLE = {
  ...{
    'Tus-Resumable': '1.0.0',
    'Upload-Length': PIECE.length,
    'Upload-Metadata': 'filename YQ==',
  },
  ...{ 'Content-Type': 'application/offset+octet-stream', 'Content-Length': PIECE.length },
};

const CHUNKED = {
  'Content-Type': 'multipart/form-data; boundary=b',
  'Transfer-Encoding': 'chunked',
};
const ACKNOWLEDGEMENT = '{"type":"ack","last_event_id":-1}';
/** What fills the network between two processes, in the shortest pieces that there are, each of which the server hears of. */
const SHORT_PIECES = {
  requests: 'GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2500),
  chunks: '1\r\nx\r\n'.repeat(20_000),
  frames: `\x81${String.fromCharCode(ACKNOWLEDGEMENT.length)}${ACKNOWLEDGEMENT}`.repeat(3500),
  pings: Buffer.from([0x89, 0]).toString('latin1').repeat(60_000),
};

/** The most memory that a process had, bytes. */
function peakOf({ server }: Node): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
/** A process that has begun, the heap of what is not collected yet, and all bodies of a test twice. Bytes. */
const MOST_MEMORY = 400 * MIB + 2 * CONNECTIONS * BODY.length;

/** How many of all requests of one user are answered how, where not all with 200. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  sockets: { '101': CONNECTIONS },
  // Their end is missing.
  uploads: { '400': CONNECTIONS },
  // A user may have fifty that are not complete.
  'resumable uploads': { '201': 50, '413': CONNECTIONS - 50 },
};

/** Statuses, and how many were answered with each. */
function statusesOf(all: readonly Connection[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { head: text } of all) {
    const status = /^HTTP\/1\.1 (\d+) /.exec(text)?.[1] ?? 'none';
    found[status] = (found[status] ?? 0) + 1;
  }
  return found;
}

void t.test(
  `nobody waits longer than ${LIMIT_MS} ms for what many connections cause`,
  async (t) => {
    const random = randomOfRun(t);
    const nodes = await twoNodes(t);
    const [leader] = nodes;
    const owner = await ApiClient.login(leader.server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const members: ApiClient[] = [];
    // Each has fewer queues than a user may have: more would end the first ones.
    for (let i = 0; i < 22; i++) members.push(await owner.createUser(`member${i}`));
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
      const theirs = members.splice(0, users);
      for (let i = 0; i < CONNECTIONS; i++) {
        const account = theirs[i % users]!.at(node.server.url);
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
      const watching = nodes.includes(node) ? nodes : [node];
      const least = watching.map(() => Infinity);
      const { limit } = await leastOf(LIMIT_MS, async () => {
        const all = await connections(port, count);
        await Promise.all(watching.map((one) => one.longestBlock()));
        await run(all);
        for (const [i, one] of watching.entries()) {
          least[i] = Math.min(least[i]!, await one.longestBlock());
        }
        await Promise.all(all.map((one) => one.close()));
        return Math.max(...least);
      });
      for (const [i, one] of watching.entries()) {
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
      const account = (i: number): ApiClient => queues[i]!.account;
      const each =
        (headers: Readonly<Record<string, string | number>>) => (one: Connection, i: number) => {
          const { id, cursor } = queues[i]!;
          const path = `/events?queue_id=${id}&last_event_id=${cursor}`;
          one.say(head(account(i), 'GET', path, headers));
        };
      const everything = BACKLOG * LONG.length;
      /** What each kind says, and how much it hears then. */
      const kinds: Readonly<
        Record<string, [say: (one: Connection, i: number) => void, bytes: number]>
      > = {
        streams: [each({ Accept: 'text/event-stream' }), everything],
        sockets: [each(SOCKET), everything],
        polls: [each({}), everything],
        downloads: [(one, i) => one.say(head(account(i), 'GET', uri, {}, '')), 2 * MIB],
        uploads: [
          (one, i) => {
            one.say(head(account(i), 'POST', '/user_uploads', BODY_HEADERS));
            one.say(BODY);
          },
          1,
        ],
        'resumable uploads': [
          (one, i) => {
            one.say(head(account(i), 'POST', '/tus/', RESUMABLE));
            one.say(PIECE);
          },
          1,
        ],
      };
      const ask =
        (kindOf: (i: number) => string) =>
        async (all: readonly Connection[]): Promise<void> => {
          const of = (i: number) => kinds[kindOf(i)]!;
          await atOnce(pulled, () => all.forEach((one, i) => of(i)[0](one, i)));
          await Promise.all(all.map((one, i) => one.heard(of(i)[1])));
        };
      const names = Object.keys(kinds);
      // The first parts of bodies have come before anybody can hold them back: so they are measured of ten, too.
      for (const name of users === 1 ? names : ['uploads']) {
        await measure(`${name} of ${whose}`, { node }, async (all) => {
          await ask(() => name)(all);
          t.strictSame(statusesOf(all), ANSWERS[name] ?? { '200': CONNECTIONS }, name);
        });
      }
      // None of them is heard to its end.
      const untilClosed = (all: readonly Connection[]): Promise<unknown> =>
        Promise.all(all.map((one) => one.until(() => false)));
      if (users === 1) {
        const said = head(account(0), 'POST', '/user_uploads', CHUNKED) + SHORT_PIECES.chunks;
        for (const [what, bytes] of Object.entries({
          requests: SHORT_PIECES.requests,
          chunks: said,
        })) {
          await measure(`short ${what} of ${whose}`, { node }, async (all) => {
            await atOnce(pulled, () => all.forEach((one) => one.say(bytes)));
            await untilClosed(all);
          });
        }
        for (const what of ['frames', 'pings'] as const) {
          await measure(`short ${what} of ${whose}`, { node }, async (all) => {
            all.forEach((one, i) => kinds.sockets![0](one, i));
            await Promise.all(all.map((one) => one.heard(everything)));
            await node.longestBlock();
            const bytes = Buffer.from(SHORT_PIECES[what], 'latin1');
            await atOnce(pulled, () => all.forEach((one) => one.say(bytes)));
            await untilClosed(all);
          });
        }
      }
      if (users === 1) {
        await measure(`streams of ${whose} that are read again`, { node }, async (all) => {
          for (const one of all) one.ignore();
          await atOnce(pulled, () => all.forEach(kinds.streams![0]));
          // The server is told that all are read while it stands still.
          await node.longestBlock();
          await atOnce(pulled, () => all.forEach((one) => one.listen()));
          await Promise.all(all.map((one) => one.heard(everything)));
        });
      }
      for (let draw = 0; draw < 2; draw++) {
        // One to all kinds, each of any weight.
        const some = names.filter(() => random() < 0.7);
        const weights = (some.length > 0 ? some : names).map((name) => ({ name, at: random() }));
        const drawn = Array.from({ length: CONNECTIONS }, () => {
          const scored = weights.map(({ name, at }) => ({ name, score: at * random() }));
          return scored.reduce((best, one) => (one.score > best.score ? one : best)).name;
        });
        const what = weights.map(({ name }) => name).join(', ');
        await measure(
          `${what} of ${whose}`,
          { node },
          ask((i) => drawn[i]!),
        );
      }
    }
    for (const node of nodes) {
      await measure('mails', { node, port: node.mails, count: OTHERS }, async (all) => {
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
      await measure('metrics', { node, port: node.metrics, count: OTHERS }, async (all) => {
        const get = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
        await atOnce([node.server], () => all.forEach((one) => one.say(get)));
        await Promise.all(all.map((one) => one.heard(1)));
      });
      const peak = peakOf(node);
      t.ok(peak < MOST_MEMORY, `the ${node.name} had ${Math.round(peak / MIB)} MiB`);
    }
    const third = await redirecting(t);
    await measure('redirects', { node: third, port: third.port }, async (all) => {
      const get = 'GET /somewhere HTTP/1.1\r\nHost: x\r\n\r\n';
      await atOnce([third.server], () => all.forEach((one) => one.say(get)));
      await Promise.all(all.map((one) => one.heard(1)));
      t.strictSame(statusesOf(all), { '308': CONNECTIONS });
    });
  },
);
