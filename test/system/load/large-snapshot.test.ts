import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { seedOrganization } from '../../../bench/seed/seed.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { leastOf, LIMIT_MS, told } from '../../fixtures/machine-load.js';

/*
 * Snapshots of somebody with very many channels and something unread in each: how long the event loop was blocked by
 * them, the very first one of a process included, for which no code is optimized yet.
 */

const CHANNELS = 10_000;
/** `general` and the one that was copied. */
const OTHERS = 2;

interface Snapshot {
  readonly subscriptions: readonly { readonly name: string }[];
  readonly streams: readonly unknown[];
  readonly unread_msgs: { readonly count: number; readonly streams: readonly unknown[] };
  readonly max_message_id: number;
}

const watch = new URL('../../../bench/harness/measuring/loop-watch.js', import.meta.url).href;

void t.test(
  `a snapshot of ${CHANNELS} channels keeps nobody waiting for ${LIMIT_MS} ms`,
  async (t) => {
    const folder = storeFolder(t);
    const file = join(folder, 'loop-watch');
    const small = await RunningServer.serve(t, folder);
    const founder = await ApiClient.login(small.url, OWNER_EMAIL, OWNER_PASSWORD);
    await founder.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'channel' }] });
    await small.stop();
    const { accounts, messageIds } = await seedOrganization(`embedded:${folder}`, folder, {
      ...{ users: 1, outsiders: 0, queues: 0, messages: 1 },
      ...{ channel: 'channel', copies: CHANNELS },
    });
    let server = await RunningServer.serve(t, folder, {
      env: { PARLEY_LOOP_WATCH: file, NODE_OPTIONS: `--import=${watch}` },
    });
    const longestBlock = async (): Promise<number> => {
      rmSync(file, { force: true });
      while (!existsSync(file)) await pause(1);
      return Number(readFileSync(file, 'utf8'));
    };
    const register = async (): Promise<Snapshot> => {
      const response = await fetch(`${server.url}/api/v1/register`, {
        method: 'POST',
        headers: { authorization: accounts[0]!.authorization },
      });
      t.equal(response.status, 200);
      return (await response.json()) as Snapshot;
    };
    const judge = async (what: string, measure: () => Promise<number>): Promise<void> => {
      const { least, limit } = await leastOf(LIMIT_MS, measure);
      t.ok(least < limit, told(what, { least, limit }));
    };

    let first: Snapshot | undefined;
    await judge('the first one', async () => {
      // There is one in the life of a process.
      if (first) {
        await server.stop();
        server = await server.restart(t);
      }
      await longestBlock();
      first = await register();
      return longestBlock();
    });
    if (!first) throw new Error('There is no first one');
    t.equal(first.subscriptions.length, CHANNELS + 1);
    t.equal(first.streams.length, CHANNELS + OTHERS);
    t.equal(first.unread_msgs.count, CHANNELS + 2);
    t.equal(first.unread_msgs.streams.length, CHANNELS + 2);
    t.equal(first.max_message_id, messageIds[0]! + CHANNELS);

    const sender = founder.at(server.url);
    let said = 0;
    await judge('five at once', async () => {
      await longestBlock();
      said += 1;
      const many = Array.from({ length: 5 }, register);
      await Promise.all([...many, sender.say('meanwhile', 'channel 7')]);
      return longestBlock();
    });
    const later = await register();
    t.equal(later.unread_msgs.count, CHANNELS + 2 + said);
    t.equal((await server.stop()).code, 0);
  },
);
