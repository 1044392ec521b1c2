/*
 * The dearest input that each listener admits, once and ten times at once: bodies of every media type over HTTP, to the
 * leader and through a node that follows; mails and commands over SMTP; lines on the admin socket; calls of other nodes,
 * and what strangers say to the address of these. Nobody's turn may come later than 50 ms for it, at either node. Each
 * platform of a landing takes a third of each kind. The endpoints' own requests are in largest-input.test.ts.
 */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { introduced } from '../../src/http/forwarding/nodes.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { leastOf, LIMIT_MS, told } from '../../fixtures/machine-load.js';
import { shareOf } from '../../shares.js';

t.setTimeout(600_000);

const MIB = 1024 * 1024;
const AT_ONCE = 10;
const MAIL = [
  '--incoming-mail',
  'smtp://127.0.0.1:0',
  '--incoming-mail-address',
  '%s@mail.example',
];
const TAKEN = /^Mails are taken at smtp:\/\/127\.0\.0\.1:(\d+)$/m;

const watch = new URL('../../../bench/harness/measuring/loop-watch.js', import.meta.url).href;

/** A node, and how long its event loop was blocked since somebody last asked. */
interface Watched {
  readonly server: RunningServer;
  readonly owner: ApiClient;
  readonly smtp: number;
  readonly longestBlock: () => Promise<number>;
}

/** Environment of a node that is watched. */
function watchedBy(file: string): Record<string, string> {
  return { PARLEY_LOOP_WATCH: file, NODE_OPTIONS: `--import=${watch}` };
}

async function watched(server: RunningServer, file: string): Promise<Watched> {
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  return {
    server,
    owner,
    smtp: Number((await server.printed(TAKEN))[1]),
    longestBlock: async () => {
      rmSync(file, { force: true });
      while (!existsSync(file)) await pause(1);
      return Number(readFileSync(file, 'utf8'));
    },
  };
}

