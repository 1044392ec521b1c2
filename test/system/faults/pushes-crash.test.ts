import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import { storeFolder } from '../harness/server.js';

const CRASHES = scaled(4, 40);
const MESSAGES = scaled(40, 400);
/** The server lives between these after it is ready, milliseconds: pushes go out meanwhile. */
const SHORTEST = 5;
const LONGEST = 300;
const PATIENCE_MS = 60_000;

t.setTimeout(scaled(240_000, 900_000));

interface Notice {
  readonly event: string;
  readonly zulip_message_id: number;
  readonly zulip_message_ids?: string;
}

/** A push bouncer that keeps what it gets, and takes its time. */
async function bouncer(t: Test) {
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
      setTimeout(() => response.end('{"result":"success"}'), 20);
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

const title = `${CRASHES} crashes while pushes wait and go out: none is lost, and few come again`;

void t.test(title, async (t) => {
  const random = randomOfRun(t);
  const { notices, url } = await bouncer(t);
  const file = join(storeFolder(t), 'push.json');
  writeFileSync(file, JSON.stringify({ bouncer: { url, id: 'id', key: 'key' } }), { mode: 0o600 });
  const organization = await startOrganization(t, { env: { PARLEY_PUSH: file } });
  const { owner, hamlet } = organization;
  let { server } = organization;
  const settings = await hamlet.ok('GET', '/server_settings');
  t.equal(settings.push_notifications_enabled, true);
  await hamlet.ok('POST', '/users/me/android_gcm_reg_id', { token: 'phone' });
  const acknowledged: number[] = [];
  for (let crash = 0; crash < CRASHES; crash++) {
    const sender = owner.at(server.url);
    for (let i = 0; i < MESSAGES / CRASHES; i++) {
      const to = [hamlet.userId];
      const sent = await sender.ok('POST', '/messages', { type: 'direct', to, content: `no ${i}` });
      acknowledged.push(sent.id as number);
    }
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    server = await server.restart(t);
  }

  const pushed = (): number[] =>
    notices.filter(({ event }) => event === 'message').map((one) => one.zulip_message_id);
  const waitFor = async (isSo: () => boolean): Promise<void> => {
    for (const end = Date.now() + PATIENCE_MS; !isSo() && Date.now() < end;) await pause(50);
  };
  await waitFor(() => new Set(pushed()).size >= acknowledged.length);
  t.same([...new Set(pushed())].sort(ascending), acknowledged, 'each was pushed');
  const repeated = pushed().length - new Set(pushed()).size;
  t.ok(repeated <= 16 * CRASHES, `${repeated} came again: at most those that were under way`);

  const reader = hamlet.at(server.url);
  await reader.ok('POST', '/messages/flags', { messages: acknowledged, op: 'add', flag: 'read' });
  const removed = (): Set<number> =>
    new Set(
      notices
        .filter(({ event }) => event === 'remove')
        .flatMap(({ zulip_message_ids: ids }) => ids!.split(',').map(Number)),
    );
  await waitFor(() => removed().size >= acknowledged.length);
  t.same([...removed()].sort(ascending), acknowledged, 'each was taken away when it was read');
});

function ascending(a: number, b: number): number {
  return a - b;
}
