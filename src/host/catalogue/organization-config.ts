import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { existsSync, readdirSync } from '../../platform/files.js';
import { folderOf, isEmbedded } from '../data-folder/places.js';
import type { CatalogueEntry } from './catalogue.js';
import { ownSettings } from './own-settings.js';
import { addressFrom, isName } from './organization-names.js';

/** Most organizations of a catalogue: asleep each is an entry in memory, of half a kilobyte. */
export const MOST_ORGANIZATIONS = 10_000;

/** Where an organization of the catalogue keeps all that is its own. */
export function organizationFolder(config: Pick<Config, 'store'>, name: string): string {
  return join(folderOf(config), 'organizations', name);
}

/** Names of the folders of organizations that are there, whatever the catalogue says. */
export function organizationFolders(config: Pick<Config, 'store'>): string[] {
  const all = organizationFolder(config, '.');
  if (!existsSync(all)) return [];
  const folders = readdirSync(all, { withFileTypes: true });
  return folders
    .filter((one) => one.isDirectory() && isName(one.name))
    .map(({ name }) => name)
    .sort();
}

/**
 * Why no process may serve a data folder with these settings, with what to do; null where one may.
 * @param entries of its catalogue; null: it has none
 */
export function whyNotServed(
  config: Config,
  entries: readonly CatalogueEntry[] | null,
): string | null {
  const reason = entries === null ? null : whyOnlyOne(config);
  if (reason !== null) return `${config.store} has several organizations. ${reason}`;
  const folders = entries?.length ? [] : organizationFolders(config);
  return folders.length === 0 ? null : lostCatalogue(config, folders);
}

/** Why an organization cannot be served under its address, with what to do; null where it can. */
export function whyNotAt(
  { url }: Pick<Config, 'url'>,
  { name, address }: CatalogueEntry,
): string | null {
  let why = isMains(url, address) ? '--url gives it to the main one' : null;
  try {
    addressFrom(address);
  } catch (error) {
    why = (error as Error).message;
  }
  return (
    why &&
    `${name} cannot have the address ${address}: ${why}. Give it another one with parley organizations address ${name} HOST`
  );
}

/** The host name of the main organization; null where it has every one. */
export function mainAddress(url: string | null): string | null {
  return url === null ? null : new URL(url).hostname;
}

/** Whether an address is that of the main organization. */
export function isMains(url: string | null, address: string): boolean {
  return mainAddress(url) === address;
}

/** What an operator reads where no catalogue has any of the folders that are there. */
function lostCatalogue({ store }: Pick<Config, 'store'>, names: readonly string[]): string {
  return (
    `${store} has folders of organizations, and no catalogue that names them: ${names.join(', ')}. ` +
    'Restore its folder catalogue, or take each in again with parley organizations adopt NAME --address HOST --url …; ' +
    'to serve the main organization alone, move the folder organizations away'
  );
}

/**
 * The settings of an organization of the catalogue: those of the process, but for what is an organization's own. None of
 * the places of the main organization is among them, nor do its logins admit anybody to another one.
 * @throws ConfigError where the settings of the organization cannot be used
 */
export function organizationConfig(
  config: Config,
  entry: Pick<CatalogueEntry, 'name' | 'address'>,
): Config {
  return {
    ...configWithoutOwn(config, entry),
    ...ownSettings(organizationFolder(config, entry.name)),
  };
}

/** As {@link organizationConfig}, of an organization that has no settings of its own. */
export function configWithoutOwn(
  config: Config,
  { name, address }: Pick<CatalogueEntry, 'name' | 'address'>,
): Config {
  return {
    ...config,
    ...placesOf(config, name),
    ...{ files: null, filesKeys: null, secretFile: null, jwt: null, ldap: null, oidc: null },
    incomingMailAddress: mailPatternAt(config.incomingMailAddress, address),
    url: urlAt(config.url, address),
    ...{ organization: name, ownerPassword: null, newOrganization: false, backup: null },
    // Administrators of the organization are not the operator, whose settings tell of others.
    options: [],
  };
}

/** The host name of an address says whose mail it is. */
function mailPatternAt(pattern: string | null, address: string): string | null {
  return pattern && `${pattern.slice(0, pattern.lastIndexOf('@'))}@${address}`;
}

/** Where its store is, and what processes keep beside it. */
export function placesOf(
  { store, state }: Pick<Config, 'store' | 'state'>,
  name: string,
): Pick<Config, 'store' | 'state'> {
  return {
    store: `embedded:${organizationFolder({ store }, name)}`,
    state: state === null ? null : join(state, 'organizations', name),
  };
}

/** The base URL with another host name. */
export function urlAt(url: string | null, address: string): string {
  if (url === null) return `http://${address}`;
  const own = new URL(url);
  return `${own.protocol}//${address}${own.port === '' ? '' : `:${own.port}`}`;
}

/** Why a process with these settings cannot serve several organizations, with what to do; null where it can. */
export function whyOnlyOne(config: Config): string | null {
  if (!isEmbedded(config)) {
    return 'Several organizations need an embedded store: on Redis a process serves one';
  }
  if (config.workers > 1) {
    return 'Several organizations are served by one process: start it without --workers';
  }
  if (config.url === null) {
    return 'Several organizations are told apart by host name: set --url, the address of the main one';
  }
  return null;
}
