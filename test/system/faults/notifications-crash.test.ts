import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Mailbox } from '../harness/mailbox.js';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';

const CRASHES = scaled(4, 40);
const MESSAGES = scaled(24, 100);
/** The server lives between these after it is ready, milliseconds: periods end and mails go out meanwhile. */
const SHORTEST = 5;
const LONGEST = 1500;
const PATIENCE_MS = 60_000;

t.setTimeout(scaled(240_000, 900_000));

const title = `${CRASHES} crashes while mails about messages wait and go out: each message is told once`;

void t.test(title, async (t) => {
  const random = randomOfRun(t);
  const mailbox = await Mailbox.open(t);
  const organization = await startOrganization(t, { env: { PARLEY_MAIL: mailbox.url } });
  const { owner, hamlet, iago } = organization;
  let { server } = organization;
  for (const client of [hamlet, iago]) {
    await client.ok('PATCH', '/settings', { email_notifications_batching_period_seconds: 1 });
  }
  const acknowledged: string[] = [];
  for (let crash = 0; crash < CRASHES; crash++) {
    const sender = owner.at(server.url);
    for (let i = 0; i < MESSAGES / CRASHES; i++) {
      const content = `number-${crash}-${i}-end`;
      const to = [hamlet.userId, iago.userId].slice(0, 1 + (i % 2));
      await sender.ok('POST', '/messages', { type: 'direct', to, content });
      acknowledged.push(...to.map((_, j) => `${[hamlet, iago][j]!.email} ${content}`));
    }
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    server = await server.restart(t);
  }

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
  for (const end = Date.now() + PATIENCE_MS; told().size < acknowledged.length;) {
    if (Date.now() > end) break;
    await pause(50);
  }
  const found = told();
  t.same([...found.keys()].sort(), [...acknowledged].sort(), 'everybody is told of everything');
  t.same(
    [...found].filter(([, ids]) => ids.size > 1),
    [],
    'nothing is told in two mails',
  );
  const ids = mailbox.mails.map(({ headers }) => headers['message-id']!);
  t.ok(ids.length - new Set(ids).size <= 4 * CRASHES, 'no more repeated than were under way');
  t.comment(`${ids.length} mails, ${ids.length - new Set(ids).size} of them came again`);
});
