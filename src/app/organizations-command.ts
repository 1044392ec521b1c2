/** `parley organizations …`, as an operator runs it: at the process that serves, or on a data folder that nobody serves. */
import type { Config } from '../config/config.js';
import { badRequest } from '../errors/index.js';
import { Catalogue } from '../host/catalogue/catalogue.js';
import { adminPath, hasCatalogue, hostPath, isEmbedded } from '../host/data-folder/places.js';
import type { Outcome } from '../host/output.js';
import { askAt, isOpen } from '../operator/admin/admin-client.js';
import type { AdminRequest } from '../operator/admin/admin-request.js';
import { recordText, tableText } from '../operator/admin/table.js';
import { OrganizationCommands, type MainState } from '../operator/organizations.js';
import { readStopped, withStoppedStore } from '../operator/stopped-store.js';
import { REALM } from '../nodes/history/first-start.js';
import { BusyStoreError } from '../store/transfer/held.js';
import { createdIn } from './while-opened.js';

/** @throws Error with what the operator should read */
export async function runOrganizations(config: Config, request: AdminRequest): Promise<Outcome> {
  const answer = await askAt(hostPath(config), request);
  const value = answer === undefined ? await onFolder(config, request) : answer;
  const text = Array.isArray(value)
    ? tableText(value as Record<string, unknown>[])
    : recordText(value as Record<string, unknown>);
  return { value, text };
}

/**
 * Has an organization in memory at the process that serves it, whose admin socket is there then; where nobody serves, the
 * next start opens it. For commands that may change what it plans.
 * @throws Error where it cannot be woken, or the catalogue is busy
 */
export async function wakeBeforehand(
  place: Pick<Config, 'store' | 'state'>,
  name: string,
): Promise<void> {
  const request = { command: 'organizations wake', args: [name], flags: {} };
  if ((await askAt(hostPath(place), request)) !== undefined) return;
  const catalogue = await Catalogue.claim(place);
  try {
    await catalogue.plan(new Map([[name, 0]]));
  } finally {
    await catalogue.close();
  }
}

/** Works on a folder that nobody serves; what is created there is served by the next start. */
async function onFolder(config: Config, request: AdminRequest): Promise<unknown> {
  if (!isEmbedded(config)) {
    throw new Error('Several organizations need an embedded store: on Redis a process serves one');
  }
  if (await isOpen(adminPath(config))) {
    throw new Error(
      `${config.store} is served by several processes (--workers), or follows: one process serves several organizations`,
    );
  }
  let catalogue = hasCatalogue(config) ? await Catalogue.claim(config) : null;
  const commands = new OrganizationCommands({
    config,
    catalogue: () => catalogue,
    claim: async () => {
      // A server may have no socket here, as where its path is too long.
      await withStoppedStore(config.store, async () => undefined).catch((error: unknown) => {
        if (!(error instanceof BusyStoreError)) throw error;
        throw new Error(
          `The catalogue of ${config.store} is busy: another process has the store. Try again when it has ended`,
          { cause: error },
        );
      });
      return (catalogue = await Catalogue.claim(config));
    },
    begin: async ({ state }, own) => (state === 'creating' ? createdIn(own) : null),
    assertUsable: async () => undefined,
    end: async () => undefined,
    wake: async () => undefined,
    sleep: async () => {
      throw badRequest('No server runs: nothing is in memory');
    },
    // The others can be listed where this one cannot be read.
    mainState: () => stateOf(config).catch(() => 'unknown'),
    health: () => null,
  });
  try {
    if (catalogue) await commands.clear(catalogue);
    return await commands.carryOut(request);
  } finally {
    await catalogue?.close();
  }
}

/** Of a store that nobody serves. */
async function stateOf(config: Config): Promise<MainState> {
  const [realm] = await readStopped(config.store, (store) => store.getMany([REALM]));
  return realm?.['deactivated'] === true ? 'deactivated' : 'active';
}
