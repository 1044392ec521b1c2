/**
 * Nothing of one organization reaches another: three with the same people, passwords and ids, under random requests of all
 * endpoints, transports and pages, with credentials and names of one another. Whatever is sent, logged, measured, mailed
 * and stored is searched for marks of the others.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createApp } from '../../../../src/app/app.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import type { Config } from '../../../../src/config/config.js';
import { organizationFolder } from '../../../../src/host/catalogue/organization-config.js';
import { randomRequest, request } from '../../../system/harness/bad-requests.js';
import { ApiClient } from '../../../system/harness/client.js';
import { ENDPOINTS } from '../../../system/harness/endpoints.js';
import { fullScale, randomOfRun, scaled } from '../../../system/harness/scale.js';
import { OWNER_EMAIL } from '../../../system/harness/server.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  PASSWORD,
  placeFor,
} from '../../../fixtures/several.js';
import { MarkedOrganization, type Raw, type Stream } from './marked-organization.js';

t.setTimeout(scaled(120_000, 3_600_000));

const OPERATIONS = scaled(3000, 100_000);
/** Under way at once, of all three: what one leaves behind another may find. */
const AT_ONCE = 6;
const PAGES = [
  '/',
  '/login',
  '/register',
  '/docs',
  '/health',
  '/chat',
  '/console',
  '/none',
  '/json/users/me',
  '/api/v1/server_settings',
];
/** So often the figures are asked, and each organization that nobody follows is put to sleep. */
const BETWEEN = 250;

/** What is seen where it must not be. */
class Leaks {
  readonly found = new Map<string, string>();

  constructor(private readonly all: readonly MarkedOrganization[]) {}

  /** @param at the organization whose bytes they are; null: nobody's @param asked what the bytes may repeat */
  look(bytes: string, at: MarkedOrganization | null, where: string, asked = ''): void {
    for (const other of this.all) {
      if (other === at) continue;
      const mark = other.marks.find((one) => bytes.includes(one) && !asked.includes(one));
      if (mark === undefined) continue;
      const place = bytes.indexOf(mark);
      const text = bytes.slice(Math.max(0, place - 80), place + 80);
      this.found.set(`${other.name} in ${at?.name ?? 'none'}: ${where}`, text);
    }
  }
}

