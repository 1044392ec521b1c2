import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ApiClient } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import { run } from '../harness/server.js';

/** More than the 500 merges from which on the embedded store keeps a change as one record. */
const MESSAGES = scaled(700, 4000);
const KILLS = scaled(4, 60);
/** Longest time from the request to the kill, milliseconds: a move with its documents takes about as long. */
const LONGEST = scaled(100, 500);
/** Requests under way at once. */
const AT_ONCE = 50;

// Loaded machines take long to start processes.
t.setTimeout(scaled(300_000, 1_800_000));

async function fill(owner: ApiClient, topic: string): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < MESSAGES) {
    const count = Math.min(AT_ONCE, MESSAGES - ids.length);
    const first = ids.length;
    const sent = Array.from({ length: count }, (_, i) =>
      owner.say(`text ${first + i}`, 'general', topic),
    );
    ids.push(...(await Promise.all(sent)));
  }
  return ids.sort((a, b) => a - b);
}

/** The topics of all messages, by their documents, and how many the index finds in a topic. */
async function topicsOf(
  t: Test,
  client: ApiClient,
  topic: string,
): Promise<{ readonly stored: readonly string[]; readonly found: number }> {
  const read = async (narrow: object[]): Promise<{ subject: string; content: string }[]> => {
    const found: { id: number; subject: string; content: string }[] = [];
    for (let anchor: string | number = 'newest'; ;) {
      const reply = await client.okInTheEnd('GET', '/messages', {
        ...{ anchor, include_anchor: false, num_before: 5000, num_after: 0 },
        ...{ apply_markdown: false, narrow },
      });
      const messages = reply.messages as typeof found;
      found.push(...messages);
      // A page may end early, where the edit histories in it are long.
      if (reply.found_oldest === true) break;
      anchor = messages[0]!.id;
    }
    return found.filter(({ content }) => content.startsWith('text '));
  };
  const all = await read([{ operator: 'channel', operand: 'general' }]);
  const some = await read([
    { operator: 'channel', operand: 'general' },
    { operator: 'topic', operand: topic },
  ]);
  t.equal(all.length, MESSAGES, 'no message is missing');
  return { stored: [...new Set(all.map(({ subject }) => subject))], found: some.length };
}

void t.test(
  'a topic that moves amid kills is wholly where it was, or wholly where it goes',
  async (t) => {
    const random = randomOfRun(t);
    const organization = await startOrganization(t);
    const { owner } = organization;
    let { server } = organization;
    const ids = await fill(owner, 'topic 0');
    let changed = 0;
    for (let round = 1; round <= KILLS; round++) {
      const client = owner.at(server.url);
      const next = `topic ${round}`;
      let isAcknowledged = false;
      const moving = client
        .ok('PATCH', `/messages/${ids[0]}`, {
          topic: next,
          propagate_mode: 'change_all',
          send_notification_to_old_thread: false,
          send_notification_to_new_thread: false,
        })
        .then(async () => {
          isAcknowledged = true;
          // Writes a document that the record of the move may have.
          await client.ok('PATCH', `/messages/${ids[round]}`, { content: `text changed ${round}` });
          changed = round;
        })
        .catch(() => undefined);
      await pause(random() * LONGEST);
      const wasAcknowledged = isAcknowledged;
      await server.kill();
      await moving;
      server = await server.restart(t);
      const { stored, found } = await topicsOf(t, owner.at(server.url), next);
      t.equal(stored.length, 1, `after kill ${round} all documents have the same topic`);
      if (wasAcknowledged) t.equal(stored[0], next, 'an acknowledged move is there');
      t.equal(found, stored[0] === next ? MESSAGES : 0, 'the index finds what the documents say');
      if (changed === round) {
        const reply = await owner.at(server.url).okInTheEnd('GET', `/messages/${ids[round]}`, {
          apply_markdown: false,
        });
        t.match(
          reply.message,
          { content: `text changed ${round}` },
          'an edit behind the move is there',
        );
      }
    }
    await server.stop();
    const { code, stdout } = await run(['verify', '--store', `embedded:${server.folder}`]);
    t.equal(code, 0, stdout);
  },
);
