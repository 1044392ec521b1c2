/** `--into NAME` of commands that fill a store: that of an organization beside others, which go on being served. */
import { badRequest } from '../errors/index.js';
import { ConfigError, type Config } from '../config/config.js';
import { Catalogue, type CatalogueEntry } from '../host/catalogue/catalogue.js';
import { organizationConfig } from '../host/catalogue/organization-config.js';
import { addressFrom, checkName, MAIN } from '../host/catalogue/organization-names.js';
import { assertFree, assertRoomFor } from '../host/catalogue/room.js';
import { hostPath, secretPath } from '../host/data-folder/places.js';
import type { Outcome } from '../host/output.js';
import { isOpen } from '../operator/admin/admin-client.js';
import { readSecret } from '../services/auth/api-keys.js';
import { runOrganizations } from './organizations-command.js';

/** Which store a command fills. */
export interface Filling {
  /** Of the process. */
  readonly config: Config;
  readonly into: {
    /** Short name; undefined: none was given. */
    readonly into: string | undefined;
    /** Host name of one that is new; undefined: none was given. */
    readonly address: string | undefined;
  };
}

/** What became of a store that was to be filled. */
export interface Filled extends Outcome {
  readonly isFilled: boolean;
  /** It has API keys, whose secret must be there before it is served. */
  readonly hasKeys: boolean;
}

/**
 * Fills the store that is meant, and serves what it has then: a new organization is entered in the catalogue, of one that is
 * there it says how it is served again.
 * @param fill given the settings of the organization
 * @throws ConfigError for a place that cannot be filled
 */
export async function filled(
  { config, into: { into, address } }: Filling,
  fill: (own: Config) => Promise<Filled>,
  report: (line: string) => void,
): Promise<Outcome> {
  const known = await assertOneIsMeant(config, { into, address });
  if (into === undefined || into === MAIN) return fill(config);
  const place = await placeOf(config, known, into, address);
  const own = { ...organizationConfig(config, place), organization: config.organization };
  const { isFilled, hasKeys, ...outcome } = await fill(own);
  if (!isFilled) return outcome;
  const isKnown = known.some(({ name }) => name === into);
  const next = isKnown
    ? `parley organizations reactivate ${into}`
    : `parley organizations adopt ${into} --address ${place.address}`;
  if (hasKeys && (await readSecret(secretPath(own))) === null) {
    report(`Copy the secret of its API keys to ${secretPath(own)}, then serve it: ${next}`);
  } else if (isKnown) {
    report(`Serve it again: ${next}`);
  } else {
    const flags = { address: place.address };
    const request = { command: 'organizations adopt', args: [into], flags };
    const { text } = await runOrganizations(config, request);
    report(text!);
  }
  return outcome;
}

/**
 * Says which organizations a data folder has.
 * @throws ConfigError where it has several, and a command that fills a store names none
 */
export async function assertOneIsMeant(
  place: Pick<Config, 'store'>,
  { into, address }: Filling['into'],
): Promise<readonly CatalogueEntry[]> {
  if (into === undefined && address !== undefined) throw new ConfigError('--address is for --into');
  const known = await Catalogue.read(place);
  if (into === undefined && known.length > 0) {
    const names = [MAIN, ...known.map(({ name }) => name).sort()].join(', ');
    throw new ConfigError(
      `${place.store} has several organizations: say which one is filled with --into (${names}, or a new name)`,
    );
  }
  return known;
}

/** @throws ConfigError, ApiError */
async function placeOf(
  config: Config,
  known: readonly CatalogueEntry[],
  name: string,
  address: string | undefined,
): Promise<Pick<CatalogueEntry, 'name' | 'address'>> {
  const entry = known.find((one) => one.name === name);
  if (!entry) {
    checkName(name);
    if (address === undefined) {
      throw new ConfigError(`${name} is a new organization: give it a host name with --address`);
    }
    const host = addressFrom(address);
    // A process that serves knows the address of the main one, and checks all of it.
    if (await isOpen(hostPath(config))) assertFree(config, known, name, host);
    else assertRoomFor(config, known, name, host);
    return { name, address: host };
  }
  if (address !== undefined) throw new ConfigError(`${name} has the address ${entry.address}`);
  if (entry.state === 'deactivated') return entry;
  throw badRequest(`${name} is served: parley organizations deactivate ${name} first`);
}