void t.test(`${OPERATIONS} operations`, async (t) => {
  const random = randomOfRun(t);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder, '--rate-limit', 'off', '--metrics', '127.0.0.1:0');
  const lines: [organization: string, text: string][] = [];
  const note = (context: object): void => {
    // The path is what was asked.
    const { organization = 'main', path: _, ...told } = context as Record<string, unknown>;
    const texts = Object.values(told).map((one) =>
      one instanceof Error ? `${one.message} ${one.stack}` : JSON.stringify(one),
    );
    lines.push([String(organization), texts.join(' ')]);
  };
  let metrics = '';
  const app = createApp(config, {
    log: { debug: note, info: note, warn: note, error: note },
    announce: (_text, facts) => {
      if ('metrics' in facts) metrics = String(facts.metrics);
    },
    fatal: (error) => {
      throw error;
    },
  });
  t.teardown(() => app.stop(DEADLINE_MS));
  await app.start();
  const all = await furnished(config, app.port);
  const leaks = new Leaks(all);
  const admitted: string[] = [];
  const streams = new Map<MarkedOrganization, Stream>();
  const counts = { ok: 0, refused: 0, foreign: 0, slept: 0 };

  const told = ({ status, bytes }: Raw, at: MarkedOrganization, where: string, asked: string) => {
    counts[status === 200 ? 'ok' : 'refused'] += 1;
    leaks.look(bytes, at, where, asked);
  };
  const call = async (at: MarkedOrganization, by: MarkedOrganization): Promise<void> => {
    const endpoint = pick(ENDPOINTS);
    const { authorization } = random() < 0.8 ? by.owner : by.twin;
    const made =
      random() < 0.6
        ? request(endpoint.operation, endpoint, by.valid[endpoint.operation] ?? {}, {
            Authorization: authorization,
          })
        : randomRequest(random, ENDPOINTS, by.valid, authorization, [authorization]);
    const [path, body] = [by.marked(made.path), by.marked(String(made.body ?? ''))];
    const { method, headers = {} } = made;
    const reply = await at.ask({ method, path, headers, body });
    if (at !== by) counts.foreign += 1;
    told(reply, at, `${method} ${made.name}`, `${path} ${body} ${JSON.stringify(headers)}`);
  };
  const works: readonly (readonly [weight: number, work: () => Promise<void> | void])[] = [
    [
      70,
      () => {
        const at = pick(all);
        return call(at, at);
      },
    ],
    // With the credentials and words of another one.
    [12, () => call(pick(all), pick(all))],
    [
      4,
      async () => {
        const [at, by] = [pick(all), pick(all)];
        const headers: Record<string, string> =
          random() < 0.5 ? { Authorization: by.twin.authorization } : { Cookie: by.session.cookie };
        const path = 'Cookie' in headers ? '/json/users/me' : '/api/v1/users/me';
        const reply = await at.ask({
          method: 'GET',
          path,
          headers: { ...headers, 'Sec-Fetch-Site': 'same-origin' },
        });
        told(reply, at, path, JSON.stringify(headers));
        if (reply.status === 200 && at !== by)
          admitted.push(`${by.name} at ${at.name}: ${reply.status}`);
      },
    ],
    // The queue, or the file, of another one.
    [
      4,
      async () => {
        const [at, by] = [pick(all), pick(all)];
        const headers = { Authorization: at.owner.authorization };
        const isFile = random() < 0.5 && by.filePath !== '';
        const path = isFile
          ? `/api/v1${by.filePath}`
          : `/api/v1/events?queue_id=${by.queueId}&last_event_id=-1&dont_block=true`;
        const reply = await at.ask({ method: 'GET', path, headers });
        told(reply, at, 'of another', path);
        if (reply.status === 200 && at !== by) admitted.push(`${path} at ${at.name}`);
      },
    ],
    [
      3,
      async () => {
        const at = pick(all);
        told(await at.upload({ Authorization: at.owner.authorization }), at, 'upload', '');
      },
    ],
    [
      5,
      async () => {
        const [at, by, path] = [pick(all), pick(all), pick(PAGES)];
        const headers: Record<string, string> = random() < 0.5 ? { Cookie: by.session.cookie } : {};
        told(await at.ask({ method: 'GET', path, headers }), at, path, JSON.stringify(headers));
      },
    ],
    [
      2,
      () => {
        const at = pick(all);
        const open = streams.get(at);
        streams.delete(at);
        if (open) return open.end();
        const how = random() < 0.5 ? 'socket' : 'stream';
        streams.set(
          at,
          at.follow(t, how, (bytes) => leaks.look(bytes, at, how)),
        );
      },
    ],
  ];
  const sum = works.reduce((total, [weight]) => total + weight, 0);
  const one = async (): Promise<void> => {
    let rest = random() * sum;
    for (const [weight, work] of works) if ((rest -= weight) < 0) return void (await work());
  };

  for (let done = 0; done < OPERATIONS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    if (done % BETWEEN >= AT_ONCE) continue;
    leaks.look(await (await fetch(metrics)).text(), null, 'metrics');
    for (const { name } of all.filter((at) => at.name !== 'main' && !streams.has(at))) {
      const command = readCommand(['organizations', 'sleep', name, ...placed(config)], {});
      counts.slept += await carryOut(command).then(
        () => 1,
        () => 0,
      );
    }
  }
  for (const stream of streams.values()) stream.end();
  await app.stop(DEADLINE_MS);
  t.comment(JSON.stringify(counts));
  t.same(admitted, [], 'nobody is let in by what is another’s');
  lookAtLog(lines, all, leaks);
  for (const at of all) lookAtFiles(config, at, leaks);
  t.same([...leaks.found], [], 'no mark of one is with another');
  t.ok(counts.ok > OPERATIONS / 4, 'much of it was carried out');
  t.ok(counts.foreign > OPERATIONS / 50, 'many asked another one');
  if (fullScale) t.ok(counts.slept > 0, 'they slept meanwhile');
});

/** Three organizations, with the same accounts. */
async function furnished(config: Config, port: number): Promise<MarkedOrganization[]> {
  const all: MarkedOrganization[] = [];
  for (const name of ['main', 'birch', 'cedar']) {
    const url = `http://${name}.test:${port}`;
    if (name !== 'main') {
      const { password } = await create(config, name);
      const first = await ApiClient.login(url, OWNER_EMAIL, password);
      await first.ok('PATCH', '/settings', { old_password: password, new_password: PASSWORD });
    }
    const owner = await ApiClient.login(url, OWNER_EMAIL, PASSWORD);
    all.push(await MarkedOrganization.furnish(name, owner, PASSWORD));
  }
  return all;
}

/** The log is the operator's: a line about one organization has nothing of another. */
function lookAtLog(
  lines: readonly (readonly [string, string])[],
  all: readonly MarkedOrganization[],
  leaks: Leaks,
): void {
  for (const [name, text] of lines) {
    leaks.look(text, all.find((one) => one.name === name) ?? null, 'log');
  }
}

/** Every file that an organization has: store, indexes, uploads, mails. */
function lookAtFiles(config: Config, at: MarkedOrganization, leaks: Leaks): void {
  const folder =
    at.name === 'main'
      ? config.store.slice('embedded:'.length)
      : organizationFolder(config, at.name);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const others = [join(folder, 'organizations'), join(folder, 'catalogue')];
    if (!entry.isFile() || others.some((one) => path.startsWith(`${one}/`))) continue;
    leaks.look(readFileSync(path, 'latin1'), at, path.slice(folder.length));
  }
}
