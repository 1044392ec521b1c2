import type { Test } from 'tap';
import { ApiClient } from './client.js';
import { assertJournalTellsAll } from './journal-tells-all.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, type ServerOptions } from './server.js';

/** A server with an owner and two ordinary members, all subscribed to `general`. */
export interface SmallOrganization {
  readonly server: RunningServer;
  readonly owner: ApiClient;
  readonly hamlet: ApiClient;
  readonly iago: ApiClient;
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
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  const iago = await owner.createUser('iago');
  return { server, owner, hamlet, iago };
}