/** Sends a body, and reads the status; 0 where the server ended the connection. */
function post(node: Watched, path: string, type: string, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      Authorization: node.owner.authorization,
      'Content-Type': type,
      'Content-Length': body.length,
    };
    const sent = request(`${node.server.url}/api/v1${path}`, {
      method: 'POST',
      headers,
      agent: false,
    });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
      response.on('error', () => resolve(0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

/** Says something to a port and listens until the other end has nothing more to say. */
async function talk(target: number | string, bytes: string | Buffer): Promise<string> {
  const socket = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1').slice(0, 1000)));
  // The other end may close while there is more to say.
  socket.on('error', () => undefined);
  const over = new Promise((resolve) => socket.on('close', resolve));
  socket.end(bytes);
  await over;
  return heard;
}

/** Says lines to a mail listener, each when the one before was answered, as who does not is refused. @returns the answers */
function dictate(port: number, lines: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  let said = 0;
  socket.on('data', (chunk) => {
    heard = (heard + chunk.toString('latin1')).slice(-1000);
    if (/(?:^|\n)\d{3} [^\n]*\n$/.test(heard) && said < lines.length) socket.write(lines[said++]!);
  });
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.on('close', () => resolve(heard)));
}

const part = (name: string, file: boolean): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${file ? '; filename="f"' : ''}\r\n\r\n`;
const MULTIPART = 'multipart/form-data; boundary=b';
const filled = (start: string, unit: string, length: number, end = ''): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(length, unit), Buffer.from(end)]);

/** Bodies by what they are: where to, of which type. */
const BODIES: Readonly<Record<string, readonly [path: string, type: string, body: Buffer]>> = {
  'dashes with a boundary of dashes': [
    '/user_uploads',
    `multipart/form-data; boundary=${'-'.repeat(69)}x`,
    Buffer.alloc(24 * MIB, '-'),
  ],
  'dashes where no file is taken': [
    '/messages',
    `multipart/form-data; boundary=${'-'.repeat(69)}x`,
    Buffer.alloc(4 * MIB, '-'),
  ],
  'a file of 24 MiB': [
    '/user_uploads',
    MULTIPART,
    filled(part('f', true), 'text\n', 24 * MIB, '\r\n--b--'),
  ],
  'delimiters that are nearly right': [
    '/user_uploads',
    MULTIPART,
    filled(part('f', true), '\r\n-- b', 24 * MIB, '\r\n--b--'),
  ],
  'texts of 24 MiB': [
    '/user_uploads',
    MULTIPART,
    Buffer.concat(
      Array.from({ length: 8 }, (_, i) =>
        filled(part(`t${i}`, false), 'äöü', 3 * MIB - 1000, '\r\n'),
      ),
    ),
  ],
  'a thousand files': [
    '/user_uploads',
    MULTIPART,
    Buffer.concat([
      ...Array.from({ length: 1000 }, (_, i) => filled(part(`f${i}`, true), 'x', 20_000, '\r\n')),
      Buffer.from('--b--'),
    ]),
  ],
  'brackets of JSON': ['/messages', 'application/json', filled('{"a":', '[', MIB - 10)],
  'lists of JSON': ['/messages', 'application/json', filled('{"a":[', '[],', 140_000, '0]}')],
  'escapes of a form': [
    '/messages',
    'application/x-www-form-urlencoded',
    filled('content=', '%F0%9F%98%80', 12 * MIB),
  ],
  'a form of 100 KB': [
    '/messages',
    'application/x-www-form-urlencoded',
    filled('content=', '%e2%82%ac', 100_000 - (100_000 % 9)),
  ],
};

const HTML = 'From: a@example.org\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n';
const LINE = `${'QUFB'.repeat(19)}\r\n`;

/** Mails that take long to read, by what they are. */
const MAILS: Readonly<Record<string, Buffer>> = {
  'HTML nested without end': filled(HTML, '<div>', 160_000),
  'a file of 18 MiB': filled(
    'Subject: f\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n',
    LINE,
    LINE.length * 330_000,
  ),
  'a hundred thousand lines': filled('Subject: l\r\n\r\n', 'x\r\n', 3 * 99_000),
};

const NODE = 'n'.repeat(200);
const many = <T>(count: number, one: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => one(i));
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** What other nodes call, at the size that is admitted: the path, and its body. */
const CALLS: Readonly<Record<string, readonly [path: string, body: Buffer]>> = {
  'who was seen': [
    'activity',
    json({ users: many(5000, (i) => i), sessions: many(5000, (i) => i) }),
  ],
  'who was seen, too many of them': ['activity', json({ users: many(520_000, (i) => i % 10) })],
  'a report of queues': [
    'queues',
    json({
      node: NODE,
      claimed: many(5000, (i) => `claimed-${i}`),
      kept: many(10_000, (i) => [`kept-${i}`, i, true]),
      overflowed: many(5000, (i) => `overflowed-${i}`),
      acknowledged: many(10_000, (i) => [`told-${i}`, i]),
    }),
  ],
  'a registration': [
    'register',
    json({
      node: NODE,
      userId: 9,
      idleTimeoutMs: 1,
      filter: { narrow: many(60_000, () => ['is', 'dm']) },
    }),
  ],
  'what the console asks': ['console', filled('{"a":[', '[],', 340_000, '0]}')],
  brackets: ['tick', filled('{"a":', '[', MIB - 10)],
  'a mail without a recipient': ['mail', filled('{"from":"a@b","to":[]}\n', 'x\r\n', 8_000_000)],
  'a head without end': ['upload', filled('{"op":"create"', ' ', 4 * MIB)],
  'a piece of an upload': [
    'upload',
    filled('{"op":"write","user":9,"id":"x","offset":0}\n', 'x', 4 * MIB),
  ],
};

void t.test(
  `nobody waits longer than ${LIMIT_MS} ms, whatever comes in, ten times at once`,
  async (t) => {
    const folder = storeFolder(t);
    const [atLeader, atFollower] = ['leader', 'follower'].map((name) =>
      join(folder, `watch-${name}`),
    );
    const nodePort = await freePort();
    const first = await RunningServer.serve(t, folder, {
      args: [...MAIL, '--node-address', `127.0.0.1:${nodePort}`],
      env: watchedBy(atLeader!),
    });
    const leader = await watched(first, atLeader!);
    const second = RunningServer.spawn(folder, { args: MAIL, env: watchedBy(atFollower!) });
    t.teardown(() => second.kill());
    await second.printed(/^Parley follows on/m);
    await second.listening();
    const follower = await watched(second, atFollower!);
    const created = await leader.owner.ok('POST', '/channels/create', {
      name: 'mails',
      subscribers: [],
    });
    const { email } = await leader.owner.ok(
      'GET',
      `/streams/${String(created['id'])}/email_address`,
    );

    const longest: [number, string][] = [];
    const measure = async (name: string, send: () => Promise<unknown>): Promise<void> => {
      for (const times of [1, AT_ONCE]) {
        const least: number[] = [Infinity, Infinity];
        const { limit } = await leastOf(LIMIT_MS, async () => {
          await Promise.all([leader.longestBlock(), follower.longestBlock()]);
          await Promise.all(Array.from({ length: times }, send));
          const blocks = await Promise.all([leader.longestBlock(), follower.longestBlock()]);
          for (const [i, block] of blocks.entries()) least[i] = Math.min(least[i]!, block);
          return Math.max(...least);
        });
        for (const [i, block] of least.entries()) {
          const what = `${name}, ${times} at once, at the ${i === 0 ? 'leader' : 'follower'}`;
          longest.push([block, what]);
          if (block >= limit) t.fail(told(what, { least: block, limit }));
        }
        if (!first.running || !second.running) throw new Error(`${name} ended a node`);
      }
    };

    for (const [name, [path, type, body]] of shareOf(Object.entries(BODIES))) {
      // Code that runs for the first time is slower, and does so once in the life of a process.
      await post(leader, path, type, body);
      await measure(name, () => post(leader, path, type, body));
      await measure(`${name}, through the follower`, () => post(follower, path, type, body));
    }
    for (const [name, mail] of shareOf(Object.entries(MAILS))) {
      const said = [
        'EHLO x\r\n',
        'MAIL FROM:<a@example.org>\r\n',
        `RCPT TO:<${String(email)}>\r\n`,
        'DATA\r\n',
        Buffer.concat([mail, Buffer.from('\r\n.\r\n')]),
        'QUIT\r\n',
      ];
      // Through the follower, which hands it to the leader: both nodes have work.
      t.match(await dictate(follower.smtp, said), /^354 /m, `${name}: the mail is listened to`);
      await measure(`a mail: ${name}, to the follower`, () => dictate(follower.smtp, said));
    }
    const commands = {
      'commands that do nothing': 'NOOP\r\n',
      'commands that are none': 'x\r\n',
      'wrong recipients': 'RCPT TO:<nobody@mail.example>\r\n',
    };
    for (const [name, command] of shareOf(Object.entries(commands))) {
      const said = [
        'EHLO x\r\n',
        'MAIL FROM:<a@example.org>\r\n',
        `${command.repeat(20_000)}QUIT\r\n`,
      ];
      t.match(await dictate(leader.smtp, said), /^250 /m, `${name}: heard`);
      await measure(`${name} over SMTP`, () => dictate(leader.smtp, said));
    }
    const admin = join(folder, 'admin.sock');
    const asked = (args: readonly string[]): string =>
      `${JSON.stringify({ command: 'users list', args, flags: {} })}\n`;
    const rows = many(250, (i) => ({
      line: i,
      email: `${i}@${'x'.repeat(200)}`,
      name: 'n',
      role: 'r',
    }));
    const lines: Readonly<Record<string, string | Buffer>> = {
      'a line': asked([]),
      'a long line': asked(['x'.repeat(60_000)]),
      brackets: filled('{"command":', '[', 128_000, '\n'),
      'a table': `${JSON.stringify({ command: 'users import', args: [], flags: {}, rows })}\n`,
      'a stream of bytes': Buffer.alloc(4 * MIB, '{'),
    };
    for (const [name, line] of shareOf(Object.entries(lines))) {
      await measure(`${name} on the admin socket`, () => talk(admin, line));
    }

    const secret = readFileSync(join(folder, 'api-keys.secret'));
    const key = createHmac('sha256', secret).update('parley node key').digest('base64url');
    const calls = `http://127.0.0.1:${nodePort}/internal`;
    const call = async (path: string, body: Buffer): Promise<number> => {
      const [name, proof] = (await introduced(nodePort, key)).next().trim().split(': ');
      const headers = { [name!]: proof! };
      const sent = fetch(`${calls}/${path}`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      });
      return sent.then(
        async (reply) => {
          await reply.arrayBuffer();
          return reply.status;
        },
        () => 0,
      );
    };
    for (const [name, [path, body]] of shareOf(Object.entries(CALLS))) {
      t.not(await call(path, body), 403, `${name}: the call is one of a node`);
      await measure(`a call of a node: ${name}`, () => call(path, body));
    }
    const strangers = {
      'says hello to': `GET /internal/hello HTTP/1.1\r\nHost: x\r\nParley-Node-Challenge: ${'a'.repeat(22)}\r\n\r\n`,
      calls: `POST /internal/tick HTTP/1.1\r\nHost: x\r\nParley-Node-Proof: ${'a'.repeat(22)} ${'b'.repeat(4000)} 1 c\r\nContent-Length: 2\r\n\r\n{}`,
    };
    for (const [does, words] of Object.entries(strangers)) {
      await measure(`a stranger ${does} a node`, () => talk(nodePort, words.repeat(1000)));
    }
    longest.sort(([a], [b]) => b - a);
    for (const [block, name] of longest.slice(0, 5)) t.comment(`${block.toFixed(1)} ms: ${name}`);
    t.ok(longest.length > 40, 'of each kind some was measured');
  },
);
