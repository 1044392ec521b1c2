import type { Test } from 'tap';
import { RunningParley } from '../../../src/testing/parley.js';
import { createMemoryStore } from '../../../src/store/memory.js';
import { ApiClient } from './client.js';
import { assertJournalTellsAll, assertStoreTellsAll } from './journal-tells-all.js';
import {
  NEEDS_PROCESSES,
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  type ServerOptions,
} from './server.js';

/** What a server of its own has by default, too. */
const SETTINGS = {
  'owner-email': OWNER_EMAIL,
  'owner-password': OWNER_PASSWORD,
  organization: 'Parley',
};

/** An owner and two ordinary members, all subscribed to `general`. */
interface SmallPeople {
  readonly owner: ApiClient;
  readonly hamlet: ApiClient;
  readonly iago: ApiClient;
}

/** A server of its own with them. */
export interface SmallOrganization extends SmallPeople {
  readonly server: RunningServer;
}

/** Of a server, what a test needs that asks it and no more. */
interface AskedServer {
  readonly url: string;
}

/** With a server that is asked and no more. */
export interface AskedOrganization extends SmallPeople {
  readonly server: AskedServer;
}

/**
 * As {@link startOrganization}, within the process of the test and in memory (src/testing): a fifth of the cost. For
 * tests of which the process is no subject. Where tests run through a follower, or on a store of their own, it has
 * processes.
 */
export async function askOrganization(t: Test): Promise<AskedOrganization> {
  if (NEEDS_PROCESSES) return startOrganization(t);
  const server = await RunningParley.start({ settings: SETTINGS });
  t.teardown(async () => {
    await server.stop();
    const store = createMemoryStore(server.store.memory);
    await assertStoreTellsAll(store);
    await store.close();
  });
  return { server, ...(await peopleOf(server)) };
}

/** Starts a server of its own for a test; at its end the journal must tell all that was written. */
export async function startOrganization(
  t: Test,
  options: ServerOptions = {},
): Promise<SmallOrganization> {
  const server = await RunningServer.start(t, options);
  if (options.store === undefined) {
    t.teardown(async () => {
      const { stderr } = await server.stop();
      // The native HTTP layer writes its complaints between the lines of the log.
      const plain = /^(?:Warning|Error): .*/m.exec(stderr);
      if (plain) throw new Error(`A line that is none of the log: ${plain[0]}`);
      await assertJournalTellsAll(server.folder);
    });
  }
  return { server, ...(await peopleOf(server)) };
}

async function peopleOf({ url }: AskedServer): Promise<SmallPeople> {
  const owner = await ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  const iago = await owner.createUser('iago');
  return { owner, hamlet, iago };
}
