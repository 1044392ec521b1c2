import { ConfigError, type Config } from '../../config/config.js';
import { hasCatalogue } from '../data-folder/places.js';
import type { CatalogueEntry } from './catalogue.js';
import { organizationConfig, placesOf } from './organization-config.js';
import { MAIN } from './organization-names.js';

/** A command over a stored organization. */
interface OverOne {
  readonly of?: string;
  readonly config?: unknown;
  readonly store?: string;
  readonly state?: string | null;
  readonly files?: unknown;
}

/**
 * A command with the places and settings of the organization that it is about.
 * @param beforehand called with the name of one of the catalogue, before the command looks at it
 * @throws ConfigError where the data folder has several and none of them is named, or has none of the name
 */
export async function ofOrganization<C extends OverOne>(
  command: C,
  beforehand: (place: Pick<Config, 'store' | 'state'>, name: string) => Promise<void> = async () =>
    undefined,
): Promise<C> {
  const config = command.config as Config | undefined;
  const place = config ?? { store: command.store!, state: command.state ?? null };
  const entry = await chosenIn(place, command.of);
  if (entry === null) return command;
  if (entry.state === 'active') await beforehand(place, entry.name);
  if (config) return { ...command, config: organizationConfig(config, entry) };
  const { store, state } = placesOf(place, entry.name);
  return {
    ...command,
    store,
    ...('state' in command ? { state } : {}),
    ...(command.files ? { files: organizationConfig(command.files as Config, entry) } : {}),
  };
}

/** The one of the catalogue that is meant; null for the main one. @throws ConfigError */
async function chosenIn(
  place: Pick<Config, 'store'>,
  name: string | undefined,
): Promise<CatalogueEntry | null> {
  const entries = await entriesIn(place);
  const names = [MAIN, ...entries.map((one) => one.name).sort()].join(', ');
  // As of a variable of a shell that is not set: it means none of them.
  if (name === '') throw new ConfigError(`--organization is empty: name one of ${names}`);
  if (name === MAIN || (name === undefined && entries.length === 0)) return null;
  const found = entries.find((one) => one.name === name);
  if (found) return found;
  throw new ConfigError(
    name === undefined
      ? `${place.store} has several organizations: name one with --organization (${names})`
      : `${place.store} has no organization ${name}; it has ${names}`,
  );
}

/** Reads no module that most commands do without: nearly all folders have one organization. */
async function entriesIn(place: Pick<Config, 'store'>): Promise<CatalogueEntry[]> {
  if (!hasCatalogue(place)) return [];
  const { Catalogue } = await import('./catalogue.js');
  return Catalogue.read(place);
}
