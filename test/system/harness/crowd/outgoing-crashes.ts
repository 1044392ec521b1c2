import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { MAX_PUSHED_MESSAGES } from '../../../../schemas/limits.js';
import { botFor, Program } from '../bot-program.js';
import type { Body } from '../client.js';
import { Mailbox } from '../mailbox.js';
import { startOrganization } from '../organization.js';
import { randomOfRun } from '../scale.js';
import { storeFolder, type ServerOptions } from '../server.js';

/** Messages between two kills: to two people who get mails and pushes, and to a bot. */
const TO_PEOPLE = 5;
const TO_BOT = 2;
/** The server lives between these after it is ready, milliseconds: periods end and things go out meanwhile. */
const SHORTEST = 5;
const LONGEST = 900;
const PATIENCE_MS = 60_000;
/** A mail server of its own is asked by so many connections at once, and the push service and programs likewise. */
const UNDER_WAY = { mails: 4, pushes: 16 };

interface Notice {
  readonly event: string;
  readonly user_id: number;
  readonly zulip_message_id: number;
  readonly zulip_message_ids?: string;
}

/** The push bouncer takes up to so long, milliseconds: many kills come before its answer. */
const BOUNCER_MS = 250;

/** A push bouncer that keeps what it gets, and takes its time. */
async function bouncer(t: Test, random: () => number) {
  const notices: Notice[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url!.endsWith('/notify')) {
        const text = Buffer.concat(chunks).toString('utf8');
        notices.push((JSON.parse(text) as { gcm_payload: Notice }).gcm_payload);
      }
      // The server may be killed before it hears of it.
      setTimeout(() => response.end('{"result":"success"}'), random() * BOUNCER_MS);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { notices, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function waitFor(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()) && Date.now() < end;) await pause(100);
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** The store of the servers that are killed; by default an embedded one in a folder. */
type CrashOptions = Pick<ServerOptions, 'store' | 'env'>;

/** What the test file's time limit must leave for so many kills, milliseconds. */
export function timeForCrashes(crashes: number): number {
  return 240_000 + crashes * 7000;
}

/**
 * Kills while mails, pushes and calls of bots' programs are outstanding: nothing is lost, and what goes out again is
 * no more than was under way (architecture.md#actors).
 */
export async function outgoingCrashes(
  t: Test,
  crashes: number,
  { store, env }: CrashOptions = {},
): Promise<void> {
  const random = randomOfRun(t);
  const mailbox = await Mailbox.open(t);
  const { notices, url } = await bouncer(t, random);
  const program = await Program.start(t);
  const file = join(storeFolder(t), 'push.json');
  writeFileSync(file, JSON.stringify({ bouncer: { url, id: 'id', key: 'key' } }), { mode: 0o600 });
  const organization = await startOrganization(t, {
    args: ['--hook-target', '127.0.0.1'],
    env: { PARLEY_MAIL: mailbox.url, PARLEY_PUSH: file, ...env },
    ...(store === undefined ? {} : { store }),
  });
  const { owner, hamlet, iago } = organization;
  let { server } = organization;
  const bot = await botFor(owner, program.url);
  for (const client of [hamlet, iago]) {
    await client.ok('PATCH', '/settings', { email_notifications_batching_period_seconds: 1 });
    await client.ok('POST', '/users/me/android_gcm_reg_id', { token: `phone-${client.userId}` });
  }
  /**
   * What each is to be told by mail, the messages that each gets pushed (all of them to Hamlet), what the bot is asked.
   */
  const mails: string[] = [];
  const pushes = new Map([hamlet, iago].map((client) => [client, [] as number[]]));
  const calls: string[] = [];
  for (let crash = 0; crash < crashes; crash++) {
    const sender = owner.at(server.url);
    for (let i = 0; i < TO_PEOPLE; i++) {
      const content = `number-${crash}-${i}-end`;
      const to = [hamlet, iago].slice(0, 1 + (i % 2));
      const id = await sender.tell(
        to.map(({ userId }) => userId),
        content,
      );
      mails.push(...to.map(({ email }) => `${email} ${content}`));
      for (const client of to) pushes.get(client)!.push(id);
    }
    for (let i = 0; i < TO_BOT; i++) {
      calls.push(`call-${crash}-${i}`);
      await sender.tell([bot], calls.at(-1)!);
    }
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    server = await server.restart(t);
  }

  await t.test('mails', async (t) => {
    /** How often each message was told to each, in mails of different ids. */
    const told = (): Map<string, Set<string>> => {
      const found = new Map<string, Set<string>>();
      for (const { to, text, headers } of mailbox.mails) {
        for (const [content] of text.matchAll(/number-\d+-\d+-end/g)) {
          const key = `${to.join()} ${content}`;
          found.set(key, (found.get(key) ?? new Set<string>()).add(headers['message-id']!));
        }
      }
      return found;
    };
    await waitFor(() => told().size >= mails.length);
    const found = told();
    t.same([...found.keys()].sort(), [...mails].sort(), 'everybody is told of everything');
    const twice = [...found].filter(([, ids]) => ids.size > 1);
    t.same(twice, [], 'nothing is told in two mails');
    const ids = mailbox.mails.map(({ headers }) => headers['message-id']!);
    const again = ids.length - new Set(ids).size;
    t.ok(again <= UNDER_WAY.mails * crashes, 'no more repeated than were under way');
    t.comment(`${ids.length} mails, ${again} of them came again`);
  });

  await t.test('pushes', async (t) => {
    const pushed = (): string[] =>
      notices
        .filter(({ event }) => event === 'message')
        .map((one) => `${one.user_id} ${one.zulip_message_id}`);
    const wanted = [...pushes].flatMap(([{ userId }, ids]) => ids.map((id) => `${userId} ${id}`));
    await waitFor(() => new Set(pushed()).size >= wanted.length);
    t.same([...new Set(pushed())].sort(), wanted.sort(), 'each was pushed to each');
    const again = pushed().length - wanted.length;
    t.ok(again >= 0 && again <= UNDER_WAY.pushes * crashes, 'no more repeated than were under way');
    t.comment(`${pushed().length} pushes, ${again} of them came again`);
    // So many notices of a user are remembered; devices show no more.
    const shown = [...pushes].map(
      ([client, all]) => [client, all.slice(-MAX_PUSHED_MESSAGES)] as const,
    );
    for (const [client, messages] of shown) {
      const reader = client.at(server.url);
      await reader.ok('POST', '/messages/flags', { messages, op: 'add', flag: 'read' });
    }
    const removed = (): Set<number> =>
      new Set(
        notices
          .filter(({ event }) => event === 'remove')
          .flatMap(({ zulip_message_ids: ids }) => ids!.split(',').map(Number)),
      );
    const read = new Set(shown.flatMap(([, messages]) => messages));
    await waitFor(() => removed().size >= read.size);
    const wantedAway = [...read].sort(ascending);
    t.same([...removed()].sort(ascending), wantedAway, 'each was taken away when it was read');
  });

  await t.test('calls of programs', async (t) => {
    const client = owner.at(server.url);
    const narrow = JSON.stringify([{ operator: 'dm', operand: [bot] }]);
    const page = {
      anchor: 'newest',
      num_before: 5000,
      num_after: 0,
      apply_markdown: false,
      narrow,
    };
    const answers = async (): Promise<string[]> => {
      const { messages } = await client.ok('GET', '/messages', page);
      return (messages as Body[])
        .filter(({ sender_id }) => sender_id === bot)
        .map(({ content }) => String(content));
    };
    await waitFor(async () => (await answers()).length >= calls.length);
    const wanted = calls.map((call) => `echo: ${call}`).sort();
    t.same((await answers()).sort(), wanted, 'each is answered once');
    const asked = program.asked.map(({ data }) => String(data));
    t.same([...new Set(asked)].sort(), [...calls].sort());
    t.comment(`${asked.length} calls, ${asked.length - calls.length} of them again`);
  });
}
